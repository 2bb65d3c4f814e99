"""What nodes of a lattice must be worth, given that something grows with every level."""

import numpy as np

from evomask.arrays import Floats
from evomask.kernels.compiler import FLOATS, INDEX_ROWS, inner, kernel
from evomask.kernels.lattice.classes import Rows


def bounds_between(known: Rows, values: Floats, others: Rows) -> tuple[Floats, Floats]:
    """For each of *others* the largest value among coarser known nodes, the smallest among finer.

    For values that fall with every level: no other node's value lies outside these bounds.
    Cost is O(known · others) time at worst; in order of value the first comparable node ends it.
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
