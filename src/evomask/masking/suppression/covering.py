"""Fewest cells so that every released record could be any of k original records."""

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np

from evomask.arrays import Codes, Flags, Indices
from evomask.data.classes import classes_of_columns

MOST_PATTERNS = 20_000
"""Patterns of suppressed attributes tried for one number of cells; above it, greedy."""


def covering_cells(rows: Codes, k: int) -> Flags:
    """Exact, record by record: the smallest set of cells without which k records agree.

    Among sets of equal size the one that most records agree without wins, then the first.
    Where there are too many sets to try, cells are dropped one at a time, each time the one
    that leaves most records alike.
    """
    classes = classes_of_columns(list(rows.T), len(rows))
    distinct = rows[classes.representatives]
    cells = np.zeros(distinct.shape, dtype=bool)
    open_classes = classes.sizes < k
    for count in range(1, rows.shape[1] + 1):
        if not open_classes.any():
            break
        if comb(rows.shape[1], count) > MOST_PATTERNS:
            _drop_greedily(distinct, classes.sizes, cells, open_classes, k)
            break
        _drop_exactly(distinct, classes.sizes, cells, open_classes, count, k)
    return cells[classes.labels]


def _drop_exactly(
    distinct: Codes, sizes: Indices, cells: Flags, open_classes: Flags, count: int, k: int
) -> None:
    """Close every class that can be with *count* cells less."""
    width = distinct.shape[1]
    most = np.zeros(len(distinct), dtype=np.int64)
    for dropped in combinations(range(width), count):
        alike = _alike(distinct, sizes, [j for j in range(width) if j not in dropped])
        better = open_classes & (alike >= k) & (alike > most)
        most[better] = alike[better]
        cells[better] = False
        cells[np.ix_(better, np.array(dropped))] = True
    open_classes &= most == 0


def _alike(distinct: Codes, sizes: Indices, kept: Sequence[int]) -> Indices:
    """For each distinct row how many records agree with it on the *kept* columns."""
    labels = classes_of_columns([distinct[:, j] for j in kept], len(distinct)).labels
    return np.bincount(labels, weights=sizes).astype(np.int64)[labels]


def _drop_greedily(
    distinct: Codes, sizes: Indices, cells: Flags, open_classes: Flags, k: int
) -> None:
    for place in np.flatnonzero(open_classes):
        differs = distinct != distinct[place]
        while sizes[~differs[:, ~cells[place]].any(axis=1)].sum() < k:
            kept = np.flatnonzero(~cells[place])
            others = differs[:, kept].sum(axis=1)
            gains = [int(sizes[others == differs[:, j]].sum()) for j in kept]
            cells[place, kept[int(np.argmax(gains))]] = True
