"""A sum of squares that no partition into groups of k or more can fall below.

In a group of m records the sum of squares is the sum over its pairs of their squared distance
over m. Let each pair's distance be shared out between its two records in any way: then what a
record pays in its group is at least 1/m of its m-1 cheapest shares, for the best m from k to
2k-1, and these least payments add up to a lower bound. Sharing equally gives the bound by nearest
records; here the shares are moved, by subgradient steps, so that the bound grows.
"""

import numpy as np

from evomask.kernels.arrays import Codes, Floats, Indices, Points
from evomask.kernels.compiler import CODE_ROWS, FLOATS, INDEX_ROWS, REAL, WHOLE, kernel

SAFE = 1.0 - 1e-9
"""Room for rounding, so that the bound stays below."""


def pairs_of(near: Codes) -> Indices:
    """Every pair of records one of which is near the other, once, lower record first."""
    n, count = near.shape
    one = np.repeat(np.arange(n), count)
    other = near.ravel().astype(np.int64)
    names = np.unique(np.minimum(one, other) * n + np.maximum(one, other))
    return np.ascontiguousarray(np.column_stack([names // n, names % n]))


def least_squares(points: Points, near: Codes, k: int, known: float, rounds: int) -> float:
    """The lower bound after so many rounds of moving shares.

    Args:
        near: the nearest records of each, nearest first, at least 2k-2 or all others.
        known: the sum of squares of some partition; it sets the length of the steps.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    far = np.sum((points - points[near[:, -1]]) ** 2, axis=1)
    if near.shape[1] >= len(points) - 1:
        far[:] = np.inf
    pairs = pairs_of(near)
    apart = np.sum((points[pairs[:, 0]] - points[pairs[:, 1]]) ** 2, axis=1)
    return SAFE * _least_squares(near, pairs, apart, far, k, known, rounds)


@kernel(CODE_ROWS, INDEX_ROWS, FLOATS, FLOATS, WHOLE, REAL, WHOLE)
def _least_squares(
    near: Codes, pairs: Indices, apart: Floats, far: Floats, k: int, known: float, rounds: int
) -> float:
    """Records that are not near each other share equally; nothing is cheaper than half of *far*."""
    n = near.shape[0]
    count = pairs.shape[0]
    starts = np.zeros(n + 1, dtype=np.int64)
    for p in range(count):
        starts[pairs[p, 0] + 1] += 1
        starts[pairs[p, 1] + 1] += 1
    for i in range(n):
        starts[i + 1] += starts[i]
    own = np.empty(2 * count, dtype=np.int64)
    filled = starts[:-1].copy()
    for p in range(count):
        for side in range(2):
            i = pairs[p, side]
            own[filled[i]] = 2 * p + side
            filled[i] += 1
    widest = min(2 * k - 1, n)
    moved = np.zeros(count)
    slope = np.zeros(count)
    cheapest = np.empty(widest)
    whose = np.empty(widest, dtype=np.int64)
    best = 0.0
    length = 1.0
    stalled = 0
    for _ in range(rounds):
        total = 0.0
        slope[:] = 0.0
        for i in range(n):
            cheapest[:] = 0.5 * far[i]
            whose[:] = -1
            for at in range(starts[i], starts[i + 1]):
                p = own[at] >> 1
                share = 0.5 * apart[p] + (moved[p] if own[at] & 1 == 0 else -moved[p])
                if share >= cheapest[widest - 2]:
                    continue
                place = widest - 2
                while place > 0 and cheapest[place - 1] > share:
                    cheapest[place] = cheapest[place - 1]
                    whose[place] = whose[place - 1]
                    place -= 1
                cheapest[place] = share
                whose[place] = own[at]
            paid = 0.0
            least = np.inf
            size = k
            for m in range(2, widest + 1):
                paid += cheapest[m - 2]
                if m >= k and paid / m < least:
                    least = paid / m
                    size = m
            total += least
            for place in range(size - 1):
                if whose[place] >= 0:
                    slope[whose[place] >> 1] += (1.0 if whose[place] & 1 == 0 else -1.0) / size
        if total > best:
            best = total
            stalled = 0
        else:
            stalled += 1
            if stalled == 5:
                length *= 0.7
                stalled = 0
        steep = 0.0
        for p in range(count):
            steep += slope[p] * slope[p]
        if steep == 0.0 or known <= best:
            break
        step = length * (known - total) / steep
        for p in range(count):
            moved[p] += step * slope[p]
    return best
