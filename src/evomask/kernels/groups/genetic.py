"""Genetic algorithm for microaggregation of Solanas et al. (2006).

A genome has the group number of each record, from 0 to floor(n/k)-1. Fitness is 1 / (SSE + 1); a
genome with a group outside k to 2k-1 records gets a penalty and its sum of squares is not computed.
Empty groups are ignored.

Mutation makes nearly all children of long genomes invalid. Where the best genome is the only valid
one, the next valid child and its epoch are drawn directly, without the invalid ones before it. A
gene changes at a rate, to each of G groups with equal probability. With o genes that leave a group,
i that join it and A changes in all, a child is valid with probability

    sum over A of  A! / G^A  [x^A y^A]  prod over groups of  sum over o, i of  B(o) x^o y^i / i!

where B is binomial and each group must have a valid size afterwards. The products are computed
group by group; tracing them back draws the o and i of a valid child.
"""

import math

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.compiler.arrays import copy_into, full_ints, search_right
from evomask.kernels.generator import RandomState, draw_below, draw_bits, draw_unit, seed_state
from evomask.kernels.jit import FLOAT64, INDEX_ROWS, INDICES, INT64, POINTS, inner, kernel
from evomask.types import Floats, Indices, Points

Ways = NDArray[np.float64]
"""Weight of the first groups, by the number of genes that left and that joined them."""

LONGEST = 120
"""Maximum genome length of direct drawing: factorials stay finite and weights few."""


def valid_child(
    sizes: Indices, k: int, most: int, mutation: float, seed: int
) -> tuple[float, Indices, Indices]:
    """Return the probability of a valid child, and how many genes leave and join each group of one.

    Args:
        sizes: group sizes of the parent.
        most: largest valid group size; an empty group is valid.

    Cost is O(G n² k²) time and O(G n²) memory.
    """
    return _valid_child(np.ascontiguousarray(sizes, dtype=np.int64), k, most, mutation, seed)


@kernel(INDICES, INT64, INT64, FLOAT64, INT64)
def _valid_child(
    sizes: Indices, k: int, most: int, mutation: float, seed: int
) -> tuple[float, Indices, Indices]:
    n = 0
    for g in range(sizes.size):
        n += sizes[g]
    state = seed_state(seed)
    ways = np.empty((sizes.size + 1, n + 1, n + 1))
    leave, join = full_ints(sizes.size, 0), full_ints(sizes.size, 0)
    terms = group_terms(k, most, mutation)
    chance = fill_ways(ways, sizes, terms)
    if chance > 0.0:
        draw_moves(ways, sizes, terms, leave, join, state)
    return chance, leave, join


@inner
def group_terms(k: int, most: int, mutation: float) -> Ways:
    """Return the weight by group size, leaving and joining genes; 0 for invalid sizes."""
    terms = np.zeros((most + 1, most + 1, 2 * most + 1))
    for size in range(most + 1):
        for out in range(size + 1):
            left = _binomial(size, out) * mutation**out * (1.0 - mutation) ** (size - out)
            factorial = 1.0
            for into in range(most - size + out + 1):
                factorial *= max(1, into)
                after = size - out + into
                if after == 0 or after >= k:
                    terms[size, out, into] = left / factorial
    return terms


@inner
def _binomial(size: int, out: int) -> float:
    found = 1.0
    for i in range(out):
        found = found * (size - i) / (i + 1)
    return found


@inner
def fill_ways(ways: Ways, sizes: Indices, terms: Ways) -> float:
    """Compute the weights group by group and return the probability of a valid child."""
    n = ways.shape[1] - 1
    _clear(ways)
    ways[0, 0, 0] = 1.0
    reached = 0
    for g in range(sizes.size):
        for o in range(reached + 1):
            for i in range(n + 1):
                if ways[g, o, i] > 0.0:
                    _add_group(ways, g, o, i, sizes[g], terms)
        reached += sizes[g]
    return _total(ways, sizes.size)


@inner
def _clear(ways: Ways) -> None:
    for g in range(ways.shape[0]):
        for o in range(ways.shape[1]):
            for i in range(ways.shape[2]):
                ways[g, o, i] = 0.0


@inner
def _add_group(ways: Ways, g: int, o: int, i: int, size: int, terms: Ways) -> None:
    n, before = ways.shape[1] - 1, ways[g, o, i]
    for out in range(size + 1):
        for into in range(min(terms.shape[2] - 1, n - i) + 1):
            ways[g + 1, o + out, i + into] += before * terms[size, out, into]


@inner
def _total(ways: Ways, groups: int) -> float:
    found, weight = 0.0, 1.0
    for changed in range(ways.shape[1]):
        found += weight * ways[groups, changed, changed]
        weight *= (changed + 1.0) / groups
    return found


