"""A kd-tree from which records are taken out, for their k nearest.

The tree is complete: node v has the children 2v+1 and 2v+2, and the leaves are blocks. The
distance to a box is summed like that of a record, so that rounding never makes it larger
than the distance to a record inside: no margin is needed.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import inner
from evomask.kernels.groups.blocks import (
    Blocks,
    Nearest,
    blocks_of,
    cannot_enter,
    drop,
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
    nodes = (2 << depth) - 1
    starts = np.zeros(nodes + 1, dtype=np.int64)
    stops = np.full(nodes, records.size)
    low = np.empty((nodes, points.shape[1]))
    high = np.empty((nodes, points.shape[1]))
    lowest = np.empty(nodes, dtype=np.int64)
    keys = np.empty(records.size)
    first_leaf = nodes // 2
    for v in range(nodes):
        _box(points, order[starts[v] : stops[v]], low[v], high[v])
        lowest[v] = order[starts[v] : stops[v]].min()
        if v < first_leaf:
            half = (starts[v] + stops[v]) // 2
            widest = int(np.argmax(high[v] - low[v]))
            _halve(points, order, starts[v], half, stops[v], widest, keys)
            starts[2 * v + 1], stops[2 * v + 1] = starts[v], half
            starts[2 * v + 2], stops[2 * v + 2] = half, stops[v]
    starts[nodes] = records.size
    leaves = blocks_of(points, order, starts[first_leaf:])
    return Tree(low, high, stops - starts[:nodes], lowest, leaves)


@inner
def _box(points: Points, records: Indices, low: Floats, high: Floats) -> None:
    for j in range(points.shape[1]):
        low[j] = points[records[0], j]
        high[j] = points[records[0], j]
    for record in records:
        for j in range(points.shape[1]):
            low[j] = min(low[j], points[record, j])
            high[j] = max(high[j], points[record, j])


@inner
def _halve(
    points: Points, order: Indices, start: int, half: int, stop: int, axis: int, keys: Floats
) -> None:
    """Reorder start..stop so that nothing before *half* is above anything behind it."""
    for i in range(start, stop):
        keys[i] = points[order[i], axis]
    left = start
    right = stop - 1
    while left < right:
        pivot = keys[(left + right) // 2]
        i = left
        j = right
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
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
    """Take a record out of the tree."""
    v = drop(tree.leaves, record) + tree.counts.size // 2
    while v > 0:
        tree.counts[v] -= 1
        v = (v - 1) // 2
    tree.counts[0] -= 1


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
