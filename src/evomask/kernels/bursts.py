"""Bursts of small changes to a masked file: each is tried, measured, and kept or undone.

Kinds of move compete for steps: those that have lowered the cost most for each changed cell
are drawn more often. So do cells: of two drawn ones the one that was changed with more
success, or tried less in vain, is taken.

Where records have to stay alike, a move writes to all records of a class at once, or takes a
record from a large class into another one.
"""

import math
from typing import NamedTuple

import numpy as np

from evomask.kernels.arrays import Floats, Indices, Points
from evomask.kernels.compiler import (
    FLOATS,
    INDICES,
    OWN_FLOATS,
    OWN_INDICES,
    OWN_POINTS,
    POINTS,
    REAL,
    TRUTH,
    WHOLE,
    bundle,
    inner,
    kernel,
)
from evomask.kernels.generator import State as Generator
from evomask.kernels.generator import below, started, unit
from evomask.kernels.tracked_measures import INFERENCE, LOSS, PAPERS, STRICT, read_state
from evomask.kernels.tracking import STATE, State, change_cell, keep_changes, undo_changes

FLIP, DRAW, NEAR, SWAP, JOIN, GIVE = range(6)
MOVES = 6
"""Kinds of move: a Gray bit or category, a value that occurs, a near value, two values
exchanged, a record made like another, a value of the donor."""

NUMBER, ORDINAL, NOMINAL = range(3)

FADING = 0.98
"""What is left of a move's record of success when it is tried again."""

FLOOR = 0.05
"""The least weight of a kind of move, the most successful one weighing 1."""

VAIN = 0.5
"""What is left of a cell's merit when a change of it is undone."""

REACH = 0.1
"""A near number lies within this share of the known values in their order."""

PATIENCE = 20
"""Moves that change nothing, for each step, after which a burst gives up."""

ROUNDING = 1e-9
"""Share of a sum by which it may miss its limit."""


class States(NamedTuple):
    """One masked file, followed at three depths: its links, inference too, and everything."""

    linked: State
    inferred: State
    whole: State


STATES = bundle(States, STATE, STATE, STATE)


class Field(NamedTuple):
    """What may stand in cells: one attribute a row, records as columns."""

    original: Points
    ordered: Points
    """Known original values in order, the rest of a row being NaN."""

    known: Indices
    """How many values are known."""

    base: Indices
    """The lowest value as a multiple of the step between values; 0 for categories."""

    width: Indices
    """How many values there are."""

    bits: Indices
    """Bits of a value's Gray code."""

    scales: Floats
    """Steps in a unit: 100 for two decimals."""

    kinds: Indices


FIELD = bundle(
    Field, OWN_POINTS, OWN_POINTS, *[OWN_INDICES] * 3, OWN_INDICES, OWN_FLOATS, OWN_INDICES
)


class Rules(NamedTuple):
    """Weighted sums of attributes that must lie between limits in every record."""

    weights: Points
    """What each attribute (column) counts in each rule (row)."""

    fixed: Points
    """What other columns add to each rule (row) in each record (column); NaN: it says nothing."""

    low: Floats
    high: Floats


RULES = bundle(Rules, OWN_POINTS, OWN_POINTS, OWN_FLOATS, OWN_FLOATS)


class Alike(NamedTuple):
    """Which records must stay alike."""

    labels: Indices
    sizes: Indices
    least: int
    """No class may have fewer records."""

    may_join: bool


ALIKE = bundle(Alike, OWN_INDICES, OWN_INDICES, WHOLE, TRUTH)


class Move(NamedTuple):
    """Cells to be written: records, attributes, new and old values, and how many they are."""

    records: Indices
    attributes: Indices
    values: Floats
    former: Floats
    size: Indices


MOVE = bundle(Move, OWN_INDICES, OWN_INDICES, OWN_FLOATS, OWN_FLOATS, OWN_INDICES)


@inner
def step_of(field: Field, a: int, value: float) -> int:
    """Which of an attribute's values a number is nearest to."""
    index = int(np.rint(value * field.scales[a])) - field.base[a]
    return min(max(index, 0), field.width[a] - 1)


@inner
def value_at(field: Field, a: int, index: int) -> float:
    """One of an attribute's values."""
    return (field.base[a] + index) / field.scales[a]


@inner
def flipped(field: Field, a: int, value: float, bit: int) -> float:
    """The value whose Gray code differs in one bit; NaN outside the domain."""
    index = step_of(field, a, value)
    code = (index ^ (index >> 1)) ^ (1 << bit)
    number = code
    for shift in (1, 2, 4, 8, 16, 32):
        number ^= number >> shift
    return value_at(field, a, number) if number < field.width[a] else np.nan


