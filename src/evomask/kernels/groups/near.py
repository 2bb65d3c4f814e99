"""The nearest records of each record among some thousands, whatever their axes.

With many axes a tree looks at almost all records anyway. Here all are looked at, several at
once.
"""

import numpy as np

from evomask.arrays import Codes, Floats, Points
from evomask.kernels.compiler import POINTS, WHOLE, inner, kernel
from evomask.kernels.filled import fill
from evomask.kernels.groups.blocks import smallest
from evomask.kernels.groups.mdav import BLOCK, distances_to


@kernel(POINTS, WHOLE)
def nearest_of_all(points: Points, count: int) -> Codes:
    """The *count* nearest other records of each, nearest first; the lowest of equals first.

    Cost is O(n² d) time and O(n (d + count)) memory.
    """
    n = points.shape[0]
    columns = np.ascontiguousarray(points.T)
    near = np.empty((n, count), dtype=np.int32)
    apart = np.empty(count)
    block = np.empty(BLOCK)
    for i in range(n):
        fill(apart, np.inf)
        for start in range(0, n, BLOCK):
            stop = min(start + BLOCK, n)
            distances_to(columns, start, stop, points[i], block)
            if start <= i < stop:
                block[i - start] = np.inf
            if smallest(block, stop - start) >= apart[count - 1]:
                continue
            for j in range(stop - start):
                if block[j] < apart[count - 1]:
                    _enter(near, i, apart, block[j], start + j)
    return near


@inner
def _enter(near: Codes, i: int, apart: Floats, far: float, j: int) -> None:
    """Put a record in its place of the list of record *i*; the last one falls out."""
    place = apart.size - 1
    while place > 0 and apart[place - 1] > far:
        apart[place] = apart[place - 1]
        near[i, place] = near[i, place - 1]
        place -= 1
    apart[place] = far
    near[i, place] = j
