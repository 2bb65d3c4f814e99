"""Bounds and expected improvement of lattice nodes that were not evaluated."""

import numpy as np

from evomask.kernels.jit import FLOATS, INDEX_ROWS, POINTS, inner, kernel
from evomask.kernels.lattice.classes import Rows
from evomask.types import Floats, Indices, Points


def bounds_between(known: Rows, values: Floats, others: Rows) -> tuple[Floats, Floats]:
    """Return for each of *others* the largest value of coarser known nodes and the least of finer.

    For values that fall with every level: no other node's value lies outside these bounds. Cost is
    O(known · others) time at worst; in order of value the first comparable node ends the search.
    """
    order = np.argsort(values, kind="stable")
    return _bounds_between(known[order], values[order], np.ascontiguousarray(others))


@inner
def _is_below(node: Rows, i: int, other: Rows, j: int) -> bool:
    for a in range(node.shape[1]):
        if node[i, a] > other[j, a]:
            return False
    return True


@kernel(INDEX_ROWS, FLOATS, INDEX_ROWS)
def _bounds_between(known: Rows, rising: Floats, others: Rows) -> tuple[Floats, Floats]:
    least = np.full(len(others), -np.inf)
    most = np.full(len(others), np.inf)
    for j in range(len(others)):
        for i in range(len(known) - 1, -1, -1):
            if _is_below(others, j, known, i):
                least[j] = rising[i]
                break
        for i in range(len(known)):
            if _is_below(known, i, others, j):
                most[j] = rising[i]
                break
    return least, most


def margins(front: Points, expected: Points) -> Floats:
    """Return how far each expected point lies beyond the front, smaller objectives being better.

    Against one point of the front it is the largest improvement of any objective; the least over
    the front counts. It is positive exactly where no point of the front is as good in all
    objectives. Cost is O(front · expected).
    """
    return _margins(np.ascontiguousarray(front), np.ascontiguousarray(expected))


def distances(nodes: Rows, front: Rows) -> Indices:
    """Return the least number of lattice steps from each node to the front; O(nodes · front)."""
    return _distances(np.ascontiguousarray(nodes), np.ascontiguousarray(front))


@kernel(POINTS, POINTS)
def _margins(front: Points, expected: Points) -> Floats:
    least = np.full(len(expected), np.inf)
    for j in range(len(expected)):
        for i in range(len(front)):
            most = -np.inf
            for c in range(front.shape[1]):
                most = max(most, front[i, c] - expected[j, c])
            least[j] = min(least[j], most)
    return least


@kernel(INDEX_ROWS, INDEX_ROWS)
def _distances(nodes: Rows, front: Rows) -> Indices:
    least = np.full(len(nodes), np.iinfo(np.int64).max)
    for j in range(len(nodes)):
        for i in range(len(front)):
            steps = 0
            for a in range(front.shape[1]):
                steps += abs(nodes[j, a] - front[i, a])
            least[j] = min(least[j], steps)
    return least
