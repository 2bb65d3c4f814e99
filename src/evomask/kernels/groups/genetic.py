"""The genetic algorithm for microaggregation of Solanas et al. (2006), as printed.

A genome holds the group number of each record, from 0 to floor(n/k)-1. Fitness is
1 / (SSE + 1); a genome with a group outside k to 2k-1 records is penalised and its sum of
squares is not computed. Empty groups do not count.
"""

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import INDEX_ROWS, POINTS, REAL, WHOLE, inner, kernel
from evomask.kernels.filled import copy_into, fill
from evomask.kernels.generator import State, below, started, unit
from evomask.kernels.sorting import place_behind

INVALID = 1e300
"""Stands for the sum of squares of a penalised genome."""

PENALISED = 1e-12
"""Its fitness: far below every valid one."""


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
) -> tuple[Indices, Floats, int]:
    """The population after so many epochs, its sums of squares, and when the best was found.

    Row 0 is the best genome so far. The last number is the epoch in which it arose, 0 if it was
    there before.

    Args:
        mutation: rate at which a gene changes to a random group; or, where not *per_gene*, at
            which one gene of a genome does.
        crossover: rate at which a pair of parents is cut at one point.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    found = _bred(points, k, genomes, epochs, mutation, crossover, int(per_gene), seed)
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
def _sum_of_squares(points: Points, genome: Indices, k: int, sizes: Indices, sums: Points) -> float:
    n, d = points.shape
    fill(sizes, 0)
    for i in range(n):
        sizes[genome[i]] += 1
    for g in range(sizes.size):
        if sizes[g] != 0 and (sizes[g] < k or sizes[g] > max(2 * k - 1, n * (n < 2 * k))):
            return INVALID
    for g in range(sums.shape[0]):
        fill(sums[g], 0.0)
    for i in range(n):
        for j in range(d):
            sums[genome[i], j] += points[i, j]
    total = 0.0
    for i in range(n):
        g = genome[i]
        for j in range(d):
            apart = points[i, j] - sums[g, j] / sizes[g]
            total += apart * apart
    return total


@inner
def _cross(child: Indices, first: Indices, second: Indices, cut: int) -> None:
    """Genes of the first parent up to the cut, of the second behind it."""
    copy_into(child[:cut], first)
    copy_into(child[cut:], second[cut:])


@inner
def _wheel(costs: Floats, edges: Floats) -> None:
    """Cumulated fitness, for the roulette wheel."""
    total = 0.0
    for i in range(costs.size):
        total += PENALISED if costs[i] >= INVALID else 1.0 / (costs[i] + 1.0)
        edges[i] = total


@inner
def _spin(edges: Floats, state: State) -> int:
    return min(place_behind(edges, unit(state) * edges[-1]), edges.size - 1)


@inner
def _mutate(genome: Indices, groups: int, rate: float, per_gene: int, state: State) -> None:
    if per_gene == 0:
        if unit(state) < rate:
            genome[below(state, genome.size)] = below(state, groups)
        return
    for i in range(genome.size):
        if unit(state) < rate:
            genome[i] = below(state, groups)


@kernel(POINTS, WHOLE, INDEX_ROWS, WHOLE, REAL, REAL, WHOLE, WHOLE)
def _bred(
    points: Points,
    k: int,
    genomes: Indices,
    epochs: int,
    mutation: float,
    crossover: float,
    per_gene: int,
    seed: int,
) -> tuple[Indices, Floats, int]:
    n, d = points.shape
    size = genomes.shape[0]
    groups = max(1, n // k)
    state = started(seed)
    sizes = np.zeros(groups, dtype=np.int64)
    sums = np.zeros((groups, d))
    now = genomes.copy()
    children = np.empty_like(now)
    costs = np.empty(size)
    edges = np.empty(size)
    for row in range(size):
        costs[row] = _sum_of_squares(points, now[row], k, sizes, sums)
    arisen = 0
    lead = int(np.argmin(costs))
    best, least = now[lead].copy(), costs[lead]
    for epoch in range(1, epochs + 1):
        _wheel(costs, edges)
        for row in range(0, size, 2):
            one, other = _spin(edges, state), _spin(edges, state)
            cut = n
            if unit(state) < crossover:
                cut = 1 + below(state, max(1, n - 1))
            _cross(children[row], now[one], now[other], cut)
            if row + 1 < size:
                _cross(children[row + 1], now[other], now[one], cut)
        for row in range(size):
            _mutate(children[row], groups, mutation, per_gene, state)
            costs[row] = _sum_of_squares(points, children[row], k, sizes, sums)
            if costs[row] < least:
                least = costs[row]
                copy_into(best, children[row])
                arisen = epoch
        copy_into(children[0], best)
        costs[0] = least
        now, children = children, now
    copy_into(now[0], best)
    costs[0] = least
    return now, costs, arisen
