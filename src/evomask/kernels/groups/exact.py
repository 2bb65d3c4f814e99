"""The best partition of a few records, by dynamic programming over subsets of them.

A state is a set of records that have their groups; the next group holds the first record
outside. Each group has k to 2k-1 records, which some best partition always satisfies.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Floats, Indices, Labels, Points
from evomask.kernels.compiler import POINTS, REAL, WHOLE, inner, kernel
from evomask.kernels.sorting import in_order

MOST_RECORDS = 24
"""Memory is 12 bytes for each of the 2ⁿ subsets."""

HUGE = 1e300
"""Stands for a subset that no partition has reached."""

SLACK = 1e-9
"""Relative room for rounding in sums that are compared with a bound."""


class Stack(NamedTuple):
    """A group being built, by the number of its records.

    Args:
        chain: its records.
        masks: the set of them.
        cursor: place of the next record to try.
        pairs: sum of squared distances of its pairs.
        owed: sum of its records' shares.
    """

    chain: Indices
    masks: Indices
    cursor: Indices
    pairs: Floats
    owed: Floats


def optimum(points: Points, k: int, bound: float = HUGE) -> Labels:
    """Labels of a partition with the smallest sum of squares, groups numbered by first record.

    Args:
        points: at most `MOST_RECORDS` records, at least k.
        bound: the sum of squares of a known partition; a close one saves most of the work.

    Of several best ones, the same is found every time. Cost is O(2ⁿ n^(2k-2)) time at worst and
    O(2ⁿ) memory.
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
    """What each record adds to any sum of squares at least.

    In a group of m its share is its squared distances to the m-1 others over 2m, and no fewer
    and no nearer others than the k-1 nearest can be there.
    """
    n = apart.shape[0]
    shares = np.zeros(n)
    for i in range(n):
        shares[i] = in_order(apart[i])[1:k].sum() / (2 * k)
    return shares


@inner
def _labels_of(choice: NDArray[np.int32], n: int) -> Labels:
    """Read the groups back from the last subset to the empty one."""
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
    apart: Points,
    done: int,
    outside: Indices,
    count: int,
    best: Floats,
    choice: NDArray[np.int32],
) -> None:
    """From one subset, all other records as the last group."""
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
    """From one subset, every next group that leaves k or more: depth first, in their order.

    A group that is begun is given up where it, and the least that all others add, exceed the
    bound. Long, because the walk keeps its own stack.
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


@kernel(POINTS, WHOLE, REAL)
def _optimum(points: Points, k: int, bound: float) -> Labels:
    """Every reachable subset in turn, smaller numbers first: a group only adds to them."""
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
