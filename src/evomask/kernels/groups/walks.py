"""MDAV microaggregation with search indexes: a sorted list of records and a kd-tree.

Records are sorted by their distance to the centroid, from time to time again. By the triangle
inequality no record is farther from a point than its own distance to that centroid plus the
point's; so a scan from the outermost records inwards soon knows the farthest record, and whether
records further in can be among the nearest. Bounds have a margin for rounding, and deciding
distances are computed as in the flat search: the groups are the same.
"""

from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import arange, argsort, column_sums, full_ints, largest
from evomask.kernels.groups.kdtree import (
    Blocks,
    Nearest,
    Tree,
    block_distances,
    build_blocks,
    build_tree,
    clear_nearest,
    distance,
    empty_nearest,
    farthest_in_tree,
    is_too_far,
    remove_from_block,
    remove_from_tree,
    search_block,
    search_tree,
)
from evomask.kernels.jit import INT64, POINTS, inner, kernel
from evomask.types import Floats, Indices, Labels, Points

RING = 256
"""Records in a block of the sorted list."""

KEPT = 0.7
"""List and tree are rebuilt when at most this share of their records remains."""

PROBES = 16
"""Trial searches that decide between list and tree."""

NODE_COST = 0.3
"""Cost of visiting a tree node, in blocks of the list; measured on whole runs."""

BUILD_COST = 6.0
"""Cost of building the tree, in blocks of the list for each search and k."""

SLACK = 1e-9
"""Relative tolerance for rounding, enough for a million attributes."""

SPECK = 1e-150
"""Absolute tolerance, where squares underflow."""

RESORT_COST = 200.0
"""Cost of sorting a record again, in records passed by scans; measured on a million."""

NEVER, PROBED, ALWAYS = 0, 1, 2
"""When to use the tree."""


class Rings(NamedTuple):
    """Blocks of records by descending distance to a centre.

    Args:
        reach: largest distance to the centre in each block, rounded up.
    """

    middle: Floats
    reach: Floats
    blocks: Blocks


@inner
def _rings_of(points: Points, records: Indices, middle: Floats) -> Rings:
    away = np.empty(records.size)
    for i in range(records.size):
        away[i] = -distance(points[records[i]], middle)
    order = argsort(away)
    count = (records.size + RING - 1) // RING
    starts = np.minimum(np.arange(count + 1) * RING, records.size)
    reach = np.empty(count)
    for b in range(count):
        reach[b] = -away[order[starts[b]]] * (1.0 + SLACK) + SPECK
    return Rings(middle.copy(), reach, build_blocks(points, records[order], starts))


@inner
def farthest(rings: Rings, centre: Floats, out: Floats) -> tuple[int, int]:
    """Return the record farthest from *centre* (lowest index in ties), and the visited blocks."""
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
    """Insert the nearest records into the list; return the number of visited blocks."""
    outside = distance(centre, rings.middle) * (1.0 - SLACK)
    visits = 0
    for b in range(rings.reach.size):
        gap = max(outside - rings.reach[b], 0.0)
        if gap * gap * (1.0 - SLACK) > near.distances[-1]:
            break
        if near.distances[-1] == 0.0 and is_too_far(near, 0.0, rings.blocks.lowest[b]):
            continue
        search_block(rings.blocks, b, centre, near, out)
        visits += 1
    return visits


@inner
def _tree_is_cheaper(rings: Rings, tree: Tree, points: Points, near: Nearest, out: Floats) -> bool:
    """Whether the tree needs less work than the list for some of the outermost records."""
    in_tree = 0
    in_rings = 0
    for probe in range(PROBES):
        b = int(rings.reach.size * (1.0 - KEPT) * probe / PROBES)
        centre = points[rings.blocks.records[b, 0]].copy()
        clear_nearest(near)
        in_tree += search_tree(tree, centre, near, out)
        clear_nearest(near)
        in_rings += search_rings(rings, centre, near, out)
    return NODE_COST * in_tree + BUILD_COST * near.records.size * PROBES < in_rings


@inner
def _take_nearest(
    centre: Floats, rings: Rings, tree: Tree, use_tree: bool, near: Nearest, out: Floats
) -> None:
    """Find the nearest records and remove them from the indexes."""
    clear_nearest(near)
    if use_tree:
        search_tree(tree, centre, near, out)
    else:
        search_rings(rings, centre, near, out)
    for record in near.records:
        remove_from_block(rings.blocks, record)
        if use_tree:
            remove_from_tree(tree, record)


@inner
def _tree_for(
    points: Points, records: Indices, rings: Rings, use: int, near: Nearest, out: Floats
) -> tuple[Tree, bool]:
    """A tree of the records, and whether to use it; a tree of one record if it cannot pay."""
    may_pay = BUILD_COST * near.records.size < rings.reach.size
    if use == NEVER or (use == PROBED and not may_pay):
        return build_tree(points, records[:1]), False
    tree = build_tree(points, records)
    return tree, use == ALWAYS or _tree_is_cheaper(rings, tree, points, near, out)


@kernel(POINTS, INT64, INT64, INT64)
def mdav_by_walks(points: Points, k: int, pairs_while: int, use: int) -> Labels:
    """Return the groups of MDAV; remaining records have the label -1.

    At most O(n² d / k) time, and O(n d) memory; the lowest index wins a tie. Long, because the
    algorithm and its indexes share one loop. A tree that does not pay is not built again: it pays
    less, the fewer records are left.
    """
    sums = column_sums(points)
    labels = full_ints(points.shape[0], -1)
    near = empty_nearest(k)
    out = np.empty(RING)
    records = arange(labels.size)
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
            if use_tree:
                opposite = farthest_in_tree(tree, centre, out)
            else:
                opposite = farthest(rings, centre, out)[0]
        for turn in range(2 if paired else 1):
            if turn == 1:
                while labels[lowest_left] >= 0:
                    lowest_left += 1
                centre = points[opposite if labels[opposite] < 0 else lowest_left].copy()
            _take_nearest(centre, rings, tree, use_tree, near, out)
            for record in near.records:
                labels[record] = group
                for j in range(sums.size):
                    sums[j] -= points[record, j]
            left -= k
            group += 1
    return labels
