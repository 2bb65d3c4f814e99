"""Lower bounds on the within-group sum of squares of all partitions into groups of k or more.

`lower_bound`: in a group of m records the sum of squares is the sum over its pairs of their squared
distance over m. Divide each pair's squared distance between its two records in any way: a record
then pays in its group at least 1/m of its m-1 cheapest shares, for the best m from k to 2k-1, and
these payments add up to a lower bound. Equal division gives the bound by nearest records;
subgradient steps change the division so that the bound grows.

`best_groups`: pricing problem of column generation, where every record has a price. A group costs
its sum of squares and is worth the prices of its records. For every record and size from k to 2k-1
the best group with that record is found by branch and bound: records join in order of the least
that they can add, which is their distance to the members, half of their least distance to members
still to join, less their price. A *trio* is a cut: three records of which at most one group of any
partition has two or three. Such a group pays the fine of the trio.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.compiler.arrays import argsort, fill, full_floats, full_ints
from evomask.kernels.jit import (
    FLOAT64,
    FLOATS,
    INDEX_ROWS,
    INT64,
    POINTS,
    RW_INDEX_ROWS,
    RW_POINTS,
    inner,
    kernel,
)
from evomask.types import Codes, Floats, Indices, Points

SAFE = 1.0 - 1e-9
"""Factor for rounding, so that the bound stays a lower bound."""


PATIENCE, SHORTER = 5, 0.7
"""The step length is multiplied by `SHORTER` after `PATIENCE` rounds without a gain."""


def near_pairs(near: Codes) -> Indices:
    """Return all pairs of records one of which is near the other, each once, lower record first."""
    n, count = near.shape
    one = np.repeat(np.arange(n), count)
    other = near.ravel().astype(np.int64)
    names = np.unique(np.minimum(one, other) * n + np.maximum(one, other))
    return np.ascontiguousarray(np.column_stack([names // n, names % n]))


def lower_bound(points: Points, near: Codes, k: int, known: float, rounds: int) -> float:
    """Return the lower bound after *rounds* subgradient steps; O(rounds n m) for m near records.

    Args:
        near: nearest records of each record, nearest first; at least 2k-2 or all others.
        known: sum of squares of some partition; it determines the step length.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    far = np.sum((points - points[near[:, -1]]) ** 2, axis=1)
    if near.shape[1] >= len(points) - 1:
        far[:] = np.inf
    pairs = near_pairs(near)
    apart = np.sum((points[pairs[:, 0]] - points[pairs[:, 1]]) ** 2, axis=1)
    return SAFE * _lower_bound(pairs, apart, far, k, known, rounds)


@inner
def _ends_of(pairs: Indices, n: int) -> tuple[Indices, Indices]:
    """First pair end of each record, and the pair ends: twice the pair plus its side."""
    starts = np.zeros(n + 1, dtype=np.int64)
    for p in range(pairs.shape[0]):
        starts[pairs[p, 0] + 1] += 1
        starts[pairs[p, 1] + 1] += 1
    for i in range(n):
        starts[i + 1] += starts[i]
    filled = starts[:-1].copy()
    ends = np.empty(2 * pairs.shape[0], dtype=np.int64)
    for p in range(pairs.shape[0]):
        for side in range(2):
            i = pairs[p, side]
            ends[filled[i]] = 2 * p + side
            filled[i] += 1
    return starts, ends


@inner
def _find_cheapest(
    own: Indices, apart: Floats, moved: Floats, limit: float, cheapest: Floats, whose: Indices
) -> None:
    """The smallest shares of one record in order; -1 stands for records that are not near."""
    fill(cheapest, limit)
    fill(whose, -1)
    last = cheapest.size - 1
    for end in own:
        share = 0.5 * apart[end >> 1] + (-moved[end >> 1] if end & 1 else moved[end >> 1])
        if share >= cheapest[last]:
            continue
        place = last
        while place > 0 and cheapest[place - 1] > share:
            cheapest[place] = cheapest[place - 1]
            whose[place] = whose[place - 1]
            place -= 1
        cheapest[place] = share
        whose[place] = end


@inner
def _pay(cheapest: Floats, whose: Indices, k: int, slope: Floats) -> float:
    """Least payment of a record over all group sizes; its subgradient is added to *slope*."""
    paid = 0.0
    least = np.inf
    size = k
    for m in range(2, cheapest.size + 2):
        paid += cheapest[m - 2]
        if m >= k and paid / m < least:
            least = paid / m
            size = m
    for place in range(size - 1):
        end = whose[place]
        if end >= 0:
            slope[end >> 1] += (-1.0 if end & 1 else 1.0) / size
    return least


