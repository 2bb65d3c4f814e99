"""Bursts of small changes to a masked file: each is applied, measured, and kept or undone.

Moves stay inside every domain and satisfy every edit rule. Where equivalence classes are to be
preserved, a move writes to all records of a class at once, or moves a record from a large class to
another one.

Kinds of move compete for steps: those that lowered the cost most per changed cell are drawn more
often. So do cells: of two random ones the one with more success, or fewer failures, is taken.
"""

import math
from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import full_floats, full_ints, search_left
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.generator import RandomState, draw_below, draw_unit, seed_state
from evomask.kernels.incremental.measures import DBRL, INFERENCE, STRICT, followed_risk, loss
from evomask.kernels.incremental.state import STATE, State, change, keep, may_rename, undo
from evomask.kernels.jit import (
    BOOL,
    FLOAT64,
    FLOATS,
    INDICES,
    INT64,
    POINTS,
    RW_FLOATS,
    RW_INDICES,
    RW_POINTS,
    bundle,
    inner,
    kernel,
)
from evomask.types import Floats, Indices, Points

FLIP, DRAW, NEAR, SWAP, JOIN, EXCHANGE, GIVE = range(7)
MOVES = 7
"""Kinds of move: flip a Gray bit or draw a category, take an original value, take a near value,
swap two values, copy a record, exchange two records, take a value of the donor.
"""

NUMBER, ORDINAL, NOMINAL = range(3)

REACH = 0.1
"""A near number lies within this share of the known values in their order."""

ROUNDING = 1e-9
"""Relative tolerance of the limits of a sum."""


class CellDomain(NamedTuple):
    """Valid values of cells: one row an attribute, records as columns.

    Args:
        ordered: known original values in order, padded by NaN.
        known: number of known values.
        base: lowest value as a multiple of the step between values; 0 for categories.
        width: number of values.
        bits: bits of a value's Gray code.
        scales: steps in a unit: 100 for two decimals.
    """

    original: Points
    ordered: Points
    known: Indices
    base: Indices
    width: Indices
    bits: Indices
    scales: Floats
    kinds: Indices


CELL_DOMAIN = bundle(
    CellDomain, RW_POINTS, RW_POINTS, *[RW_INDICES] * 3, RW_INDICES, RW_FLOATS, RW_INDICES
)


class MoveRules(NamedTuple):
    """Linear edit rules: weighted sums of attributes that lie between limits in every record.

    Args:
        weights: weight of each attribute (column) in each rule (row).
        fixed: sum of other columns in each rule (row) and record (column); NaN: the rule does not
            apply.
    """

    weights: Points
    fixed: Points
    low: Floats
    high: Floats


MOVE_RULES = bundle(MoveRules, RW_POINTS, RW_POINTS, RW_FLOATS, RW_FLOATS)


class RecordClasses(NamedTuple):
    """Equivalence classes that must be preserved.

    Args:
        least: minimum size of a class.
    """

    labels: Indices
    sizes: Indices
    least: int
    may_join: bool


RECORD_CLASSES = bundle(RecordClasses, RW_INDICES, RW_INDICES, INT64, BOOL)


class Move(NamedTuple):
    """Cells to write: records, attributes, new and former values, and their number."""

    records: Indices
    attributes: Indices
    values: Floats
    former: Floats
    size: Indices


MOVE = bundle(Move, RW_INDICES, RW_INDICES, RW_FLOATS, RW_FLOATS, RW_INDICES)


def empty_move(room: int) -> Move:
    """Return an empty move with space for *room* cells."""
    return bundle_tuple(MOVE, Move(
        np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room), np.empty(room),
        np.zeros(1, np.int64),
    ))  # fmt: skip


@inner
def step_of(domain: CellDomain, a: int, value: float) -> int:
    """Return the index of the attribute's value that is nearest to a number."""
    index = int(np.rint(value * domain.scales[a])) - domain.base[a]
    return min(max(index, 0), domain.width[a] - 1)


@inner
def value_at(domain: CellDomain, a: int, index: int) -> float:
    """Return the attribute's value at an index."""
    return (domain.base[a] + index) / domain.scales[a]


