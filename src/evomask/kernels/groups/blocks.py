"""Records in small blocks, each of them searched at once, and the list of the nearest.

A block keeps the numbers of its records attribute by attribute. A record leaves by giving
its slot to the last record of the block, so that a block has no gaps.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import extreme, inner
from evomask.kernels.filled import fill, reals, wholes

NOBODY = int(np.iinfo(np.int64).max)
"""The place of a neighbour that has not been found yet."""

LANES = 16
"""Records whose distances the machine computes together."""


class Blocks(NamedTuple):
    """Blocks of records, and where each record is."""

    cells: NDArray[np.float64]
    """Numbers by block, attribute and slot."""

    records: NDArray[np.int64]
    """Record by block and slot."""

    sizes: Indices
    """Records that each block still has."""

    lowest: Indices
    """Lowest record that each block had at first; it has none below."""

    block_of: Indices
    slot_of: Indices


class Nearest(NamedTuple):
    """The records nearest to a centre so far, nearest first; far away where not yet found."""

    distances: Floats
    records: Indices


@inner
def blocks_of(points: Points, order: Indices, starts: Indices) -> Blocks:
    """Blocks of the records in *order*, cut at *starts*."""
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
def drop(blocks: Blocks, record: int) -> int:
    """Take a record out; the block it was in."""
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
    """Squared distances of a block's records to *centre*; how many places they fill.

    Whole LANES are filled, which is faster; places without a record get *beyond*.
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


@extreme
def largest(values: Floats, count: int) -> float:
    """Largest of the first *count* values."""
    found = values[0]
    for i in range(1, count):
        found = max(found, values[i])
    return found


@extreme
def smallest(values: Floats, count: int) -> float:
    """Smallest of the first *count* values."""
    found = values[0]
    for i in range(1, count):
        found = min(found, values[i])
    return found


@inner
def sums_of(points: Points) -> Floats:
    """Sum of each attribute, record after record."""
    sums = np.zeros(points.shape[1])
    for i in range(points.shape[0]):
        for j in range(sums.size):
            sums[j] += points[i, j]
    return sums


@inner
def distance(a: Floats, b: Floats) -> float:
    """Euclidean distance of two places."""
    total = 0.0
    for j in range(a.size):
        total += (a[j] - b[j]) * (a[j] - b[j])
    return np.sqrt(total)


@inner
def nobody_near(k: int) -> Nearest:
    """A list for k records that holds none yet."""
    return Nearest(reals(k, np.inf), wholes(k, NOBODY))


@inner
def forget(near: Nearest) -> None:
    """Empty the list of nearest records."""
    fill(near.distances, np.inf)
    fill(near.records, NOBODY)


@inner
def cannot_enter(near: Nearest, distance: float, record: int) -> bool:
    """Whether a record as far or farther, and as high or higher in number, is too far."""
    last = near.distances[-1]
    return distance > last or (distance == last and record > near.records[-1])


@inner
def enter(near: Nearest, distance: float, record: int) -> None:
    """Put a record that can enter in its place; the last one falls out."""
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
    """Let the records of one block enter the list; *out* is room for their distances."""
    size = blocks.sizes[b]
    if size == 0:
        return
    filled = block_distances(blocks, b, centre, np.inf, out)
    if cannot_enter(near, smallest(out, filled), blocks.lowest[b]):
        return
    for i in range(size):
        if not cannot_enter(near, out[i], blocks.records[b, i]):
            enter(near, out[i], blocks.records[b, i])
