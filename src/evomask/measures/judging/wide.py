"""Cells that cover several values: how many people they may cover, and those that tell nothing.

An intruder may believe that a wide cell is true: it is as near as the nearest value in it. Where
some cells are suppressed and others changed, that intruder is led astray by records that could be
anybody's. So another passes over cells that may be anything, as if they were missing.
"""

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.kernels.linking.linkage import Rows
from evomask.measures.categories import CategoricalColumn, Cells
from evomask.measures.numbers import NumberColumn
from evomask.measures.risk.space import Masked, Space


def are_whole(column: CategoricalColumn, cells: Cells) -> Flags:
    """Which cells may stand for everything there is, and so tell nothing."""
    every = (cells.leaves | (column.counts == 0)).all(axis=1)
    whole: Flags = every & (cells.leaves.sum(axis=1) > 1)
    return whole


def has_whole_cells_among_others(space: Space, masked: Masked) -> bool:
    """Whether in any attribute some cells may stand for everything there is, and some may not.

    Where all cells of an attribute are such, believing them leads nobody astray.
    """
    shares = [float(whole.mean()) for whole in whole_numbers(space, masked.rows).T]
    parts = zip(space.categories, masked.cells, masked.rows.codes.T, strict=True)
    shares += [float(are_whole(column, cells)[codes].mean()) for column, cells, codes in parts]
    return any(0.0 < share < 1.0 for share in shares)


def whole_numbers(space: Space, rows: Rows) -> Flags:
    """Which numbers of which rows are intervals that hold all there is."""
    whole: Flags = rows.low < rows.high
    for a, column in enumerate(space.numbers):
        if column.n_known:
            least, most = column.range
            whole[:, a] &= rows.low[:, a] <= least
            whole[:, a] &= rows.high[:, a] >= most
    return whole


def people_covered(space: Space, masked: Masked, rows: Rows, known: Flags) -> Floats:
    """How many people each row's wide cells may cover, were attributes independent.

    Rows without wide cells cover people who are equal to them: 0 stands for these.

    Args:
        known: the attributes that count, numbers before categories.
    """
    if not _any_wide(masked, rows):
        return np.zeros(len(rows))
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


def _any_wide(masked: Masked, rows: Rows) -> bool:
    """Whether any row has a cell that covers several values."""
    if rows.low is not rows.high and bool(np.any(rows.low < rows.high)):
        return True
    pairs = zip(masked.cells, rows.codes.T, strict=True)
    return any(not cells.are_plain and _are_wide(cells)[codes].any() for cells, codes in pairs)


def _are_wide(cells: Cells) -> Flags:
    wide: Flags = cells.leaves.sum(axis=1) > 1
    return wide


def _share_between(column: NumberColumn, low: Floats, high: Floats) -> Floats:
    """Share of the original values in each cell; what is missing is among those missing."""
    inside = column.up_to(high) - column.below(low)
    missing = column.n_records - column.n_known
    shares: Floats = np.where(np.isnan(low), missing, inside) / column.n_records
    return shares
