"""Bursts of small changes to a masked file: each is tried, measured, and kept or undone.

Kinds of move compete for steps: those that have lowered the cost most for each changed cell
are drawn more often. So do cells: of two drawn ones the one that was changed with more
success, or tried less in vain, is taken.
"""

import math

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import (
    FLOATS,
    INDICES,
    OWN_POINTS,
    POINTS,
    REAL,
    WHOLE,
    inner,
    kernel,
)
from evomask.kernels.filled import reals, wholes
from evomask.kernels.generator import State as Generator
from evomask.kernels.generator import below, started, unit
from evomask.kernels.tracked.measures import DBRL, INFERENCE, STRICT, loss, risk_read
from evomask.kernels.tracked.moves import (
    ALIKE,
    FIELD,
    MOVE,
    MOVE_RULES,
    MOVES,
    Alike,
    Field,
    Move,
    MoveRules,
    propose,
    relabel,
    take_back,
)
from evomask.kernels.tracked.state import STATE, State, change, keep, renames_ever, undo

FADING = 0.98
"""What is left of a move's record of success when it is tried again."""

FLOOR = 0.05
"""The least weight of a kind of move, the most successful one weighing 1."""

VAIN = 0.5
"""What is left of a cell's merit when a change of it is undone."""

PATIENCE = 20
"""Moves that change nothing, for each step, after which a burst gives up."""


@inner
def _cell(merits: Floats, dice: Generator) -> int:
    """The better one of two cells by their merits."""
    one, other = below(dice, merits.size), below(dice, merits.size)
    return other if merits[other] > merits[one] else one


@inner
def _heaviest(weights: Floats) -> int:
    """Where the largest weight stands, the first of equal ones."""
    best = 0
    for m in range(1, weights.size):
        if weights[m] > weights[best]:
            best = m
    return best


@inner
def _kind(success: Floats, tries: Floats, allowed: Indices, dice: Generator) -> int:
    """A kind of move, drawn by its success so far."""
    best = 1e-300
    for m in range(MOVES):
        if allowed[m]:
            best = max(best, success[m] / tries[m])
    weights = reals(MOVES, 0.0)
    for m in range(MOVES):
        if allowed[m]:
            weights[m] = max(FLOOR, success[m] / tries[m] / best)
    total = 0.0
    for m in range(MOVES):
        total += weights[m]
    point = unit(dice) * total
    for m in range(MOVES):
        point -= weights[m]
        if weights[m] > 0.0 and point < 0.0:
            return m
    return _heaviest(weights)


@inner
def cost_of(aim: Floats, loss: float, risk: float) -> float:
    """The larger of two weighted numbers plus their weighted sum."""
    return max(aim[0] * loss, aim[1] * risk) + aim[2] * loss + aim[3] * risk


@inner
def _tried(state: State, move: Move, aim: Floats, risk: int, limit: float) -> float:
    """The cost after a move; where a part of the risk alone is above the limit, with that part.

    Most moves never reach the costly parts. Where no names can change, links and inference are
    all there is. What was changed is not undone here.
    """
    last = 2 if renames_ever(state) else 1
    first = 0 if risk == STRICT else last
    cost = 0.0
    for depth in range(first, last + 1):
        if depth > first:
            undo(state)
        state.depth[0] = depth
        for k in range(move.size[0]):
            change(state, move.records[k], move.attributes[k], move.values[k])
        part = risk if depth == last else (INFERENCE if depth == 1 else DBRL)
        cost = cost_of(aim, loss(state), risk_read(state, part))
        if cost > limit:
            break
    state.depth[0] = 2
    return cost


@kernel(
    STATE, FIELD, MOVE_RULES, ALIKE, MOVE, OWN_POINTS, POINTS, FLOATS, INDICES, WHOLE, WHOLE, REAL,
    WHOLE,
)  # fmt: skip
def burst(
    state: State, field: Field, rules: MoveRules, alike: Alike, move: Move,
    file: Points, donor: Points, aim: Floats, allowed: Indices, risk: int, steps: int,
    heat: float, seed: int,
) -> Indices:  # fmt: skip
    """Change the file until so many cells were tried; moves tried and kept, by kind, and cells.

    Long because trying, measuring and deciding share so much. A worse file is kept with a
    chance that falls to 0 towards the end: by *heat*, in typical worsenings.

    Args:
        move: empty, with room for twice the attributes at least.
        file: what *state* follows, one attribute a row; changed in place.
        aim: weights of loss and risk, of which the larger counts, and plain weights of both.
        allowed: 1 for each kind of move that may be used.
        risk: which risk of the state is read, the papers' or the strict one.
    """
    dice = started(seed)
    n = file.shape[1]
    counts = wholes(2 * MOVES + 1, 0)
    success, tries, merits = reals(MOVES, 0.0), reals(MOVES, 1.0), reals(file.size, 1.0)
    cost = cost_of(aim, loss(state), risk_read(state, risk))
    typical, gains, tried = 0.0, 0.0, 0
    for _ in range(PATIENCE * steps):
        if tried >= steps:
            break
        kind = _kind(success, tries, allowed, dice)
        cell = _cell(merits, dice)
        a, record = cell // n, cell % n
        other = propose(field, file, donor, alike, rules, move, kind, a, record, dice)
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
        after = _tried(state, move, aim, risk, limit)
        growth = after - cost
        if growth > 0.0:
            typical += 0.01 * (growth - typical) if typical > 0.0 else growth
        if after <= limit:
            keep(state)
            cost = after
            counts[MOVES + kind] += 1
            relabel(alike, kind, record, other)
            move.size[0] = 0
            if growth < 0.0:
                success[kind] -= growth
                gains += 0.05 * (-growth - gains) if gains > 0.0 else -growth
                merits[cell] = 1.0 - growth / gains
        else:
            undo(state)
            take_back(file, move)
            merits[cell] *= VAIN
    counts[2 * MOVES] = tried
    return counts
