"""Cells that cover several values: how many people they may cover, and what they resemble.

An intruder may believe that a wide cell is true: it is as near as the nearest value in it. Where
some cells are suppressed and others changed, that intruder is led astray by records that could be
anybody's. So another takes cells at face value: a set is at its mean distance, an interval at the
median of what it covers, and what may be anything tells as little as a missing value.
"""

import numpy as np

from evomask.arrays import Flags, Floats, Points
from evomask.kernels.linking.linkage import Rows
from evomask.measures.categories import CategoricalColumn, Cells
from evomask.measures.numbers import NumberColumn
from evomask.measures.risk.space import Masked, Space


def are_whole(column: CategoricalColumn, cells: Cells) -> Flags:
    """Which cells may stand for everything there is, and so tell nothing."""
    every = (cells.leaves | (column.counts == 0)).all(axis=1)
    whole: Flags = every & (cells.leaves.sum(axis=1) > 1)
    return whole


def has_wide_cells_among_others(masked: Masked) -> bool:
    """Whether in any attribute some records have a cell that covers several values, some not.

    Where all cells of an attribute are wide, believing them leads nobody astray.
    """
    numbers = [wide.mean() for wide in (masked.rows.low < masked.rows.high).T]
    codes = zip(masked.cells, masked.rows.codes.T, strict=True)
    shares = [*numbers, *(_are_wide(cells)[column].mean() for cells, column in codes)]
    return any(0.0 < share < 1.0 for share in shares)


def people_covered(space: Space, masked: Masked, rows: Rows, known: Flags) -> Floats:
    """How many people each row's wide cells may cover, were attributes independent.

    Rows without wide cells cover people who are equal to them: 0 stands for these.

    Args:
        known: the attributes that count, numbers before categories.
    """
    shares, wide = np.ones((2, len(rows)))
    for a in np.flatnonzero(known[: len(space.numbers)]).tolist():
        low, high = rows.low[:, a], rows.high[:, a]
        shares *= _share_between(space.numbers[a], low, high)
        wide *= ~(low < high)
    for j in np.flatnonzero(known[len(space.numbers) :]).tolist():
        cells, codes = masked.cells[j], rows.codes[:, j]
        counts = space.categories[j].counts
        shares *= (cells.leaves @ counts / space.n_records)[codes]
        wide *= ~_are_wide(cells)[codes]
    covered: Floats = np.where(wide == 1.0, 0.0, space.n_records * shares)
    return covered


def tables_at_face_value(space: Space, masked: Masked) -> list[Points]:
    """Costs of a person's category (rows) and a released cell, for each attribute."""
    return [
        _table(column, cells, space.unit)
        for column, cells in zip(space.categories, masked.cells, strict=True)
    ]


def numbers_at_face_value(space: Space, rows: Rows, middles: Points) -> Points:
    """The number that each cell resembles; missing where it may be anything."""
    numbers = middles.copy()
    for a, column in enumerate(space.numbers):
        if len(column.sorted):
            low, high = rows.low[:, a], rows.high[:, a]
            whole = (low < high) & (low <= column.sorted[0]) & (high >= column.sorted[-1])
            numbers[whole, a] = np.nan
    return numbers


def _are_wide(cells: Cells) -> Flags:
    wide: Flags = cells.leaves.sum(axis=1) > 1
    return wide


def _share_between(column: NumberColumn, low: Floats, high: Floats) -> Floats:
    """Share of the original values in each cell; what is missing is among those missing."""
    inside = np.searchsorted(column.sorted, high, "right")
    inside -= np.searchsorted(column.sorted, low, "left")
    missing = len(column.values) - len(column.sorted)
    shares: Floats = np.where(np.isnan(low), missing, inside) / len(column.values)
    return shares


def _table(column: CategoricalColumn, cells: Cells, unit: int) -> Points:
    costs: Points = column.distances @ cells.spread.T * unit
    single = ~_are_wide(cells)
    costs[:, single] = np.round(costs[:, single])
    costs[:, are_whole(column, cells)] = unit
    return costs
