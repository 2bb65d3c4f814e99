"""Nearest neighbours, and orderings of records for cutting into groups (see `splits`)."""

import numpy as np

from evomask.kernels.compiler.arrays import column_sums, fill, smallest
from evomask.kernels.groups.kdtree import (
    LEAF,
    build_tree,
    clear_nearest,
    distance,
    empty_nearest,
    remove_from_tree,
    search_tree,
)
from evomask.kernels.groups.mdav import BLOCK, distances_to
from evomask.kernels.jit import INDEX_ROWS, INDICES, INT64, POINTS, inner, kernel, lazy
from evomask.types import Codes, Floats, Indices, Labels, Points


@kernel(POINTS, INT64)
def nearest_of_all(points: Points, count: int) -> Codes:
    """Return the *count* nearest other records of each, nearest first; the lowest index wins a tie.

    All distances are computed, several at once: with many attributes a tree would visit nearly all
    records anyway. Cost is O(n² d) time and O(n (d + count)) memory.
    """
    n = points.shape[0]
    columns = np.ascontiguousarray(points.T)
    near = np.empty((n, count), dtype=np.int32)
    apart = np.empty(count)
    block = np.empty(BLOCK)
    for i in range(n):
        fill(apart, np.inf)
        for start in range(0, n, BLOCK):
            stop = min(start + BLOCK, n)
            distances_to(columns, start, stop, points[i], block)
            if start <= i < stop:
                block[i - start] = np.inf
            if smallest(block, stop - start) >= apart[count - 1]:
                continue
            for j in range(stop - start):
                if block[j] < apart[count - 1]:
                    _enter(near, i, apart, block[j], start + j)
    return near


@inner
def _enter(near: Codes, i: int, apart: Floats, far: float, j: int) -> None:
    """Insert a record into the list of record *i*; the last one is dropped."""
    place = apart.size - 1
    while place > 0 and apart[place - 1] > far:
        apart[place] = apart[place - 1]
        near[i, place] = near[i, place - 1]
        place -= 1
    apart[place] = far
    near[i, place] = j


KEPT = 0.7
"""The tree is rebuilt when no more than this share of its records is left."""

NEIGHBOURS = 10
"""Number of nearest records to which a tour may be reconnected."""


SLACK = 1e-9
"""Least relative gain of a reversal, above rounding."""


def nearest_point_next(points: Points) -> Indices:
    """Return a greedy path that always goes on to the nearest unvisited record.

    It starts at the record farthest from the centroid. The lowest index wins every tie. Cost is
    about O(n log n) time in few dimensions and O(n² d) in many.
    """
    return _nearest_point_next(np.ascontiguousarray(points, dtype=np.float64))


def tour(points: Points) -> Indices:
    """Return the greedy path of `nearest_point_next`, shortened by reversals of stretches (2-opt).

    A stretch ends at one of a record's ten nearest records. The number of reversals is not bounded
    by a polynomial in theory; a pass over all records is O(n) plus the reversals.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    neighbours = _neighbours(points, min(NEIGHBOURS, len(points) - 1))
    return _two_opt(points, _nearest_point_next(points), neighbours)


def along_groups(points: Points, labels: Labels) -> Indices:
    """Return an ordering group by group, nearest centroid next, each left towards the next group.

    The best cut of this ordering is never worse than the groups themselves.
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
    centre = column_sums(points) / n
    order = np.empty(n, dtype=np.int64)
    order[0] = 0
    away = -1.0
    for i in range(n):
        apart = distance(points[i], centre)
        if apart > away:
            away = apart
            order[0] = i
    near = empty_nearest(1)
    out = np.empty(2 * LEAF)
    records = np.arange(n)
    tree = build_tree(points, records)
    visited = np.zeros(n, dtype=np.bool_)
    for place in range(1, n):
        visited[order[place - 1]] = True
        remove_from_tree(tree, order[place - 1])
        if n - place < KEPT * records.size:
            records = np.flatnonzero(~visited)
            tree = build_tree(points, records)
        clear_nearest(near)
        search_tree(tree, points[order[place - 1]], near, out)
        order[place] = near.records[0]
    return order


@lazy(POINTS, INT64)
def _neighbours(points: Points, count: int) -> Indices:
    """The nearest other records of each, one row a record, by the kd-tree."""
    n = points.shape[0]
    tree = build_tree(points, np.arange(n))
    near = empty_nearest(count + 1)
    out = np.empty(2 * LEAF)
    found = np.empty((n, count), dtype=np.int64)
    for i in range(n):
        clear_nearest(near)
        search_tree(tree, points[i], near, out)
        place = 0
        for record in near.records:
            if record != i and place < count:
                found[i, place] = record
                place += 1
    return found


@inner
def _between(points: Points, order: Indices, a: int, b: int) -> float:
    """Distance of the records at two positions; 0 if one lies outside the path."""
    if a < 0 or b >= order.size:
        return 0.0
    return distance(points[order[a]], points[order[b]])


@inner
def _shortens(points: Points, order: Indices, a: int, b: int) -> bool:
    """Whether reversing the positions a+1..b makes the path shorter."""
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
def _two_opt(points: Points, start: Indices, neighbours: Indices) -> Indices:
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
                if _shortens(points, order, a, b):
                    _reverse(order, places, a + 1, b)
                    shorter = True
                elif _shortens(points, order, a - 1, b - 1):
                    _reverse(order, places, a, b - 1)
                    shorter = True
    return order
