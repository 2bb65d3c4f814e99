"""Information loss in three parts under changes of single cells.

A released column has *bins*: one list of them for its distribution, one for tables of two columns
and one for tables of three. Of every table each cell holds the weighted count minus the dependence
of the original, so that |cell - product of the marginals| is the change of the dependence. A
changed cell moves one record between two bins of its column. The marginals of these two bins change
as well, so two rows of every table that contains the column are computed again: O(bins of the other
columns) for each table. A number that stays in its bins changes only the accuracy.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import search_right
from evomask.kernels.incremental.undo_log import Memory, add_float, write_int
from evomask.kernels.jit import (
    FLOAT64,
    INT64,
    RW_CODE_ROWS,
    RW_FLOATS,
    RW_INDEX_ROWS,
    RW_INDICES,
    RW_POINTS,
    bundle,
    inner,
)
from evomask.types import Codes, Floats, Indices, Points

DISTRIBUTION = 0
"""Column of an attribute whose bins are those of its distribution."""


class LossPlaces(NamedTuple):
    """Start of each part of the information loss in a memory.

    Args:
        distances: sum of the distances of cells, for each attribute.
        moved: sum over bins of |count - original count|, for each attribute.
        counts: weighted count of each bin, column by column.
        tables: weighted count minus original dependence of each cell, table by table.
        lost: sum of the changes of dependence in each table.
        away: weight of the records in another bin than in the original, for each column.
        codes: in the integer array: the bin of each record (row) in each column.
    """

    distances: int
    moved: int
    counts: int
    tables: int
    lost: int
    away: int
    codes: int


class InformationLoss(NamedTuple):
    """Masked attributes, columns of bins, and tables of these columns.

    Args:
        ranks: original rank of each cell, one row an attribute; of nominal ones the category.
        scales: distance for each step of rank; if negative, minus the distance of unequal ranks.
        missing: distance of a missing value from any other, for each attribute.
        category_ranks: rank of each category, attribute by attribute.
        cuts: lowest value of each bin of a number but the first, attribute by attribute.
        starts: for each attribute its first position in category_ranks, or in cuts; and the end.
        columns: columns of each attribute (row): distribution, tables of two, tables of three; -1
            for none.
        bins: bin of each level of each column, column by column.
        levels: start of each column in bins.
        sizes: number of bins of each column.
        firsts: start of each column's counts.
        original: weighted count of each bin in the original.
        own: bin of each record (row) in each column of the original.
        entries: a row for each column and table that contains it: the table, its first cell, stride
            of the column, then number and stride of one or two other columns; -1 for none.
        ends: Column c has the entries from ends[c] to ends[c + 1].
        weights: weight of each record.
        total: sum of the weights.
        members: the columns of single attributes of each table; -1 for none.
        pairs: number of tables of two attributes; the others are of three.
        chance: squared change of dependence in each table by chance if all of its records move.
        at_random: weight of the records of each column that a random permutation moves.
        dependence: sum over cells that would be a complete loss, in tables of two and of three.
        parts: weights of accuracy, distributions, relations in tables of two and of three; their
            sum is 1.
    """

    ranks: Points
    scales: Floats
    missing: Floats
    category_ranks: Floats
    cuts: Floats
    starts: Indices
    columns: Indices
    bins: Indices
    levels: Indices
    sizes: Indices
    firsts: Indices
    original: Floats
    own: Codes
    entries: Indices
    ends: Indices
    weights: Floats
    total: float
    members: Indices
    pairs: int
    chance: Floats
    at_random: Floats
    dependence: Floats
    parts: Floats
    at: LossPlaces


INFORMATION_LOSS = bundle(
    InformationLoss, RW_POINTS, *[RW_FLOATS] * 4, *[RW_INDEX_ROWS] * 2, *[RW_INDICES] * 4,
    RW_FLOATS, RW_CODE_ROWS, RW_INDEX_ROWS, RW_INDICES, RW_FLOATS, FLOAT64, RW_INDEX_ROWS, INT64,
    *[RW_FLOATS] * 4,
    bundle(LossPlaces, *[INT64] * len(LossPlaces._fields)),
)  # fmt: skip


@inner
def change_loss_of_number(
    facts: InformationLoss, memory: Memory, record: int, a: int, value: float, old: float,
    new: float,
) -> None:  # fmt: skip
    """Update the loss for another number in a cell, whose rank was *old* and is *new*."""
    cuts = facts.cuts[facts.starts[a, 0] : facts.starts[a, 1]]
    level = cuts.size + 1 if np.isnan(value) else search_right(cuts, value)
    _change_level(facts, memory, record, a, level, old, new)


@inner
def change_loss_of_category(
    facts: InformationLoss, memory: Memory, record: int, a: int, old: int, code: int
) -> None:
    """Update the loss for another category in a cell."""
    ranks = facts.category_ranks[facts.starts[a, 0] : facts.starts[a, 1]]
    _change_level(facts, memory, record, a, code, ranks[old], ranks[code])


@inner
def _distance(facts: InformationLoss, a: int, rank: float, own: float) -> float:
    """Distance of a cell from the original; NaN is the rank of a missing value."""
    if np.isnan(rank) or np.isnan(own):
        return 0.0 if np.isnan(rank) and np.isnan(own) else facts.missing[a]
    scale = facts.scales[a]
    if scale < 0.0:
        return 0.0 if rank == own else -scale
    return abs(rank - own) * scale


@inner
def _change_level(
    facts: InformationLoss, memory: Memory, record: int, a: int, level: int, old: float, new: float
) -> None:
    own = facts.ranks[a, record]
    step = _distance(facts, a, new, own) - _distance(facts, a, old, own)
    if step != 0.0:
        add_float(memory, facts.at.distances + a, step)
    codes = facts.at.codes + record * facts.sizes.size
    for part in range(facts.columns.shape[1]):
        column = facts.columns[a, part]
        if column < 0:
            continue
        code = facts.bins[facts.levels[column] + level]
        before = memory.wholes[codes + column]
        if code == before:
            continue
        first, weight = facts.firsts[column], facts.weights[record]
        if part == DISTRIBUTION:
            moved = _moved(facts, memory, first + before) + _moved(facts, memory, first + code)
        _add_rows(facts, memory, column, before, code, -1.0)
        _move_record(facts, memory, codes, column, before, code, weight)
        _add_rows(facts, memory, column, before, code, 1.0)
        original = facts.own[record, column]
        if original in (before, code):
            add_float(memory, facts.at.away + column, weight if before == original else -weight)
        if part == DISTRIBUTION:
            after = _moved(facts, memory, first + before) + _moved(facts, memory, first + code)
            add_float(memory, facts.at.moved + a, after - moved)


@inner
def _moved(facts: InformationLoss, memory: Memory, place: int) -> float:
    """Distance of one bin's count from the original."""
    return abs(memory.reals[facts.at.counts + place] - facts.original[place])


