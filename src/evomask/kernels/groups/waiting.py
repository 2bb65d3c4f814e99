"""How likely a mutated genome is valid, and one that is, drawn without drawing those that are not.

Where a population has one valid genome, every child is that genome mutated, and nearly all are
invalid. A gene changes at a rate, to any of G groups alike. So with o genes leaving a group and i
coming, of A that change in all, valid children have the chance

    sum over A of  A! / G^A  [x^A y^A]  prod over groups of  sum over o, i of  B(o) x^o y^i / i!

where B is binomial and a group with i - o more records must have a valid size. The products are
built up group by group; going back through them draws the o and i of a valid child.
"""

import math

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Indices
from evomask.kernels.compiler import INDICES, REAL, WHOLE, inner, kernel
from evomask.kernels.filled import wholes
from evomask.kernels.generator import State, below, started, unit

Ways = NDArray[np.float64]
"""Weight of the groups before one, by how many genes left them and how many came."""

LONGEST = 120
"""Genes of a genome that is waited for: factorials stay finite and weights few."""


def valid_child(
    sizes: Indices, k: int, most: int, mutation: float, seed: int
) -> tuple[float, Indices, Indices]:
    """The chance that a child is valid, and for one that is, how many leave and join each group.

    Args:
        sizes: records of each group of the parent.
        most: the largest group allowed; an empty one is.
    """
    return _valid_child(np.ascontiguousarray(sizes, dtype=np.int64), k, most, mutation, seed)


@kernel(INDICES, WHOLE, WHOLE, REAL, WHOLE)
def _valid_child(
    sizes: Indices, k: int, most: int, mutation: float, seed: int
) -> tuple[float, Indices, Indices]:
    n = 0
    for g in range(sizes.size):
        n += sizes[g]
    state = started(seed)
    ways = np.empty((sizes.size + 1, n + 1, n + 1))
    leave, join = wholes(sizes.size, 0), wholes(sizes.size, 0)
    terms = group_terms(k, most, mutation)
    chance = fill_ways(ways, sizes, terms)
    if chance > 0.0:
        draw_moves(ways, sizes, terms, leave, join, state)
    return chance, leave, join


@inner
def group_terms(k: int, most: int, mutation: float) -> Ways:
    """Weight of a group of *size* that *out* genes leave and *into* join; 0 where none may."""
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
    """Build up the weights group by group; the chance that all groups are valid."""
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
    """The sum over how many genes change of what it weighs."""
    found, weight = 0.0, 1.0
    for changed in range(ways.shape[1]):
        found += weight * ways[groups, changed, changed]
        weight *= (changed + 1.0) / groups
    return found


@inner
def draw_moves(
    ways: Ways, sizes: Indices, terms: Ways, leave: Indices, join: Indices, state: State
) -> None:
    """How many genes leave and join each group in a valid child."""
    groups = sizes.size
    changed = _draw_changed(ways, groups, unit(state) * _total(ways, groups))
    o, i = changed, changed
    for back in range(groups):
        g = groups - 1 - back
        rest = unit(state) * ways[g + 1, o, i]
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
def children_before(chance: float, state: State) -> float:
    """How many invalid children come before the next valid one."""
    if chance <= 0.0:
        return math.inf
    if chance >= 1.0:
        return 0.0
    return math.floor(math.log(1.0 - unit(state)) / math.log1p(-chance))


@inner
def deal(genes: NDArray[np.uint32], n: int, leave: Indices, join: Indices, state: State) -> None:
    """Move as many drawn genes as told out of each group and into each; their counts follow.

    *genes* holds behind its n genes how many of them name each group.
    """
    moved, changed = wholes(n, 0), 0
    for g in range(leave.size):
        left, wanted = int(genes[n + g]), leave[g]
        for i in range(n):
            if genes[i] == g and wanted > 0:
                if below(state, left) < wanted:
                    moved[changed] = i
                    changed += 1
                    wanted -= 1
                left -= 1
        genes[n + g] += join[g] - leave[g]
    for g in range(join.size):
        for _ in range(join[g]):
            place = below(state, changed)
            genes[moved[place]] = g
            changed -= 1
            moved[place] = moved[changed]
