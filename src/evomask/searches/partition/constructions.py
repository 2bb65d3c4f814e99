"""First partitions: different ways to group records quickly."""

from enum import StrEnum

import numpy as np

from evomask.arrays import Indices, Labels, Points
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
    """Heuristics that make groups of one size, for the macrogroups of the hybrids."""

    MDAV = "mdav"
    CLASSIC = "mdav-classic"
    PROJECTION = "projection"
    HALVES = "halves"


def fixed_size(points: Points, k: int, construction: Construction) -> Labels:
    """Groups of k records or more by a heuristic: MDAV with either ending, records in the order
    of their first principal component, or halves of halves.
    """
    if construction is Construction.PROJECTION:
        return in_turn(len(points), k, _along_first_component(points))
    if construction is Construction.HALVES:
        return halved(points, k)
    return mdav(points, k, classic=construction is Construction.CLASSIC)


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