@inner
def draw_moves(
    ways: Ways, sizes: Indices, terms: Ways, leave: Indices, join: Indices, state: RandomState
) -> None:
    """Draw how many genes leave and join each group in a valid child."""
    groups = sizes.size
    changed = _draw_changed(ways, groups, draw_unit(state) * _total(ways, groups))
    o, i = changed, changed
    for back in range(groups):
        g = groups - 1 - back
        rest = draw_unit(state) * ways[g + 1, o, i]
        leave[g], join[g] = 0, 0
        for out in range(min(sizes[g], o) + 1):
            for into in range(min(terms.shape[2] - 1, i) + 1):
                weight = ways[g, o - out, i - into] * terms[sizes[g], out, into]
                if weight > 0.0 and rest >= 0.0:
                    leave[g], join[g] = out, into
                    rest -= weight
        o, i = o - leave[g], i - join[g]


@inner
def _draw_changed(ways: Ways, groups: int, rest: float) -> int:
    last, weight = 0, 1.0
    for changed in range(ways.shape[1]):
        here = weight * ways[groups, changed, changed]
        if here > 0.0 and rest >= 0.0:
            last = changed
            rest -= here
        weight *= (changed + 1.0) / groups
    return last


@inner
def draw_invalid_count(chance: float, state: RandomState) -> float:
    """Draw the number of invalid children before the next valid one (geometric)."""
    if chance <= 0.0:
        return math.inf
    if chance >= 1.0:
        return 0.0
    return math.floor(math.log(1.0 - draw_unit(state)) / math.log1p(-chance))


@inner
def move_genes(
    genes: NDArray[np.uint32], n: int, leave: Indices, join: Indices, state: RandomState
) -> None:
    """Move random genes out of and into groups in the given numbers, and update the group counts.

    The group counts follow the n genes in *genes*.
    """
    moved, changed = full_ints(n, 0), 0
    for g in range(leave.size):
        left, wanted = int(genes[n + g]), leave[g]
        for i in range(n):
            if genes[i] == g and wanted > 0:
                if draw_below(state, left) < wanted:
                    moved[changed] = i
                    changed += 1
                    wanted -= 1
                left -= 1
        genes[n + g] += join[g] - leave[g]
    for g in range(join.size):
        for _ in range(join[g]):
            place = draw_below(state, changed)
            genes[moved[place]] = g
            changed -= 1
            moved[place] = moved[changed]


INVALID = 1e300
"""Sum of squares of an invalid genome."""

PENALISED = 1e-12
"""Fitness of an invalid genome, far below every valid one."""

SAME = 1e-12
"""Sums of squares that differ by a smaller share belong to the same partition."""

Genomes = NDArray[np.uint32]
"""One genome a row; after the genes, the number of genes of each group."""

Edges = NDArray[np.uint64]
"""Unsigned integers, as all positions in the innermost loop."""

PATIENCE = 0.3
"""Invalid children, per weight to compute, after which valid ones are drawn directly."""

_HALF, _EIGHTH = np.uint64(32), np.uint64(24)
_LOWER = np.uint64(0xFFFFFFFF)
_ONE, _RECORD = np.uint64(1), np.uint32(1)
_DRAWS = 4294967296.0


