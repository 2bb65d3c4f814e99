"""A kd-tree from which records are taken out, for their k nearest and for the farthest.

The tree is complete: node v has the children 2v+1 and 2v+2, and the leaves are blocks. The
distances to a box are summed like that of a record, so that rounding never makes the least
larger, or the largest smaller, than the distance to a record inside: no margin is needed.
Boxes shrink as records leave, else those at the border would soon be empty promises.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import inner
from evomask.kernels.groups.blocks import (
    Blocks,
    Nearest,
    block_distances,
    blocks_of,
    cannot_enter,
    drop,
    largest,
    search_block,
)

LEAF = 16
"""Most records of a leaf."""


class Tree(NamedTuple):
    """Boxes around the records, halved again and again, down to blocks."""

    low: Points
    """Lower corner of each node's box, a row a node."""

    high: Points
    counts: Indices
    """Records below each node."""

    lowest: Indices
    """Lowest record that was below each node at first."""

    leaves: Blocks


@inner
def tree_of(points: Points, records: Indices) -> Tree:
    """A tree of the given records."""
    depth = 0
    while (records.size >> depth) >= LEAF:
        depth += 1
    order = records.copy()
    rows = points[records]
    nodes = (2 << depth) - 1
    starts = np.zeros(nodes + 1, dtype=np.int64)
    stops = np.full(nodes, records.size)
    low = np.empty((nodes, points.shape[1]))
    high = np.empty((nodes, points.shape[1]))
    lowest = np.empty(nodes, dtype=np.int64)
    first_leaf = nodes // 2
    for v in range(nodes):
        _box(rows[starts[v] : stops[v]], low[v], high[v])
        lowest[v] = order[starts[v] : stops[v]].min()
        if v < first_leaf:
            half = (starts[v] + stops[v]) // 2
            widest = int(np.argmax(high[v] - low[v]))
            _halve(rows, order, starts[v], half, stops[v], widest)
            starts[2 * v + 1], stops[2 * v + 1] = starts[v], half
            starts[2 * v + 2], stops[2 * v + 2] = half, stops[v]
    starts[nodes] = records.size
    leaves = blocks_of(points, order, starts[first_leaf:])
    return Tree(low, high, stops - starts[:nodes], lowest, leaves)


@inner
def _box(rows: Points, low: Floats, high: Floats) -> None:
    for j in range(rows.shape[1]):
        low[j] = rows[0, j]
        high[j] = rows[0, j]
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            low[j] = min(low[j], rows[i, j])
            high[j] = max(high[j], rows[i, j])


