"""Annealing of a partition: many small moves, each judged by its change in the sum of squares.

A record and one near it come together: either joins the other's group. So a record far from all
others, near to none of them, can still draw those nearest to it. Groups hold k to 2k-1 records
at all times.

Moves: *shift* a record to another group; *swap* two records; *chain*: a record leaves and its
group takes one from a third; *cycle*: three groups each pass a record on; *dissolve* a group into
its neighbours; *create* one from records that their groups can spare.
"""

import numpy as np

from evomask.arrays import Codes, Floats, Indices, Labels, Points
from evomask.kernels.compiler import CODE_ROWS, FLOATS, INDICES, POINTS, REAL, WHOLE, inner, kernel
from evomask.kernels.generator import State, below, started, unit
from evomask.kernels.groups.sums import (
    Groups,
    dot,
    grouped,
    joining,
    leaving,
    move,
    passing,
    share,
)

CREATE_SKIP = 0.15
"""Share of near records passed over when a group is created, so that attempts differ."""


RESTRUCTURING = 0.1
"""Share of proposals that dissolve or create a group, times k: their cost grows with k."""

CYCLING = 0.15
"""Share of the other proposals in which three groups each pass a record on."""


def anneal(
    points: Points,
    neighbours: Codes,
    labels: Labels,
    k: int,
    temperatures: Floats,
    steps: int,
    seed: int,
) -> tuple[Labels, Floats]:
    """The partition after *steps* proposed moves at each of the temperatures in turn.

    Its labels are group numbers, but some numbers may have no records. Also the sum of squares
    at the end of each temperature.

    Args:
        points: as `groups.padded` gives them.
        neighbours: the near records of each record, nearest first.
        labels: every group must hold k to 2k-1 records (any number where there is but one).
        temperatures: a worsening by the temperature is accepted with probability 1/e; 0 accepts
            none.
    """
    return _anneal(points, neighbours, labels, k, temperatures, steps, RESTRUCTURING / k, seed)


@inner
def _accepted(change: float, temperature: float, state: State) -> bool:
    if change <= 0.0:
        return True
    if temperature <= 0.0 or change > 40.0 * temperature:
        return False
    return unit(state) < np.exp(-change / temperature)


@inner
def _near(neighbours: Codes, x: int, state: State) -> int:
    """One of the near records; nearer ones more often."""
    u = unit(state)
    return neighbours[x, int(u * u * neighbours.shape[1])]


@inner
def _mate(groups: Groups, y: int, state: State) -> int:
    """Another record of the group of *y*, each equally often."""
    g = groups.labels[y]
    z = groups.members[g, below(state, max(1, groups.sizes[g] - 1))]
    return groups.members[g, groups.sizes[g] - 1] if z == y else z


@inner
def _shift(
    points: Points, lengths: Floats, groups: Groups, x: int, b: int, t: float, state: State
) -> None:
    change = leaving(points, lengths, groups, x) + joining(points, lengths, groups, x, b)
    if _accepted(change, t, state):
        move(points, groups, x, b)


@inner
def _swap(points: Points, groups: Groups, x: int, y: int, t: float, state: State) -> None:
    """Swap a record with another than *y* of the group of *y*."""
    a, b = groups.labels[x], groups.labels[y]
    z = _mate(groups, y, state)
    change = passing(points, groups, a, x, z) + passing(points, groups, b, z, x)
    if _accepted(change, t, state):
        move(points, groups, x, b)
        move(points, groups, z, a)


@inner
def _chain(
    points: Points,
    lengths: Floats,
    neighbours: Codes,
    groups: Groups,
    k: int,
    x: int,
    b: int,
    t: float,
    state: State,
) -> None:
    """Shift a record to *b*; its group takes a record near one of its own from a third group."""
    a = groups.labels[x]
    if groups.sizes[b] >= 2 * k - 1:
        return
    stays = groups.members[a, below(state, groups.sizes[a])]
    if stays == x:
        return
    w = _near(neighbours, stays, state)
    c = groups.labels[w]
    if c in (a, b) or groups.sizes[c] <= k:
        return
    change = passing(points, groups, a, x, w)
    change += joining(points, lengths, groups, x, b) + leaving(points, lengths, groups, w)
    if _accepted(change, t, state):
        move(points, groups, x, b)
        move(points, groups, w, a)


@inner
def _cycle(
    points: Points, neighbours: Codes, groups: Groups, x: int, y: int, t: float, state: State
) -> None:
    """Put *x* to *y*, a mate of *y* to a record near it, and a mate of that one where *x* was."""
    a, b = groups.labels[x], groups.labels[y]
    z = _mate(groups, y, state)
    v = _near(neighbours, z, state)
    c = groups.labels[v]
    if c in (a, b):
        return
    w = _mate(groups, v, state)
    change = passing(points, groups, a, x, w) + passing(points, groups, b, z, x)
    change += passing(points, groups, c, w, z)
    if _accepted(change, t, state):
        move(points, groups, x, b)
        move(points, groups, z, c)
        move(points, groups, w, a)


