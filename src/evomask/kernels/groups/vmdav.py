"""V-MDAV: groups of variable size (Solanas and Martínez-Ballesté, 2006)."""

import numpy as np

from evomask.arrays import Floats, Indices, Labels, Points
from evomask.kernels.compiler import POINTS, REAL, WHOLE, inner, kernel
from evomask.kernels.filled import counted, fill, wholes
from evomask.kernels.groups.blocks import (
    Nearest,
    cannot_enter,
    enter,
    forget,
    nobody_near,
    smallest,
    sums_of,
)
from evomask.kernels.groups.mdav import distances_to, with_rest
from evomask.kernels.sorting import stable_order


def vmdav(points: Points, k: int, gamma: float) -> Labels:
    """Group label of each record; groups numbered in the order they are formed.

    While k or more records remain, the one farthest from the centroid of all records takes
    its k-1 nearest. The group then takes the remaining record closest to any of its members,
    up to 2k-1 records, while that distance is below *gamma* times the record's distance to
    its nearest other remaining record. Fewer than k records at the end join the groups with
    the closest centroid. The lowest index wins every tie.

    Cost is O(n² d) time and O(n d) memory.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    return with_rest(points, _vmdav(points, k, gamma), k)


@inner
def _search(ids: Indices, distances: Floats, left: int, near: Nearest) -> None:
    forget(near)
    for i in range(left):
        if not cannot_enter(near, distances[i], ids[i]):
            enter(near, distances[i], ids[i])


@inner
def _take(
    columns: Points, ids: Indices, places: Indices, reach: Floats, record: int, left: int
) -> None:
    """The last remaining record takes the place of the one that leaves."""
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
    """Place of the remaining record closest to the group."""
    least = smallest(reach, left)
    found = -1
    for i in range(left):
        if reach[i] == least and (found < 0 or ids[i] < ids[found]):
            found = i
    return found


@kernel(POINTS, WHOLE, REAL)
def _vmdav(points: Points, k: int, gamma: float) -> Labels:
    """Records that are left at the end have the label -1.

    Long because the groups and the upkeep of what remains are one loop.
    """
    n = points.shape[0]
    columns = points.T.copy()
    ids = counted(n)
    places = counted(n)
    labels = wholes(n, -1)
    reach = np.empty(n)
    apart = np.empty(n)
    near = nobody_near(k)
    distances_to(columns, 0, n, sums_of(points) / n, apart)
    outermost = stable_order(-apart)
    turn = 0
    group = 0
    left = n
    while left >= k:
        while labels[outermost[turn]] >= 0:
            turn += 1
        distances_to(columns, 0, left, points[outermost[turn]], apart)
        _search(ids, apart, left, near)
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
