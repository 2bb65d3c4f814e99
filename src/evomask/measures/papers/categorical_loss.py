"""Information loss of categorical attributes: CTBIL, DBIL, EBIL and bivariate counts.

The contingency-table, distance and entropy losses of Torra and Domingo-Ferrer (2001), and the
difference of bivariate counts (equation 4.5 of the thesis). The distance loss also takes numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import ClassVar

import numpy as np

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.measures.columns import CategoricalColumn, CategoryCells, NumberColumn
from evomask.measures.incremental.readings import Request, TrackableReading
from evomask.measures.measure import (
    About,
    Reading,
    Side,
    check_masked,
    check_original,
    require_kinds,
)
from evomask.measures.statistics import (
    ROOT_TWO,
    contingency_counts,
    relative_entropy,
    spread_over_leaves,
)

DENSE = 1 << 20
"""Tables with more cells than this are counted by their occupied cells only."""


def _columns(original: Table, names: tuple[str, ...], why: str) -> list[CategoricalColumn]:
    check_original(original, names)
    require_kinds(original.schema, names, Kind.ORDINAL, Kind.NOMINAL, why=why)
    return [CategoricalColumn.of(original, name) for name in names]


@dataclass(frozen=True)
class TableDifferences:
    """Differences of all contingency tables up to a dimension.

    Args:
        total: sum of absolute differences of counts (equation 2.10).
        tables: number of tables.
        cells: number of cells in all tables.
    """

    total: float
    tables: int
    cells: int

    @property
    def per_cell(self) -> float:
        """Mean difference of a cell (equation 2.11)."""
        return self.total / max(self.cells, 1)


@dataclass(frozen=True)
class ContingencyLoss:
    """CTBIL: absolute differences of contingency tables up to a dimension, over 2 n tables.

    Args:
        attributes: names of the categorical attributes.
        dimension: largest number of attributes in a table.

    The count of a generalized cell is spread over its leaves.
    """

    attributes: tuple[str, ...]
    dimension: int = 2

    about: ClassVar[About] = About(
        "ctbil",
        "contingency-table-based information loss (CTBIL)",
        Side.LOSS,
        "the share of records that are in another cell of the contingency tables",
    )

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise ParameterError(f"dimension must be at least 1, got {self.dimension}")

    def against(self, original: Table) -> Reading:
        columns = _columns(original, self.attributes, "tables of counts need categories")

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            differences = self.compared(columns, [column.cells(masked) for column in columns])
            return 50.0 * differences.total / (len(original) * differences.tables)

        request = Request(self.about.name, self.attributes, dimension=self.dimension)
        return TrackableReading(reading, original, request)

    def diagnostics(self, original: Table, masked: Table) -> TableDifferences:
        """The raw differences, outside [0, 100], that the thesis prints."""
        columns = _columns(original, self.attributes, "tables of counts need categories")
        check_masked(original, masked, self.attributes)
        return self.compared(columns, [column.cells(masked) for column in columns])

    def compared(
        self, columns: Sequence[CategoricalColumn], cells: Sequence[CategoryCells]
    ) -> TableDifferences:
        """Differences of all tables of original columns and masked cells."""
        total, tables, size = 0.0, 0, 0
        for order in range(1, min(self.dimension, len(columns)) + 1):
            for chosen in combinations(range(len(columns)), order):
                ours = [columns[j] for j in chosen]
                total += table_difference(ours, [cells[j] for j in chosen])
                size += prod(column.size for column in ours)
                tables += 1
        return TableDifferences(total, tables, size)


def table_difference(columns: Sequence[CategoricalColumn], cells: Sequence[CategoryCells]) -> float:
    """Sum of absolute differences of the counts of one table."""
    sizes = tuple(column.size for column in columns)
    if all(masked.are_plain for masked in cells) and prod(sizes) > DENSE:
        return _sparse_difference(columns, cells)
    before = contingency_counts([column.codes for column in columns], sizes)
    after = contingency_counts(
        [masked.codes for masked in cells], tuple(len(masked) for masked in cells)
    )
    return float(np.abs(before - spread_over_leaves(after, cells)).sum())


def _sparse_difference(
    columns: Sequence[CategoricalColumn], cells: Sequence[CategoryCells]
) -> float:
    both = [
        np.concatenate([c.codes, masked.codes]) for c, masked in zip(columns, cells, strict=True)
    ]
    keys = np.zeros(len(both[0]), dtype=np.int64)
    for codes, column in zip(both, columns, strict=True):
        keys = np.unique(keys * column.size + codes, return_inverse=True)[1].astype(np.int64)
    half = len(keys) // 2
    size = int(keys.max()) + 1
    before, after = (np.bincount(k, minlength=size) for k in (keys[:half], keys[half:]))
    return float(np.abs(before - after).sum())


@dataclass(frozen=True)
class BivariateLoss:
    """Difference of bivariate counts: one table of two attributes, over 2 n, in percent.

    Args:
        attributes: one or several masked attributes, and last the attribute that they are
            crossed with; the mean over several tables is taken.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "bivariate",
        "difference of bivariate counts",
        Side.LOSS,
        "the share of records that are in another cell when two attributes are cross-tabulated",
    )

    def __post_init__(self) -> None:
        if len(self.attributes) < 2 or self.attributes[-1] in self.attributes[:-1]:
            raise ParameterError(
                "bivariate counts need a masked attribute and another, different one"
            )

    def against(self, original: Table) -> Reading:
        columns = _columns(original, self.attributes, "tables of counts need categories")

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            *masked_cells, last = [column.cells(masked) for column in columns]
            pairs = zip(columns, masked_cells, strict=False)
            apart = [table_difference((column, columns[-1]), (c, last)) for column, c in pairs]
            return 50.0 * float(np.mean(apart)) / len(original)

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