@inner
def _near(field: Field, a: int, value: float, own: float, dice: Generator) -> float:
    """A value close to the present one, or on the way to the original one."""
    if unit(dice) < 0.5 and not np.isnan(own):
        return own if field.kinds[a] != NUMBER else value + (own - value) * unit(dice)
    if field.kinds[a] == NOMINAL:
        return float(below(dice, field.width[a]))
    if field.kinds[a] == ORDINAL:
        return value + (1.0 if unit(dice) < 0.5 else -1.0)
    if field.known[a] == 0:
        return np.nan
    row = field.ordered[a, : field.known[a]]
    reach = max(1, int(REACH * unit(dice) * row.size))
    place = int(np.searchsorted(row, value)) + below(dice, 2 * reach + 1) - reach
    return float(row[min(max(place, 0), row.size - 1)])


@inner
def _other_value(
    field: Field, file: Points, donor: Points, kind: int, a: int, record: int, dice: Generator
) -> float:
    """What a move of one cell would write; NaN for nothing."""
    value = file[a, record]
    if kind == GIVE:
        return donor[a, record]
    if kind == DRAW:
        return field.original[a, below(dice, file.shape[1])]
    if kind == NEAR:
        return _near(field, a, value, field.original[a, record], dice)
    if field.kinds[a] != NUMBER:
        return float(below(dice, field.width[a]))
    return flipped(field, a, value, below(dice, field.bits[a]))


@inner
def _write(
    field: Field, file: Points, alike: Alike, move: Move, a: int, record: int, value: float
) -> None:
    """Write to a cell and those that must stay like it; nothing if they are too many."""
    if np.isnan(value) or np.isnan(file[a, record]):
        return
    value = value_at(field, a, step_of(field, a, value))
    if value == file[a, record]:
        return
    label = alike.labels[record]
    if alike.sizes[label] + move.size[0] > move.records.size:
        return
    if alike.least == 1:
        _note(file, move, a, record, value)
        return
    for other in range(file.shape[1]):
        if alike.labels[other] == label:
            _note(file, move, a, other, value)


@inner
def _note(file: Points, move: Move, a: int, record: int, value: float) -> None:
    k = move.size[0]
    move.records[k], move.attributes[k] = record, a
    move.values[k], move.former[k] = value, file[a, record]
    file[a, record] = value
    move.size[0] = k + 1


@inner
def _take_back(file: Points, move: Move) -> None:
    for k in range(move.size[0] - 1, -1, -1):
        file[move.attributes[k], move.records[k]] = move.former[k]
    move.size[0] = 0


@inner
def _balance(
    field: Field, file: Points, alike: Alike, rules: Rules, move: Move, dice: Generator
) -> None:
    """Change another part of every sum that a change of one cell has upset."""
    a, record = move.attributes[0], move.records[0]
    moved = move.values[0] - move.former[0]
    for r in range(rules.low.size):
        if rules.high[r] - rules.low[r] < ROUNDING and rules.weights[r, a] != 0.0:
            b = below(dice, file.shape[0])
            for _ in range(file.shape[0]):
                if b != a and rules.weights[r, b] != 0.0:
                    change = -rules.weights[r, a] * moved / rules.weights[r, b]
                    _write(field, file, alike, move, b, record, file[b, record] + change)
                    break
                b = (b + 1) % file.shape[0]


@inner
def _obeys(file: Points, rules: Rules, record: int) -> bool:
    """Whether a record keeps all rules; those about missing values are kept."""
    for r in range(rules.low.size):
        total = rules.fixed[r, record]
        for a in range(file.shape[0]):
            if rules.weights[r, a] != 0.0:
                total += rules.weights[r, a] * file[a, record]
        slack = ROUNDING * (1.0 + abs(total))
        if total > rules.high[r] + slack or total < rules.low[r] - slack:
            return False
    return True


@inner
def _all_obey(file: Points, rules: Rules, move: Move) -> bool:
    for k in range(move.size[0] if rules.low.size else 0):
        if not _obeys(file, rules, move.records[k]):
            return False
    return True


@inner
def _join(file: Points, alike: Alike, move: Move, record: int, other: int) -> None:
    """Make a record like another one, where its class can spare it."""
    can_spare = alike.sizes[alike.labels[record]] > alike.least or alike.least == 1
    if not (alike.may_join and can_spare):
        return
    for a in range(file.shape[0]):
        value, own = file[a, other], file[a, record]
        if value != own and not (np.isnan(value) and np.isnan(own)):
            _note(file, move, a, record, value)


@inner
def _cell(merits: Floats, dice: Generator) -> int:
    """The better one of two cells by their merits."""
    one, other = below(dice, merits.size), below(dice, merits.size)
    return other if merits[other] > merits[one] else one


@inner
def _kind(success: Floats, tries: Floats, allowed: Indices, dice: Generator) -> int:
    """A kind of move, drawn by its success so far."""
    best = 1e-300
    for m in range(MOVES):
        if allowed[m]:
            best = max(best, success[m] / tries[m])
    weights = np.zeros(MOVES)
    for m in range(MOVES):
        if allowed[m]:
            weights[m] = max(FLOOR, success[m] / tries[m] / best)
    point = unit(dice) * weights.sum()
    for m in range(MOVES):
        point -= weights[m]
        if weights[m] > 0.0 and point < 0.0:
            return m
    return int(np.argmax(weights))


