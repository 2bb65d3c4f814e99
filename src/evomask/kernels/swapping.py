"""Partners of rank swapping, with a tree that counts free ranks."""

import numpy as np

from evomask.kernels.compiler.arrays import arange
from evomask.kernels.jit import FLOATS, INT64, inner, kernel
from evomask.types import Floats, Indices


@kernel(FLOATS, INT64)
def partners_within(chances: Floats, reach: int) -> Indices:
    """Return for each rank its swap partner, at most *reach* away; itself where none is free.

    From the lowest rank up, each free rank takes one of the free ranks among the *reach* next: the
    one at ``int(chance * number of free ones)``. All lower ranks are already taken, so free ranks
    can be counted from the start. Cost is O(n log n).
    """
    partners = arange(chances.size)
    size = 1
    while size < chances.size:
        size *= 2
    free = _all_free(chances.size, size)
    for rank in range(chances.size):
        if free[size + rank] == 0:
            continue
        _take(free, size + rank)
        near = _count_below(free, min(rank + 1 + reach, size), size)
        if near > 0:
            leaf = _nth(free, int(chances[rank] * near), size)
            _take(free, leaf)
            partners[rank] = leaf - size
            partners[leaf - size] = rank
    return partners


@inner
def _all_free(count: int, size: int) -> Indices:
    """Tree of counts: node v has the children 2v and 2v+1, the leaves begin at *size*."""
    free = np.zeros(2 * size, dtype=np.int64)
    for leaf in range(size, size + count):
        free[leaf] = 1
    for v in range(size - 1, 0, -1):
        free[v] = free[2 * v] + free[2 * v + 1]
    return free


@inner
def _take(free: Indices, leaf: int) -> None:
    """Mark the rank at a leaf as taken."""
    v = leaf
    while v > 0:
        free[v] -= 1
        v //= 2


@inner
def _count_below(free: Indices, end: int, size: int) -> int:
    """Number of free ranks below *end*."""
    if end >= size:
        return int(free[1])
    total = 0
    v = size + end
    while v > 1:
        if v % 2 == 1:
            total += free[v - 1]
        v //= 2
    return total


@inner
def _nth(free: Indices, place: int, size: int) -> int:
    """Leaf of the free rank with *place* free ranks before it."""
    v = 1
    while v < size:
        v *= 2
        if place >= free[v]:
            place -= free[v]
            v += 1
    return v