@dataclass(frozen=True)
class DistanceLoss:
    """DBIL: mean distance between original and masked cells, of attributes of any kind.

    Nominal cells are at distance 0 or 1, ordinal ones at the difference of ranks over the size
    of the domain, continuous ones at |x - x'| / (sqrt(2) sd), at most 1. A generalized cell
    counts by the expected distance to a leaf.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "dbil",
        "distance-based information loss (DBIL)",
        Side.LOSS,
        "the mean distance of masked cells from original cells, in percent of the largest",
    )

    def against(self, original: Table) -> Reading:
        check_original(original, self.attributes)
        if not self.attributes:
            raise SchemaError("distance-based loss needs at least one attribute; name one")
        parts = [_mean_distance(original, name) for name in self.attributes]

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            return 100.0 * float(np.mean([part(masked) for part in parts]))

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


def _mean_distance(original: Table, name: str) -> Reading:
    """Mean distance of the cells of one attribute, in [0, 1]."""
    if original.attribute(name).is_categorical:
        categories = CategoricalColumn.of(original, name)
        return lambda masked: categories.mean_over_records(
            categories.cells(masked), categories.distances
        )
    numbers = NumberColumn.of(original, name)
    scale = np.full(len(original), ROOT_TWO * numbers.deviation)
    return lambda masked: float(numbers.expected_distances(numbers.cells(masked), scale).mean())


@dataclass(frozen=True)
class EntropyLoss:
    """EBIL: conditional entropy of the original given the masked category, over log(categories).

    Equations 2.12 and 2.13, averaged over attributes; an attribute of one category loses
    nothing.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "ebil",
        "entropy-based information loss (EBIL)",
        Side.LOSS,
        "the uncertainty about the original category that is left when the masked one is known",
    )

    def against(self, original: Table) -> Reading:
        columns = _columns(original, self.attributes, "entropy needs categories")

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            joints = [column.joint_counts(column.cells(masked)) for column in columns]
            return 100.0 * float(np.mean([relative_entropy(joint) for joint in joints]))

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))
