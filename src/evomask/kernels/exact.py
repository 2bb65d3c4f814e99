"""The best partition of a few records, by dynamic programming over subsets of them.

A state is a set of records that have their groups; the next group holds the first record
outside. Each group has k to 2k-1 records, which some best partition always satisfies.
"""

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.arrays import Floats, Labels, Points
from evomask.kernels.compiler import POINTS, REAL, WHOLE, inner, kernel

MOST_RECORDS = 24
"""Memory is 12 bytes for each of the 2ⁿ subsets."""

HUGE = 1e300
"""Stands for a subset that no partition has reached."""

SLACK = 1e-9
"""Relative room for rounding in sums that are compared with a bound."""


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
        shares[i] = np.sort(apart[i])[1:k].sum() / (2 * k)
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


@kernel(POINTS, WHOLE, REAL)
def _optimum(points: Points, k: int, bound: float) -> Labels:
    """Every reachable subset in turn; from each, every next group, built record by record.

    One function, because the walk over groups is a loop with its own stack.
    """
    n = points.shape[0]
    widest = 2 * k - 1
    apart = _squared_distances(points)
    shares = _shares(apart, k)
    largest = shares.max()
    full = (1 << n) - 1
    best = np.full(full + 1, HUGE)
    choice = np.zeros(full + 1, dtype=np.int32)
    best[0] = 0.0
    outside = np.empty(n, dtype=np.int64)
    at = np.zeros(widest + 2, dtype=np.int64)
    pairs = np.zeros(widest + 2)
    owed = np.zeros(widest + 2)
    for done in range(full):
        if best[done] >= HUGE:
            continue
        count = 0
        left_over = 0.0
        for i in range(n):
            if not (done >> i) & 1:
                outside[count] = i
                count += 1
                left_over += shares[i]
        if best[done] + left_over > bound:
            continue
        taken = 1 << outside[0]
        depth = 1
        at[1] = 0
        owed[1] = shares[outside[0]]
        while depth >= 1:
            at[depth] += 1
            if at[depth] >= count:
                depth -= 1
                if depth >= 1:
                    taken ^= 1 << outside[at[depth]]
                continue
            x = outside[at[depth]]
            total = pairs[depth]
            members = taken
            while members:
                lowest = members & -members
                y = 0
                while (lowest >> y) > 1:
                    y += 1
                total += apart[x, y]
                members ^= lowest
            size = depth + 1
            paid = owed[depth] + shares[x]
            rest = left_over - paid
            least = rest - largest * (widest - size)
            if best[done] + total / widest + least > bound:
                continue
            if size >= k and (count == size or count - size >= k):
                cost = best[done] + total / size
                after = done | taken | (1 << x)
                if cost + rest <= bound and cost < best[after]:
                    best[after] = cost
                    choice[after] = taken | (1 << x)
            if size < widest:
                taken |= 1 << x
                depth = size
                at[depth] = at[depth - 1]
                pairs[depth] = total
                owed[depth] = paid
    return _labels_of(choice, n)
