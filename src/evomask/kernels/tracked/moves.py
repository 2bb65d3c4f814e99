"""Moves: small changes to a masked file that stay inside every domain and keep every rule.

Where records have to stay alike, a move writes to all records of a class at once, or takes a
record from a large class into another one.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.bundles import laid
from evomask.kernels.compiler import (
    OWN_FLOATS,
    OWN_INDICES,
    OWN_POINTS,
    TRUTH,
    WHOLE,
    bundle,
    inner,
)
from evomask.kernels.generator import State as Generator
from evomask.kernels.generator import below, unit
from evomask.kernels.sorting import place_before

FLIP, DRAW, NEAR, SWAP, JOIN, EXCHANGE, GIVE = range(7)
MOVES = 7
"""Kinds of move: a Gray bit or category, a value that occurs, a near value, two values
exchanged, a record made like another, two whole records exchanged, a value of the donor."""

NUMBER, ORDINAL, NOMINAL = range(3)

REACH = 0.1
"""A near number lies within this share of the known values in their order."""

ROUNDING = 1e-9
"""Share of a sum by which it may miss its limit."""


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


class MoveRules(NamedTuple):
    """Weighted sums of attributes that must lie between limits in every record."""

    weights: Points
    """What each attribute (column) counts in each rule (row)."""

    fixed: Points
    """What other columns add to each rule (row) in each record (column); NaN: it says nothing."""

    low: Floats
    high: Floats


MOVE_RULES = bundle(MoveRules, OWN_POINTS, OWN_POINTS, OWN_FLOATS, OWN_FLOATS)


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


def empty_move(room: int) -> Move:
    """A move that may come to change that many cells."""
    return laid(MOVE, Move(
        np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room), np.empty(room),
        np.zeros(1, np.int64),
    ))  # fmt: skip


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
    place = place_before(row, value) + below(dice, 2 * reach + 1) - reach
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
def _is_missing(field: Field, a: int, value: float) -> bool:
    """Whether a value is none, or the category of those that are missing."""
    return np.isnan(value) or (field.kinds[a] != NUMBER and value >= field.width[a])


@inner
def _write(
    field: Field, file: Points, alike: Alike, move: Move, a: int, record: int, value: float
) -> None:
    """Write to a cell and those that must stay like it; nothing if they are too many."""
    if _is_missing(field, a, value) or _is_missing(field, a, file[a, record]):
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
def take_back(file: Points, move: Move) -> None:
    """Restore the file as it was before a move."""
    for k in range(move.size[0] - 1, -1, -1):
        file[move.attributes[k], move.records[k]] = move.former[k]
    move.size[0] = 0


@inner
def _balance(
    field: Field, file: Points, alike: Alike, rules: MoveRules, move: Move, dice: Generator
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
def _obeys(file: Points, rules: MoveRules, record: int) -> bool:
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
def _all_obey(file: Points, rules: MoveRules, move: Move) -> bool:
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
def _exchange(file: Points, alike: Alike, move: Move, record: int, other: int) -> None:
    """Let two records change places."""
    if not alike.may_join:
        return
    for a in range(file.shape[0]):
        ours, theirs = file[a, record], file[a, other]
        if ours != theirs and not (np.isnan(ours) and np.isnan(theirs)):
            _note(file, move, a, record, theirs)
            _note(file, move, a, other, ours)


@inner
def relabel(alike: Alike, kind: int, record: int, other: int) -> None:
    """Follow a record into another class."""
    if alike.least == 1:
        return
    ours, theirs = alike.labels[record], alike.labels[other]
    if kind == JOIN:
        alike.sizes[ours] -= 1
        alike.sizes[theirs] += 1
        alike.labels[record] = theirs
    elif kind == EXCHANGE:
        alike.labels[record], alike.labels[other] = theirs, ours


@inner
def propose(
    field: Field, file: Points, donor: Points, alike: Alike, rules: MoveRules, move: Move,
    kind: int, a: int, record: int, dice: Generator,
) -> int:  # fmt: skip
    """Write a move into the file; the record it exchanges with or follows, if any."""
    other = below(dice, file.shape[1])
    if kind == JOIN:
        _join(file, alike, move, record, other)
    elif kind == EXCHANGE:
        _exchange(file, alike, move, record, other)
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
        take_back(file, move)
    return other