@inner
def _dissolve(
    points: Points,
    lengths: Floats,
    neighbours: Codes,
    groups: Groups,
    k: int,
    a: int,
    t: float,
    state: State,
    moved: Indices,
) -> None:
    """Give every record of a group to the best group of its near records, or undo it all."""
    count = 0
    change = 0.0
    possible = True
    while groups.sizes[a] > 0 and possible:
        x = groups.members[a, groups.sizes[a] - 1]
        best, target = 0.0, -1
        for i in range(neighbours.shape[1]):
            g = groups.labels[neighbours[x, i]]
            if g in (a, target) or groups.sizes[g] >= 2 * k - 1:
                continue
            cost = joining(points, lengths, groups, x, g)
            if target < 0 or cost < best:
                best, target = cost, g
        if target < 0:
            possible = False
        else:
            change += best + leaving(points, lengths, groups, x)
            move(points, groups, x, target)
            moved[count] = x
            count += 1
    if possible and _accepted(change, t, state):
        groups.spare[groups.free[0]] = a
        groups.free[0] += 1
        return
    for i in range(count - 1, -1, -1):
        move(points, groups, moved[i], a)


@inner
def _create(
    points: Points,
    neighbours: Codes,
    groups: Groups,
    k: int,
    x: int,
    t: float,
    state: State,
    moved: Indices,
    origins: Indices,
) -> None:
    """Form a group of k from a record and near ones that their groups can spare, or undo it."""
    new = groups.spare[groups.free[0] - 1]
    count = 0
    change = 0.0
    for i in range(-1, neighbours.shape[1]):
        if count == k:
            break
        y = x if i < 0 else neighbours[x, i]
        g = groups.labels[y]
        if g == new or groups.sizes[g] <= k or (i >= 0 and unit(state) < CREATE_SKIP):
            continue
        before = share(groups, g) + share(groups, new)
        move(points, groups, y, new)
        change += before - share(groups, g) - share(groups, new)
        moved[count] = y
        origins[count] = g
        count += 1
    if count == k and _accepted(change, t, state):
        groups.free[0] -= 1
        return
    for i in range(count - 1, -1, -1):
        move(points, groups, moved[i], origins[i])


@kernel(POINTS, CODE_ROWS, INDICES, WHOLE, FLOATS, WHOLE, REAL, WHOLE)
def _anneal(
    points: Points,
    neighbours: Codes,
    labels: Labels,
    k: int,
    temperatures: Floats,
    steps: int,
    restructuring: float,
    seed: int,
) -> tuple[Labels, Floats]:
    """The loop over levels and steps; which move is tried is drawn anew each time."""
    n = points.shape[0]
    state = started(seed)
    groups = grouped(points, labels, k)
    moved = np.empty(2 * k, dtype=np.int64)
    origins = np.empty(2 * k, dtype=np.int64)
    lengths = np.empty(n)
    for i in range(n):
        lengths[i] = dot(points[i], points[i])
    total = lengths.sum()
    energies = np.empty(temperatures.size)
    middle = 0.5 * (1.0 + restructuring)
    for level in range(temperatures.size):
        t = temperatures[level]
        for _ in range(steps):
            x = below(state, n)
            r = unit(state)
            a = groups.labels[x]
            if r < 0.5 * restructuring:
                if groups.sizes[a] <= k + 1:
                    _dissolve(points, lengths, neighbours, groups, k, a, t, state, moved)
            elif r < restructuring:
                if groups.sizes[a] > k and groups.free[0] > 0:
                    _create(points, neighbours, groups, k, x, t, state, moved, origins)
            else:
                y = _near(neighbours, x, state)
                b = groups.labels[y]
                if a == b:
                    continue
                if unit(state) < 0.5:
                    x, y, a, b = y, x, b, a
                if unit(state) < CYCLING:
                    _cycle(points, neighbours, groups, x, y, t, state)
                elif r < middle and groups.sizes[a] > k and groups.sizes[b] < 2 * k - 1:
                    _shift(points, lengths, groups, x, b, t, state)
                elif r < middle or unit(state) < 0.5:
                    _swap(points, groups, x, y, t, state)
                else:
                    _chain(points, lengths, neighbours, groups, k, x, b, t, state)
        energies[level] = total
        for g in range(groups.sizes.size):
            energies[level] -= share(groups, g)
    return groups.labels, energies
