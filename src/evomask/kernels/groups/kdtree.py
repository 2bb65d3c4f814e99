"""kd-tree from which records are removed, for the k nearest records and the farthest one.

The tree is complete: node v has the children 2v+1 and 2v+2, and the leaves are blocks. A block
stores the numbers of its records attribute by attribute; a removed record's slot is taken by the
last record of the block. Distances to a bounding box are summed in the same order as those to a
record, so that rounding never makes the minimum larger, or the maximum smaller, than the distance
to a record inside. Boxes shrink as records are removed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.compiler.arrays import fill, full_floats, full_ints, largest, smallest
from evomask.kernels.jit import inner
from evomask.types import Floats, Indices, Points

NO_RECORD = int(np.iinfo(np.int64).max)
"""Index of a neighbour that has not been found yet."""

LANES = 16
"""Records whose distances the processor computes in parallel."""


class Blocks(NamedTuple):
    """Blocks of records, and the position of each record.

    Args:
        cells: numbers by block, attribute and slot.
        records: record by block and slot.
        sizes: number of records left in each block.
        lowest: lowest record index that each block had at first.
    """

    cells: NDArray[np.float64]
    records: NDArray[np.int64]
    sizes: Indices
    lowest: Indices
    block_of: Indices
    slot_of: Indices


class Nearest(NamedTuple):
    """List of the nearest records so far, nearest first; infinite distances where not yet found."""

    distances: Floats
    records: Indices


@inner
def build_blocks(points: Points, order: Indices, starts: Indices) -> Blocks:
    """Return blocks of the records in *order*, cut at *starts*."""
    count = starts.size - 1
    width = ((starts[1:] - starts[:-1]).max() + LANES - 1) // LANES * LANES
    cells = np.zeros((count, points.shape[1], width))
    records = np.empty((count, width), dtype=np.int64)
    lowest = np.empty(count, dtype=np.int64)
    block_of = np.empty(points.shape[0], dtype=np.int64)
    slot_of = np.empty(points.shape[0], dtype=np.int64)
    for b in range(count):
        lowest[b] = order[starts[b]]
        for slot in range(starts[b + 1] - starts[b]):
            record = order[starts[b] + slot]
            records[b, slot] = record
            lowest[b] = min(lowest[b], record)
            block_of[record] = b
            slot_of[record] = slot
            for j in range(points.shape[1]):
                cells[b, j, slot] = points[record, j]
    return Blocks(cells, records, starts[1:] - starts[:-1], lowest, block_of, slot_of)


@inner
def remove_from_block(blocks: Blocks, record: int) -> int:
    """Remove a record and return the number of its block."""
    b = blocks.block_of[record]
    slot = blocks.slot_of[record]
    last = blocks.sizes[b] - 1
    moved = blocks.records[b, last]
    blocks.records[b, slot] = moved
    blocks.slot_of[moved] = slot
    for j in range(blocks.cells.shape[1]):
        blocks.cells[b, j, slot] = blocks.cells[b, j, last]
    blocks.sizes[b] = last
    return b


@inner
def block_distances(blocks: Blocks, b: int, centre: Floats, beyond: float, out: Floats) -> int:
    """Compute squared distances of a block's records to *centre* and return how many were filled.

    Multiples of `LANES` are filled, which is faster; slots without a record get *beyond*.
    """
    size = blocks.sizes[b]
    filled = (size + LANES - 1) // LANES * LANES
    for i in range(filled):
        out[i] = 0.0
    for j in range(blocks.cells.shape[1]):
        middle = centre[j]
        for i in range(filled):
            apart = blocks.cells[b, j, i] - middle
            out[i] += apart * apart
    for i in range(size, filled):
        out[i] = beyond
    return filled


@inner
def distance(a: Floats, b: Floats) -> float:
    """Return the Euclidean distance of two points."""
    total = 0.0
    for j in range(a.size):
        total += (a[j] - b[j]) * (a[j] - b[j])
    return np.sqrt(total)


@inner
def empty_nearest(k: int) -> Nearest:
    """Return an empty list for k nearest records."""
    return Nearest(full_floats(k, np.inf), full_ints(k, NO_RECORD))


@inner
def clear_nearest(near: Nearest) -> None:
    """Empty a list of nearest records."""
    fill(near.distances, np.inf)
    fill(near.records, NO_RECORD)


@inner
def is_too_far(near: Nearest, distance: float, record: int) -> bool:
    """Whether a record at this distance cannot enter the list; ties by record index."""
    last = near.distances[-1]
    return distance > last or (distance == last and record > near.records[-1])


@inner
def insert_nearest(near: Nearest, distance: float, record: int) -> None:
    """Insert a record in its place; the last one is dropped."""
    place = near.records.size - 1
    while place > 0 and (
        near.distances[place - 1] > distance
        or (near.distances[place - 1] == distance and near.records[place - 1] > record)
    ):
        near.distances[place] = near.distances[place - 1]
        near.records[place] = near.records[place - 1]
        place -= 1
    near.distances[place] = distance
    near.records[place] = record


@inner
def search_block(blocks: Blocks, b: int, centre: Floats, near: Nearest, out: Floats) -> None:
    """Insert the records of one block into the list; *out* is scratch for their distances."""
    size = blocks.sizes[b]
    if size == 0:
        return
    filled = block_distances(blocks, b, centre, np.inf, out)
    if is_too_far(near, smallest(out, filled), blocks.lowest[b]):
        return
    for i in range(size):
        if not is_too_far(near, out[i], blocks.records[b, i]):
            insert_nearest(near, out[i], blocks.records[b, i])


LEAF = 16
"""Maximum number of records in a leaf."""


class Tree(NamedTuple):
    """Nested bounding boxes of the records, with blocks as leaves.

    Args:
        low: lower corner of each node's box, one row a node.
        counts: records below each node.
        lowest: lowest record index that was below each node at first.
    """

    low: Points
    high: Points
    counts: Indices
    lowest: Indices
    leaves: Blocks


@inner
def build_tree(points: Points, records: Indices) -> Tree:
    """Return a tree of the given records; O(n log n)."""
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
    leaves = build_blocks(points, order, starts[first_leaf:])
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
    """Partition rows start..stop about the element at *half* along one axis (quickselect).

    Rows move with their records, so that later scans read contiguous memory.
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
def remove_from_tree(tree: Tree, record: int) -> None:
    """Remove a record from the tree and shrink the boxes that it touched."""
    b = remove_from_block(tree.leaves, record)
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
    """Fit a leaf's box to its records; whether it became smaller."""
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
    """Fit a node's box to those of its non-empty children; whether it became smaller."""
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
    """Squared distance to the nearest point of a node's box; infinite for an empty node."""
    if tree.counts[v] == 0:
        return np.inf
    total = 0.0
    for j in range(centre.size):
        apart = max(tree.low[v, j] - centre[j], centre[j] - tree.high[v, j], 0.0)
        total += apart * apart
    return total


