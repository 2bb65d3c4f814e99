"""Record linkage and attribute inference under changes of single cells.

Linkage: one changed cell moves one masked record, so one record is linked again: O(candidates) at
worst, usually far less because the search ends with the first nearer record.

Inference: the intruder knows one half of the attributes and infers the other half from the most
similar masked record. For every half and every target: the distance of the nearest masked record,
how many are tied there, and how many of their unknown cells are close. A change moves one masked
record; its distances to all targets decide who gains or loses it, O(targets x attributes) a half.
Only a target that loses its single nearest record searches all masked records again; on average
that is one a half in which the changed attribute is known.
"""

from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import full_floats, smallest
from evomask.kernels.incremental.undo_log import Memory, add_float, write_float, write_int
from evomask.kernels.jit import (
    BOOL,
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
from evomask.kernels.linking.linkage import TIE, Comparison, ties_with_own
from evomask.types import Codes, Floats, Indices, Points


class Version(NamedTuple):
    """Start of one version of a masked file, as it is or with renamed categories, in a memory.

    Args:
        linked: one number: the value of all links.
        near: distance of the nearest masked record, half by half, target by target.
    """

    codes: int
    ties: int
    linked: int
    near: int
    tied: int
    close: int
    success: int


VERSION = bundle(Version, *[INT64] * len(Version._fields))


class Linkage(NamedTuple):
    """Distinct original records, as in `linking.linkage`, and the rule of ties.

    Args:
        rule: value of 0, 1, 2, … tied records.
        direction: direction of the projection line; empty without one.
        values: start of the masked numbers in a memory.
    """

    numbers: Points
    codes: Codes
    counts: Indices
    line: Floats
    own: Indices
    plain: bool
    weights: Floats
    missing: float
    tables: Floats
    starts: Indices
    widths: Indices
    rule: Floats
    origin: Floats
    direction: Floats
    values: int


LINKAGE = bundle(
    Linkage, RW_POINTS, RW_CODE_ROWS, RW_INDICES, RW_FLOATS, RW_INDICES, BOOL, RW_FLOATS,
    FLOAT64, RW_FLOATS, RW_INDICES, RW_INDICES, RW_FLOATS, RW_FLOATS, RW_FLOATS, INT64,
)  # fmt: skip


@inner
def _ties(facts: Linkage, memory: Memory, version: Version, record: int) -> int:
    """Number of originals as near to a masked record as its own; 0 if any is nearer."""
    d, c, n = facts.numbers.shape[0], facts.codes.shape[1], facts.own.size
    numbers, codes = np.empty((1, d)), np.empty((1, c), dtype=np.int32)
    plain = facts.plain
    place = 0.0 if facts.direction.size else np.nan
    for a in range(d):
        value = memory.reals[facts.values + a * n + record]
        numbers[0, a] = value
        plain = plain and not np.isnan(value)
        if facts.direction.size:
            place += (value - facts.origin[a]) * facts.direction[a]
    for j in range(c):
        codes[0, j] = memory.wholes[version.codes + j * n + record]
    pair = Comparison(
        numbers, numbers, codes, facts.numbers, facts.numbers, facts.codes, plain,
        facts.weights, facts.missing, facts.tables, facts.starts, facts.widths,
    )  # fmt: skip
    own = facts.own[record : record + 1]
    return ties_with_own(pair, full_floats(1, place), own, facts.counts, facts.line)[0]


@inner
def relink_record(facts: Linkage, memory: Memory, version: Version, record: int) -> None:
    """Link one changed record again."""
    before = memory.wholes[version.ties + record]
    after = _ties(facts, memory, version, record)
    if after != before:
        write_int(memory, version.ties + record, after)
        add_float(memory, version.linked, facts.rule[after] - facts.rule[before])


@inner
def link_all(facts: Linkage, memory: Memory, version: Version) -> None:
    """Link every record; writes are not logged."""
    total = 0.0
    for record in range(facts.own.size):
        ties = _ties(facts, memory, version, record)
        memory.wholes[version.ties + record] = ties
        total += facts.rule[ties]
    memory.reals[version.linked] = total


@inner
def linked_percentage(facts: Linkage, memory: Memory, version: Version) -> float:
    """Return the masked records nearest to their own original (DBRL), in percent."""
    return 100.0 * memory.reals[version.linked] / facts.own.size


TARGETS_AT_ONCE = 64
"""Targets that are tested together before they are looked at one by one."""


class Inference(NamedTuple):
    """Targets, one row an attribute, and the halves of attributes known to the intruder.

    Args:
        weights: share of the targets that each distinct one represents.
        known_numbers: 1 where a half (row) contains a continuous attribute (column).
        scales: weight of a squared difference in the distances of each half.
        missing: distance of a number that is missing on one side, for each half.
        tables: distances of categories in each half (row), all matrices concatenated.
        near: 1 where two categories are close, all matrices concatenated.
        unknown: number of attributes that each half does not contain.
        shares: weight of each half.
        before: distances before a change, for two versions (rows).
        values: start of the masked numbers in a memory.
        places: start of the ranks of masked numbers in a memory.
    """

    numbers: Points
    ranks: Points
    codes: Indices
    weights: Floats
    known_numbers: Indices
    known_codes: Indices
    scales: Points
    missing: Floats
    tables: Points
    sizes: Indices
    squares: Indices
    near: Indices
    unknown: Indices
    shares: Floats
    window: float
    floor: float
    before: Points
    people: Floats
    records: Floats
    n_records: int
    values: int
    places: int


INFERENCE = bundle(
    Inference, RW_POINTS, RW_POINTS, RW_INDEX_ROWS, RW_FLOATS, RW_INDEX_ROWS, RW_INDEX_ROWS,
    RW_POINTS, RW_FLOATS, RW_POINTS, *[RW_INDICES] * 4, RW_FLOATS, FLOAT64, FLOAT64,
    RW_POINTS, RW_FLOATS, RW_FLOATS, INT64, INT64, INT64,
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
    """Distances of one masked record to all targets."""
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
def _from_target(
    facts: Inference, memory: Memory, version: Version, h: int, target: int, out: Floats
) -> None:
    """Distances of one target to all masked records."""
    n = facts.n_records
    for s in range(out.size):
        out[s] = 0.0
    for a in range(facts.numbers.shape[0]):
        if facts.known_numbers[h, a]:
            column = memory.reals[facts.values + a * n : facts.values + (a + 1) * n]
            value = facts.numbers[a, target]
            _add_gaps(column, value, facts.scales[h, a], facts.missing[h], out)
    for j in range(facts.codes.shape[0]):
        if facts.known_codes[h, j]:
            codes = memory.wholes[version.codes + j * n : version.codes + (j + 1) * n]
            _add_table(codes, _table(facts, h, j, facts.codes[j, target]), out)


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
    facts: Inference, memory: Memory, version: Version, h: int, target: int, record: int
) -> int:
    """Number of unknown cells of a target that a masked record reveals closely."""
    n = facts.n_records
    close = 0
    for a in range(facts.numbers.shape[0]):
        if not facts.known_numbers[h, a]:
            rank = memory.reals[facts.places + a * n + record]
            close += _number_is_close(facts, rank, facts.ranks[a, target])
    for j in range(facts.codes.shape[0]):
        if not facts.known_codes[h, j]:
            code = memory.wholes[version.codes + j * n + record]
            close += _category_is_close(facts, j, code, facts.codes[j, target])
    return close


@inner
def _find_nearest(
    facts: Inference, memory: Memory, version: Version, h: int, target: int
) -> tuple[float, int, int]:
    """Nearest distance of a target, number of masked records tied there, their close cells."""
    out = facts.records
    _from_target(facts, memory, version, h, target, out)
    near = smallest(out, out.size)
    tied = close = 0
    for record in range(out.size):
        if out[record] <= near * (1.0 + TIE):
            tied += 1
            close += _close_cells(facts, memory, version, h, target, record)
    return near, tied, close


@inner
def infer_all(facts: Inference, memory: Memory, version: Version) -> None:
    """Compute inference for every half and target; writes are not logged."""
    n_targets = facts.weights.size
    for h in range(facts.shares.size):
        success = 0.0
        for target in range(n_targets):
            place = h * n_targets + target
            near, tied, close = _find_nearest(facts, memory, version, h, target)
            memory.reals[version.near + place] = near
            memory.wholes[version.tied + place] = tied
            memory.wholes[version.close + place] = close
            success += facts.weights[target] * close / tied
        memory.reals[version.success + h] = success


@inner
def save_distances(
    facts: Inference, memory: Memory, version: Version, record: int, before: Floats
) -> None:
    """Store the distances of a masked record to all targets before it is changed."""
    n_targets = facts.weights.size
    for h in range(facts.shares.size):
        out = before[h * n_targets : (h + 1) * n_targets]
        _from_record(facts, memory, version, h, record, out)


@inner
def _write_result(
    facts: Inference, memory: Memory, version: Version, h: int, target: int, tied: int, close: int
) -> float:
    """Write a target's ties and close cells; return the change of the half's success."""
    place = h * facts.weights.size + target
    was_tied = memory.wholes[version.tied + place]
    was_close = memory.wholes[version.close + place]
    if tied != was_tied:
        write_int(memory, version.tied + place, tied)
    if close != was_close:
        write_int(memory, version.close + place, close)
    return facts.weights[target] * (close / tied - was_close / was_tied)


@inner
def _move_record(
    facts: Inference, memory: Memory, version: Version, h: int, target: int, record: int,
    was_near: bool, apart: float,
) -> float:  # fmt: skip
    """Update a target for a masked record at another distance; return the change of success."""
    place = h * facts.weights.size + target
    near = memory.reals[version.near + place]
    tied = memory.wholes[version.tied + place]
    close = memory.wholes[version.close + place]
    if apart < near * (1.0 - TIE):
        write_float(memory, version.near + place, apart)
        cells = _close_cells(facts, memory, version, h, target, record)
        return _write_result(facts, memory, version, h, target, 1, cells)
    is_near = apart <= near * (1.0 + TIE)
    if is_near == was_near:
        return 0.0
    if was_near and tied == 1:
        near, tied, close = _find_nearest(facts, memory, version, h, target)
        write_float(memory, version.near + place, near)
        return _write_result(facts, memory, version, h, target, tied, close)
    step = 1 if is_near else -1
    cells = _close_cells(facts, memory, version, h, target, record)
    return _write_result(facts, memory, version, h, target, tied + step, close + step * cells)


@inner
def _any_within(near: Floats, before: Floats, after: Floats) -> bool:
    """Whether a masked record was, or is, among the nearest of any of these targets.

    Without branches, so that several targets are compared at once.
    """
    count = 0
    for s in range(near.size):
        limit = near[s] * (1.0 + TIE)
        count += int(before[s] <= limit) | int(after[s] <= limit)
    return count > 0


@inner
def update_inference(
    facts: Inference, memory: Memory, version: Version, before: Floats, record: int,
    number: int, category: int, old: float, new: float,
) -> None:  # fmt: skip
    """Update inference for one changed cell: *number* (ranks) or *category* (codes), other -1."""
    n_targets = facts.weights.size
    for h in range(facts.shares.size):
        known = facts.known_numbers[h, number] if number >= 0 else facts.known_codes[h, category]
        start = h * n_targets
        was = before[start : start + n_targets]
        now = was
        if known:
            now = facts.people
            _from_record(facts, memory, version, h, record, now)
        growth = 0.0
        for first in range(0, n_targets, TARGETS_AT_ONCE):
            end = min(first + TARGETS_AT_ONCE, n_targets)
            near = memory.reals[version.near + start + first : version.near + start + end]
            if not _any_within(near, was[first:end], now[first:end]):
                continue
            for target in range(first, end):
                limit = memory.reals[version.near + start + target] * (1.0 + TIE)
                was_near = was[target] <= limit
                if known and (was_near or now[target] <= limit):
                    apart = now[target]
                    growth += _move_record(
                        facts, memory, version, h, target, record, was_near, apart
                    )  # fmt: skip
                elif not known and was_near:
                    growth += _update_unknown_cell(
                        facts, memory, version, h, target, number, category, old, new
                    )  # fmt: skip
        add_float(memory, version.success + h, growth)


@inner
def _update_unknown_cell(
    facts: Inference, memory: Memory, version: Version, h: int, target: int, number: int,
    category: int, old: float, new: float,
) -> float:  # fmt: skip
    """Update a target for a changed unknown cell; return the change of success."""
    place = h * facts.weights.size + target
    if number >= 0:
        own = facts.ranks[number, target]
        step = _number_is_close(facts, new, own) - _number_is_close(facts, old, own)
    else:
        code = facts.codes[category, target]
        step = _category_is_close(facts, category, int(new), code)
        step -= _category_is_close(facts, category, int(old), code)
    if step == 0:
        return 0.0
    tied = memory.wholes[version.tied + place]
    close = memory.wholes[version.close + place] + step
    return _write_result(facts, memory, version, h, target, tied, close)


@inner
def inference_percentage(facts: Inference, memory: Memory, version: Version) -> float:
    """Return the gain of inference over guessing, in percent of what guessing leaves open."""
    if facts.floor >= 1.0:
        return 0.0
    success = 0.0
    for h in range(facts.shares.size):
        success += facts.shares[h] * memory.reals[version.success + h] / facts.unknown[h]
    return 100.0 * max(0.0, (success - facts.floor) / (1.0 - facts.floor))
