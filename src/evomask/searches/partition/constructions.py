"""Heuristics that construct initial partitions."""

from enum import StrEnum

import numpy as np

from evomask.kernels.groups.mdav import mdav
from evomask.kernels.groups.orders import along_groups, nearest_point_next, tour
from evomask.kernels.groups.splits import split_order
from evomask.kernels.groups.vmdav import vmdav
from evomask.searches.partition.genome import is_very_large
from evomask.types import Floats, Indices, Labels, Points

GAMMA = 1.1
"""Gain factor of V-MDAV for files that may have natural groups."""

MANY = 20_000
"""Number of records above which only scalable heuristics are used."""


class Construction(StrEnum):
    """Heuristics that group records, for the macrogroups of the hybrids.

    All make groups of one size, except for the last, but ``halves``: k to 2k-1 records.
    """

    MDAV = "mdav"
    CLASSIC = "mdav-classic"
    CBFS = "cbfs"
    PROJECTION = "projection"
    HALVES = "halves"


def fixed_size(points: Points, k: int, construction: Construction) -> Labels:
    """Group records by a heuristic: MDAV with either ending, CBFS, projection or bisection."""
    if construction is Construction.CBFS:
        return cbfs(points, k)
    if construction is Construction.PROJECTION:
        return consecutive_groups(len(points), k, _principal_order(points))
    if construction is Construction.HALVES:
        return bisect_groups(points, k)
    return mdav(points, k, classic=construction is Construction.CLASSIC)


def cbfs(points: Points, k: int) -> Labels:
    """CBFS (Laszlo and Mukherjee, 2005).

    The record farthest from the centroid of the remaining records and its k-1 nearest form a group,
    while 2k or more remain; the rest is the last group. The lowest index wins every tie. Cost is
    O(n² d / k) time and O(n d) memory.
    """
    labels = np.empty(len(points), dtype=np.int64)
    left, group = np.arange(len(points)), 0
    while len(left) >= 2 * k:
        remaining = points[left]
        far = int(np.argmax(_squared_distances(remaining, remaining.mean(axis=0))))
        near = _nearest(_squared_distances(remaining, remaining[far]), k)
        labels[left[near]] = group
        left, group = np.delete(left, near), group + 1
    labels[left] = group
    return labels


def _squared_distances(points: Points, centre: Floats) -> Floats:
    apart: Floats = np.square(points - centre).sum(axis=1)
    return apart


def _nearest(distances: Floats, k: int) -> Indices:
    limit = np.partition(distances, k - 1)[k - 1]
    within = np.flatnonzero(distances < limit)
    ties = np.flatnonzero(distances == limit)[: k - len(within)]
    return np.concatenate([within, ties])


def consecutive_groups(n_records: int, k: int, order: Indices | None = None) -> Labels:
    """Group consecutive records of an order, by default their own; the last takes the rest."""
    places = np.minimum(np.arange(n_records) // k, max(1, n_records // k) - 1)
    labels = np.empty(n_records, dtype=np.int64)
    labels[np.arange(n_records) if order is None else order] = places
    return labels


def _principal_order(points: Points) -> Indices:
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    main = axes[0] * np.sign(axes[0][np.argmax(np.abs(axes[0]))])
    return np.argsort(centred @ main, kind="stable").astype(np.int64)


def construct(points: Points, k: int, number: int) -> Labels:
    """Return initial partition *number*, by several heuristics in turn; groups of k to 2k-1.

    With a single attribute it is optimal (Hansen and Mukherjee, 2003).
    """
    if len(points) < 2 * k:
        return mdav(points, k)
    if is_very_large(points):
        return bisect_groups(points, k) if number else mdav(points, k)
    if points.shape[1] == 1:
        return split_order(points, np.argsort(points[:, 0], kind="stable"), k)
    way = number % (3 if len(points) > MANY else 5)
    if way == 0:
        return mdav(points, k)
    if way == 1:
        order = along_groups(points, mdav(points, k))
    elif way == 2:
        order = nearest_point_next(points)
    elif way == 3:
        order = along_groups(points, vmdav(points, k, GAMMA))
    else:
        order = tour(points)
    return split_order(points, order, k)


def bisect_groups(points: Points, k: int) -> Labels:
    """Bisect repeatedly along the attribute of largest variance; fast, for very large files.

    The groups are poor, but annealing improves them as far as those of other heuristics.
    """
    labels = np.empty(len(points), dtype=np.int64)
    waiting, done = [np.arange(len(points))], 0
    while waiting:
        block = waiting.pop()
        if len(block) < 2 * k:
            labels[block] = done
            done += 1
            continue
        along = points[block, np.argmax(points[block].var(axis=0))]
        order = block[np.argsort(along, kind="stable")]
        waiting += [order[: len(order) // 2], order[len(order) // 2 :]]
    return labels
