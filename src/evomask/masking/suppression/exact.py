"""Minimum number of suppressed cells for small files, by integer programming (HiGHS).

The variables are one flag for each cell (suppressed) and one for each pair of records (match).
"""

from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from evomask.types import Codes, Flags

MAX_PAIR_CELLS = 200
"""Pairs of records times attributes up to which the exact minimum is computed."""

_MAX_NODES = 2_000
_Constraint = tuple[list[tuple[int, float]], float]
"""Coefficients of a linear constraint, and its lower bound."""


def is_small(rows: Codes) -> bool:
    """Whether the file is small enough for the exact minimum."""
    n, width = len(rows), len(rows.T)
    return n * (n - 1) // 2 * width <= MAX_PAIR_CELLS


def fewest_cells(rows: Codes, k: int, *, wildcard: bool) -> Flags | None:
    """Flag the fewest cells so that each record matches k - 1 others; None if not solved.

    With *wildcard*, a suppressed cell matches any cell; otherwise only a suppressed cell.
    """
    n, width = rows.shape
    pairs = list(combinations(range(n), 2))
    constraints: list[_Constraint] = []
    for number, (a, b) in enumerate(pairs):
        for j in range(width):
            same = bool(rows[a, j] == rows[b, j])
            match = n * width + number
            constraints += _match_constraints(match, a * width + j, b * width + j, same, wildcard)
    constraints += [
        ([(n * width + i, 1.0) for i, pair in enumerate(pairs) if record in pair], k - 1.0)
        for record in range(n)
    ]
    return _solve(constraints, n * width, len(pairs), (n, width))


def _match_constraints(match: int, a: int, b: int, same: bool, wildcard: bool) -> list[_Constraint]:
    """Return the conditions under which the cells of two records match."""
    if wildcard:
        return [] if same else [([(a, 1.0), (b, 1.0), (match, -1.0)], 0.0)]
    if same:
        return [
            ([(a, 1.0), (b, -1.0), (match, -1.0)], -1.0),
            ([(b, 1.0), (a, -1.0), (match, -1.0)], -1.0),
        ]
    return [([(a, 1.0), (match, -1.0)], 0.0), ([(b, 1.0), (match, -1.0)], 0.0)]


def _solve(
    constraints: list[_Constraint], cells: int, pairs: int, shape: tuple[int, int]
) -> Flags | None:
    places = [(row, place, x) for row, (terms, _) in enumerate(constraints) for place, x in terms]
    rows, columns, values = (np.array(part) for part in zip(*places, strict=True))
    matrix = coo_array((values, (rows, columns)), shape=(len(constraints), cells + pairs))
    least = np.array([least for _, least in constraints])
    answer = milp(
        np.concatenate([np.ones(cells), np.zeros(pairs)]),
        constraints=LinearConstraint(matrix.tocsr(), lb=least),
        bounds=Bounds(0, 1),
        integrality=np.ones(cells + pairs, dtype=np.int64),
        options={"node_limit": _MAX_NODES},
    )
    if answer.x is None:
        return None
    suppressed: Flags = np.asarray(answer.x[:cells] > 0.5).reshape(shape)
    return suppressed
