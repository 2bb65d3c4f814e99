"""The genetic algorithm for microaggregation of Solanas et al. (2006), as printed.

A genome holds the group number of each record, from 0 to floor(n/k)-1. Fitness is
1 / (SSE + 1); a genome with a group outside k to 2k-1 records is penalised and its sum of
squares is not computed. Empty groups do not count.

Mutation leaves few children of longer genomes valid. Where the best genome is the only valid one
and stays so, its next valid child is drawn at once, with the epoch in which it comes (`waiting`);
those before it, all invalid, are not drawn.
"""

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import INDEX_ROWS, POINTS, REAL, WHOLE, inner, kernel
from evomask.kernels.filled import copy_into, wholes
from evomask.kernels.generator import State, below, bits, started, unit
from evomask.kernels.groups.waiting import (
    LONGEST,
    children_before,
    deal,
    draw_moves,
    fill_ways,
    group_terms,
)
from evomask.kernels.sorting import place_behind

INVALID = 1e300
"""Stands for the sum of squares of a penalised genome."""

PENALISED = 1e-12
"""Its fitness: far below every valid one."""

SAME = 1e-12
"""Sums of squares that differ by a smaller share are those of one partition, groups renumbered."""

Rows = NDArray[np.uint32]
"""Genomes, a row each; behind the genes of a row stands how many of them name each group."""

Edges = NDArray[np.uint64]
"""Whole numbers without a sign, as all that counts places in the innermost loop."""

PATIENCE = 0.3
"""Children drawn in vain for each weight to compute, before those to come are drawn at once."""

_HALF, _EIGHTH = np.uint64(32), np.uint64(24)
_LOWER = np.uint64(0xFFFFFFFF)
_ONE, _RECORD = np.uint64(1), np.uint32(1)
_DRAWS = 4294967296.0


def first_genomes(n: int, k: int, size: int, seed: int) -> Indices:
    """Random genomes, a row each, whose groups all hold k to 2k-1 records.

    Algorithm I of the paper: a drawn group is taken while it has fewer than 2k-1 records; then
    random records of groups above k move to groups below k until there are none.
    """
    return _first_genomes(n, k, size, seed)


def bred(
    points: Points,
    k: int,
    genomes: Indices,
    epochs: int,
    mutation: float,
    crossover: float,
    seed: int,
    per_gene: bool = True,
    proven: float = 0.0,
) -> tuple[Indices, Floats, int]:
    """The population after so many epochs, its sums of squares, and when the best was found.

    Row 0 is the best genome so far. The last number is the epoch in which it arose, 0 if it was
    there before.

    Args:
        mutation: rate at which a gene changes to a random group; or, where not *per_gene*, at
            which one gene of a genome does.
        crossover: rate at which a pair of parents is cut at one point.
        proven: no partition has a smaller sum; once it is reached, or all genomes are alike and
            none mutates, nothing can change any more and the population stays as it is.
    """
    points = np.ascontiguousarray(points - points.mean(axis=0), dtype=np.float64)
    found = _bred(points, k, genomes, epochs, mutation, crossover, int(per_gene), seed, proven)
    return found[0], found[1], int(found[2])


@kernel(WHOLE, WHOLE, WHOLE, WHOLE)
def _first_genomes(n: int, k: int, size: int, seed: int) -> Indices:
    state = started(seed)
    groups = n // k
    genomes = np.empty((size, n), dtype=np.int64)
    for row in range(size):
        sizes = np.zeros(groups, dtype=np.int64)
        gene = 0
        while gene < n:
            g = below(state, groups)
            if sizes[g] < 2 * k - 1 or groups == 1:
                genomes[row, gene] = g
                sizes[g] += 1
                gene += 1
        for g in range(groups):
            while sizes[g] < k:
                i = below(state, n)
                if sizes[genomes[row, i]] > k:
                    sizes[genomes[row, i]] -= 1
                    sizes[g] += 1
                    genomes[row, i] = g
    return genomes


