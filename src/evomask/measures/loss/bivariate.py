"""The counts of masked attributes crossed with one that is not masked (equation 4.5)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import check_masked, check_original, needing
from evomask.measures.loss.contingency import table_difference
from evomask.measures.measure import About, Reading, Side
from evomask.measures.tracked.trackable import Request, TrackableReading


@dataclass(frozen=True)
class BivariateLoss:
    """Difference of the table of counts of two attributes, over 2 n, in percent.

    Args:
        attributes: the masked attribute, or several, and last the one they are crossed with;
            of several tables the mean is taken.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "bivariate",
        "difference in bivariate counts",
        Side.LOSS,
        "which share of the records stands in another cell when two attributes are crossed",
    )

    def __post_init__(self) -> None:
        if len(self.attributes) < 2 or self.attributes[-1] in self.attributes[:-1]:
            raise ParameterError(
                "bivariate counts need a masked attribute and another, different one"
            )

    def against(self, original: Table) -> Reading:
        """Prepare the original's categories, which masked ones are counted against."""
        check_original(original, self.attributes)
        needing(
            original.schema, self.attributes, Kind.ORDINAL, Kind.NOMINAL,
            why="tables of counts need categories",
        )  # fmt: skip
        columns = [CategoricalColumn.of(original, name) for name in self.attributes]

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            *masked_cells, beside = [column.cells(masked) for column in columns]
            pairs = zip(columns, masked_cells, strict=False)
            apart = [table_difference((column, columns[-1]), (c, beside)) for column, c in pairs]
            return 50.0 * float(np.mean(apart)) / len(original)

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))
