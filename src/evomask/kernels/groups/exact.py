"""Optimal microaggregation of a few records by dynamic programming over subsets.

A state is the set of records that have a group; the next group contains the first record outside.
Groups have k to 2k-1 records, as in some optimal partition.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.compiler.arrays import sort
from evomask.kernels.jit import FLOAT64, INT64, POINTS, inner, kernel
from evomask.types import Floats, Indices, Labels, Points

MOST_RECORDS = 24
"""Memory is 12 bytes for each of the 2ⁿ subsets."""

HUGE = 1e300
"""Cost of a subset that no partition has reached."""

SLACK = 1e-9
"""Relative tolerance for rounding in sums that are compared with a bound."""


class Stack(NamedTuple):
    """Group under construction, by the number of its records.

    Args:
        chain: its records.
        masks: the set of its records, as bits.
        cursor: position of the next record to try.
        pairs: sum of squared distances of its pairs.
        owed: sum of its records' least shares.
    """

    chain: Indices
    masks: Indices
    cursor: Indices
    pairs: Floats
    owed: Floats


def optimum(points: Points, k: int, bound: float = HUGE) -> Labels:
    """Return labels with the smallest sum of squares, groups numbered by first record.

    Args:
        points: k to `MOST_RECORDS` records.
        bound: sum of squares of a known partition; a close one saves most of the work.

    Ties are broken deterministically. Cost is O(2ⁿ n^(2k-2)) time at worst and O(2ⁿ) memory.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    return _optimum(points, k, bound + SLACK * abs(bound) if bound < HUGE else HUGE)


@inner
def _squared_distances(points: Points) -> Points:
    n, d = points.shape
    apart = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for c in range(d):
                apart[i, j] += (points[i, c] - points[j, c]) ** 2
    return apart


@inner
def _shares(apart: Points, k: int) -> Floats:
    """Least contribution of each record to any sum of squares.

    In a group of m it is the squared distances to the m-1 others over 2m, at least those to the k-1
    nearest.
    """
    n = apart.shape[0]
    shares = np.zeros(n)
    for i in range(n):
        shares[i] = sort(apart[i])[1:k].sum() / (2 * k)
    return shares


@inner
def _labels_of(choice: NDArray[np.int32], n: int) -> Labels:
    """Trace the groups back from the full set to the empty one."""
    labels = np.zeros(n, dtype=np.int64)
    left = (1 << n) - 1
    groups = 0
    while left:
        taken = choice[left]
        for i in range(n):
            if (taken >> i) & 1:
                labels[i] = groups
        groups += 1
        left ^= taken
    for i in range(n):
        labels[i] = groups - 1 - labels[i]
    return labels


@inner
def _finish(
    apart: Points, done: int, outside: Indices, count: int, best: Floats, choice: NDArray[np.int32]
) -> None:
    """Complete one subset by all other records as the last group."""
    total = 0.0
    for place in range(count):
        for other in range(place):
            total += apart[outside[place], outside[other]]
    full = best.size - 1
    if best[done] + total / count < best[full]:
        best[full] = best[done] + total / count
        choice[full] = full ^ done


@inner
def _extend(
    apart: Points,
    shares: Floats,
    k: int,
    bound: float,
    done: int,
    outside: Indices,
    count: int,
    best: Floats,
    choice: NDArray[np.int32],
    stack: Stack,
) -> None:
    """Extend one subset by every next group that leaves k or more records, depth first.

    A branch ends where its cost and the least contribution of all others exceed the bound. Long,
    because the search has its own stack.
    """
    widest = min(2 * k - 1, count - k)
    left_over = 0.0
    for place in range(count):
        left_over += shares[outside[place]]
    if widest < k or best[done] + left_over > bound:
        return
    largest = shares.max()
    stack.chain[0] = outside[0]
    stack.masks[1] = 1 << outside[0]
    stack.cursor[1] = 1
    stack.pairs[1] = 0.0
    stack.owed[1] = shares[outside[0]]
    depth = 1
    while depth >= 1:
        place = stack.cursor[depth]
        if place >= count:
            depth -= 1
            continue
        stack.cursor[depth] = place + 1
        x = outside[place]
        total = stack.pairs[depth]
        for other in range(depth):
            total += apart[x, stack.chain[other]]
        size = depth + 1
        mask = stack.masks[depth] | (1 << x)
        paid = stack.owed[depth] + shares[x]
        rest = left_over - paid
        if best[done] + total / widest + rest - largest * (widest - size) > bound:
            continue
        cost = best[done] + total / size
        if size >= k and cost + rest <= bound and cost < best[done | mask]:
            best[done | mask] = cost
            choice[done | mask] = mask
        if size < widest:
            stack.chain[depth] = x
            stack.masks[size] = mask
            stack.cursor[size] = place + 1
            stack.pairs[size] = total
            stack.owed[size] = paid
            depth = size


@kernel(POINTS, INT64, FLOAT64)
def _optimum(points: Points, k: int, bound: float) -> Labels:
    """Visit the reachable subsets in ascending order; a group only adds bits."""
    n = points.shape[0]
    apart = _squared_distances(points)
    shares = _shares(apart, k)
    full = (1 << n) - 1
    best = np.full(full + 1, HUGE)
    best[0] = 0.0
    choice = np.zeros(full + 1, dtype=np.int32)
    outside = np.empty(n, dtype=np.int64)
    stack = Stack(
        np.empty(2 * k, dtype=np.int64),
        np.empty(2 * k, dtype=np.int64),
        np.empty(2 * k, dtype=np.int64),
        np.empty(2 * k),
        np.empty(2 * k),
    )
    for done in range(full):
        if best[done] >= HUGE:
            continue
        count = 0
        for i in range(n):
            if not (done >> i) & 1:
                outside[count] = i
                count += 1
        if k <= count < 2 * k:
            _finish(apart, done, outside, count, best, choice)
        _extend(apart, shares, k, bound, done, outside, count, best, choice, stack)
    return _labels_of(choice, n)
