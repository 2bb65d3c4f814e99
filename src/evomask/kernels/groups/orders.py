"""Orderings of records in which neighbours are alike, to be cut into groups."""

import numpy as np

from evomask.arrays import Indices, Labels, Points
from evomask.kernels.compiler import INDEX_ROWS, INDICES, POINTS, WHOLE, inner, kernel, lazy
from evomask.kernels.groups.blocks import distance, forget, nobody_near, sums_of
from evomask.kernels.groups.kdtree import LEAF, prune, search_tree, tree_of

KEPT = 0.7
"""Build the tree again when no more than this share of the records is left."""

NEIGHBOURS = 10
"""Nearest records to which a tour may be reconnected."""


SLACK = 1e-9
"""Least relative gain of a reversal; rounding alone never looks like one."""


def nearest_point_next(points: Points) -> Indices:
    """From the record farthest from the centroid always to the nearest one not yet visited.

    The lowest index wins every tie. Cost is about O(n log n) time in few dimensions and
    O(n² d) in many.
    """
    return _nearest_point_next(np.ascontiguousarray(points, dtype=np.float64))


def tour(points: Points) -> Indices:
    """The nearest point next, made shorter by reversing stretches while that helps (2-opt).

    A stretch ends at one of a record's ten nearest records.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    neighbours = _neighbours(points, min(NEIGHBOURS, len(points) - 1))
    return _untangled(points, _nearest_point_next(points), neighbours)


def along_groups(points: Points, labels: Labels) -> Indices:
    """Group after group, the nearest centroid next, each left on the side of the next group.

    The best cut of this order is never worse than the groups themselves.
    """
    sizes = np.bincount(labels)
    sums = [np.bincount(labels, weights=column) for column in points.T]
    centroids = np.column_stack(sums) / sizes[:, None]
    route = nearest_point_next(centroids)
    turn = np.empty(len(route), dtype=np.int64)
    turn[route] = np.arange(len(route))
    following = centroids[np.append(route[1:], route[-1])][turn[labels]]
    away = np.sum((points - following) ** 2, axis=1)
    return np.lexsort((-away, turn[labels]))


@kernel(POINTS)
def _nearest_point_next(points: Points) -> Indices:
    n = points.shape[0]
    centre = sums_of(points) / n
    order = np.empty(n, dtype=np.int64)
    order[0] = 0
    away = -1.0
    for i in range(n):
        apart = distance(points[i], centre)
        if apart > away:
            away = apart
            order[0] = i
    near = nobody_near(1)
    out = np.empty(2 * LEAF)
    records = np.arange(n)
    tree = tree_of(points, records)
    visited = np.zeros(n, dtype=np.bool_)
    for place in range(1, n):
        visited[order[place - 1]] = True
        prune(tree, order[place - 1])
        if n - place < KEPT * records.size:
            records = np.flatnonzero(~visited)
            tree = tree_of(points, records)
        forget(near)
        search_tree(tree, points[order[place - 1]], near, out)
        order[place] = near.records[0]
    return order


@lazy(POINTS, WHOLE)
def _neighbours(points: Points, count: int) -> Indices:
    """The nearest other records of each, a row a record."""
    n = points.shape[0]
    tree = tree_of(points, np.arange(n))
    near = nobody_near(count + 1)
    out = np.empty(2 * LEAF)
    found = np.empty((n, count), dtype=np.int64)
    for i in range(n):
        forget(near)
        search_tree(tree, points[i], near, out)
        place = 0
        for record in near.records:
            if record != i and place < count:
                found[i, place] = record
                place += 1
    return found


@inner
def _between(points: Points, order: Indices, a: int, b: int) -> float:
    """Distance of the records at two places; 0 if one lies off the path."""
    if a < 0 or b >= order.size:
        return 0.0
    return distance(points[order[a]], points[order[b]])


@inner
def _helps(points: Points, order: Indices, a: int, b: int) -> bool:
    """Whether reversing the records behind place a, up to b, makes the path shorter."""
    gone = _between(points, order, a, a + 1) + _between(points, order, b, b + 1)
    come = _between(points, order, a, b) + _between(points, order, a + 1, b + 1)
    return come < gone * (1.0 - SLACK)


@inner
def _reverse(order: Indices, places: Indices, first: int, last: int) -> None:
    while first < last:
        order[first], order[last] = order[last], order[first]
        places[order[first]] = first
        places[order[last]] = last
        first += 1
        last -= 1


@lazy(POINTS, INDICES, INDEX_ROWS)
def _untangled(points: Points, start: Indices, neighbours: Indices) -> Indices:
    """Reverse stretches of the path as long as one of them makes it shorter."""
    order = start.copy()
    n = order.size
    places = np.empty(n, dtype=np.int64)
    for place in range(n):
        places[order[place]] = place
    shorter = True
    while shorter:
        shorter = False
        for record in range(n):
            for other in neighbours[record]:
                a = min(places[record], places[other])
                b = max(places[record], places[other])
                if _helps(points, order, a, b):
                    _reverse(order, places, a + 1, b)
                    shorter = True
                elif _helps(points, order, a - 1, b - 1):
                    _reverse(order, places, a, b - 1)
                    shorter = True
    return order
