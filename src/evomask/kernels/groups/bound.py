"""A sum of squares that no partition into groups of k or more can fall below.

In a group of m records the sum of squares is the sum over its pairs of their squared distance
over m. Let each pair's distance be shared out between its two records in any way: then what a
record pays in its group is at least 1/m of its m-1 cheapest shares, for the best m from k to
2k-1, and these least payments add up to a lower bound. Sharing equally gives the bound by nearest
records; here the shares are moved, by subgradient steps, so that the bound grows.
"""

import numpy as np

from evomask.arrays import Codes, Floats, Indices, Points
from evomask.kernels.compiler import FLOATS, INDEX_ROWS, REAL, WHOLE, inner, kernel
from evomask.kernels.filled import fill

SAFE = 1.0 - 1e-9
"""Room for rounding, so that the bound stays below."""


PATIENCE, SHORTER = 5, 0.7
"""Steps become shorter by this factor after so many rounds without a gain."""


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
    return SAFE * _least_squares(pairs, apart, far, k, known, rounds)


@inner
def _ends_of(pairs: Indices, n: int) -> tuple[Indices, Indices]:
    """Where each record's ends of pairs begin, and the ends: twice the pair, plus its side."""
    starts = np.zeros(n + 1, dtype=np.int64)
    for p in range(pairs.shape[0]):
        starts[pairs[p, 0] + 1] += 1
        starts[pairs[p, 1] + 1] += 1
    for i in range(n):
        starts[i + 1] += starts[i]
    filled = starts[:-1].copy()
    ends = np.empty(2 * pairs.shape[0], dtype=np.int64)
    for p in range(pairs.shape[0]):
        for side in range(2):
            i = pairs[p, side]
            ends[filled[i]] = 2 * p + side
            filled[i] += 1
    return starts, ends


@inner
def _find_cheapest(
    own: Indices, apart: Floats, moved: Floats, limit: float, cheapest: Floats, whose: Indices
) -> None:
    """The smallest shares of one record, in order; -1 stands for records that are not near."""
    fill(cheapest, limit)
    fill(whose, -1)
    last = cheapest.size - 1
    for end in own:
        share = 0.5 * apart[end >> 1] + (-moved[end >> 1] if end & 1 else moved[end >> 1])
        if share >= cheapest[last]:
            continue
        place = last
        while place > 0 and cheapest[place - 1] > share:
            cheapest[place] = cheapest[place - 1]
            whose[place] = whose[place - 1]
            place -= 1
        cheapest[place] = share
        whose[place] = end


@inner
def _pay(cheapest: Floats, whose: Indices, k: int, slope: Floats) -> float:
    """The least a record pays in a group of any size; *slope* takes in who it pays for."""
    paid = 0.0
    least = np.inf
    size = k
    for m in range(2, cheapest.size + 2):
        paid += cheapest[m - 2]
        if m >= k and paid / m < least:
            least = paid / m
            size = m
    for place in range(size - 1):
        end = whose[place]
        if end >= 0:
            slope[end >> 1] += (-1.0 if end & 1 else 1.0) / size
    return least


@kernel(INDEX_ROWS, FLOATS, FLOATS, WHOLE, REAL, WHOLE)
def _least_squares(
    pairs: Indices, apart: Floats, far: Floats, k: int, known: float, rounds: int
) -> float:
    """Records that are not near each other share equally; nothing is cheaper than half of *far*."""
    n = far.size
    starts, ends = _ends_of(pairs, n)
    moved = np.zeros(apart.size)
    slope = np.zeros(apart.size)
    cheapest = np.empty(min(2 * k - 1, n) - 1)
    whose = np.empty(cheapest.size, dtype=np.int64)
    best = 0.0
    length = 1.0
    stalled = 0
    for _ in range(rounds):
        total = 0.0
        fill(slope, 0.0)
        for i in range(n):
            own = ends[starts[i] : starts[i + 1]]
            _find_cheapest(own, apart, moved, 0.5 * far[i], cheapest, whose)
            total += _pay(cheapest, whose, k, slope)
        stalled = 0 if total > best else stalled + 1
        best = max(best, total)
        if stalled == PATIENCE:
            length *= SHORTER
            stalled = 0
        steep = np.sum(slope * slope)
        if steep == 0.0 or known <= best:
            break
        moved += length * (known - total) / steep * slope
    return best
