"""Inference from the most similar masked record under changes of single cells.

For every half of the attributes and every person attacked: how near the nearest masked record
is, how many are as near, and how many of their cells are close. A change moves one masked
record: its distances to all people decide who gains or loses it, O(people x attributes) a
half. Only a person who loses the one nearest record looks at all masked records again; on
average that is one a half in which the changed attribute is known.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import (
    OWN_FLOATS,
    OWN_INDEX_ROWS,
    OWN_INDICES,
    OWN_POINTS,
    REAL,
    WHOLE,
    bundle,
    extreme,
    inner,
)
from evomask.kernels.linking.linkage import TIE
from evomask.kernels.tracked.linkage import Version
from evomask.kernels.tracked.memory import Memory, add_real, write_real, write_whole

PEOPLE_AT_ONCE = 64
"""People who are looked at together, and one by one only where a change concerns any of them."""


class Inference(NamedTuple):
    """The people attacked, one attribute a row, and the halves that are known of them."""

    numbers: Points
    ranks: Points
    codes: Indices
    weights: Floats
    """Shares of the people that are like each."""

    known_numbers: Indices
    """1 where a half (row) holds a continuous attribute (column)."""

    known_codes: Indices
    scales: Points
    """What a squared difference adds to distances in each half."""

    missing: Floats
    """What a number missing on one side adds in each half."""

    tables: Points
    """Distances of categories in each half (row), all squares one after the other."""

    sizes: Indices
    squares: Indices
    near: Indices
    """1 where two categories are close, all squares one after the other."""

    unknown: Indices
    """Number of attributes that each half does not hold."""

    shares: Floats
    """What each half counts."""

    window: float
    floor: float
    before: Points
    """Distances before a change, for two versions (rows)."""

    people: Floats
    records: Floats
    n_records: int
    values: int
    """Where the masked numbers begin in a memory."""

    places: int
    """Where the ranks of masked numbers begin in a memory."""


INFERENCE = bundle(
    Inference, OWN_POINTS, OWN_POINTS, OWN_INDEX_ROWS, OWN_FLOATS, OWN_INDEX_ROWS, OWN_INDEX_ROWS,
    OWN_POINTS, OWN_FLOATS, OWN_POINTS, *[OWN_INDICES] * 4, OWN_FLOATS, REAL, REAL,
    OWN_POINTS, OWN_FLOATS, OWN_FLOATS, WHOLE, WHOLE, WHOLE,
)  # fmt: skip


@inner
def _add_gaps(column: Floats, value: float, scale: float, missing: float, out: Floats) -> None:
    if np.isnan(value):
        for s in range(out.size):
            out[s] += 0.0 if np.isnan(column[s]) else missing
    else:
        for s in range(out.size):
            gap = column[s] - value
            out[s] += missing if np.isnan(column[s]) else scale * (gap * gap)


@inner
def _add_table(column: Indices, table: Floats, out: Floats) -> None:
    for s in range(out.size):
        out[s] += table[column[s]]


@inner
def _table(facts: Inference, h: int, j: int, code: int) -> Floats:
    start = facts.squares[j] + code * facts.sizes[j]
    return facts.tables[h, start : start + facts.sizes[j]]


@inner
def _from_record(
    facts: Inference, memory: Memory, version: Version, h: int, record: int, out: Floats
) -> None:
    """Distances of one masked record to all people."""
    n = facts.n_records
    for s in range(out.size):
        out[s] = 0.0
    for a in range(facts.numbers.shape[0]):
        if facts.known_numbers[h, a]:
            value = memory.reals[facts.values + a * n + record]
            _add_gaps(facts.numbers[a], value, facts.scales[h, a], facts.missing[h], out)
    for j in range(facts.codes.shape[0]):
        if facts.known_codes[h, j]:
            code = memory.wholes[version.codes + j * n + record]
            _add_table(facts.codes[j], _table(facts, h, j, code), out)


@inner
def _from_person(
    facts: Inference, memory: Memory, version: Version, h: int, person: int, out: Floats
) -> None:
    """Distances of one person to all masked records."""
    n = facts.n_records
    for s in range(out.size):
        out[s] = 0.0
    for a in range(facts.numbers.shape[0]):
        if facts.known_numbers[h, a]:
            column = memory.reals[facts.values + a * n : facts.values + (a + 1) * n]
            value = facts.numbers[a, person]
            _add_gaps(column, value, facts.scales[h, a], facts.missing[h], out)
    for j in range(facts.codes.shape[0]):
        if facts.known_codes[h, j]:
            codes = memory.wholes[version.codes + j * n : version.codes + (j + 1) * n]
            _add_table(codes, _table(facts, h, j, facts.codes[j, person]), out)


@inner
def _number_is_close(facts: Inference, rank: float, own: float) -> int:
    if np.isnan(rank) or np.isnan(own):
        return int(np.isnan(rank) and np.isnan(own))
    return int(abs(rank - own) <= facts.window)


@inner
def _category_is_close(facts: Inference, j: int, code: int, own: int) -> int:
    return facts.near[facts.squares[j] + own * facts.sizes[j] + code]


@inner
def _close_cells(
    facts: Inference, memory: Memory, version: Version, h: int, person: int, record: int
) -> int:
    """How many cells that a half does not hold are read closely from a masked record."""
    n = facts.n_records
    close = 0
    for a in range(facts.numbers.shape[0]):
        if not facts.known_numbers[h, a]:
            rank = memory.reals[facts.places + a * n + record]
            close += _number_is_close(facts, rank, facts.ranks[a, person])
    for j in range(facts.codes.shape[0]):
        if not facts.known_codes[h, j]:
            code = memory.wholes[version.codes + j * n + record]
            close += _category_is_close(facts, j, code, facts.codes[j, person])
    return close


@extreme
def _least(values: Floats) -> float:
    least = values[0]
    for s in range(1, values.size):
        least = min(least, values[s])
    return least


@inner
def _seek(
    facts: Inference, memory: Memory, version: Version, h: int, person: int
) -> tuple[float, int, int]:
    """The nearest distance, how many masked records are tied there, and their close cells."""
    out = facts.records
    _from_person(facts, memory, version, h, person, out)
    near = _least(out)
    tied = close = 0
    for record in range(out.size):
        if out[record] <= near * (1.0 + TIE):
            tied += 1
            close += _close_cells(facts, memory, version, h, person, record)
    return near, tied, close


@inner
def infer_all(facts: Inference, memory: Memory, version: Version) -> None:
    """Every half and person from the beginning; not noted in the memory."""
    n_people = facts.weights.size
    for h in range(facts.shares.size):
        success = 0.0
        for person in range(n_people):
            place = h * n_people + person
            near, tied, close = _seek(facts, memory, version, h, person)
            memory.reals[version.near + place] = near
            memory.wholes[version.tied + place] = tied
            memory.wholes[version.close + place] = close
            success += facts.weights[person] * close / tied
        memory.reals[version.success + h] = success


@inner
def note_distances(
    facts: Inference, memory: Memory, version: Version, record: int, before: Floats
) -> None:
    """Where a masked record stands before it is changed."""
    n_people = facts.weights.size
    for h in range(facts.shares.size):
        out = before[h * n_people : (h + 1) * n_people]
        _from_record(facts, memory, version, h, record, out)


@inner
def _settle(
    facts: Inference, memory: Memory, version: Version, h: int, person: int, tied: int, close: int
) -> float:
    """Write what a person reads now; by how much the success of its half has grown."""
    place = h * facts.weights.size + person
    was_tied = memory.wholes[version.tied + place]
    was_close = memory.wholes[version.close + place]
    if tied != was_tied:
        write_whole(memory, version.tied + place, tied)
    if close != was_close:
        write_whole(memory, version.close + place, close)
    return facts.weights[person] * (close / tied - was_close / was_tied)


@inner
def _moved(
    facts: Inference, memory: Memory, version: Version, h: int, person: int, record: int,
    was_near: bool, apart: float,
) -> float:  # fmt: skip
    """A masked record is at another distance from a person; growth of the half's success."""
    place = h * facts.weights.size + person
    near = memory.reals[version.near + place]
    tied = memory.wholes[version.tied + place]
    close = memory.wholes[version.close + place]
    if apart < near * (1.0 - TIE):
        write_real(memory, version.near + place, apart)
        cells = _close_cells(facts, memory, version, h, person, record)
        return _settle(facts, memory, version, h, person, 1, cells)
    is_near = apart <= near * (1.0 + TIE)
    if is_near == was_near:
        return 0.0
    if was_near and tied == 1:
        near, tied, close = _seek(facts, memory, version, h, person)
        write_real(memory, version.near + place, near)
        return _settle(facts, memory, version, h, person, tied, close)
    step = 1 if is_near else -1
    cells = _close_cells(facts, memory, version, h, person, record)
    return _settle(facts, memory, version, h, person, tied + step, close + step * cells)


