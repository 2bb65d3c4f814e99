"""Few suppressed cells under covering and wildcard matching.

Covering: each released record is compatible with k original records. Wildcard, as in sdcMicro: a
suppressed cell of either record matches any value. Under wildcard matching a fully suppressed
record matches all others, so k - 1 of them make any file k-anonymous: it is a weak criterion.
"""

from itertools import combinations
from math import comb

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.types import Codes, Flags, Indices

MAX_PATTERNS = 20_000
"""Patterns of suppressed attributes tried for one number of cells; above it, greedy."""

MAX_PAIRS = 50_000_000
"""Pairs of records held in memory while unnecessary suppressions are undone."""


def covering_cells(rows: Codes, k: int) -> Flags:
    """Flag the fewest cells of each record without which k records agree with it.

    Among sets of equal size, the one with most agreeing records wins, then the first. If there
    are too many sets, cells are dropped greedily, each time the one that leaves most records
    in agreement.
    """
    classes = classes_of_columns(list(rows.T), len(rows))
    distinct = rows[classes.representatives]
    cells = np.zeros(distinct.shape, dtype=bool)
    open_classes = classes.sizes < k
    for count in range(1, rows.shape[1] + 1):
        if not open_classes.any():
            break
        if comb(rows.shape[1], count) > MAX_PATTERNS:
            _drop_greedily(distinct, classes.sizes, cells, open_classes, k)
            break
        _drop_exactly(distinct, classes.sizes, cells, open_classes, count, k)
    return cells[classes.labels]


def _drop_exactly(
    distinct: Codes, sizes: Indices, cells: Flags, open_classes: Flags, count: int, k: int
) -> None:
    """Close every class that needs only *count* suppressed cells."""
    width = distinct.shape[1]
    most = np.zeros(len(distinct), dtype=np.int64)
    for dropped in combinations(range(width), count):
        columns = [distinct[:, j] for j in range(width) if j not in dropped]
        labels = classes_of_columns(columns, len(distinct)).labels
        agreeing = np.bincount(labels, weights=sizes).astype(np.int64)[labels]
        better = open_classes & (agreeing >= k) & (agreeing > most)
        most[better] = agreeing[better]
        cells[better] = False
        cells[np.ix_(better, np.array(dropped))] = True
    open_classes &= most == 0


def _drop_greedily(
    distinct: Codes, sizes: Indices, cells: Flags, open_classes: Flags, k: int
) -> None:
    for place in np.flatnonzero(open_classes):
        differs = distinct != distinct[place]
        while sizes[~differs[:, ~cells[place]].any(axis=1)].sum() < k:
            shown = np.flatnonzero(~cells[place])
            others = differs[:, shown].sum(axis=1)
            gains = [int(sizes[others == differs[:, j]].sum()) for j in shown]
            cells[place, shown[int(np.argmax(gains))]] = True


def wildcard_cells(rows: Codes, k: int) -> Flags:
    """Flag the fewer cells of two solutions: covering, or k - 1 fully suppressed records.

    In both, unnecessary suppressions are undone in the order of records.
    """
    sizes = classes_of_columns(list(rows.T), len(rows)).sizes_of_records
    watched = np.flatnonzero(sizes < k)
    if not len(watched):
        return np.zeros(rows.shape, dtype=bool)
    covering = covering_cells(rows, k)
    full = _suppress_records(rows, watched, k)
    candidates = [cells for cells in (covering, full) if cells.sum() <= full.sum()]
    return min((_undo(rows, c, k, watched) for c in candidates), key=lambda c: int(c.sum()))


def _suppress_records(rows: Codes, watched: Indices, k: int) -> Flags:
    """Suppress the k - 1 records whose values are most frequent among the *watched* ones."""
    shared = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        shared += np.bincount(column[watched], minlength=int(column.max()) + 1)[column]
    cells = np.zeros(rows.shape, dtype=bool)
    cells[np.argsort(-shared, kind="stable")[: k - 1]] = True
    return cells


def _undo(rows: Codes, cells: Flags, k: int, watched: Indices) -> Flags:
    """Undo unnecessary suppressions, if the pairs of *watched* and all records fit in memory."""
    watched = np.union1d(watched, np.flatnonzero(cells.any(axis=1)))
    if len(watched) * len(rows) > MAX_PAIRS:
        return cells
    cells = cells.copy()
    differing = np.zeros((len(watched), len(rows)), dtype=np.int64)
    for column, hidden in zip(rows.T, cells.T, strict=True):
        differing += (column[watched, None] != column) & ~hidden[watched, None] & ~hidden
    place = {record: i for i, record in enumerate(watched.tolist())}
    for record, attribute in np.argwhere(cells).tolist():
        _undo_cell(rows, cells, differing, watched, place[record], attribute, k)
    return cells


def _undo_cell(
    rows: Codes,
    cells: Flags,
    differing: Indices,
    watched: Indices,
    place: int,
    attribute: int,
    k: int,
) -> None:
    """Release one cell if all watched records still have k matches.

    Args:
        differing: number of attributes in which a watched record and any record differ.
    """
    record = watched[place]
    differs = (rows[:, attribute] != rows[record, attribute]) & ~cells[:, attribute]
    lost = differs[watched] & (differing[:, record] == 0)
    counts = (differing == 0).sum(axis=1) - lost
    counts[place] = np.sum((differing[place] == 0) & ~differs)
    if counts.min() >= k:
        cells[record, attribute] = False
        differing[:, record] += differs[watched]
        differing[place] += differs
