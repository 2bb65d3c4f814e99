"""V-MDAV microaggregation with groups of variable size (Solanas and Martínez-Ballesté, 2006)."""

import numpy as np

from evomask.kernels.compiler.arrays import arange, argsort, column_sums, fill, full_ints, smallest
from evomask.kernels.groups.kdtree import (
    clear_nearest,
    empty_nearest,
    insert_nearest,
    is_too_far,
)
from evomask.kernels.groups.mdav import assign_rest, distances_to
from evomask.kernels.jit import FLOAT64, INT64, POINTS, inner, kernel
from evomask.types import Floats, Indices, Labels, Points


def vmdav(points: Points, k: int, gamma: float) -> Labels:
    """Return the group label of each record, groups numbered in the order of their formation.

    While k or more records remain, the one farthest from the centroid of all records takes its k-1
    nearest. The group is then extended by the remaining record closest to any of its members, up to
    2k-1 records, while that distance is below *gamma* times the record's distance to its nearest
    other remaining record. Fewer than k remaining records join the groups with the closest
    centroids. The lowest index wins every tie.

    Cost is O(n² d) time and O(n d) memory.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    return assign_rest(points, _vmdav(points, k, gamma), k)


@inner
def _take(
    columns: Points, ids: Indices, places: Indices, reach: Floats, record: int, left: int
) -> None:
    """Replace a removed record by the last remaining one."""
    place = places[record]
    ids[place] = ids[left - 1]
    places[ids[place]] = place
    reach[place] = reach[left - 1]
    for j in range(columns.shape[0]):
        columns[j, place] = columns[j, left - 1]


@inner
def _keep_least(reach: Floats, apart: Floats, left: int) -> None:
    for i in range(left):
        reach[i] = min(reach[i], apart[i])


@inner
def _closest(ids: Indices, reach: Floats, left: int) -> int:
    """Position of the remaining record closest to the group."""
    least = smallest(reach, left)
    found = -1
    for i in range(left):
        if reach[i] == least and (found < 0 or ids[i] < ids[found]):
            found = i
    return found


@kernel(POINTS, INT64, FLOAT64)
def _vmdav(points: Points, k: int, gamma: float) -> Labels:
    """Form the groups; remaining records have the label -1.

    Long, because groups and the arrays of remaining records are updated in one loop.
    """
    n = points.shape[0]
    columns = points.T.copy()
    ids = arange(n)
    places = arange(n)
    labels = full_ints(n, -1)
    reach = np.empty(n)
    apart = np.empty(n)
    near = empty_nearest(k)
    distances_to(columns, 0, n, column_sums(points) / n, apart)
    outermost = argsort(-apart)
    turn = 0
    group = 0
    left = n
    while left >= k:
        while labels[outermost[turn]] >= 0:
            turn += 1
        distances_to(columns, 0, left, points[outermost[turn]], apart)
        clear_nearest(near)
        for i in range(left):
            if not is_too_far(near, apart[i], ids[i]):
                insert_nearest(near, apart[i], ids[i])
        for record in near.records:
            labels[record] = group
            _take(columns, ids, places, reach, record, left)
            left -= 1
        fill(reach[:left], np.inf)
        for record in near.records:
            distances_to(columns, 0, left, points[record], apart)
            _keep_least(reach, apart, left)
        size = k
        while size < 2 * k - 1 and left > 0:
            place = _closest(ids, reach, left)
            record = ids[place]
            inside = reach[place]
            distances_to(columns, 0, left, points[record], apart)
            apart[place] = np.inf
            if left > 1 and inside >= gamma * gamma * smallest(apart, left):
                break
            _keep_least(reach, apart, left)
            labels[record] = group
            _take(columns, ids, places, reach, record, left)
            left -= 1
            size += 1
        group += 1
    return labels
