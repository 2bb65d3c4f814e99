"""First partitions: different ways to group records quickly."""

from enum import StrEnum

import numpy as np

from evomask.arrays import Floats, Indices, Labels, Points
from evomask.kernels.groups.mdav import mdav
from evomask.kernels.groups.orders import along_groups, nearest_point_next, tour
from evomask.kernels.groups.splits import split_order
from evomask.kernels.groups.vmdav import vmdav
from evomask.searches.partition.genome import is_vast

GAMMA = 1.1
"""The factor of V-MDAV for files that may have natural groups."""

MANY = 20_000
"""Above so many records only the ways that scale are used."""


class Construction(StrEnum):
    """Heuristics that group records, for the macrogroups of the hybrids.

    All make groups of one size, the last aside, but ``halves``: its groups hold k to 2k-1 records.
    """

    MDAV = "mdav"
    CLASSIC = "mdav-classic"
    CBFS = "cbfs"
    PROJECTION = "projection"
    HALVES = "halves"


def fixed_size(points: Points, k: int, construction: Construction) -> Labels:
    """Groups of k records or more by a heuristic: MDAV with either ending, CBFS, records in the
    order of their first principal component, or halves of halves.
    """
    if construction is Construction.CBFS:
        return centroid_based(points, k)
    if construction is Construction.PROJECTION:
        return in_turn(len(points), k, _along_first_component(points))
    if construction is Construction.HALVES:
        return halved(points, k)
    return mdav(points, k, classic=construction is Construction.CLASSIC)


def centroid_based(points: Points, k: int) -> Labels:
    """CBFS (Laszlo and Mukherjee, 2005): the record farthest from the centroid of those that
    remain and its k-1 nearest, again and again while 2k or more remain; the rest is the last group.

    The lowest index wins every tie. Cost is O(n² d / k) time and O(n d) memory.
    """
    labels = np.empty(len(points), dtype=np.int64)
    left, group = np.arange(len(points)), 0
    while len(left) >= 2 * k:
        remaining = points[left]
        far = int(np.argmax(_squared(remaining, remaining.mean(axis=0))))
        near = _nearest(_squared(remaining, remaining[far]), k)
        labels[left[near]] = group
        left, group = np.delete(left, near), group + 1
    labels[left] = group
    return labels


def _squared(points: Points, centre: Floats) -> Floats:
    apart: Floats = np.square(points - centre).sum(axis=1)
    return apart


def _nearest(distances: Floats, k: int) -> Indices:
    """Places of the k smallest distances; the lowest place wins a tie."""
    limit = np.partition(distances, k - 1)[k - 1]
    within = np.flatnonzero(distances < limit)
    ties = np.flatnonzero(distances == limit)[: k - len(within)]
    return np.concatenate([within, ties])


def in_turn(n_records: int, k: int, order: Indices | None = None) -> Labels:
    """Groups of k records in an order, theirs unless told; the last holds the rest, too."""
    places = np.minimum(np.arange(n_records) // k, max(1, n_records // k) - 1)
    labels = np.empty(n_records, dtype=np.int64)
    labels[np.arange(n_records) if order is None else order] = places
    return labels


def _along_first_component(points: Points) -> Indices:
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    main = axes[0] * np.sign(axes[0][np.argmax(np.abs(axes[0]))])
    return np.argsort(centred @ main, kind="stable").astype(np.int64)


def constructed(points: Points, k: int, number: int) -> Labels:
    """The partition by way number *number*, round and round; all groups hold k to 2k-1 records.

    Of a single attribute it is the best one (Hansen and Mukherjee, 2003).
    """
    if len(points) < 2 * k:
        return mdav(points, k)
    if is_vast(points):
        return halved(points, k) if number else mdav(points, k)
    if points.shape[1] == 1:
        return split_order(points, np.argsort(points[:, 0], kind="stable"), k)
    ways = (mdav, _mdav_split, _path_split, _vmdav_split, _tour_split)
    usable = ways[:3] if len(points) > MANY else ways
    return usable[number % len(usable)](points, k)


def halved(points: Points, k: int) -> Labels:
    """Halves of halves across the side in which they vary most; quick, for a vast file.

    Its groups are poor, but bursts of annealing make as good ones from them as from any other.
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


def _mdav_split(points: Points, k: int) -> Labels:
    return split_order(points, along_groups(points, mdav(points, k)), k)


def _path_split(points: Points, k: int) -> Labels:
    return split_order(points, nearest_point_next(points), k)


def _vmdav_split(points: Points, k: int) -> Labels:
    return split_order(points, along_groups(points, vmdav(points, k, GAMMA)), k)


def _tour_split(points: Points, k: int) -> Labels:
    return split_order(points, tour(points), k)
