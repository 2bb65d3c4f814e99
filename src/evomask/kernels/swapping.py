"""Partners of rank swapping, by a tree that counts who is still free."""

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.kernels.compiler import FLOATS, WHOLE, inner, kernel
from evomask.kernels.filled import counted


@kernel(FLOATS, WHOLE)
def partners_within(chances: Floats, reach: int) -> Indices:
    """For each rank the rank it swaps with, at most *reach* away; itself where none is free.

    From the lowest rank up, each that is free draws one of the free ones among the *reach* next
    ranks: the one at ``int(chance * how many)``. All lower ranks are taken by then, so the free
    ones up to a place are counted from the start. Cost is O(n log n).
    """
    partners = counted(chances.size)
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
    """A tree of counts: node v has the children 2v and 2v+1, the leaves begin at *size*."""
    free = np.zeros(2 * size, dtype=np.int64)
    for leaf in range(size, size + count):
        free[leaf] = 1
    for v in range(size - 1, 0, -1):
        free[v] = free[2 * v] + free[2 * v + 1]
    return free


@inner
def _take(free: Indices, leaf: int) -> None:
    """Count the rank at a leaf no longer."""
    v = leaf
    while v > 0:
        free[v] -= 1
        v //= 2


@inner
def _count_below(free: Indices, end: int, size: int) -> int:
    """How many ranks below *end* are free."""
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
    """The leaf of the free rank with so many free ones before it."""
    v = 1
    while v < size:
        v *= 2
        if place >= free[v]:
            place -= free[v]
            v += 1
    return v