@inner
def _halve(rows: Points, order: Indices, start: int, half: int, stop: int, axis: int) -> None:
    """Reorder start..stop so that nothing before *half* is above anything behind it.

    The rows move with their records: what is read in turn lies side by side.
    """
    left = start
    right = stop - 1
    while left < right:
        pivot = rows[(left + right) // 2, axis]
        i = left
        j = right
        while i <= j:
            while rows[i, axis] < pivot:
                i += 1
            while rows[j, axis] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                for c in range(rows.shape[1]):
                    rows[i, c], rows[j, c] = rows[j, c], rows[i, c]
                i += 1
                j -= 1
        if half <= j:
            right = j
        elif half >= i:
            left = i
        else:
            return


@inner
def prune(tree: Tree, record: int) -> None:
    """Take a record out of the tree; boxes that it held open shrink."""
    b = drop(tree.leaves, record)
    v = b + tree.counts.size // 2
    tree.counts[v] -= 1
    shrinks = tree.counts[v] > 0 and _shrink_leaf(tree, b, v)
    shrinks = shrinks or tree.counts[v] == 0
    while v > 0:
        v = (v - 1) // 2
        tree.counts[v] -= 1
        shrinks = shrinks and tree.counts[v] > 0 and _shrink(tree, v)


@inner
def _shrink_leaf(tree: Tree, b: int, v: int) -> bool:
    """Fit a leaf's box to the records it still has; whether that made it smaller."""
    changed = False
    for j in range(tree.low.shape[1]):
        low = tree.leaves.cells[b, j, 0]
        high = low
        for slot in range(1, tree.counts[v]):
            low = min(low, tree.leaves.cells[b, j, slot])
            high = max(high, tree.leaves.cells[b, j, slot])
        changed = changed or low > tree.low[v, j] or high < tree.high[v, j]
        tree.low[v, j] = low
        tree.high[v, j] = high
    return changed


@inner
def _shrink(tree: Tree, v: int) -> bool:
    """Fit a node's box to those of its children that are not empty; whether it got smaller."""
    a = 2 * v + 1 if tree.counts[2 * v + 1] > 0 else 2 * v + 2
    b = 2 * v + 2 if tree.counts[2 * v + 2] > 0 else a
    changed = False
    for j in range(tree.low.shape[1]):
        low = min(tree.low[a, j], tree.low[b, j])
        high = max(tree.high[a, j], tree.high[b, j])
        changed = changed or low > tree.low[v, j] or high < tree.high[v, j]
        tree.low[v, j] = low
        tree.high[v, j] = high
    return changed


@inner
def _box_distance(tree: Tree, v: int, centre: Floats) -> float:
    """Squared distance to the nearest place of a node's box; infinite for an empty node."""
    if tree.counts[v] == 0:
        return np.inf
    total = 0.0
    for j in range(centre.size):
        apart = max(tree.low[v, j] - centre[j], centre[j] - tree.high[v, j], 0.0)
        total += apart * apart
    return total


@inner
def search_tree(tree: Tree, centre: Floats, near: Nearest, out: Floats) -> int:
    """Fill the list with the nearest records of the tree; how many nodes that took."""
    waiting = np.zeros(64, dtype=np.int64)
    distances = np.zeros(64)
    first_leaf = tree.counts.size // 2
    depth = 1
    visits = 0
    while depth > 0:
        depth -= 1
        v = waiting[depth]
        if cannot_enter(near, distances[depth], tree.lowest[v]):
            continue
        visits += 1
        if v >= first_leaf:
            search_block(tree.leaves, v - first_leaf, centre, near, out)
            continue
        nearer = 2 * v + 1
        farther = 2 * v + 2
        to_nearer = _box_distance(tree, nearer, centre)
        to_farther = _box_distance(tree, farther, centre)
        if to_farther < to_nearer:
            nearer, farther = farther, nearer
            to_nearer, to_farther = to_farther, to_nearer
        if to_farther < np.inf:
            waiting[depth], distances[depth] = farther, to_farther
            depth += 1
        if to_nearer < np.inf:
            waiting[depth], distances[depth] = nearer, to_nearer
            depth += 1
    return visits


@inner
def _reach(tree: Tree, v: int, centre: Floats) -> float:
    """Squared distance to the farthest place of a node's box; below 0 for an empty node."""
    if tree.counts[v] == 0:
        return -1.0
    total = 0.0
    for j in range(centre.size):
        apart = max(centre[j] - tree.low[v, j], tree.high[v, j] - centre[j])
        total += apart * apart
    return total


@inner
def farthest_in_tree(tree: Tree, centre: Floats, out: Floats) -> int:
    """The record of the tree farthest from *centre*; the lowest wins a tie."""
    waiting = np.zeros(64, dtype=np.int64)
    reaches = np.zeros(64)
    reaches[0] = np.inf
    first_leaf = tree.counts.size // 2
    depth = 1
    best = -1.0
    found = -1
    while depth > 0:
        depth -= 1
        v = waiting[depth]
        if reaches[depth] < best or (reaches[depth] == best and tree.lowest[v] > found):
            continue
        if v >= first_leaf:
            best, found = _farthest_of_leaf(tree, v - first_leaf, centre, best, found, out)
            continue
        nearer = 2 * v + 1
        farther = 2 * v + 2
        to_nearer = _reach(tree, nearer, centre)
        to_farther = _reach(tree, farther, centre)
        if to_farther < to_nearer:
            nearer, farther = farther, nearer
            to_nearer, to_farther = to_farther, to_nearer
        if to_nearer >= 0.0:
            waiting[depth], reaches[depth] = nearer, to_nearer
            depth += 1
        if to_farther >= 0.0:
            waiting[depth], reaches[depth] = farther, to_farther
            depth += 1
    return found


@inner
def _farthest_of_leaf(
    tree: Tree, b: int, centre: Floats, best: float, found: int, out: Floats
) -> tuple[float, int]:
    """The farthest so far, after looking at the records of one leaf."""
    filled = block_distances(tree.leaves, b, centre, -1.0, out)
    if largest(out, filled) < best:
        return best, found
    for i in range(tree.leaves.sizes[b]):
        record = tree.leaves.records[b, i]
        if out[i] > best or (out[i] == best and record < found):
            best, found = out[i], record
    return best, found
