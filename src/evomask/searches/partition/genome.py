"""What evolves: a partition of records, as the group number of each.

Groups are numbered in the order of their first record, so equal partitions are equal arrays.
"""

import numpy as np

from evomask.data.partition import checked_k
from evomask.errors import DataError
from evomask.kernels.arrays import Codes, Floats, Indices, Points

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


def near_records(points: Points, count: int) -> Codes:
    """The nearest other records of each record, nearest first, *count* of them or all others."""
    from scipy.spatial import KDTree

    n = len(points)
    count = min(count, n - 1)
    found = np.asarray(KDTree(points).query(points, count + 1)[1])
    others = found != np.arange(n)[:, None]
    others[others.all(axis=1), -1] = False
    near: Codes = found[others].reshape(n, count).astype(np.int32)
    return near


def squares_within(points: Points, members: Indices, starts: Indices) -> Floats:
    """Sum of squares of each group; its records are *members* from its start to the next's."""
    sizes = np.diff(np.append(starts, len(members)))
    own = points[members]
    means = np.add.reduceat(own, starts, axis=0) / sizes[:, None]
    squares: Floats = np.add.reduceat(
        np.sum((own - np.repeat(means, sizes, axis=0)) ** 2, axis=1), starts
    )
    return squares
