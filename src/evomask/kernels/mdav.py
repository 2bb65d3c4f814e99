"""MDAV: groups of k around the records farthest from the centroid.

Distances are squared, summed attribute by attribute in their order, and never by a formula
that cancels: equal records are at distance exactly 0 and ties are exact. The lowest index
wins every tie. The running centroid is kept by subtraction.
"""

import numpy as np

from evomask.kernels.arrays import Floats, Indices, Labels, Points
from evomask.kernels.compiler import POINTS, WHOLE, extreme, inner, kernel

BLOCK = 512
"""Records whose distances are computed together; they stay in the nearest cache."""


def mdav(points: Points, k: int, *, classic: bool = False) -> Labels:
    """Group label of each record; groups numbered in the order they are formed.

    The generic ending forms pairs of groups while 3k or more records remain and one more
    while 2k or more remain; the rest, k to 2k-1 records, is the last group. The classic
    ending forms pairs while 2k or more remain; of a rest below k each record joins the group
    with the closest centroid, a larger rest is its own group.

    Cost is O(n² d / k) time and O(n d) memory.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    return _mdav(points, k, 2 if classic else 3)


@inner
def _distances(columns: Points, start: int, stop: int, centre: Floats, out: Floats) -> None:
    """Squared distances of the records at start..stop to *centre*."""
    for i in range(stop - start):
        out[i] = 0.0
    for j in range(columns.shape[0]):
        column = columns[j, start:stop]
        middle = centre[j]
        for i in range(stop - start):
            apart = column[i] - middle
            out[i] += apart * apart


@extreme
def _largest(values: Floats, count: int) -> float:
    largest = values[0]
    for i in range(1, count):
        largest = max(largest, values[i])
    return largest


@extreme
def _smallest(values: Floats, count: int) -> float:
    smallest = values[0]
    for i in range(1, count):
        smallest = min(smallest, values[i])
    return smallest


@inner
def _farthest_of_block(
    ids: Indices, start: int, stop: int, block: Floats, best: float, position: int
) -> tuple[float, int]:
    """The farthest so far, after looking at one block; most blocks cannot hold it."""
    if _largest(block, stop - start) >= best:
        for i in range(stop - start):
            if block[i] > best or (block[i] == best and ids[start + i] < ids[position]):
                best = block[i]
                position = start + i
    return best, position


@inner
def _farthest(columns: Points, ids: Indices, left: int, centre: Floats, block: Floats) -> int:
    """Position of the remaining record farthest from *centre*."""
    best = -1.0
    position = -1
    for start in range(0, left, BLOCK):
        stop = min(start + BLOCK, left)
        _distances(columns, start, stop, centre, block)
        best, position = _farthest_of_block(ids, start, stop, block, best, position)
    return position


@inner
def _nearest_and_farthest(
    columns: Points,
    ids: Indices,
    left: int,
    centre: Floats,
    k: int,
    block: Floats,
    near_far: Floats,
    near: Indices,
) -> int:
    """Fill *near* with the k nearest positions, nearest first; return the farthest position.

    One pass over the distances serves both. ``near_far`` holds the distances of *near*.
    """
    found = 0
    best = -1.0
    position = -1
    for start in range(0, left, BLOCK):
        stop = min(start + BLOCK, left)
        _distances(columns, start, stop, centre, block)
        best, position = _farthest_of_block(ids, start, stop, block, best, position)
        if found == k and _smallest(block, stop - start) > near_far[k - 1]:
            continue
        for i in range(stop - start):
            apart = block[i]
            if found == k and apart > near_far[k - 1]:
                continue
            if found == k and apart == near_far[k - 1] and ids[start + i] > ids[near[k - 1]]:
                continue
            place = found if found < k else k - 1
            if found < k:
                found += 1
            while place > 0 and (
                near_far[place - 1] > apart
                or (near_far[place - 1] == apart and ids[near[place - 1]] > ids[start + i])
            ):
                near_far[place] = near_far[place - 1]
                near[place] = near[place - 1]
                place -= 1
            near_far[place] = apart
            near[place] = start + i
    return position


@inner
def _outside(position: int, near: Indices, ids: Indices, left: int) -> int:
    """The farthest position, or where it is among the nearest, the lowest record outside.

    A farthest record that is also among the k nearest means that all records outside are as
    far away as it: a tie, which the lowest index wins.
    """
    inside = np.sort(near)
    if inside[np.searchsorted(inside, position) % inside.size] != position:
        return position
    lowest = -1
    for i in range(left):
        if inside[np.searchsorted(inside, i) % inside.size] != i:
            if lowest < 0 or ids[i] < ids[lowest]:
                lowest = i
    return lowest


@inner
def _close_group(
    columns: Points,
    ids: Indices,
    left: int,
    sums: Floats,
    near: Indices,
    labels: Labels,
    group: int,
) -> int:
    """Give the records at *near* their label and take them out; how many are left."""
    for position in near:
        labels[ids[position]] = group
        for j in range(columns.shape[0]):
            sums[j] -= columns[j, position]
    for position in np.sort(near)[::-1]:
        left -= 1
        ids[position] = ids[left]
        for j in range(columns.shape[0]):
            columns[j, position] = columns[j, left]
    return left


@inner
def _join_closest(points: Points, labels: Labels, groups: int) -> None:
    """Each record without a label joins the group whose centroid is closest to it."""
    n, d = points.shape
    centroids = np.zeros((groups, d))
    sizes = np.zeros(groups)
    for i in range(n):
        if labels[i] >= 0:
            sizes[labels[i]] += 1
            for j in range(d):
                centroids[labels[i], j] += points[i, j]
    for g in range(groups):
        for j in range(d):
            centroids[g, j] /= sizes[g]
    for i in range(n):
        if labels[i] < 0:
            best = np.inf
            for g in range(groups):
                apart = 0.0
                for j in range(d):
                    apart += (points[i, j] - centroids[g, j]) ** 2
                if apart < best:
                    best = apart
                    labels[i] = g


@kernel(POINTS, WHOLE, WHOLE)
def _mdav(points: Points, k: int, pairs_while: int) -> Labels:
    """Pairs of groups while *pairs_while* times k records remain, then the ending."""
    n, d = points.shape
    columns = np.empty((d, n))
    sums = np.zeros(d)
    for i in range(n):
        for j in range(d):
            columns[j, i] = points[i, j]
            sums[j] += points[i, j]
    labels = np.full(n, -1, dtype=np.int64)
    ids = np.arange(n)
    block = np.empty(BLOCK)
    near = np.empty(k, dtype=np.int64)
    near_far = np.empty(k)
    centre = np.empty(d)
    opposite = np.empty(d)
    left = n
    group = 0
    while left >= 2 * k:
        for j in range(d):
            centre[j] = sums[j] / left
        far = _farthest(columns, ids, left, centre, block)
        for j in range(d):
            centre[j] = columns[j, far]
        paired = left >= pairs_while * k
        far = _nearest_and_farthest(columns, ids, left, centre, k, block, near_far, near)
        if paired:
            far = _outside(far, near, ids, left)
            for j in range(d):
                opposite[j] = columns[j, far]
        left = _close_group(columns, ids, left, sums, near, labels, group)
        group += 1
        if paired:
            _nearest_and_farthest(columns, ids, left, opposite, k, block, near_far, near)
            left = _close_group(columns, ids, left, sums, near, labels, group)
            group += 1
    if left >= k or group == 0:
        for i in range(left):
            labels[ids[i]] = group
    elif left > 0:
        _join_closest(points, labels, group)
    return labels