@inner
def flip_gray_bit(domain: CellDomain, a: int, value: float, bit: int) -> float:
    """Return the value whose Gray code differs in one bit; NaN outside the domain."""
    index = step_of(domain, a, value)
    code = (index ^ (index >> 1)) ^ (1 << bit)
    number = code
    for shift in (1, 2, 4, 8, 16, 32):
        number ^= number >> shift
    return value_at(domain, a, number) if number < domain.width[a] else np.nan


@inner
def _near_value(domain: CellDomain, a: int, value: float, own: float, rng: RandomState) -> float:
    """A value close to the present one, or between it and the original one."""
    if draw_unit(rng) < 0.5 and not np.isnan(own):
        return own if domain.kinds[a] != NUMBER else value + (own - value) * draw_unit(rng)
    if domain.kinds[a] == NOMINAL:
        return float(draw_below(rng, domain.width[a]))
    if domain.kinds[a] == ORDINAL:
        return value + (1.0 if draw_unit(rng) < 0.5 else -1.0)
    if domain.known[a] == 0:
        return np.nan
    row = domain.ordered[a, : domain.known[a]]
    reach = max(1, int(REACH * draw_unit(rng) * row.size))
    place = search_left(row, value) + draw_below(rng, 2 * reach + 1) - reach
    return float(row[min(max(place, 0), row.size - 1)])


@inner
def _other_value(
    domain: CellDomain,
    file: Points,
    donor: Points,
    kind: int,
    a: int,
    record: int,
    rng: RandomState,
) -> float:
    """New value of a single-cell move; NaN for none."""
    value = file[a, record]
    if kind == GIVE:
        return donor[a, record]
    if kind == DRAW:
        return domain.original[a, draw_below(rng, file.shape[1])]
    if kind == NEAR:
        return _near_value(domain, a, value, domain.original[a, record], rng)
    if domain.kinds[a] != NUMBER:
        return float(draw_below(rng, domain.width[a]))
    return flip_gray_bit(domain, a, value, draw_below(rng, domain.bits[a]))


@inner
def _is_missing(domain: CellDomain, a: int, value: float) -> bool:
    """Whether a value is NaN or the code of missing values."""
    return np.isnan(value) or (domain.kinds[a] != NUMBER and value >= domain.width[a])


@inner
def _write(
    domain: CellDomain,
    file: Points,
    classes: RecordClasses,
    move: Move,
    a: int,
    record: int,
    value: float,
) -> None:
    """Write to a cell and its equivalence class; nothing if the class is too large."""
    if _is_missing(domain, a, value) or _is_missing(domain, a, file[a, record]):
        return
    value = value_at(domain, a, step_of(domain, a, value))
    if value == file[a, record]:
        return
    label = classes.labels[record]
    if classes.sizes[label] + move.size[0] > move.records.size:
        return
    if classes.least == 1:
        _note(file, move, a, record, value)
        return
    for other in range(file.shape[1]):
        if classes.labels[other] == label:
            _note(file, move, a, other, value)


@inner
def _note(file: Points, move: Move, a: int, record: int, value: float) -> None:
    k = move.size[0]
    move.records[k], move.attributes[k] = record, a
    move.values[k], move.former[k] = value, file[a, record]
    file[a, record] = value
    move.size[0] = k + 1


@inner
def undo_move(file: Points, move: Move) -> None:
    """Restore the file as it was before a move."""
    for k in range(move.size[0] - 1, -1, -1):
        file[move.attributes[k], move.records[k]] = move.former[k]
    move.size[0] = 0


@inner
def _balance(
    domain: CellDomain,
    file: Points,
    classes: RecordClasses,
    rules: MoveRules,
    move: Move,
    rng: RandomState,
) -> None:
    """Change another attribute in every fixed sum that a changed cell has violated."""
    a, record = move.attributes[0], move.records[0]
    moved = move.values[0] - move.former[0]
    for r in range(rules.low.size):
        if rules.high[r] - rules.low[r] < ROUNDING and rules.weights[r, a] != 0.0:
            b = draw_below(rng, file.shape[0])
            for _ in range(file.shape[0]):
                if b != a and rules.weights[r, b] != 0.0:
                    change = -rules.weights[r, a] * moved / rules.weights[r, b]
                    _write(domain, file, classes, move, b, record, file[b, record] + change)
                    break
                b = (b + 1) % file.shape[0]


