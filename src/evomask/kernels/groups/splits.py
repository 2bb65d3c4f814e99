"""Optimal cut of an ordering of records into groups (Hansen and Mukherjee, 2003).

Shortest path over the positions between records: every step is a group of k to 2k-1 consecutive
records, its length the group's sum of squares. Deviations are taken from the group's last record,
so that nothing cancels where numbers are far from zero. Of equally short paths the one whose later
groups are smaller is taken.
"""

import numpy as np

from evomask.kernels.compiler.arrays import fill
from evomask.kernels.jit import INT64, POINTS, inner, kernel
from evomask.types import Floats, Indices, Labels, Points


def split_values(values: Floats, k: int) -> Labels:
    """Return groups of k or more with the least sum of squares, numbered by ascending value.

    This is the optimum for one attribute. Equal values stay in the order of their records. Cost is
    O(n log n + n k) time and O(n) memory.
    """
    order = np.argsort(values, kind="stable")
    return split_order(np.asarray(values, dtype=np.float64)[:, None], order, k)


def split_order(points: Points, order: Indices, k: int) -> Labels:
    """Return the best groups of k or more consecutive records of *order*, numbered along it.

    Cost is O(n k d) time and O(n) memory beside a copy of the points.
    """
    labels = np.empty(len(points), dtype=np.int64)
    labels[order] = _split_path(np.ascontiguousarray(points[order], dtype=np.float64), k)
    return labels


@inner
def _labels_along(sizes: Indices) -> Labels:
    """Labels from the size of the last group before each position."""
    labels = np.zeros(sizes.size - 1, dtype=np.int64)
    stop = labels.size
    while stop > 0:
        labels[stop - sizes[stop]] = 1
        stop -= sizes[stop]
    return np.cumsum(labels) - 1


@kernel(POINTS, INT64)
def _split_path(points: Points, k: int) -> Labels:
    """Labels of records in their order."""
    n, d = points.shape
    shares = 1.0 / np.arange(1, 2 * k + 1)
    lengths = np.full(n + 1, np.inf)
    lengths[0] = 0.0
    sizes = np.zeros(n + 1, dtype=np.int64)
    totals = np.empty(d)
    for stop in range(min(k, n), n + 1):
        fill(totals, 0.0)
        squares = 0.0
        for size in range(1, min(2 * k - 1, stop) + 1):
            around = 0.0
            for j in range(d):
                apart = points[stop - 1, j] - points[stop - size, j]
                totals[j] += apart
                squares += apart * apart
                around += totals[j] * totals[j]
            if size >= min(k, n):
                length = lengths[stop - size] + squares - around * shares[size - 1]
                if length < lengths[stop]:
                    lengths[stop] = length
                    sizes[stop] = size
    return _labels_along(sizes)
