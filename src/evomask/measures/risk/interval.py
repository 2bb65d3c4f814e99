"""Interval disclosure (ID): masked values that lie close to the true ones."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Floats
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import check_masked, check_original, needing
from evomask.measures.measure import About, Reading, Side
from evomask.measures.numbers import NumberColumn
from evomask.measures.tracked.trackable import Request, TrackableReading

CATEGORICAL_WINDOW = 10.0
CONTINUOUS_WINDOWS = tuple(float(p) for p in range(1, 11))


@dataclass(frozen=True)
class RankInterval:
    """ID: cells whose original and masked value have ranks close to each other.

    Args:
        attributes: names of attributes of any kind; a nominal one is ranked in the order of
            its domain, as the papers do.
        categorical: largest difference of ranks, in percent of the records.
        continuous: the same for numbers; the result is the average over several.

    The rank of a masked value is its place among the sorted original values.
    """

    attributes: tuple[str, ...]
    categorical: float = CATEGORICAL_WINDOW
    continuous: tuple[float, ...] = CONTINUOUS_WINDOWS

    about: ClassVar[About] = About(
        "id",
        "interval disclosure by ranks (ID)",
        Side.RISK,
        "the share of cells whose masked value tells almost where the true value stands "
        "among all values of its attribute",
    )

    def __post_init__(self) -> None:
        if min(self.categorical, *self.continuous) < 0:
            raise ParameterError("a rank interval must not be negative; give a percentage")

    def against(self, original: Table) -> Reading:
        """Prepare the original's ranks."""
        check_original(original, self.attributes)
        _check_some(self.attributes)
        parts = [self._attribute_reading(original, name) for name in self.attributes]
        request = Request(
            self.about.name, self.attributes, window=self.categorical, windows=self.continuous
        )
        return TrackableReading(_mean_reading(original, self.attributes, parts), original, request)

    def _attribute_reading(self, original: Table, name: str) -> Reading:
        if original.attribute(name).is_categorical:
            categories = CategoricalColumn.of(original, name)
            near = categories.nearness(self.categorical / 100 * len(original))
            return lambda masked: categories.mean_over_records(categories.cells(masked), near)
        numbers = NumberColumn.of(original, name)
        windows = np.sort(np.array(self.continuous)) / 100 * len(original)
        return lambda masked: float(
            numbers.shares_near(numbers.cells(masked), numbers.ranks, windows).mean()
        )


def _check_some(names: tuple[str, ...]) -> None:
    if not names:
        raise SchemaError("interval disclosure needs at least one attribute; name one")


def _mean_reading(original: Table, names: tuple[str, ...], parts: list[Reading]) -> Reading:
    def reading(masked: Table) -> float:
        check_masked(original, masked, names)
        return 100.0 * float(np.mean([part(masked) for part in parts]))

    return reading


def _width_reading(
    original: Table, names: tuple[str, ...], width: Callable[[NumberColumn], Floats]
) -> Reading:
    """Share of cells with |x' - x| at most the width of x."""
    check_original(original, names)
    needing(original.schema, names, Kind.CONTINUOUS, why="this interval is a width of numbers")
    columns = [NumberColumn.of(original, name) for name in names]
    widths = [width(column) for column in columns]

    def share(column: NumberColumn, reach: Floats, masked: Table) -> float:
        cells = column.cells(masked)
        inside = column.shares_between(cells, column.values - reach, column.values + reach)
        both_missing = ~column.known & np.isnan(cells.low)
        return float(np.where(both_missing, 1.0, inside).mean())

    def reading(masked: Table) -> float:
        check_masked(original, masked, names)
        pairs = zip(columns, widths, strict=True)
        return 100.0 * float(np.mean([share(c, reach, masked) for c, reach in pairs]))

    return reading


@dataclass(frozen=True)
class RelativeInterval:
    """Cells with |x' - x| <= percent of |x|, as in the grouping search."""

    attributes: tuple[str, ...]
    percent: float = 10.0

    about: ClassVar[About] = About(
        "id-relative",
        "interval disclosure by value",
        Side.RISK,
        "the share of masked numbers within ten percent of the true number",
    )

    def against(self, original: Table) -> Reading:
        """Prepare an interval around every original value."""
        return _width_reading(
            original, self.attributes, lambda column: self.percent / 100 * np.abs(column.values)
        )


@dataclass(frozen=True)
class DeviationInterval:
    """Cells with |x' - x| <= percent of the attribute's standard deviation."""

    attributes: tuple[str, ...]
    percent: float = 10.0

    about: ClassVar[About] = About(
        "id-deviation",
        "interval disclosure by standard deviation",
        Side.RISK,
        "the share of masked numbers that differ from the true number by little compared with "
        "the spread of the attribute",
    )

    def against(self, original: Table) -> Reading:
        """Prepare an interval around every original value."""
        return _width_reading(
            original,
            self.attributes,
            lambda column: np.full(len(column.values), self.percent / 100 * column.deviation),
        )