@inner
def _any_within(near: Floats, before: Floats, after: Floats) -> bool:
    """Whether a masked record was, or is, among the nearest of any of these people.

    Without branches, so that several people are looked at at once.
    """
    count = 0
    for s in range(near.size):
        limit = near[s] * (1.0 + TIE)
        count += int(before[s] <= limit) | int(after[s] <= limit)
    return count > 0


@inner
def infer_again(
    facts: Inference, memory: Memory, version: Version, before: Floats, record: int,
    number: int, category: int, old: float, new: float,
) -> None:  # fmt: skip
    """Follow one changed cell: of a number (ranks old and new) or a category (codes); -1 else."""
    n_people = facts.weights.size
    for h in range(facts.shares.size):
        known = facts.known_numbers[h, number] if number >= 0 else facts.known_codes[h, category]
        start = h * n_people
        was = before[start : start + n_people]
        now = was
        if known:
            now = facts.people
            _from_record(facts, memory, version, h, record, now)
        growth = 0.0
        for first in range(0, n_people, PEOPLE_AT_ONCE):
            end = min(first + PEOPLE_AT_ONCE, n_people)
            near = memory.reals[version.near + start + first : version.near + start + end]
            if not _any_within(near, was[first:end], now[first:end]):
                continue
            for person in range(first, end):
                limit = memory.reals[version.near + start + person] * (1.0 + TIE)
                was_near = was[person] <= limit
                if known and (was_near or now[person] <= limit):
                    apart = now[person]
                    growth += _moved(
                        facts, memory, version, h, person, record, was_near, apart
                    )  # fmt: skip
                elif not known and was_near:
                    growth += _read_anew(
                        facts, memory, version, h, person, number, category, old, new
                    )  # fmt: skip
        add_real(memory, version.success + h, growth)


@inner
def _read_anew(
    facts: Inference, memory: Memory, version: Version, h: int, person: int, number: int,
    category: int, old: float, new: float,
) -> float:  # fmt: skip
    """A cell that a person reads has changed; growth of the half's success."""
    place = h * facts.weights.size + person
    if number >= 0:
        own = facts.ranks[number, person]
        step = _number_is_close(facts, new, own) - _number_is_close(facts, old, own)
    else:
        code = facts.codes[category, person]
        step = _category_is_close(facts, category, int(new), code)
        step -= _category_is_close(facts, category, int(old), code)
    if step == 0:
        return 0.0
    tied = memory.wholes[version.tied + place]
    close = memory.wholes[version.close + place] + step
    return _settle(facts, memory, version, h, person, tied, close)


@inner
def inferred_share(facts: Inference, memory: Memory, version: Version) -> float:
    """What inference adds to guessing, in percent of what guessing leaves open."""
    if facts.floor >= 1.0:
        return 0.0
    success = 0.0
    for h in range(facts.shares.size):
        success += facts.shares[h] * memory.reals[version.success + h] / facts.unknown[h]
    return 100.0 * max(0.0, (success - facts.floor) / (1.0 - facts.floor))
