"""Annealing of a partition: many small moves, each judged by its change in the sum of squares.

With m records of sum S in a group, the sum of squares is that of the records' own squared
lengths less |S|² / m summed over the groups; so a move needs the groups it touches, O(d) each.
Records only move to groups of their near records. Groups hold k to 2k-1 records at all times.

Moves: *shift* a record to another group; *swap* two records; *chain*: a record leaves and its
group takes one from a third; *dissolve* a group into its neighbours; *create* one from records
that their groups can spare.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.arrays import Codes, Floats, Indices, Labels, Points
from evomask.kernels.compiler import CODE_ROWS, FLOATS, INDICES, POINTS, REAL, WHOLE, inner, kernel
from evomask.kernels.generator import State, below, started, unit

LANES = 4
"""Numbers added up side by side: sums in a fixed order that the processor can do at once."""

CREATE_SKIP = 0.15
"""Share of near records passed over when a group is created, so that attempts differ."""


RESTRUCTURING = 0.1
"""Share of proposals that dissolve or create a group, times k: their cost grows with k."""


class Groups(NamedTuple):
    """A partition being annealed.

    Args:
        members: a row a group; the first ``sizes`` of a row are records.
        places: where each record stands in its group's row.
        squares: |S|² of each group's sum S.
        spare: numbers of empty groups, the first ``free[0]`` of them valid.
    """

    labels: Labels
    sizes: Indices
    members: NDArray[np.int32]
    places: Indices
    sums: Points
    squares: Floats
    spare: Indices
    free: Indices


def padded(points: Points) -> Points:
    """The points about their mean, with columns of zeros up to a whole number of lanes."""
    n, d = points.shape
    wide = np.zeros((n, max(LANES, -(-d // LANES) * LANES)))
    wide[:, :d] = points - points.mean(axis=0)
    return wide


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
        points: as `padded` gives them.
        neighbours: the near records of each record, nearest first.
        labels: every group must hold k to 2k-1 records (any number where there is but one).
        temperatures: a worsening by the temperature is accepted with probability 1/e; 0 accepts
            none.
    """
    return _anneal(points, neighbours, labels, k, temperatures, steps, RESTRUCTURING / k, seed)


@inner
def _dot(a: Floats, b: Floats) -> float:
    s0 = s1 = s2 = s3 = 0.0
    for j in range(0, a.size, LANES):
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
    return (s0 + s1) + (s2 + s3)


@inner
def _squared_after(total: Floats, minus: Floats, plus: Floats) -> float:
    """|S - minus + plus|²."""
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
def _grouped(points: Points, labels: Labels, k: int) -> Groups:
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
        groups.squares[g] = _dot(groups.sums[g], groups.sums[g])
        if sizes[g] == 0:
            groups.spare[groups.free[0]] = g
            groups.free[0] += 1
    return groups


@inner
def _move(points: Points, groups: Groups, x: int, target: int) -> None:
    """Put a record into another group."""
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
    groups.squares[source] = _dot(gone, gone)
    groups.squares[target] = _dot(come, come)


@inner
def _share(groups: Groups, g: int) -> float:
    """|S|² / m of a group, 0 for an empty one."""
    return groups.squares[g] / groups.sizes[g] if groups.sizes[g] > 0 else 0.0


@inner
def _accepted(change: float, temperature: float, state: State) -> bool:
    if change <= 0.0:
        return True
    if temperature <= 0.0 or change > 40.0 * temperature:
        return False
    return unit(state) < np.exp(-change / temperature)


@inner
def _joining(points: Points, lengths: Floats, groups: Groups, x: int, g: int) -> float:
    """Change in the sum of squares when a record without a group joins one; its length aside."""
    m = groups.sizes[g]
    after = groups.squares[g] + 2.0 * _dot(groups.sums[g], points[x]) + lengths[x]
    return groups.squares[g] / m - after / (m + 1)


@inner
def _leaving(points: Points, lengths: Floats, groups: Groups, x: int) -> float:
    """Change in the sum of squares when a record leaves its group; its length aside."""
    g = groups.labels[x]
    m = groups.sizes[g]
    after = groups.squares[g] - 2.0 * _dot(groups.sums[g], points[x]) + lengths[x]
    return groups.squares[g] / m - (after / (m - 1) if m > 1 else 0.0)


@inner
def _near(neighbours: Codes, x: int, state: State) -> int:
    """One of the near records; nearer ones more often."""
    u = unit(state)
    return neighbours[x, int(u * u * neighbours.shape[1])]


@inner
def _shift(
    points: Points, lengths: Floats, groups: Groups, x: int, b: int, t: float, state: State
) -> None:
    change = _leaving(points, lengths, groups, x) + _joining(points, lengths, groups, x, b)
    if _accepted(change, t, state):
        _move(points, groups, x, b)


@inner
def _swap(points: Points, groups: Groups, x: int, y: int, t: float, state: State) -> None:
    """Swap a record with another than *y* of the group of *y*."""
    a, b = groups.labels[x], groups.labels[y]
    at = below(state, max(1, groups.sizes[b] - 1))
    z = groups.members[b, at]
    if z == y:
        z = groups.members[b, groups.sizes[b] - 1]
    after_a = _squared_after(groups.sums[a], points[x], points[z])
    after_b = _squared_after(groups.sums[b], points[z], points[x])
    change = (groups.squares[a] - after_a) / groups.sizes[a] + (
        groups.squares[b] - after_b
    ) / groups.sizes[b]
    if _accepted(change, t, state):
        _move(points, groups, x, b)
        _move(points, groups, z, a)


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
    after_a = _squared_after(groups.sums[a], points[x], points[w])
    change = (groups.squares[a] - after_a) / groups.sizes[a]
    change += _joining(points, lengths, groups, x, b) + _leaving(points, lengths, groups, w)
    if _accepted(change, t, state):
        _move(points, groups, x, b)
        _move(points, groups, w, a)


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
            cost = _joining(points, lengths, groups, x, g)
            if target < 0 or cost < best:
                best, target = cost, g
        if target < 0:
            possible = False
        else:
            change += best + _leaving(points, lengths, groups, x)
            _move(points, groups, x, target)
            moved[count] = x
            count += 1
    if possible and _accepted(change, t, state):
        groups.spare[groups.free[0]] = a
        groups.free[0] += 1
        return
    for i in range(count - 1, -1, -1):
        _move(points, groups, moved[i], a)


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
        before = _share(groups, g) + _share(groups, new)
        _move(points, groups, y, new)
        change += before - _share(groups, g) - _share(groups, new)
        moved[count] = y
        origins[count] = g
        count += 1
    if count == k and _accepted(change, t, state):
        groups.free[0] -= 1
        return
    for i in range(count - 1, -1, -1):
        _move(points, groups, moved[i], origins[i])


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
    groups = _grouped(points, labels, k)
    moved = np.empty(2 * k, dtype=np.int64)
    origins = np.empty(2 * k, dtype=np.int64)
    lengths = np.empty(n)
    for i in range(n):
        lengths[i] = _dot(points[i], points[i])
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
                if r < middle and groups.sizes[a] > k and groups.sizes[b] < 2 * k - 1:
                    _shift(points, lengths, groups, x, b, t, state)
                elif r < middle or unit(state) < 0.5:
                    _swap(points, groups, x, y, t, state)
                else:
                    _chain(points, lengths, neighbours, groups, k, x, b, t, state)
        energies[level] = total
        for g in range(groups.sizes.size):
            energies[level] -= _share(groups, g)
    return groups.labels, energies