@inner
def _count(rows: Rows, row: int, n: int) -> None:
    """Write behind the n genes of a row how many of them name each group."""
    for g in range(n, rows.shape[1]):
        rows[row, g] = 0
    for i in range(n):
        rows[row, n + rows[row, i]] += 1


@inner
def _cost(rows: Rows, row: int, points: Points, sums: Points, least: int, most: int) -> float:
    """The squares about the mean of the file less those of the groups' means."""
    n, d = points.shape
    wrong = 0
    for g in range(n, rows.shape[1]):
        wrong += int((rows[row, g] < least) & (rows[row, g] != 0)) + int(rows[row, g] > most)
    if wrong > 0:
        return INVALID
    total = 0.0
    for g in range(sums.shape[0]):
        for j in range(d):
            sums[g, j] = 0.0
    for i in range(n):
        for j in range(d):
            total += points[i, j] * points[i, j]
            sums[rows[row, i], j] += points[i, j]
    for g in range(sums.shape[0]):
        for j in range(d):
            total -= sums[g, j] * sums[g, j] / max(1, rows[row, n + g])
    return total


@inner
def _fill_wheel(costs: Floats, wheel: Floats) -> None:
    """Cumulated fitness, for the roulette wheel."""
    total = 0.0
    for i in range(costs.size):
        total += PENALISED if costs[i] >= INVALID else 1.0 / (costs[i] + 1.0)
        wheel[i] = total


@inner
def _spin(wheel: Floats, state: State) -> int:
    return min(place_behind(wheel, unit(state) * wheel[-1]), wheel.size - 1)


@inner
def _waits(rate: float, n: int) -> Edges:
    """How many genes stay before one changes, by 32 bits: more than i where they reach edge i."""
    edges = np.empty(n + 1, dtype=np.uint64)
    stay = 1.0
    for i in range(n):
        stay *= 1.0 - rate
        edges[i] = np.uint64((1.0 - stay) * _DRAWS)
    edges[n] = np.uint64(_DRAWS)
    return edges


@inner
def _hints(edges: Edges) -> Edges:
    """Where to begin looking among the edges, by the first eight bits."""
    hints = np.empty(256, dtype=np.uint64)
    place = 0
    for i in range(256):
        while edges[place] <= np.uint64(i << 24):
            place += 1
        hints[i] = place
    return hints


@inner
def _change(rows: Rows, row: int, n: int, i: int, group: int) -> None:
    rows[row, n + rows[row, i]] -= 1
    rows[row, n + group] += 1
    rows[row, i] = group


@inner
def _mutate(rows: Rows, row: int, edges: Edges, hints: Edges, state: State) -> None:
    """Give genes that are drawn at a rate a random group; one number tells which and what."""
    n, at = np.uint64(edges.size - 1), np.uint64(row)
    groups = np.uint64(rows.shape[1]) - n
    i = np.uint64(0)
    while True:
        drawn = bits(state)
        first = drawn >> _HALF
        stay = hints[first >> _EIGHTH]
        while edges[stay] <= first:
            stay += _ONE
        i += stay
        if i >= n:
            return
        new = ((drawn & _LOWER) * groups) >> _HALF
        rows[at, n + np.uint64(rows[at, i])] -= _RECORD
        rows[at, n + new] += _RECORD
        rows[at, i] = new
        i += _ONE


@inner
def _cross(children: Rows, row: int, rows: Rows, one: int, other: int, cut: int, n: int) -> None:
    """Genes of one parent up to the cut, of the other behind it."""
    for i in range(rows.shape[1]):
        children[row, i] = rows[one, i]
    if one != other and cut < n:
        for i in range(cut, n):
            children[row, i] = rows[other, i]
        _count(children, row, n)


@inner
def _are_alike(rows: Rows) -> bool:
    """Whether all genomes are the same, gene by gene."""
    for row in range(1, rows.shape[0]):
        for i in range(rows.shape[1]):
            if rows[row, i] != rows[0, i]:
                return False
    return True


