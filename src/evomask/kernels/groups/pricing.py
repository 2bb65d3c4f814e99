"""Groups that are worth more than they cost, where every record has a price.

Column generation asks this each round. A group of m records costs the sum over its pairs of their
squared distance over m, and is worth the prices of its records. For every record and every m from
k to 2k-1 the best group that holds the record is found by branch and bound: members join in order
of the least they can add, which is their distance to those who are in, half of what they must be
apart from the others who are yet to join, less their price.

A trio is three records of whom no two groups may each hold two: of any partition at most one group
holds two or three of them. Such a group pays the trio's fine.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import (
    FLOATS,
    INDEX_ROWS,
    OWN_INDEX_ROWS,
    OWN_POINTS,
    POINTS,
    WHOLE,
    inner,
    kernel,
)
from evomask.kernels.filled import reals, wholes
from evomask.kernels.sorting import stable_order


class Trios(NamedTuple):
    """Which trios every record belongs to.

    Args:
        records: the three of each trio.
        fines: what a group pays that holds two or three of them.
        starts: where the trios of each record begin in *whose*.
        inside: of each trio, how many are in the group being built.
        added: scratch, what the fines change for each record.
    """

    records: Indices
    fines: Floats
    starts: Indices
    whose: Indices
    inside: Indices
    added: Floats


class Levels(NamedTuple):
    """The search for a group, by the number of records that have joined the first.

    Args:
        least: the least each candidate adds, rising.
        who: the candidates.
        counts: how many there are.
        cursor: the place of the next to try.
        worth: what those who are in cost, less their prices.
        joined: who they are.
    """

    least: Points
    who: Indices
    counts: Indices
    cursor: Indices
    worth: Floats
    joined: Indices


def best_groups(
    apart: Points,
    prices: Floats,
    k: int,
    trios: Indices,
    fines: Floats,
    most: int,
) -> tuple[Points, Indices]:
    """What the best group of each record and size gains for each of its records, and the groups.

    Args:
        apart: squared distances of all pairs.
        trios: three records a row.
        most: groups begun for a record and a size; where that is not enough, a bound is returned
            instead of what the best group gains.

    Returns:
        The gains, zero or below (cost less worth, over the size), a row for each record and a
        column for each size from k on; and for each of them in turn the records of the best group
        found, -1 for none and behind the last.
    """
    n = len(apart)
    sizes = min(2 * k - 1, n) - k + 1
    gains = np.zeros((n, sizes))
    groups = np.full((n * sizes, k + sizes - 1), -1, dtype=np.int64)
    ordered = np.sort(apart, axis=1)[:, 1 : k + sizes - 1]
    nearest = np.vstack([np.zeros(n), np.cumsum(ordered, axis=1).T])
    _best_groups(
        np.ascontiguousarray(apart),
        np.ascontiguousarray(nearest),
        np.ascontiguousarray(prices),
        k,
        np.ascontiguousarray(trios, dtype=np.int64).reshape(-1, 3),
        np.ascontiguousarray(fines, dtype=np.float64),
        most,
        gains,
        groups,
    )
    return gains, groups


@inner
def _trios_of(trios: NDArray[np.int64], fines: Floats, n: int) -> Trios:
    starts = wholes(n + 1, 0)
    records = np.empty(3 * trios.shape[0], dtype=np.int64)
    for t in range(trios.shape[0]):
        for place in range(3):
            starts[trios[t, place] + 1] += 1
            records[3 * t + place] = trios[t, place]
    for i in range(n):
        starts[i + 1] += starts[i]
    filled = wholes(n, 0)
    whose = np.empty(3 * trios.shape[0], dtype=np.int64)
    for t in range(trios.shape[0]):
        for place in range(3):
            i = trios[t, place]
            whose[starts[i] + filled[i]] = t
            filled[i] += 1
    return Trios(records, fines, starts, whose, wholes(trios.shape[0], 0), reals(n, 0.0))


@inner
def _owed(trios: Trios, x: int) -> float:
    """The other halves of the fines that a group must pay once this record joins."""
    total = 0.0
    for place in range(trios.starts[x], trios.starts[x + 1]):
        t = trios.whose[place]
        if trios.inside[t] == 1:
            total += 0.5 * trios.fines[t]
    return total


@inner
def _join(trios: Trios, x: int) -> None:
    """Note what fines add for others, now that a record is in: half of each, until it is paid.

    Of a trio with one record in, both others bear half: together they pay once.
    """
    for place in range(trios.starts[x], trios.starts[x + 1]):
        t = trios.whose[place]
        before = trios.inside[t]
        trios.inside[t] = before + 1
        if before > 1:
            continue
        half = 0.5 * trios.fines[t] if before == 0 else -0.5 * trios.fines[t]
        for member in range(3 * t, 3 * t + 3):
            trios.added[trios.records[member]] += half


@inner
def _forget(trios: Trios, x: int) -> None:
    """Clear what was noted when a record joined."""
    for place in range(trios.starts[x], trios.starts[x + 1]):
        t = trios.whose[place]
        for member in range(3 * t, 3 * t + 3):
            trios.added[trios.records[member]] = 0.0


@inner
def _leave(trios: Trios, x: int) -> None:
    for place in range(trios.starts[x], trios.starts[x + 1]):
        trios.inside[trios.whose[place]] -= 1


@inner
def _sort(least: Floats, who: Indices, count: int) -> None:
    """Put the candidates of a level in order, by insertion: few are left below the first."""
    for i in range(1, count):
        value, x = least[i], who[i]
        place = i
        while place > 0 and least[place - 1] > value:
            least[place] = least[place - 1]
            who[place] = who[place - 1]
            place -= 1
        least[place] = value
        who[place] = x


@inner
def _descend(
    apart: Points,
    nearest: Points,
    size: int,
    limit: float,
    trios: Trios,
    levels: Levels,
    width: int,
    depth: int,
) -> None:
    """Who can join after the record just taken, with the least each adds now.

    Candidates that cannot be in a group below the limit, whoever else joins, are left out.
    """
    left = size - 2 - depth
    x, first = levels.joined[depth], levels.cursor[depth]
    count = levels.counts[depth] - first
    smallest = np.inf
    _join(trios, x)
    for place in range(count):
        y = levels.who[depth * width + first + place]
        spared = nearest[left, y] - nearest[left - 1, y]
        value = levels.least[depth, first + place] + (apart[x, y] - 0.5 * spared) / size
        value += trios.added[y]
        levels.least[depth + 1, place] = value
        levels.who[(depth + 1) * width + place] = y
        smallest = min(smallest, value)
    _forget(trios, x)
    kept = 0
    for place in range(count):
        value = levels.least[depth + 1, place]
        if levels.worth[depth + 1] + value + (left - 1) * smallest < limit:
            levels.least[depth + 1, kept] = value
            levels.who[(depth + 1) * width + kept] = levels.who[(depth + 1) * width + place]
            kept += 1
    levels.counts[depth + 1] = kept
    levels.cursor[depth + 1] = 0
    own = levels.who[(depth + 1) * width : (depth + 1) * width + kept]
    _sort(levels.least[depth + 1], own, kept)


@inner
def _search(
    apart: Points,
    nearest: Points,
    size: int,
    most: int,
    trios: Trios,
    levels: Levels,
    width: int,
    group: Indices,
) -> float:
    """The worth of the best group of one size, below zero, or zero; -inf where there were too many.

    Long, because the walk keeps its own stack.
    """
    best = 0.0
    begun = 0
    depth = 0
    while depth >= 0:
        left = size - 1 - depth
        place = levels.cursor[depth]
        bound = levels.worth[depth]
        if place + left <= levels.counts[depth]:
            for other in range(place, place + left):
                bound += levels.least[depth, other]
        else:
            bound = np.inf
        if bound >= best or begun > most:
            depth -= 1
            if depth >= 0:
                _leave(trios, levels.joined[depth])
            continue
        begun += 1
        levels.cursor[depth] = place + 1
        x = levels.who[depth * width + place]
        levels.joined[depth] = x
        worth = levels.worth[depth] + levels.least[depth, place] + _owed(trios, x)
        worth -= 0.5 * nearest[left - 1, x] / size
        if left > 1:
            levels.worth[depth + 1] = worth
            _descend(apart, nearest, size, best, trios, levels, width, depth)
            depth += 1
        elif worth < best:
            best = worth
            for other in range(size - 1):
                group[other + 1] = levels.joined[other]
    return best if begun <= most else -np.inf


@kernel(
    POINTS, POINTS, FLOATS, WHOLE, INDEX_ROWS, FLOATS, WHOLE, OWN_POINTS, OWN_INDEX_ROWS
)  # fmt: skip
def _best_groups(
    apart: Points,
    nearest: Points,
    prices: Floats,
    k: int,
    rows: NDArray[np.int64],
    fines: Floats,
    most: int,
    gains: Points,
    groups: NDArray[np.int64],
) -> int:
    """Record by record, size by size; returns how many searches found too many groups."""
    n = apart.shape[0]
    sizes = gains.shape[1]
    trios = _trios_of(rows, fines, n)
    levels = Levels(
        np.empty((k + sizes, n)),
        np.empty((k + sizes) * n, dtype=np.int64),
        wholes(k + sizes, 0),
        wholes(k + sizes, 0),
        reals(k + sizes, 0.0),
        wholes(k + sizes, 0),
    )
    least = np.empty(n)
    unfinished = 0
    for i in range(n):
        for column in range(sizes):
            size = k + column
            _join(trios, i)
            for j in range(n):
                near = apart[i, j] + 0.5 * nearest[size - 2, j]
                least[j] = near / size - prices[j] + trios.added[j]
            _forget(trios, i)
            least[i] = np.inf
            order = stable_order(least)
            smallest = 0.0
            for place in range(size - 2):
                smallest += least[order[place]]
            count = 0
            while count < n - 1 and smallest + least[order[count]] < prices[i]:
                levels.least[0, count] = least[order[count]]
                levels.who[count] = order[count]
                count += 1
            levels.counts[0] = count
            levels.cursor[0] = 0
            levels.worth[0] = -prices[i]
            bound = 0.0
            if count >= size - 1:
                bound = smallest + least[order[size - 2]] - prices[i]
            row = i * sizes + column
            worth = _search(apart, nearest, size, most, trios, levels, n, groups[row])
            if worth < 0.0:
                groups[row, 0] = i
            if worth == -np.inf:
                unfinished += 1
                worth = min(bound, 0.0)
                if groups[row, 1] < 0:
                    groups[row, 0] = -1
            gains[i, column] = worth / size
            _leave(trios, i)
    return unfinished
