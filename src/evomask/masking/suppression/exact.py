"""The fewest cells for small files, by integer programming (HiGHS).

Unknowns are one flag for each cell (suppressed) and one for each pair of records (alike).
"""

from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from evomask.arrays import Codes, Flags

MOST_PAIR_CELLS = 200
"""Pairs of records times attributes up to which the exact answer is sought."""

_MOST_NODES = 2_000
_Row = tuple[list[tuple[int, float]], float]


def is_small(rows: Codes) -> bool:
    """Whether the exact answer can be expected soon."""
    n, width = len(rows), len(rows.T)
    return n * (n - 1) // 2 * width <= MOST_PAIR_CELLS


def fewest_cells(rows: Codes, k: int, *, wildcard: bool) -> Flags | None:
    """Fewest cells so that every record has k - 1 others alike; none if the search gave up.

    With *wildcard* a suppressed cell is like any; else it is like a suppressed cell alone.
    """
    n, width = rows.shape
    pairs = list(combinations(range(n), 2))
    conditions: list[_Row] = []
    for number, (a, b) in enumerate(pairs):
        alike = n * width + number
        for j in range(width):
            same = bool(rows[a, j] == rows[b, j])
            conditions += _conditions(alike, a * width + j, b * width + j, same, wildcard)
    conditions += _enough(pairs, n, width, k)
    return _solved(conditions, n * width, len(pairs), (n, width))


def _conditions(alike: int, a: int, b: int, same: bool, wildcard: bool) -> list[_Row]:
    """What it takes for two cells to be alike, as sums that must not be negative."""
    if wildcard:
        return [] if same else [([(a, 1.0), (b, 1.0), (alike, -1.0)], 0.0)]
    if same:
        return [([(a, 1.0), (b, -1.0), (alike, -1.0)], -1.0),
                ([(b, 1.0), (a, -1.0), (alike, -1.0)], -1.0)]  # fmt: skip
    return [([(a, 1.0), (alike, -1.0)], 0.0), ([(b, 1.0), (alike, -1.0)], 0.0)]


def _enough(pairs: list[tuple[int, int]], n: int, width: int, k: int) -> list[_Row]:
    """Every record is alike to k - 1 others."""
    return [
        ([(n * width + i, 1.0) for i, pair in enumerate(pairs) if record in pair], k - 1.0)
        for record in range(n)
    ]


def _solved(conditions: list[_Row], cells: int, pairs: int, shape: tuple[int, int]) -> Flags | None:
    places = [(row, place, x) for row, (terms, _) in enumerate(conditions) for place, x in terms]
    rows, columns, values = (np.array(part) for part in zip(*places, strict=True))
    matrix = coo_array((values, (rows, columns)), shape=(len(conditions), cells + pairs))
    least = np.array([least for _, least in conditions])
    answer = milp(
        np.concatenate([np.ones(cells), np.zeros(pairs)]),
        constraints=LinearConstraint(matrix.tocsr(), lb=least),
        bounds=Bounds(0, 1),
        integrality=np.ones(cells + pairs, dtype=np.int64),
        options={"node_limit": _MOST_NODES},
    )
    if answer.x is None:
        return None
    suppressed: Flags = np.asarray(answer.x[:cells] > 0.5).reshape(shape)
    return suppressed
