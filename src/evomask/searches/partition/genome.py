"""What evolves: a partition of records, as the group number of each.

Groups are numbered in the order of their first record, so equal partitions are equal arrays.
"""

import numpy as np

from evomask.arrays import Codes, Floats, Indices, Points
from evomask.data.partition import checked_k
from evomask.errors import DataError

MANY_RECORDS, MANY_NUMBERS = 20_000, 8
"""A file with more of both is vast: no tree finds the nearest of all its records quickly."""

BLOCK = 2_000
"""Records that are compared with each other in a vast file."""

LEAST_NEAR = 12
"""Fewest near records whose groups a record may join."""


def checked_points(points: Points, k: int) -> Points:
    """The points as one block of finite numbers with k or more records, or an error."""
    whole = np.ascontiguousarray(points, dtype=np.float64)
    if whole.ndim != 2:
        raise DataError(f"points must be a table of numbers, got {whole.ndim} dimension(s)")
    if not np.isfinite(whole).all():
        raise DataError("points hold missing or infinite values; replace them first")
    checked_k(k, len(whole))
    return whole


def near_count(k: int) -> int:
    """How many near records a search for groups of k looks at."""
    return max(LEAST_NEAR, 2 * k)


def is_vast(points: Points) -> bool:
    """Whether finding the nearest records of all records exactly would take minutes."""
    return len(points) > MANY_RECORDS and points.shape[1] > MANY_NUMBERS


def is_large(points: Points) -> bool:
    """Whether annealing all records at once would mostly wait for memory."""
    return len(points) > MANY_RECORDS and points.shape[1] > 1


def near_records(points: Points, count: int) -> Codes:
    """The nearest other records of each record, nearest first, *count* of them or all others.

    In a vast file they are the nearest in blocks of records, and almost all of the nearest.
    """
    count = min(count, len(points) - 1)
    if not is_vast(points):
        return _nearest(points, count)
    from scipy.fft import dct

    turned = dct(points, axis=1, norm="ortho")
    return _nearer(points, [_near_in_blocks(axes, count) for axes in (points, turned)], count)


def _nearest(points: Points, count: int) -> Codes:
    from scipy.spatial import KDTree

    n = len(points)
    neighbours = np.asarray(KDTree(points).query(points, count + 1)[1])
    others = neighbours != np.arange(n)[:, None]
    others[others.all(axis=1), -1] = False
    near: Codes = neighbours[others].reshape(n, count).astype(np.int32)
    return near


def _near_in_blocks(points: Points, count: int) -> Codes:
    """The nearest of each record's block; blocks are halves of halves across their widest side."""
    near = np.empty((len(points), count), dtype=np.int32)
    waiting: list[Indices] = [np.arange(len(points))]
    while waiting:
        block = waiting.pop()
        if len(block) <= BLOCK:
            near[block] = block[_nearest(points[block], count)]
            continue
        widest = int(np.argmax(np.ptp(points[block], axis=0)))
        order = block[np.argsort(points[block, widest], kind="stable")]
        waiting += [order[: len(order) // 2], order[len(order) // 2 :]]
    return near


def _nearer(points: Points, lists: list[Codes], count: int) -> Codes:
    """The nearest of several lists of near records, each once."""
    near = np.sort(np.concatenate(lists, axis=1), axis=1)
    apart = np.empty(near.shape)
    for place in range(near.shape[1]):
        apart[:, place] = np.sum((points - points[near[:, place]]) ** 2, axis=1)
    apart[:, 1:][near[:, 1:] == near[:, :-1]] = np.inf
    order = np.argsort(apart, axis=1, kind="stable")[:, :count]
    return np.ascontiguousarray(np.take_along_axis(near, order, axis=1))


def squares_within(points: Points, members: Indices, starts: Indices) -> Floats:
    """Sum of squares of each group; its records are *members* from its start to the next's."""
    sizes = np.diff(np.append(starts, len(members)))
    grouped = points[members]
    means = np.add.reduceat(grouped, starts, axis=0) / sizes[:, None]
    squares: Floats = np.add.reduceat(
        np.sum((grouped - np.repeat(means, sizes, axis=0)) ** 2, axis=1), starts
    )
    return squares
