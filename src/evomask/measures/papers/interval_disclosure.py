"""Interval disclosure (ID): masked values that are close to the original ones."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.measures.columns import CategoricalColumn, NumberColumn
from evomask.measures.incremental.readings import Request, TrackableReading
from evomask.measures.measure import (
    About,
    Reading,
    Side,
    check_masked,
    check_original,
    require_kinds,
)
from evomask.types import Floats

CATEGORICAL_WINDOW = 10.0
CONTINUOUS_WINDOWS = tuple(float(p) for p in range(1, 11))


@dataclass(frozen=True)
class RankInterval:
    """ID: share of cells whose original and masked value have close ranks.

    Args:
        attributes: names of attributes of any kind; a nominal one is ranked in the order of
            its domain, as in the papers.
        categorical: largest difference of ranks, in percent of the records.
        continuous: the same for numbers; the result is the mean over several.

    The rank of a masked value is its position among the sorted original values.
    """

    attributes: tuple[str, ...]
    categorical: float = CATEGORICAL_WINDOW
    continuous: tuple[float, ...] = CONTINUOUS_WINDOWS

    about: ClassVar[About] = About(
        "id",
        "interval disclosure by ranks (ID)",
        Side.RISK,
        "the share of cells whose masked value has nearly the rank of the original value",
    )

    def __post_init__(self) -> None:
        if min(self.categorical, *self.continuous) < 0:
            raise ParameterError("a rank interval must not be negative; give a percentage")

    def against(self, original: Table) -> Reading:
        check_original(original, self.attributes)
        if not self.attributes:
            raise SchemaError("interval disclosure needs at least one attribute; name one")
        parts = [self._attribute_reading(original, name) for name in self.attributes]
        request = Request(
            self.about.name, self.attributes, window=self.categorical, windows=self.continuous
        )

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            return 100.0 * float(np.mean([part(masked) for part in parts]))

        return TrackableReading(reading, original, request)

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


@dataclass(frozen=True)
class _WidthInterval(ABC):
    """Share of cells with |x' - x| at most a width."""

    attributes: tuple[str, ...]
    percent: float = 10.0

    about: ClassVar[About]

    @abstractmethod
    def _widths(self, column: NumberColumn) -> Floats: ...

    def against(self, original: Table) -> Reading:
        names = self.attributes
        check_original(original, names)
        require_kinds(
            original.schema, names, Kind.CONTINUOUS, why="this interval is a width of numbers"
        )
        columns = [NumberColumn.of(original, name) for name in names]
        widths = [self._widths(column) for column in columns]

        def share(column: NumberColumn, width: Floats, masked: Table) -> float:
            cells = column.cells(masked)
            inside = column.shares_between(cells, column.values - width, column.values + width)
            both_missing = ~column.known & np.isnan(cells.low)
            return float(np.where(both_missing, 1.0, inside).mean())

        def reading(masked: Table) -> float:
            check_masked(original, masked, names)
            pairs = zip(columns, widths, strict=True)
            return 100.0 * float(np.mean([share(c, width, masked) for c, width in pairs]))

        return reading


@dataclass(frozen=True)
class RelativeInterval(_WidthInterval):
    """Share of cells with |x' - x| <= percent of |x|, as in the grouping search."""

    about: ClassVar[About] = About(
        "id-relative",
        "interval disclosure by relative difference",
        Side.RISK,
        "the share of masked numbers within ten percent of the original number",
    )

    def _widths(self, column: NumberColumn) -> Floats:
        return self.percent / 100 * np.abs(column.values)


@dataclass(frozen=True)
class DeviationInterval(_WidthInterval):
    """Share of cells with |x' - x| <= percent of the attribute's standard deviation."""

    about: ClassVar[About] = About(
        "id-deviation",
        "interval disclosure by standard deviation",
        Side.RISK,
        "the share of masked numbers within ten percent of a standard deviation of the original",
    )

    def _widths(self, column: NumberColumn) -> Floats:
        return np.full(len(column.values), self.percent / 100 * column.deviation)