@inner
def _n_valid(costs: Floats) -> int:
    found = 0
    for i in range(costs.size):
        found += int(costs[i] < INVALID)
    return found


@inner
def _breed(
    children: Rows, rows: Rows, costs: Floats, wheel: Floats, n: int, crossover: float, state: State
) -> None:
    """Parents drawn by their fitness, crossed in pairs at a rate; nothing mutates yet."""
    size = costs.size
    _fill_wheel(costs, wheel)
    for row in range(0, size, 2):
        one, other = _spin(wheel, state), _spin(wheel, state)
        cut = n
        if unit(state) < crossover:
            cut = 1 + below(state, max(1, n - 1))
        _cross(children, row, rows, one, other, cut, n)
        if row + 1 < size:
            _cross(children, row + 1, rows, other, one, cut, n)


@kernel(POINTS, WHOLE, INDEX_ROWS, WHOLE, REAL, REAL, WHOLE, WHOLE, REAL)
def _bred(
    points: Points,
    k: int,
    genomes: Indices,
    epochs: int,
    mutation: float,
    crossover: float,
    per_gene: int,
    seed: int,
    proven: float,
) -> tuple[Indices, Floats, int]:
    n, d = points.shape
    size = genomes.shape[0]
    groups = max(1, n // k)
    most = 2 * k - 1 if n >= 2 * k else n
    state = started(seed)
    edges = _waits(mutation, n)
    hints = _hints(edges)
    sums = np.empty((groups, d))
    now, children = np.empty((size, n + groups), np.uint32), np.empty((size, n + groups), np.uint32)
    costs, wheel = np.empty(size), np.empty(size)
    for row in range(size):
        copy_into(now[row, :n], genomes[row])
        _count(now, row, n)
        costs[row] = _cost(now, row, points, sums, k, most)
    arisen = 0
    lead = int(np.argmin(costs))
    best, least = now[lead].copy(), costs[lead]
    waits = per_gene == 1 and mutation > 0.0 and n <= LONGEST
    side = n + 1 if waits else 1
    ways, terms = np.empty((groups + 1, side, side)), group_terms(k, most if waits else 0, mutation)
    sizes, leave, join = wholes(groups, 0), wholes(groups, 0), wholes(groups, 0)
    patience = PATIENCE * groups * side * side
    in_vain, chance, epoch = 0, -1.0, 0
    while epoch < epochs:
        if least <= proven * (1.0 + SAME) or (mutation == 0.0 and _are_alike(now)):
            break
        alone = waits and epoch > 0 and _n_valid(costs) == 1
        in_vain += size if alone else 0
        if alone and in_vain > patience:
            if chance < 0.0:
                copy_into(sizes, best[n:])
                chance = fill_ways(ways, sizes, terms)
            skipped = children_before(chance, state)
            if skipped >= float(epochs - epoch) * size:
                break
            epoch += 1 + int(skipped) // size
            row = int(skipped) % size
            while row < size:
                copy_into(now[row], best)
                draw_moves(ways, sizes, terms, leave, join, state)
                deal(now[row], n, leave, join, state)
                costs[row] = _cost(now, row, points, sums, k, most)
                row += 1 + int(min(children_before(chance, state), float(size)))
        else:
            epoch += 1
            _breed(children, now, costs, wheel, n, crossover, state)
            now, children = children, now
            for row in range(size):
                if per_gene == 1:
                    _mutate(now, row, edges, hints, state)
                elif unit(state) < mutation:
                    _change(now, row, n, below(state, n), below(state, groups))
                costs[row] = _cost(now, row, points, sums, k, most)
        lead = int(np.argmin(costs))
        if costs[lead] < least * (1.0 - SAME):
            least, arisen = costs[lead], epoch
            copy_into(best, now[lead])
            in_vain, chance = 0, -1.0
        copy_into(now[0], best)
        costs[0] = least
    copy_into(now[0], best)
    costs[0] = least
    return now[:, :n].astype(np.int64), costs, arisen
