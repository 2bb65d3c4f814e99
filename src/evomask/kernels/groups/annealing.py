"""Simulated annealing of a partition into groups of k to 2k-1 records.

A move is accepted by its change in the within-group sum of squares. With m records of sum S in a
group, that sum is the records' own squared lengths less |S|² / m summed over groups; so a move
costs O(d) for each group that it touches. Both records of a near pair can move to the group of the
other one: a record that is near to no other still attracts those nearest to it.

Moves: *shift* a record to another group; *swap* two records; *chain*: a record leaves and its group
takes one from a third; *cycle*: three groups each pass a record on; *dissolve* a group into its
neighbours; *create* one from records that their groups can spare.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.generator import RandomState, draw_below, draw_unit, seed_state
from evomask.kernels.jit import CODE_ROWS, FLOAT64, FLOATS, INDICES, INT64, POINTS, inner, kernel
from evomask.types import Codes, Floats, Indices, Labels, Points

LANES = 4
"""Number of partial sums; their fixed order lets the processor add them in parallel."""


class Groups(NamedTuple):
    """Partition during annealing.

    Args:
        members: one row a group; the first ``sizes`` entries of a row are records.
        places: position of each record in the row of its group.
        squares: |S|² of the sum S of each group.
        spare: numbers of empty groups; the first ``free[0]`` are valid.
    """

    labels: Labels
    sizes: Indices
    members: NDArray[np.int32]
    places: Indices
    sums: Points
    squares: Floats
    spare: Indices
    free: Indices


def center_and_pad(points: Points) -> Points:
    """Return the points minus their mean, padded with zero columns to a multiple of `LANES`."""
    n, d = points.shape
    wide = np.zeros((n, max(LANES, -(-d // LANES) * LANES)))
    wide[:, :d] = points - points.mean(axis=0)
    return wide


@inner
def dot(a: Floats, b: Floats) -> float:
    """Return the inner product of two padded rows."""
    s0 = s1 = s2 = s3 = 0.0
    for j in range(0, a.size, LANES):
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
    return (s0 + s1) + (s2 + s3)


@inner
def _squared_after(total: Floats, minus: Floats, plus: Floats) -> float:
    s0 = s1 = s2 = s3 = 0.0
    for j in range(0, total.size, LANES):
        a = total[j] - minus[j] + plus[j]
        b = total[j + 1] - minus[j + 1] + plus[j + 1]
        c = total[j + 2] - minus[j + 2] + plus[j + 2]
        e = total[j + 3] - minus[j + 3] + plus[j + 3]
        s0 += a * a
        s1 += b * b
        s2 += c * c
        s3 += e * e
    return (s0 + s1) + (s2 + s3)


@inner
def build_groups(points: Points, labels: Labels, k: int) -> Groups:
    """Return the partition of *labels*, with space for all groups of k that are possible."""
    n, d = points.shape
    most = n // k + 1
    count = max(most, labels.max() + 1)
    sizes = np.zeros(count, dtype=np.int64)
    for i in range(n):
        sizes[labels[i]] += 1
    width = max(2 * k, sizes.max() + 1)
    groups = Groups(
        labels.copy(),
        np.zeros(count, dtype=np.int64),
        np.zeros((count, width), dtype=np.int32),
        np.zeros(n, dtype=np.int64),
        np.zeros((count, d)),
        np.zeros(count),
        np.zeros(count, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
    for i in range(n):
        g = labels[i]
        groups.members[g, groups.sizes[g]] = i
        groups.places[i] = groups.sizes[g]
        groups.sizes[g] += 1
        for j in range(d):
            groups.sums[g, j] += points[i, j]
    for g in range(count - 1, -1, -1):
        groups.squares[g] = dot(groups.sums[g], groups.sums[g])
        if sizes[g] == 0:
            groups.spare[groups.free[0]] = g
            groups.free[0] += 1
    return groups


@inner
def move(points: Points, groups: Groups, x: int, target: int) -> None:
    """Move a record to another group."""
    source = groups.labels[x]
    last = groups.sizes[source] - 1
    hole = groups.places[x]
    other = groups.members[source, last]
    groups.members[source, hole] = other
    groups.places[other] = hole
    groups.sizes[source] = last
    at = groups.sizes[target]
    groups.members[target, at] = x
    groups.places[x] = at
    groups.sizes[target] = at + 1
    groups.labels[x] = target
    gone, come, point = groups.sums[source], groups.sums[target], points[x]
    for j in range(point.size):
        gone[j] -= point[j]
        come[j] += point[j]
    groups.squares[source] = dot(gone, gone)
    groups.squares[target] = dot(come, come)


@inner
def share(groups: Groups, g: int) -> float:
    """Return |S|² / m of a group, 0 for an empty one."""
    return groups.squares[g] / groups.sizes[g] if groups.sizes[g] > 0 else 0.0


@inner
def exchange_cost(points: Points, groups: Groups, g: int, gone: int, come: int) -> float:
    """Return the change in the sum of squares when a group replaces one record by another."""
    after = _squared_after(groups.sums[g], points[gone], points[come])
    return (groups.squares[g] - after) / groups.sizes[g]


@inner
def join_cost(points: Points, lengths: Floats, groups: Groups, x: int, g: int) -> float:
    """Return the change in the sum of squares when a record joins; its squared length aside."""
    m = groups.sizes[g]
    after = groups.squares[g] + 2.0 * dot(groups.sums[g], points[x]) + lengths[x]
    return groups.squares[g] / m - after / (m + 1)


@inner
def leave_cost(points: Points, lengths: Floats, groups: Groups, x: int) -> float:
    """Return the change in the sum of squares when a record leaves; its squared length aside."""
    g = groups.labels[x]
    m = groups.sizes[g]
    after = groups.squares[g] - 2.0 * dot(groups.sums[g], points[x]) + lengths[x]
    return groups.squares[g] / m - (after / (m - 1) if m > 1 else 0.0)


CREATE_SKIP = 0.15
"""Share of near records that are skipped at random when a group is created."""


RESTRUCTURING = 0.1
"""Share of proposals that dissolve or create a group, times k, as their cost grows with k."""

CYCLING = 0.15
"""Share of the other proposals that pass records around three groups."""


def anneal(
    points: Points,
    neighbours: Codes,
    labels: Labels,
    k: int,
    temperatures: Floats,
    steps: int,
    seed: int,
) -> tuple[Labels, Floats]:
    """Return the partition after *steps* moves at each temperature, and its sums of squares.

    Labels are group numbers, of which some may have no records. The sums of squares are those at
    the end of each temperature. Cost is O(d) a move, O(k d) for dissolving and creating.

    Args:
        points: records as `center_and_pad` returns them.
        neighbours: near records of each record, nearest first.
        labels: first partition; every group has k to 2k-1 records (any number if there is one
            group).
        temperatures: an increase by the temperature is accepted with probability 1/e; 0 accepts
            none.
    """
    return _anneal(points, neighbours, labels, k, temperatures, steps, RESTRUCTURING / k, seed)


@inner
def _is_accepted(change: float, temperature: float, state: RandomState) -> bool:
    if change <= 0.0:
        return True
    if temperature <= 0.0 or change > 40.0 * temperature:
        return False
    return draw_unit(state) < np.exp(-change / temperature)


@inner
def _near(neighbours: Codes, x: int, state: RandomState) -> int:
    """Random near record; nearer ones are more likely."""
    u = draw_unit(state)
    return neighbours[x, int(u * u * neighbours.shape[1])]


@inner
def _other_member(groups: Groups, y: int, state: RandomState) -> int:
    """Random other record of the group of *y*, uniformly."""
    g = groups.labels[y]
    z = groups.members[g, draw_below(state, max(1, groups.sizes[g] - 1))]
    return groups.members[g, groups.sizes[g] - 1] if z == y else z


@inner
def _shift(
    points: Points, lengths: Floats, groups: Groups, x: int, b: int, t: float, state: RandomState
) -> None:
    change = leave_cost(points, lengths, groups, x) + join_cost(points, lengths, groups, x, b)
    if _is_accepted(change, t, state):
        move(points, groups, x, b)


@inner
def _swap(points: Points, groups: Groups, x: int, y: int, t: float, state: RandomState) -> None:
    """Swap *x* with a random member, other than *y*, of the group of *y*."""
    a, b = groups.labels[x], groups.labels[y]
    z = _other_member(groups, y, state)
    change = exchange_cost(points, groups, a, x, z) + exchange_cost(points, groups, b, z, x)
    if _is_accepted(change, t, state):
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
    state: RandomState,
) -> None:
    """Shift *x* to group *b*; its group takes a record near one of its own from a third group."""
    a = groups.labels[x]
    if groups.sizes[b] >= 2 * k - 1:
        return
    stays = groups.members[a, draw_below(state, groups.sizes[a])]
    if stays == x:
        return
    w = _near(neighbours, stays, state)
    c = groups.labels[w]
    if c in (a, b) or groups.sizes[c] <= k:
        return
    change = exchange_cost(points, groups, a, x, w)
    change += join_cost(points, lengths, groups, x, b) + leave_cost(points, lengths, groups, w)
    if _is_accepted(change, t, state):
        move(points, groups, x, b)
        move(points, groups, w, a)


@inner
def _cycle(
    points: Points, neighbours: Codes, groups: Groups, x: int, y: int, t: float, state: RandomState
) -> None:
    """Pass *x* to the group of *y*, a member from there to a third group, one from there back."""
    a, b = groups.labels[x], groups.labels[y]
    z = _other_member(groups, y, state)
    v = _near(neighbours, z, state)
    c = groups.labels[v]
    if c in (a, b):
        return
    w = _other_member(groups, v, state)
    change = exchange_cost(points, groups, a, x, w) + exchange_cost(points, groups, b, z, x)
    change += exchange_cost(points, groups, c, w, z)
    if _is_accepted(change, t, state):
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
    state: RandomState,
    moved: Indices,
) -> None:
    """Move every record of a group to the best group among its near records, or undo all moves."""
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
            cost = join_cost(points, lengths, groups, x, g)
            if target < 0 or cost < best:
                best, target = cost, g
        if target < 0:
            possible = False
        else:
            change += best + leave_cost(points, lengths, groups, x)
            move(points, groups, x, target)
            moved[count] = x
            count += 1
    if possible and _is_accepted(change, t, state):
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
    state: RandomState,
    moved: Indices,
    origins: Indices,
) -> None:
    """Form a group of k from *x* and near records that their groups can spare, or undo it."""
    new = groups.spare[groups.free[0] - 1]
    count = 0
    change = 0.0
    for i in range(-1, neighbours.shape[1]):
        if count == k:
            break
        y = x if i < 0 else neighbours[x, i]
        g = groups.labels[y]
        if g == new or groups.sizes[g] <= k or (i >= 0 and draw_unit(state) < CREATE_SKIP):
            continue
        before = share(groups, g) + share(groups, new)
        move(points, groups, y, new)
        change += before - share(groups, g) - share(groups, new)
        moved[count] = y
        origins[count] = g
        count += 1
    if count == k and _is_accepted(change, t, state):
        groups.free[0] -= 1
        return
    for i in range(count - 1, -1, -1):
        move(points, groups, moved[i], origins[i])


@kernel(POINTS, CODE_ROWS, INDICES, INT64, FLOATS, INT64, FLOAT64, INT64)
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
    """Loop over temperatures and steps; the type of each move is drawn at random."""
    n = points.shape[0]
    state = seed_state(seed)
    groups = build_groups(points, labels, k)
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
            x = draw_below(state, n)
            r = draw_unit(state)
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
                if draw_unit(state) < 0.5:
                    x, y, a, b = y, x, b, a
                if draw_unit(state) < CYCLING:
                    _cycle(points, neighbours, groups, x, y, t, state)
                elif r < middle and groups.sizes[a] > k and groups.sizes[b] < 2 * k - 1:
                    _shift(points, lengths, groups, x, b, t, state)
                elif r < middle or draw_unit(state) < 0.5:
                    _swap(points, groups, x, y, t, state)
                else:
                    _chain(points, lengths, neighbours, groups, k, x, b, t, state)
        energies[level] = total
        for g in range(groups.sizes.size):
            energies[level] -= share(groups, g)
    return groups.labels, energies
