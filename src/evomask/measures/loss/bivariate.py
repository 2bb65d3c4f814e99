"""The counts of two attributes crossed, of which only one is masked (equation 4.5)."""

from dataclasses import dataclass
from typing import ClassVar

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.categories import CategoricalColumn
from evomask.measures.loss.contingency import table_difference
from evomask.measures.measure import About, Reading, Side
from evomask.measures.pairing import check_masked, check_original, needing
from evomask.measures.trackable import Request, TrackableReading


@dataclass(frozen=True)
class BivariateLoss:
    """Difference of the table of counts of two attributes, over 2 n, in percent.

    Args:
        attributes: the masked attribute and the one it is crossed with.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "bivariate",
        "difference in bivariate counts",
        Side.LOSS,
        "which share of the records stands in another cell when two attributes are crossed",
    )

    def __post_init__(self) -> None:
        if len(set(self.attributes)) != 2:
            raise ParameterError(
                f"bivariate counts need two different attributes, got {len(self.attributes)}"
            )

    def against(self, original: Table) -> Reading:
        """Prepare the original's columns."""
        check_original(original, self.attributes)
        needing(
            original.schema, self.attributes, Kind.ORDINAL, Kind.NOMINAL,
            why="tables of counts need categories",
        )  # fmt: skip
        columns = [CategoricalColumn.of(original, name) for name in self.attributes]

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            cells = [column.cells(masked) for column in columns]
            return 50.0 * table_difference(columns, cells) / len(original)

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))