@inner
def _obeys(file: Points, rules: MoveRules, record: int) -> bool:
    """Whether a record satisfies all rules; a rule with missing values is satisfied."""
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
def _join(file: Points, classes: RecordClasses, move: Move, record: int, other: int) -> None:
    """Copy another record, if the class of this one stays large enough."""
    can_spare = classes.sizes[classes.labels[record]] > classes.least or classes.least == 1
    if not (classes.may_join and can_spare):
        return
    for a in range(file.shape[0]):
        value, own = file[a, other], file[a, record]
        if value != own and not (np.isnan(value) and np.isnan(own)):
            _note(file, move, a, record, value)


@inner
def _exchange(file: Points, classes: RecordClasses, move: Move, record: int, other: int) -> None:
    """Exchange the values of two records."""
    if not classes.may_join:
        return
    for a in range(file.shape[0]):
        ours, theirs = file[a, record], file[a, other]
        if ours != theirs and not (np.isnan(ours) and np.isnan(theirs)):
            _note(file, move, a, record, theirs)
            _note(file, move, a, other, ours)


@inner
def relabel(classes: RecordClasses, kind: int, record: int, other: int) -> None:
    """Update class labels and sizes after a record moved to another class."""
    if classes.least == 1:
        return
    ours, theirs = classes.labels[record], classes.labels[other]
    if kind == JOIN:
        classes.sizes[ours] -= 1
        classes.sizes[theirs] += 1
        classes.labels[record] = theirs
    elif kind == EXCHANGE:
        classes.labels[record], classes.labels[other] = theirs, ours


@inner
def propose(
    domain: CellDomain, file: Points, donor: Points, classes: RecordClasses, rules: MoveRules,
    move: Move, kind: int, a: int, record: int, rng: RandomState,
) -> int:  # fmt: skip
    """Apply a move to the file and return the other record that takes part in it."""
    other = draw_below(rng, file.shape[1])
    if kind == JOIN:
        _join(file, classes, move, record, other)
    elif kind == EXCHANGE:
        _exchange(file, classes, move, record, other)
    elif kind == SWAP:
        ours, theirs = file[a, record], file[a, other]
        if classes.labels[record] != classes.labels[other]:
            _write(domain, file, classes, move, a, record, theirs)
            _write(domain, file, classes, move, a, other, ours)
    else:
        value = _other_value(domain, file, donor, kind, a, record, rng)
        _write(domain, file, classes, move, a, record, value)
        if move.size[0] and rules.low.size:
            _balance(domain, file, classes, rules, move, rng)
    if not _all_obey(file, rules, move):
        undo_move(file, move)
    return other


FADING = 0.98
"""Factor of a move's success record when it is tried again."""

FLOOR = 0.05
"""Least weight of a kind of move, the most successful one having weight 1."""

VAIN = 0.5
"""Factor of a cell's merit when a change of it is undone."""

PATIENCE = 20
"""Moves without effect, for each step, after which a burst ends."""


@inner
def _heaviest(weights: Floats) -> int:
    """Position of the largest weight; the first of equal ones."""
    best = 0
    for m in range(1, weights.size):
        if weights[m] > weights[best]:
            best = m
    return best


@inner
def _kind(success: Floats, tries: Floats, allowed: Indices, rng: RandomState) -> int:
    """A random kind of move, weighted by its success so far."""
    best = 1e-300
    for m in range(MOVES):
        if allowed[m]:
            best = max(best, success[m] / tries[m])
    weights = full_floats(MOVES, 0.0)
    for m in range(MOVES):
        if allowed[m]:
            weights[m] = max(FLOOR, success[m] / tries[m] / best)
    total = 0.0
    for m in range(MOVES):
        total += weights[m]
    point = draw_unit(rng) * total
    for m in range(MOVES):
        point -= weights[m]
        if weights[m] > 0.0 and point < 0.0:
            return m
    return _heaviest(weights)


