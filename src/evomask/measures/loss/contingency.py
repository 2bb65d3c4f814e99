"""Contingency-table loss (CTBIL): how much the tables of counts have changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import ClassVar

import numpy as np

from evomask.arrays import Codes, Floats
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.categories import CategoricalColumn, Cells
from evomask.measures.comparability import check_masked, check_original, needing
from evomask.measures.measure import About, Reading, Side
from evomask.measures.tracked.trackable import Request, TrackableReading

DENSE = 1 << 20
"""Tables with more cells than this are counted by their occupied cells only."""


@dataclass(frozen=True)
class TableDifferences:
    """How far all tables up to a dimension are apart.

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
        """Average difference of a cell (equation 2.11)."""
        return self.total / max(self.cells, 1)


@dataclass(frozen=True)
class ContingencyLoss:
    """CTBIL: differences of all tables of counts up to a dimension, over 2 n tables.

    Args:
        attributes: names of the categorical attributes.
        dimension: largest number of attributes in a table.

    A generalized cell's count is spread over its leaves.
    """

    attributes: tuple[str, ...]
    dimension: int = 2

    about: ClassVar[About] = About(
        "ctbil",
        "contingency-table-based information loss (CTBIL)",
        Side.LOSS,
        "which share of the records stands in another cell when the file is cross-tabulated",
    )

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise ParameterError(f"dimension must be at least 1, got {self.dimension}")

    def against(self, original: Table) -> Reading:
        """Prepare the original's categories for the tables of counts."""
        columns = self._columns(original)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            differences = self._differences(columns, masked)
            return 50.0 * differences.total / (len(original) * differences.tables)

        request = Request(self.about.name, self.attributes, dimension=self.dimension)
        return TrackableReading(reading, original, request)

    def diagnostics(self, original: Table, masked: Table) -> TableDifferences:
        """The raw figures, outside [0, 100], that the thesis prints."""
        columns = self._columns(original)
        check_masked(original, masked, self.attributes)
        return self._differences(columns, masked)

    def _columns(self, original: Table) -> list[CategoricalColumn]:
        check_original(original, self.attributes)
        needing(
            original.schema, self.attributes, Kind.ORDINAL, Kind.NOMINAL,
            why="tables of counts need categories",
        )  # fmt: skip
        return [CategoricalColumn.of(original, name) for name in self.attributes]

    def _differences(self, columns: list[CategoricalColumn], masked: Table) -> TableDifferences:
        return self.compared(columns, [column.cells(masked) for column in columns])

    def compared(
        self, columns: Sequence[CategoricalColumn], cells: Sequence[Cells]
    ) -> TableDifferences:
        """Differences of all tables, whatever the cells stand for."""
        total, tables, size = 0.0, 0, 0
        for order in range(1, min(self.dimension, len(columns)) + 1):
            for chosen in combinations(range(len(columns)), order):
                ours = [columns[j] for j in chosen]
                total += table_difference(ours, [cells[j] for j in chosen])
                size += prod(column.size for column in ours)
                tables += 1
        return TableDifferences(total, tables, size)


def table_difference(columns: Sequence[CategoricalColumn], cells: Sequence[Cells]) -> float:
    """Sum of absolute differences of one table's counts."""
    sizes = tuple(column.size for column in columns)
    plain = all(masked.are_plain for masked in cells)
    if plain and prod(sizes) > DENSE:
        return _sparse_difference(columns, cells)
    before = _counts([column.codes for column in columns], sizes)
    after = _counts([masked.codes for masked in cells], tuple(len(masked) for masked in cells))
    return float(np.abs(before - spread_over_leaves(after, cells)).sum())


def spread_over_leaves(counts: Floats, cells: Sequence[Cells]) -> Floats:
    """Counts of masked cells as counts of categories; each axis has the cells of an attribute."""
    for axis, masked in enumerate(cells):
        if not masked.are_plain:
            counts = np.moveaxis(np.tensordot(counts, masked.spread, axes=(axis, 0)), -1, axis)
    return counts


def _counts(codes: Sequence[Codes], sizes: tuple[int, ...]) -> Floats:
    keys = np.ravel_multi_index(tuple(codes), sizes)
    return np.bincount(keys, minlength=prod(sizes)).reshape(sizes).astype(np.float64)


def _sparse_difference(columns: Sequence[CategoricalColumn], cells: Sequence[Cells]) -> float:
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