def evolve_genomes(
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
    """Return the population after *epochs*, its sums of squares, and the epoch of the best genome.

    Row 0 is the best genome so far; its epoch is 0 if it was in the first population. Cost is
    O(population n d) an epoch.

    Args:
        mutation: rate at which a gene changes to a random group; or, where not *per_gene*, at which
            one gene of a genome does.
        crossover: rate at which a pair of parents is cut at one point.
        proven: lower bound on the sum of squares; the search ends when it is reached, or when all
            genomes are equal and none mutates.
    """
    points = np.ascontiguousarray(points - points.mean(axis=0), dtype=np.float64)
    found = _evolve_genomes(
        points, k, genomes, epochs, mutation, crossover, int(per_gene), seed, proven
    )
    return found[0], found[1], int(found[2])


@kernel(INT64, INT64, INT64, INT64)
def initial_genomes(n: int, k: int, size: int, seed: int) -> Indices:
    """Return random genomes, one a row, with groups of k to 2k-1 records.

    Algorithm I of the paper: a random group is taken while it has fewer than 2k-1 records; then
    random records of groups above k move to groups below k.
    """
    state = seed_state(seed)
    groups = n // k
    genomes = np.empty((size, n), dtype=np.int64)
    for row in range(size):
        sizes = np.zeros(groups, dtype=np.int64)
        gene = 0
        while gene < n:
            g = draw_below(state, groups)
            if sizes[g] < 2 * k - 1 or groups == 1:
                genomes[row, gene] = g
                sizes[g] += 1
                gene += 1
        for g in range(groups):
            while sizes[g] < k:
                i = draw_below(state, n)
                if sizes[genomes[row, i]] > k:
                    sizes[genomes[row, i]] -= 1
                    sizes[g] += 1
                    genomes[row, i] = g
    return genomes


@inner
def _count(rows: Genomes, row: int, n: int) -> None:
    """Write the group counts after the n genes of a row."""
    for g in range(n, rows.shape[1]):
        rows[row, g] = 0
    for i in range(n):
        rows[row, n + rows[row, i]] += 1


@inner
def _cost(rows: Genomes, row: int, points: Points, sums: Points, least: int, most: int) -> float:
    """Within-group sum of squares of a genome, or `INVALID`."""
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
    """Cumulative fitness for roulette-wheel selection."""
    total = 0.0
    for i in range(costs.size):
        total += PENALISED if costs[i] >= INVALID else 1.0 / (costs[i] + 1.0)
        wheel[i] = total


@inner
def _spin(wheel: Floats, state: RandomState) -> int:
    return min(search_right(wheel, draw_unit(state) * wheel[-1]), wheel.size - 1)


@inner
def _mutation_edges(rate: float, n: int) -> Edges:
    """Cumulative distribution, in 32 bits, of the number of unchanged genes before a change."""
    edges = np.empty(n + 1, dtype=np.uint64)
    stay = 1.0
    for i in range(n):
        stay *= 1.0 - rate
        edges[i] = np.uint64((1.0 - stay) * _DRAWS)
    edges[n] = np.uint64(_DRAWS)
    return edges


@inner
def _hints(edges: Edges) -> Edges:
    """First edge to compare, by the leading eight bits of a random number."""
    hints = np.empty(256, dtype=np.uint64)
    place = 0
    for i in range(256):
        while edges[place] <= np.uint64(i << 24):
            place += 1
        hints[i] = place
    return hints


@inner
def _change(rows: Genomes, row: int, n: int, i: int, group: int) -> None:
    rows[row, n + rows[row, i]] -= 1
    rows[row, n + group] += 1
    rows[row, i] = group


@inner
def _mutate(rows: Genomes, row: int, edges: Edges, hints: Edges, state: RandomState) -> None:
    """Change genes at a rate to random groups; one random number gives both gap and group."""
    n, at = np.uint64(edges.size - 1), np.uint64(row)
    groups = np.uint64(rows.shape[1]) - n
    i = np.uint64(0)
    while True:
        drawn = draw_bits(state)
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
def _cross(
    children: Genomes, row: int, rows: Genomes, one: int, other: int, cut: int, n: int
) -> None:
    """Copy the genes of one parent up to the cut and of the other after it."""
    for i in range(rows.shape[1]):
        children[row, i] = rows[one, i]
    if one != other and cut < n:
        for i in range(cut, n):
            children[row, i] = rows[other, i]
        _count(children, row, n)


@inner
def _are_alike(rows: Genomes) -> bool:
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
    children: Genomes,
    rows: Genomes,
    costs: Floats,
    wheel: Floats,
    n: int,
    crossover: float,
    state: RandomState,
) -> None:
    """Select parents by fitness and cross them in pairs."""
    size = costs.size
    _fill_wheel(costs, wheel)
    for row in range(0, size, 2):
        one, other = _spin(wheel, state), _spin(wheel, state)
        cut = n
        if draw_unit(state) < crossover:
            cut = 1 + draw_below(state, max(1, n - 1))
        _cross(children, row, rows, one, other, cut, n)
        if row + 1 < size:
            _cross(children, row + 1, rows, other, one, cut, n)


@kernel(POINTS, INT64, INDEX_ROWS, INT64, FLOAT64, FLOAT64, INT64, INT64, FLOAT64)
def _evolve_genomes(
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
    state = seed_state(seed)
    edges = _mutation_edges(mutation, n)
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
    sizes, leave, join = full_ints(groups, 0), full_ints(groups, 0), full_ints(groups, 0)
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
            skipped = draw_invalid_count(chance, state)
            if skipped >= float(epochs - epoch) * size:
                break
            epoch += 1 + int(skipped) // size
            row = int(skipped) % size
            while row < size:
                copy_into(now[row], best)
                draw_moves(ways, sizes, terms, leave, join, state)
                move_genes(now[row], n, leave, join, state)
                costs[row] = _cost(now, row, points, sums, k, most)
                row += 1 + int(min(draw_invalid_count(chance, state), float(size)))
        else:
            epoch += 1
            _breed(children, now, costs, wheel, n, crossover, state)
            now, children = children, now
            for row in range(size):
                if per_gene == 1:
                    _mutate(now, row, edges, hints, state)
                elif draw_unit(state) < mutation:
                    _change(now, row, n, draw_below(state, n), draw_below(state, groups))
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