@inner
def cost_of(aim: Floats, loss: float, risk: float) -> float:
    """Return the larger of weighted loss and risk plus their weighted sum."""
    return max(aim[0] * loss, aim[1] * risk) + aim[2] * loss + aim[3] * risk


@inner
def _cost_after(state: State, move: Move, aim: Floats, risk: int, limit: float) -> float:
    """The cost after a move, or a partial cost that is above the limit already.

    Parts of the risk are computed in the order of their cost, so most moves never reach the costly
    ones. The changes are not undone here.
    """
    last = 2 if may_rename(state) else 1
    first = 0 if risk == STRICT else last
    cost = 0.0
    for depth in range(first, last + 1):
        if depth > first:
            undo(state)
        state.depth[0] = depth
        for k in range(move.size[0]):
            change(state, move.records[k], move.attributes[k], move.values[k])
        part = risk if depth == last else (INFERENCE if depth == 1 else DBRL)
        cost = cost_of(aim, loss(state), followed_risk(state, part))
        if cost > limit:
            break
    state.depth[0] = 2
    return cost


@kernel(
    STATE, CELL_DOMAIN, MOVE_RULES, RECORD_CLASSES, MOVE, RW_POINTS, POINTS, FLOATS, INDICES,
    INT64, INT64, FLOAT64, INT64,
)  # fmt: skip
def burst(
    state: State, domain: CellDomain, rules: MoveRules, classes: RecordClasses, move: Move,
    file: Points, donor: Points, aim: Floats, allowed: Indices, risk: int, steps: int,
    heat: float, seed: int,
) -> Indices:  # fmt: skip
    """Change the file in *steps* cells; return moves tried and kept, by kind, and cells tried.

    A worse file is kept with a probability that falls to 0 towards the end, scaled by *heat* in
    typical increases of the cost. A step costs as much as a change of the state. Long, because
    trying, measuring and deciding share their variables.

    Args:
        move: empty, with space for at least twice the attributes.
        file: the masked file of *state*, one row an attribute; changed in place.
        aim: weights of loss and risk, of which the larger counts, and of their sum.
        allowed: 1 for each kind of move that may be used.
        risk: risk of the state that is used, the papers' or the strict one.
    """
    rng = seed_state(seed)
    n = file.shape[1]
    counts = full_ints(2 * MOVES + 1, 0)
    success, tries, merits = (
        full_floats(MOVES, 0.0),
        full_floats(MOVES, 1.0),
        full_floats(file.size, 1.0),
    )
    cost = cost_of(aim, loss(state), followed_risk(state, risk))
    typical, gains, tried = 0.0, 0.0, 0
    for _ in range(PATIENCE * steps):
        if tried >= steps:
            break
        kind = _kind(success, tries, allowed, rng)
        cell, other_cell = draw_below(rng, merits.size), draw_below(rng, merits.size)
        if merits[other_cell] > merits[cell]:
            cell = other_cell
        a, record = cell // n, cell % n
        other = propose(domain, file, donor, classes, rules, move, kind, a, record, rng)
        size = move.size[0]
        success[kind] *= FADING
        tries[kind] = tries[kind] * FADING + max(size, 1)
        if size == 0:
            merits[cell] *= VAIN
            continue
        chance = -math.log(1.0 - draw_unit(rng)) if heat > 0.0 else 0.0
        limit = cost + chance * heat * typical * (1.0 - tried / steps)
        tried += size
        counts[kind] += 1
        after = _cost_after(state, move, aim, risk, limit)
        growth = after - cost
        if growth > 0.0:
            typical += 0.01 * (growth - typical) if typical > 0.0 else growth
        if after <= limit:
            keep(state)
            cost = after
            counts[MOVES + kind] += 1
            relabel(classes, kind, record, other)
            move.size[0] = 0
            if growth < 0.0:
                success[kind] -= growth
                gains += 0.05 * (-growth - gains) if gains > 0.0 else -growth
                merits[cell] = 1.0 - growth / gains
        else:
            undo(state)
            undo_move(file, move)
            merits[cell] *= VAIN
    counts[2 * MOVES] = tried
    return counts
