"""Losses and interval disclosure of categorical attributes under changes of single cells.

What is kept are whole numbers: joint counts of original and masked categories, and how far
every cell of every contingency table is from the original's. A change costs O(number of
tables that hold the attribute).
"""

from typing import NamedTuple

from evomask.arrays import Floats, Indices
from evomask.kernels.compiler import OWN_FLOATS, OWN_INDEX_ROWS, OWN_INDICES, WHOLE, bundle, inner
from evomask.kernels.tracked.memory import Memory, add_real, add_whole, write_whole


class CategoryPlaces(NamedTuple):
    """Where the state of categorical attributes begins in a memory."""

    moved: int
    """Sums of distances of cells, for each attribute."""

    entropies: int
    """n times the entropy of the original value given the masked one, for each attribute."""

    codes: int
    joint: int
    """Records of each original category in each masked one, attribute after attribute."""

    sizes: int
    """Records of each masked category, attribute after attribute."""

    apart: int
    """Masked minus original count, for every cell of every table."""

    total: int
    """One number: the sum of the absolute values of those."""

    hits: int
    """Cells within the rank interval, for each attribute."""


class Categories(NamedTuple):
    """Categorical attributes of an original: one attribute a row, records as columns."""

    codes: Indices
    sizes: Indices
    starts: Indices
    """Where an attribute's first category stands in a list of all categories."""

    squares: Indices
    """Where an attribute's square of categories begins in a list of all squares."""

    near: Indices
    distances: Floats
    entropies: Floats
    """k log k for the counts k from 0 to the number of records."""

    logarithms: Floats
    """Of the number of categories of each attribute."""

    tables: Indices
    """Where each contingency table begins in a list of all tables."""

    strides: Indices
    """Steps between categories of each attribute (columns) in each table; 0: not in it."""

    ends: Floats
    """What losses by tables, distances and entropies read at the end of their scales, in
    percent; 0 where they have none, and all 0 where they count as they are."""

    at: CategoryPlaces


CATEGORIES = bundle(
    Categories, OWN_INDEX_ROWS, *[OWN_INDICES] * 4, *[OWN_FLOATS] * 3, OWN_INDICES, OWN_INDEX_ROWS,
    OWN_FLOATS, bundle(CategoryPlaces, *[WHOLE] * len(CategoryPlaces._fields)),
)  # fmt: skip


@inner
def change_category(facts: Categories, memory: Memory, record: int, j: int, code: int) -> None:
    """Write another category into a cell, and all that follows from it."""
    place = facts.at.codes + j * facts.codes.shape[1] + record
    old = memory.wholes[place]
    _change_tables(facts, memory, record, j, old, code)
    row = facts.squares[j] + facts.codes[j, record] * facts.sizes[j]
    add_real(memory, facts.at.moved + j, facts.distances[row + code] - facts.distances[row + old])
    add_whole(memory, facts.at.hits + j, facts.near[row + code] - facts.near[row + old])
    change = _moved_count(facts, memory, facts.at.sizes + facts.starts[j] + code, 1)
    change += _moved_count(facts, memory, facts.at.sizes + facts.starts[j] + old, -1)
    change -= _moved_count(facts, memory, facts.at.joint + row + code, 1)
    change -= _moved_count(facts, memory, facts.at.joint + row + old, -1)
    add_real(memory, facts.at.entropies + j, change)
    write_whole(memory, place, code)


@inner
def _moved_count(facts: Categories, memory: Memory, place: int, step: int) -> float:
    """Change one count; by how much its k log k has grown."""
    before = memory.wholes[place]
    write_whole(memory, place, before + step)
    return facts.entropies[before + step] - facts.entropies[before]


@inner
def _change_tables(
    facts: Categories, memory: Memory, record: int, j: int, old: int, code: int
) -> None:
    n_attributes, n = facts.codes.shape
    growth = 0
    for t in range(facts.tables.size):
        stride = facts.strides[t, j]
        if stride == 0:
            continue
        cell = facts.at.apart + facts.tables[t]
        for b in range(n_attributes):
            if b != j and facts.strides[t, b] != 0:
                cell += facts.strides[t, b] * memory.wholes[facts.at.codes + b * n + record]
        growth += _step(memory, cell + stride * old, -1)
        growth += _step(memory, cell + stride * code, 1)
    add_whole(memory, facts.at.total, growth)


@inner
def _step(memory: Memory, place: int, step: int) -> int:
    """Change one difference; by how much its absolute value has grown."""
    before = memory.wholes[place]
    write_whole(memory, place, before + step)
    return abs(before + step) - abs(before)


@inner
def contingency_loss(facts: Categories, memory: Memory) -> float:
    """Loss by cells of contingency tables that have other counts (CTBIL), in percent."""
    total = memory.wholes[facts.at.total]
    return 50.0 * total / (facts.codes.shape[1] * facts.tables.size)


@inner
def entropy_loss(facts: Categories, memory: Memory) -> float:
    """Loss by what masked categories leave uncertain about original ones (EBIL), in percent."""
    n_attributes, n = facts.codes.shape
    total = 0.0
    for j in range(n_attributes):
        if facts.sizes[j] > 1:
            share = memory.reals[facts.at.entropies + j] / n / facts.logarithms[j]
            total += min(1.0, max(0.0, share))
    return 100.0 * total / n_attributes