@kernel(INDEX_ROWS, FLOATS, FLOATS, INT64, FLOAT64, INT64)
def _lower_bound(
    pairs: Indices, apart: Floats, far: Floats, k: int, known: float, rounds: int
) -> float:
    """Records that are not near each other share equally; no share is below half of *far*."""
    n = far.size
    starts, ends = _ends_of(pairs, n)
    moved = np.zeros(apart.size)
    slope = np.zeros(apart.size)
    cheapest = np.empty(min(2 * k - 1, n) - 1)
    whose = np.empty(cheapest.size, dtype=np.int64)
    best = 0.0
    length = 1.0
    stalled = 0
    for _ in range(rounds):
        total = 0.0
        fill(slope, 0.0)
        for i in range(n):
            own = ends[starts[i] : starts[i + 1]]
            _find_cheapest(own, apart, moved, 0.5 * far[i], cheapest, whose)
            total += _pay(cheapest, whose, k, slope)
        stalled = 0 if total > best else stalled + 1
        best = max(best, total)
        if stalled == PATIENCE:
            length *= SHORTER
            stalled = 0
        steep = np.sum(slope * slope)
        if steep == 0.0 or known <= best:
            break
        moved += length * (known - total) / steep * slope
    return best


class Trios(NamedTuple):
    """Trios that every record belongs to.

    Args:
        records: the three records of each trio.
        fines: fine of a group that has two or three of them.
        starts: start of each record's trios in *whose*.
        inside: number of each trio's records in the current group.
        added: scratch, change of the least addition of each record by fines.
    """

    records: Indices
    fines: Floats
    starts: Indices
    whose: Indices
    inside: Indices
    added: Floats


class Levels(NamedTuple):
    """Search for a group, by the number of records that have joined the first.

    Args:
        least: least addition of each candidate, ascending.
        who: the candidates.
        counts: number of candidates.
        cursor: position of the next candidate to try.
        worth: cost of the members less their prices.
        joined: the members.
    """

    least: Points
    who: Indices
    counts: Indices
    cursor: Indices
    worth: Floats
    joined: Indices


def best_groups(
    apart: Points, prices: Floats, k: int, trios: Indices, fines: Floats, most: int
) -> tuple[Points, Indices]:
    """Return the gain per record of the best group of each record and size, and these groups.

    Args:
        apart: squared distances of all pairs.
        trios: three records a row.
        most: maximum number of search nodes for a record and a size; beyond it a bound is returned
            instead of the gain.

    Returns:
        Gains, zero or negative (cost less worth, over the size), one row a record and one column
        a size from k on; and for each of them the records of the best group found, padded by -1.

    The search is exponential in the size at worst.
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
    starts = full_ints(n + 1, 0)
    records = np.empty(3 * trios.shape[0], dtype=np.int64)
    for t in range(trios.shape[0]):
        for place in range(3):
            starts[trios[t, place] + 1] += 1
            records[3 * t + place] = trios[t, place]
    for i in range(n):
        starts[i + 1] += starts[i]
    filled = full_ints(n, 0)
    whose = np.empty(3 * trios.shape[0], dtype=np.int64)
    for t in range(trios.shape[0]):
        for place in range(3):
            i = trios[t, place]
            whose[starts[i] + filled[i]] = t
            filled[i] += 1
    return Trios(records, fines, starts, whose, full_ints(trios.shape[0], 0), full_floats(n, 0.0))


@inner
def _remaining_fines(trios: Trios, x: int) -> float:
    """Sum of the second halves of the fines that a group pays when this record joins."""
    total = 0.0
    for place in range(trios.starts[x], trios.starts[x + 1]):
        t = trios.whose[place]
        if trios.inside[t] == 1:
            total += 0.5 * trios.fines[t]
    return total


@inner
def _join(trios: Trios, x: int) -> None:
    """Add a record and update the fines of others: half of each until the fine is paid.

    Of a trio with one member, both other records bear half: together they pay once.
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
def _clear_added(trios: Trios, x: int) -> None:
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
    """Sort the candidates of a level by insertion; few are left below the first level."""
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
    """Fill the next level: candidates after the record just taken, and what each adds at least.

    Candidates that cannot be in a group below the limit are omitted.
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
    _clear_added(trios, x)
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
    """Worth of the best group of one size, negative or zero; -inf where *most* was exceeded.

    Long, because the depth-first search has its own stack.
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
        worth = levels.worth[depth] + levels.least[depth, place] + _remaining_fines(trios, x)
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
    POINTS, POINTS, FLOATS, INT64, INDEX_ROWS, FLOATS, INT64, RW_POINTS, RW_INDEX_ROWS
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
    """Fill gains and groups; return the number of searches that exceeded *most*."""
    n = apart.shape[0]
    sizes = gains.shape[1]
    trios = _trios_of(rows, fines, n)
    levels = Levels(
        np.empty((k + sizes, n)),
        np.empty((k + sizes) * n, dtype=np.int64),
        full_ints(k + sizes, 0),
        full_ints(k + sizes, 0),
        full_floats(k + sizes, 0.0),
        full_ints(k + sizes, 0),
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
            _clear_added(trios, i)
            least[i] = np.inf
            order = argsort(least)
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
