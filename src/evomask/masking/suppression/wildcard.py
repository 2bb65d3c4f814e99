"""Few cells where a suppressed cell matches any value on either side, as in sdcMicro.

Under this matching a record that is wholly suppressed matches all others: k - 1 of them
make any file k-anonymous. That few cells may be enough says how little the matching asks.
"""

import numpy as np

from evomask.arrays import Codes, Flags, Indices
from evomask.data.classes import classes_of_columns
from evomask.masking.suppression.covering import covering_cells

MOST_PAIRS = 50_000_000
"""Pairs of records held in memory while cells are given back."""


def wildcard_cells(rows: Codes, k: int) -> Flags:
    """The fewer of two: each record covered on its own, or k - 1 records wholly suppressed.

    In both, every cell that is not needed is given back, in the order of records.
    """
    sizes = classes_of_columns(list(rows.T), len(rows)).sizes_of_records
    watched = np.flatnonzero(sizes < k)
    if not len(watched):
        return np.zeros(rows.shape, dtype=bool)
    covering = covering_cells(rows, k)
    whole = _wholly(rows, watched, k)
    tried = [cells for cells in (covering, whole) if cells.sum() <= whole.sum()]
    return min((_given_back(rows, c, k, watched) for c in tried), key=lambda c: int(c.sum()))


def _wholly(rows: Codes, watched: Indices, k: int) -> Flags:
    """Suppress the k - 1 records whose values the *watched* ones share most often."""
    shared = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        shared += np.bincount(column[watched], minlength=int(column.max()) + 1)[column]
    cells = np.zeros(rows.shape, dtype=bool)
    cells[np.argsort(-shared, kind="stable")[: k - 1]] = True
    return cells


def _given_back(rows: Codes, cells: Flags, k: int, watched: Indices) -> Flags:
    """Fewer suppressed cells, if the pairs of *watched* and all records fit in memory."""
    watched = np.union1d(watched, np.flatnonzero(cells.any(axis=1)))
    if len(watched) * len(rows) > MOST_PAIRS:
        return cells
    cells = cells.copy()
    apart = np.zeros((len(watched), len(rows)), dtype=np.int64)
    for column, hidden in zip(rows.T, cells.T, strict=True):
        apart += (column[watched, None] != column) & ~hidden[watched, None] & ~hidden
    place = {record: i for i, record in enumerate(watched.tolist())}
    for record, attribute in np.argwhere(cells).tolist():
        _give_back(rows, cells, apart, watched, place[record], attribute, k)
    return cells


def _give_back(
    rows: Codes,
    cells: Flags,
    apart: Indices,
    watched: Indices,
    place: int,
    attribute: int,
    k: int,
) -> None:
    """Show one cell again if all watched records still have k matches."""
    record = watched[place]
    differs = (rows[:, attribute] != rows[record, attribute]) & ~cells[:, attribute]
    lost = differs[watched] & (apart[:, record] == 0)
    counts = (apart == 0).sum(axis=1) - lost
    counts[place] = np.sum((apart[place] == 0) & ~differs)
    if counts.min() >= k:
        cells[record, attribute] = False
        apart[:, record] += differs[watched]
        apart[place] += differs
