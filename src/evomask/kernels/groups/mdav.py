"""MDAV microaggregation: groups of k around the records farthest from the centroid.

Squared distances are summed attribute by attribute, without formulas that cancel: equal records are
at distance exactly 0 and ties are exact. The lowest index wins every tie. The centroid of the
remaining records is updated by subtraction.
"""

from enum import Enum

import numpy as np

from evomask.kernels.compiler.arrays import arange, column_sums, full_ints, largest, smallest, sort
from evomask.kernels.jit import INDICES, INT64, POINTS, inner, is_ready, kernel
from evomask.types import Floats, Indices, Labels, Points

BLOCK = 512
"""Records whose distances are computed together and fit in the first-level cache."""

FEW = 600
"""Number of groups from which on search indexes pay."""

MOST_FLAT = 1e9
"""Size, as records² / k, below which a flat search is faster than compiling `groups.walks`."""


class Strategy(Enum):
    """Search strategies; all lead to the same groups."""

    FLAT = "all distances are computed"
    WALKS = "scan of records sorted by their distance to the centroid"
    TREE = "scan for the farthest records, kd-tree for the nearest"
    PROBED = "flat for few groups, else scan, and the tree if trial searches favour it; flat too "
    "while the kernel of the others is not compiled"


def mdav(
    points: Points, k: int, *, classic: bool = False, strategy: Strategy = Strategy.PROBED
) -> Labels:
    """Return the group label of each record, groups numbered in the order of their formation.

    The generic variant forms pairs of groups while 3k or more records remain and one more while 2k
    or more remain; the remaining k to 2k-1 records are the last group. The classic variant forms
    pairs while 2k or more remain; fewer than k remaining records join the groups with the closest
    centroids, more form a group.

    Cost is at most O(n² d / k) time, and O(n d) memory.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    pairs_while = 2 if classic else 3
    few = strategy is Strategy.PROBED and len(points) < FEW * k
    if few or strategy is Strategy.FLAT:
        return assign_rest(points, _mdav(points, k, pairs_while), k)
    from evomask.kernels.groups import walks

    is_cheap = len(points) ** 2 / k < MOST_FLAT and strategy is Strategy.PROBED
    if is_cheap and not is_ready(walks.mdav_by_walks):
        return assign_rest(points, _mdav(points, k, pairs_while), k)
    use = {Strategy.WALKS: walks.NEVER, Strategy.TREE: walks.ALWAYS}.get(strategy, walks.PROBED)
    return assign_rest(points, walks.mdav_by_walks(points, k, pairs_while, use), k)


@inner
def distances_to(columns: Points, start: int, stop: int, centre: Floats, out: Floats) -> None:
    """Compute squared distances of the records start..stop to *centre*."""
    for i in range(stop - start):
        out[i] = 0.0
    for j in range(columns.shape[0]):
        column = columns[j, start:stop]
        middle = centre[j]
        for i in range(stop - start):
            apart = column[i] - middle
            out[i] += apart * apart


@inner
def _farthest_of_block(
    ids: Indices, start: int, stop: int, block: Floats, best: float, position: int
) -> tuple[float, int]:
    """Update the farthest record found so far; a block whose maximum is smaller is passed over."""
    if largest(block, stop - start) >= best:
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
        distances_to(columns, start, stop, centre, block)
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

    One pass over the distances serves both. ``near_far`` has the distances of *near*.
    """
    found = 0
    best = -1.0
    position = -1
    for start in range(0, left, BLOCK):
        stop = min(start + BLOCK, left)
        distances_to(columns, start, stop, centre, block)
        best, position = _farthest_of_block(ids, start, stop, block, best, position)
        if found == k and smallest(block, stop - start) > near_far[k - 1]:
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
def _close_group(
    columns: Points,
    ids: Indices,
    left: int,
    sums: Floats,
    near: Indices,
    labels: Labels,
    group: int,
) -> int:
    """Label the records at *near* and remove them; return how many are left."""
    for position in near:
        labels[ids[position]] = group
        for j in range(columns.shape[0]):
            sums[j] -= columns[j, position]
    for position in sort(near)[::-1]:
        left -= 1
        ids[position] = ids[left]
        for j in range(columns.shape[0]):
            columns[j, position] = columns[j, left]
    return left


@kernel(POINTS, INT64, INT64)
def _mdav(points: Points, k: int, pairs_while: int) -> Labels:
    """Form pairs of groups while *pairs_while* times k records remain; the others get label -1.

    If the farthest record is among the k nearest, all records outside are equally far; the lowest
    of them wins the tie.
    """
    n = points.shape[0]
    columns = points.T.copy()
    sums = column_sums(points)
    labels = full_ints(n, -1)
    ids = arange(n)
    block = np.empty(BLOCK)
    near = np.empty(k, dtype=np.int64)
    near_far = np.empty(k)
    left = n
    group = 0
    lowest_left = 0
    while left >= 2 * k:
        centre = sums / left
        far = _farthest(columns, ids, left, centre, block)
        centre = points[ids[far]].copy()
        paired = left >= pairs_while * k
        far = _nearest_and_farthest(columns, ids, left, centre, k, block, near_far, near)
        opposite = ids[far]
        left = _close_group(columns, ids, left, sums, near, labels, group)
        group += 1
        if paired:
            while labels[lowest_left] >= 0:
                lowest_left += 1
            centre = points[opposite if labels[opposite] < 0 else lowest_left].copy()
            _nearest_and_farthest(columns, ids, left, centre, k, block, near_far, near)
            left = _close_group(columns, ids, left, sums, near, labels, group)
            group += 1
    return labels


@inner
def compute_centroids(points: Points, labels: Labels, groups: int) -> Points:
    """Return the mean of each group; records with a negative label are ignored."""
    centroids = np.zeros((groups, points.shape[1]))
    sizes = np.zeros(groups)
    for i in range(points.shape[0]):
        if labels[i] >= 0:
            sizes[labels[i]] += 1
            for j in range(points.shape[1]):
                centroids[labels[i], j] += points[i, j]
    for g in range(groups):
        for j in range(points.shape[1]):
            centroids[g, j] /= sizes[g]
    return centroids


@kernel(POINTS, INDICES, INT64)
def assign_rest(points: Points, labels: Labels, k: int) -> Labels:
    """Make unlabelled records the last group, or add them to the closest groups if fewer than k."""
    rest = np.flatnonzero(labels < 0)
    groups = labels.max() + 1
    finished = labels.copy()
    if rest.size >= k or groups == 0:
        for i in rest:
            finished[i] = groups
        return finished
    centroids = compute_centroids(points, labels, groups)
    for i in rest:
        best = np.inf
        for g in range(groups):
            apart = 0.0
            for j in range(points.shape[1]):
                apart += (points[i, j] - centroids[g, j]) ** 2
            if apart < best:
                best = apart
                finished[i] = g
    return finished