@inner
def cost_of(aim: Floats, loss: float, risk: float) -> float:
    """The larger of two weighted numbers plus their weighted sum."""
    return max(aim[0] * loss, aim[1] * risk) + aim[2] * loss + aim[3] * risk


@inner
def _propose(
    field: Field, file: Points, donor: Points, alike: Alike, rules: Rules, move: Move,
    kind: int, a: int, record: int, dice: Generator,
) -> int:  # fmt: skip
    """Write a move into the file; the record it exchanges with or follows, if any."""
    other = below(dice, file.shape[1])
    if kind == JOIN:
        _join(file, alike, move, record, other)
    elif kind == SWAP:
        ours, theirs = file[a, record], file[a, other]
        if alike.labels[record] != alike.labels[other]:
            _write(field, file, alike, move, a, record, theirs)
            _write(field, file, alike, move, a, other, ours)
    else:
        value = _other_value(field, file, donor, kind, a, record, dice)
        _write(field, file, alike, move, a, record, value)
        if move.size[0] and rules.low.size:
            _balance(field, file, alike, rules, move, dice)
    if not _all_obey(file, rules, move):
        _take_back(file, move)
    return other


@inner
def _cost_with(state: State, move: Move, aim: Floats, risk: int) -> float:
    for k in range(move.size[0]):
        change_cell(state, move.records[k], move.attributes[k], move.values[k])
    return cost_of(aim, read_state(state, LOSS), read_state(state, risk))


@inner
def _tried(states: States, move: Move, aim: Floats, risk: int, limit: float) -> float:
    """The cost after a move; where a part of the risk alone is above the limit, with that part.

    Only then may the move have been undone already: most moves never reach the costly parts.
    """
    if risk == STRICT:
        least = _cost_with(states.linked, move, aim, PAPERS)
        undo_changes(states.linked)
        if least > limit:
            return least
        least = _cost_with(states.inferred, move, aim, INFERENCE)
        undo_changes(states.inferred)
        if least > limit:
            return least
    return _cost_with(states.whole, move, aim, risk)


@kernel(
    STATES, FIELD, RULES, ALIKE, OWN_POINTS, POINTS, FLOATS, INDICES, WHOLE, WHOLE, REAL, WHOLE,
    WHOLE,
)  # fmt: skip
def burst(
    states: States, field: Field, rules: Rules, alike: Alike, file: Points, donor: Points,
    aim: Floats, allowed: Indices, risk: int, steps: int, heat: float, room: int, seed: int,
) -> Indices:  # fmt: skip
    """Change the file until so many cells were tried; moves tried and kept, by kind, and cells.

    Long because trying, measuring and deciding share so much. A worse file is kept with a
    chance that falls to 0 towards the end: by *heat*, in typical worsenings.

    Args:
        file: what *state* follows, one attribute a row; changed in place.
        aim: weights of loss and risk, of which the larger counts, and plain weights of both.
        allowed: 1 for each kind of move that may be used.
        risk: which risk of the state is read.
        room: most cells that one move may change.
    """
    dice = started(seed)
    n = file.shape[1]
    counts = np.zeros(2 * MOVES + 1, dtype=np.int64)
    success, tries = np.full(MOVES, 1.0), np.full(MOVES, 1.0)
    merits = np.ones(file.size)
    move = Move(
        np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room), np.empty(room),
        np.zeros(1, np.int64),
    )  # fmt: skip
    cost = cost_of(aim, read_state(states.whole, LOSS), read_state(states.whole, risk))
    typical, gains, tried = 0.0, 0.0, 0
    for _ in range(PATIENCE * steps):
        if tried >= steps:
            break
        kind = _kind(success, tries, allowed, dice)
        cell = _cell(merits, dice)
        a, record = cell // n, cell % n
        other = _propose(field, file, donor, alike, rules, move, kind, a, record, dice)
        size = move.size[0]
        success[kind] *= FADING
        tries[kind] = tries[kind] * FADING + max(size, 1)
        if size == 0:
            merits[cell] *= VAIN
            continue
        chance = -math.log(1.0 - unit(dice)) if heat > 0.0 else 0.0
        limit = cost + chance * heat * typical * (1.0 - tried / steps)
        tried += size
        counts[kind] += 1
        after = _tried(states, move, aim, risk, limit)
        growth = after - cost
        if growth > 0.0:
            typical += 0.01 * (growth - typical) if typical > 0.0 else growth
        if after <= limit:
            keep_changes(states.whole)
            cost = after
            counts[MOVES + kind] += 1
            if kind == JOIN and alike.least > 1:
                alike.sizes[alike.labels[record]] -= 1
                alike.labels[record] = alike.labels[other]
                alike.sizes[alike.labels[other]] += 1
            move.size[0] = 0
            if growth < 0.0:
                success[kind] -= growth
                gains += 0.05 * (-growth - gains) if gains > 0.0 else -growth
                merits[cell] = 1.0 - growth / gains
        else:
            undo_changes(states.whole)
            _take_back(file, move)
            merits[cell] *= VAIN
    counts[2 * MOVES] = tried
    return counts