@inner
def search_tree(tree: Tree, centre: Floats, near: Nearest, out: Floats) -> int:
    """Insert the nearest records of the tree into the list; return the number of visited nodes."""
    waiting = np.zeros(64, dtype=np.int64)
    distances = np.zeros(64)
    first_leaf = tree.counts.size // 2
    depth = 1
    visits = 0
    while depth > 0:
        depth -= 1
        v = waiting[depth]
        if is_too_far(near, distances[depth], tree.lowest[v]):
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
    """Squared distance to the farthest point of a node's box; negative for an empty node."""
    if tree.counts[v] == 0:
        return -1.0
    total = 0.0
    for j in range(centre.size):
        apart = max(centre[j] - tree.low[v, j], tree.high[v, j] - centre[j])
        total += apart * apart
    return total


@inner
def farthest_in_tree(tree: Tree, centre: Floats, out: Floats) -> int:
    """Return the record of the tree farthest from *centre*; the lowest index wins a tie."""
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
    """Update the farthest record with the records of one leaf."""
    filled = block_distances(tree.leaves, b, centre, -1.0, out)
    if largest(out, filled) < best:
        return best, found
    for i in range(tree.leaves.sizes[b]):
        record = tree.leaves.records[b, i]
        if out[i] > best or (out[i] == best and record < found):
            best, found = out[i], record
    return best, found
