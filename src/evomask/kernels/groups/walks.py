"""MDAV without looking at every record: walks along a sorted list, and a kd-tree.

The records are sorted by their distance to the centroid, once in a while. No record is
farther from a place than its own distance to that centroid plus the place's distance to it;
so a walk from the outermost inwards soon knows the farthest record, and whether any further
in can be among the nearest. The bounds leave room for rounding, distances that decide are
computed as in the flat search: the groups are the same.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices, Labels, Points
from evomask.kernels.compiler import POINTS, WHOLE, inner, kernel
from evomask.kernels.filled import counted, wholes
from evomask.kernels.groups.blocks import (
    Blocks,
    Nearest,
    block_distances,
    blocks_of,
    cannot_enter,
    distance,
    drop,
    forget,
    largest,
    nobody_near,
    search_block,
    sums_of,
)
from evomask.kernels.groups.kdtree import Tree, farthest_in_tree, prune, search_tree, tree_of
from evomask.kernels.sorting import stable_order

RING = 256
"""Records of a block of the sorted list."""

KEPT = 0.7
"""Sort and build again when no more than this share of the records is left."""

PROBES = 16
"""Searches that decide between the list and the tree."""

NODE_COST = 0.3
"""Cost of visiting a node of the tree, in blocks of the list; measured on whole runs."""

BUILD_COST = 6.0
"""Cost of building the tree, in blocks of the list for each search and k."""

SLACK = 1e-9
"""Relative room for rounding, enough for a million attributes."""

SPECK = 1e-150
"""Absolute room, where squares are too small to be exact."""

RESORT_COST = 200.0
"""Cost of sorting a record again, in records that a walk passes; measured on a million."""

NEVER, PROBED, ALWAYS = 0, 1, 2
"""When to use the tree."""


class Rings(NamedTuple):
    """Blocks of records by falling distance to a middle."""

    middle: Floats
    reach: Floats
    """Largest distance to the middle in each block, rounded up."""

    blocks: Blocks


@inner
def _rings_of(points: Points, records: Indices, middle: Floats) -> Rings:
    away = np.empty(records.size)
    for i in range(records.size):
        away[i] = -distance(points[records[i]], middle)
    order = stable_order(away)
    count = (records.size + RING - 1) // RING
    starts = np.minimum(np.arange(count + 1) * RING, records.size)
    reach = np.empty(count)
    for b in range(count):
        reach[b] = -away[order[starts[b]]] * (1.0 + SLACK) + SPECK
    return Rings(middle.copy(), reach, blocks_of(points, records[order], starts))


@inner
def farthest(rings: Rings, centre: Floats, out: Floats) -> tuple[int, int]:
    """The record farthest from *centre*, the lowest of equals, and how many blocks that took."""
    blocks = rings.blocks
    shift = distance(centre, rings.middle) * (1.0 + SLACK)
    best = -1.0
    found = -1
    visits = 0
    for b in range(rings.reach.size):
        bound = rings.reach[b] + shift
        if bound * bound < best:
            break
        size = blocks.sizes[b]
        if size == 0:
            continue
        visits += 1
        filled = block_distances(blocks, b, centre, -1.0, out)
        top = largest(out, filled)
        if top < best or (top == best and blocks.lowest[b] > found):
            continue
        for i in range(size):
            if out[i] > best or (out[i] == best and blocks.records[b, i] < found):
                best = out[i]
                found = blocks.records[b, i]
    return found, visits


@inner
def search_rings(rings: Rings, centre: Floats, near: Nearest, out: Floats) -> int:
    """Fill the list with the nearest records; how many blocks that took."""
    outside = distance(centre, rings.middle) * (1.0 - SLACK)
    visits = 0
    for b in range(rings.reach.size):
        gap = max(outside - rings.reach[b], 0.0)
        if gap * gap * (1.0 - SLACK) > near.distances[-1]:
            break
        if near.distances[-1] == 0.0 and cannot_enter(near, 0.0, rings.blocks.lowest[b]):
            continue
        search_block(rings.blocks, b, centre, near, out)
        visits += 1
    return visits


@inner
def _tree_is_cheaper(rings: Rings, tree: Tree, points: Points, near: Nearest, out: Floats) -> bool:
    """Whether the tree finds the nearest with less work, for some records that go soon."""
    in_tree = 0
    in_rings = 0
    for probe in range(PROBES):
        b = int(rings.reach.size * (1.0 - KEPT) * probe / PROBES)
        centre = points[rings.blocks.records[b, 0]].copy()
        forget(near)
        in_tree += search_tree(tree, centre, near, out)
        forget(near)
        in_rings += search_rings(rings, centre, near, out)
    return NODE_COST * in_tree + BUILD_COST * near.records.size * PROBES < in_rings


@inner
def _opposite(centre: Floats, rings: Rings, tree: Tree, use_tree: bool, out: Floats) -> int:
    """The record farthest from one at the border, where walks are long."""
    if use_tree:
        return farthest_in_tree(tree, centre, out)
    return farthest(rings, centre, out)[0]


@inner
def _take_nearest(
    centre: Floats, rings: Rings, tree: Tree, use_tree: bool, near: Nearest, out: Floats
) -> None:
    """Fill the list with the nearest records and take them out of the indexes."""
    forget(near)
    if use_tree:
        search_tree(tree, centre, near, out)
    else:
        search_rings(rings, centre, near, out)
    for record in near.records:
        drop(rings.blocks, record)
        if use_tree:
            prune(tree, record)


@inner
def _label(points: Points, records: Indices, sums: Floats, labels: Labels, group: int) -> None:
    """Give the records their label and take them out of the sums."""
    for record in records:
        labels[record] = group
        for j in range(sums.size):
            sums[j] -= points[record, j]


@inner
def _tree_for(
    points: Points, records: Indices, rings: Rings, use: int, near: Nearest, out: Floats
) -> tuple[Tree, bool]:
    """A tree of the records, and whether to use it; a tree of one record if it cannot pay."""
    may_pay = BUILD_COST * near.records.size < rings.reach.size
    if use == NEVER or (use == PROBED and not may_pay):
        return tree_of(points, records[:1]), False
    tree = tree_of(points, records)
    return tree, use == ALWAYS or _tree_is_cheaper(rings, tree, points, near, out)


@kernel(POINTS, WHOLE, WHOLE, WHOLE)
def mdav_by_walks(points: Points, k: int, pairs_while: int, use: int) -> Labels:
    """Groups of MDAV; records that are left at the end have the label -1.

    Long because the loop of the algorithm and the upkeep of its indexes are one. A tree that
    does not pay is not built again: it pays less, the fewer records are left.
    """
    sums = sums_of(points)
    labels = wholes(points.shape[0], -1)
    near = nobody_near(k)
    out = np.empty(RING)
    records = counted(labels.size)
    left = labels.size
    group = 0
    lowest_left = 0
    rings = _rings_of(points, records, sums / left)
    tree, use_tree = _tree_for(points, records, rings, use, near, out)
    walked = 0
    while left >= 2 * k:
        centre = sums / left
        if left < KEPT * records.size:
            records = np.flatnonzero(labels < 0)
            rings, walked = _rings_of(points, records, centre), 0
            tree, use_tree = _tree_for(
                points, records, rings, use if use_tree else NEVER, near, out
            )
        elif walked * RING > RESORT_COST * left:
            rings, walked = _rings_of(points, np.flatnonzero(labels < 0), centre), 0
        far, visits = farthest(rings, centre, out)
        walked += visits
        centre = points[far].copy()
        paired = left >= pairs_while * k
        opposite = -1
        if paired:
            opposite = _opposite(centre, rings, tree, use_tree, out)
        for turn in range(2 if paired else 1):
            if turn == 1:
                while labels[lowest_left] >= 0:
                    lowest_left += 1
                centre = points[opposite if labels[opposite] < 0 else lowest_left].copy()
            _take_nearest(centre, rings, tree, use_tree, near, out)
            _label(points, near.records, sums, labels, group)
            left -= k
            group += 1
    return labels