@inner
def _move_record(
    facts: InformationLoss, memory: Memory, codes: int, column: int, old: int, new: int,
    weight: float,
) -> None:  # fmt: skip
    """Move a record from one bin of a column to another, in its counts and tables."""
    counts = facts.at.counts + facts.firsts[column]
    add_float(memory, counts + old, -weight)
    add_float(memory, counts + new, weight)
    write_int(memory, codes + column, new)
    for e in range(facts.ends[column], facts.ends[column + 1]):
        entry = facts.entries[e]
        cell = facts.at.tables + entry[1] + entry[4] * memory.wholes[codes + entry[3]]
        if entry[5] >= 0:
            cell += entry[6] * memory.wholes[codes + entry[5]]
        add_float(memory, cell + entry[2] * old, -weight)
        add_float(memory, cell + entry[2] * new, weight)


@inner
def _add_rows(
    facts: InformationLoss, memory: Memory, column: int, one: int, two: int, sign: float
) -> None:
    """Add the changes of dependence in two rows of all tables of a column, or take them away."""
    counts = facts.at.counts + facts.firsts[column]
    first_share = memory.reals[counts + one] / facts.total
    second_share = memory.reals[counts + two] / facts.total
    for e in range(facts.ends[column], facts.ends[column + 1]):
        entry = facts.entries[e]
        cell, other, step = facts.at.tables + entry[1], entry[3], entry[4]
        first, second = cell + entry[2] * one, cell + entry[2] * two
        if entry[5] < 0:
            change = _two_rows(facts, memory, other, step, first, second, first_share, second_share)
        else:
            change = 0.0
            third = facts.at.counts + facts.firsts[entry[5]]
            for k in range(facts.sizes[entry[5]]):
                share, leap = memory.reals[third + k] / facts.total, entry[6] * k
                change += _two_rows(
                    facts, memory, other, step, first + leap, second + leap,
                    first_share * share, second_share * share,
                )  # fmt: skip
        add_float(memory, facts.at.lost + entry[0], sign * change)


@inner
def _two_rows(
    facts: InformationLoss, memory: Memory, other: int, step: int, first: int, second: int,
    first_share: float, second_share: float,
) -> float:  # fmt: skip
    """Sum of |cell - product of marginals| in two rows of a table."""
    counts = facts.at.counts + facts.firsts[other]
    ones = twos = 0.0
    for j in range(facts.sizes[other]):
        count = memory.reals[counts + j]
        ones += abs(memory.reals[first + j * step] - first_share * count)
        twos += abs(memory.reals[second + j * step] - second_share * count)
    return ones + twos


@inner
def _dependence_lost(facts: InformationLoss, memory: Memory, first: int, last: int) -> float:
    """Sum of the changes of dependence in some tables beyond what chance makes of them."""
    lost = 0.0
    for t in range(first, last):
        rest = 1.0
        for c in facts.members[t]:
            if c >= 0:
                away = max(0.0, memory.reals[facts.at.away + c])
                rest *= 1.0 - min(1.0, away / facts.at_random[c])
        change = memory.reals[facts.at.lost + t]
        lost += sqrt(max(0.0, change * change - (1.0 - rest) * facts.chance[t]))
    return lost


@inner
def information_loss(facts: InformationLoss, memory: Memory) -> float:
    """Return the information loss, in percent."""
    d, n = facts.ranks.shape
    accuracy = distributions = 0.0
    for a in range(d):
        accuracy += min(1.0, max(0.0, memory.reals[facts.at.distances + a] / n))
        distributions += memory.reals[facts.at.moved + a]
    loss = facts.parts[0] * accuracy / d
    loss += facts.parts[1] * max(0.0, distributions) / (2.0 * facts.total * d)
    for k in range(2):
        if facts.parts[2 + k] > 0.0:
            first, last = (facts.pairs, facts.chance.size) if k else (0, facts.pairs)
            lost = _dependence_lost(facts, memory, first, last) / facts.dependence[k]
            loss += facts.parts[2 + k] * min(1.0, lost)
    return 100.0 * loss
