"""What loss and risk PRAM will have, from matrices alone, thousands of times a second.

Everything categorical, laid out flat: squares of categories stand attribute after attribute,
the domain is the list of all combinations of categories, the last attribute the fastest.
Linkage, intervals and distances are expectations; counts of tables are folded normals;
entropies are taken to second order. Renaming and inference are read from the expected
counts, as if the file drawn were the average one.
"""

from math import erf, exp, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from evomask.arrays import Codes, Floats, Indices
from evomask.kernels.compiler import (
    FLOATS,
    OWN_CODE_ROWS,
    OWN_FLOATS,
    OWN_INDEX_ROWS,
    OWN_INDICES,
    REAL,
    TRUTH,
    bundle,
    inner,
    kernel,
)
from evomask.kernels.linking.assignment import pair_off
from evomask.kernels.scales import mean_on_scales

PRESENT = 0.5
"""Expected records from which on a combination of categories is taken to be there."""

FINE = 1_000
"""Parts of a record that renaming counts in."""


class Halves(NamedTuple):
    """What intruders know: one half of the attributes after the other."""

    known: Indices
    """For each half and combination, the combination of its known categories."""

    sizes: Indices
    """Combinations of known categories, for each half."""

    unknown: Indices
    """For each half, 1 for each attribute that is to be read."""

    apart: Floats
    """Distances between combinations of known categories, half after half."""

    begins: Indices
    """Where the distances of each half begin."""

    people: Floats
    """Share of the people attacked in each combination of the domain."""

    floor: float


class Field(NamedTuple):
    """An original, prepared to say what matrices will make of it."""

    sizes: Indices
    squares: Indices
    """Where an attribute's square begins in a list of all squares."""

    starts: Indices
    """Where an attribute's first category stands in a list of all categories."""

    counts: Floats
    distances: Floats
    near: Floats
    pairs: Indices
    """Two attributes a row; their table of counts begins at `tables`."""

    tables: Indices
    crossed: Floats
    before: Codes
    after: Codes
    right: Floats
    """Links: pairs of a distinct original and a masked record, and what they count."""

    domain: Codes
    """The categories of every combination; empty where no inference is wanted."""

    originals: Floats
    """Original records in each combination."""

    halves: Halves
    near_read: Floats
    """Categories that inference takes for right."""

    ends: Floats
    """What losses by tables, distances and entropies read at the end of their scales."""


HALVES = bundle(
    Halves, OWN_INDEX_ROWS, OWN_INDICES, OWN_INDEX_ROWS, OWN_FLOATS, OWN_INDICES, OWN_FLOATS,
    REAL,
)  # fmt: skip
FIELD = bundle(
    Field, *[OWN_INDICES] * 3, *[OWN_FLOATS] * 3, OWN_INDEX_ROWS, OWN_INDICES, OWN_FLOATS,
    OWN_CODE_ROWS, OWN_CODE_ROWS, OWN_FLOATS, OWN_CODE_ROWS, OWN_FLOATS, HALVES, OWN_FLOATS,
    OWN_FLOATS,
)  # fmt: skip


@inner
def _n_records(field: Field) -> float:
    return np.sum(field.counts[: field.sizes[0]])


@inner
def _mean_cell(field: Field, matrices: Floats, of_categories: Floats) -> float:
    """Mean over all cells of what a table of original against masked categories holds."""
    total = 0.0
    for a in range(field.sizes.size):
        size = field.sizes[a]
        for i in range(size):
            row = field.squares[a] + i * size
            inside = 0.0
            for j in range(row, row + size):
                inside += matrices[j] * of_categories[j]
            total += field.counts[field.starts[a] + i] * inside
    return 100.0 * total / (_n_records(field) * field.sizes.size)


@inner
def _linked(field: Field, matrices: Floats) -> float:
    """Masked records expected to be linked to their own original (DBRL), in percent."""
    total = 0.0
    for link in range(field.right.size):
        chance = field.right[link]
        for a in range(field.sizes.size):
            row = field.squares[a] + field.before[link, a] * field.sizes[a]
            chance *= matrices[row + field.after[link, a]]
        total += chance
    return 100.0 * total / _n_records(field)


@inner
def _folded(mean: float, variance: float) -> float:
    """E |X| for normal X."""
    spread = sqrt(max(variance, 0.0))
    if spread <= 1e-9:
        return abs(mean)
    score = mean / spread
    return spread * sqrt(2 / pi) * exp(-score * score / 2) + mean * erf(score / sqrt(2.0))


@inner
def _tables(field: Field, matrices: Floats) -> float:
    """CTBIL over tables of one and two attributes."""
    total = 0.0
    for a in range(field.sizes.size):
        size = field.sizes[a]
        for j in range(size):
            mean, squares = 0.0, 0.0
            for i in range(size):
                chance = matrices[field.squares[a] + i * size + j]
                count = field.counts[field.starts[a] + i]
                mean += count * chance
                squares += count * chance * chance
            total += _folded(mean - field.counts[field.starts[a] + j], mean - squares)
    for pair in range(field.tables.size):
        total += _crossed(field, matrices, pair)
    return 50.0 * total / (_n_records(field) * (field.sizes.size + field.tables.size))


@inner
def _crossed(field: Field, matrices: Floats, pair: int) -> float:
    """How far the table of two attributes will be from the original's."""
    a, b = field.pairs[pair]
    n_a, n_b = field.sizes[a], field.sizes[b]
    means, squares = np.zeros((n_a, n_b)), np.zeros((n_a, n_b))
    for i in range(n_a):
        for k in range(n_b):
            count = field.crossed[field.tables[pair] + i * n_b + k]
            if count > 0:
                for m in range(n_b):
                    chance = matrices[field.squares[b] + k * n_b + m]
                    means[i, m] += count * chance
                    squares[i, m] += count * chance * chance
    total = 0.0
    for j in range(n_a):
        for m in range(n_b):
            mean, square = 0.0, 0.0
            for i in range(n_a):
                chance = matrices[field.squares[a] + i * n_a + j]
                mean += chance * means[i, m]
                square += chance * chance * squares[i, m]
            total += _folded(mean - field.crossed[field.tables[pair] + j * n_b + m], mean - square)
    return total


@inner
def _log_of_count(others: float, variance: float) -> float:
    """E log(1 + X) for a count X of others, to second order."""
    count = 1 + max(others, 0.0)
    return log(count) - max(variance, 0.0) / (2 * count * count)


@inner
def _entropies(field: Field, matrices: Floats) -> float:
    """Loss by what masked categories leave uncertain about original ones (EBIL), in percent."""
    total = 0.0
    for a in range(field.sizes.size):
        size = field.sizes[a]
        if size > 1:
            entropy = 0.0
            for j in range(size):
                entropy += _entropy_of(field, matrices, a, j)
            total += max(0.0, entropy / log(float(size)))
    return 100.0 * total / (_n_records(field) * field.sizes.size)


@inner
def _entropy_of(field: Field, matrices: Floats, a: int, j: int) -> float:
    """What one masked category adds to the entropy of its original."""
    size = field.sizes[a]
    arriving, spread = 0.0, 0.0
    for i in range(size):
        chance = matrices[field.squares[a] + i * size + j]
        arriving += field.counts[field.starts[a] + i] * chance
        spread += field.counts[field.starts[a] + i] * chance * (1 - chance)
    total = 0.0
    for i in range(size):
        chance = matrices[field.squares[a] + i * size + j]
        joint = field.counts[field.starts[a] + i] * chance
        varies = chance * (1 - chance)
        if joint > 0:
            together = _log_of_count(arriving - chance, spread - varies)
            count = field.counts[field.starts[a] + i]
            own = _log_of_count(joint - chance, count * varies - varies)
            total += joint * (together - own)
    return total


@inner
def _renamed(field: Field, matrices: Floats) -> tuple[Floats, float, bool]:
    """Matrices with the columns put right, recovered cells in percent, any other name?"""
    named = np.zeros(matrices.size)
    recovered, other = 0.0, False
    for a in range(field.sizes.size):
        size = field.sizes[a]
        weights = np.zeros((size, size), dtype=np.int64)
        for i in range(size):
            for j in range(size):
                cell = field.squares[a] + i * size + j
                expected = field.counts[field.starts[a] + i] * matrices[cell]
                weights[i, j] = int(FINE * expected + 0.5) * (size + 1) + (i == j)
        best = pair_off(weights)
        for j in range(size):
            other = other or best[j] != j
            for i in range(size):
                row = field.squares[a] + i * size
                named[row + best[j]] += matrices[row + j]
        for i in range(size):
            cell = field.squares[a] + i * size + i
            recovered += field.counts[field.starts[a] + i] * named[cell]
    return named, 100.0 * recovered / (_n_records(field) * field.sizes.size), other


@inner
def _arrived(field: Field, matrices: Floats) -> Floats:
    """Expected masked records in each combination of the domain."""
    counts = field.originals
    after = counts.size
    for a in range(field.sizes.size):
        size = field.sizes[a]
        after //= size
        moved = np.zeros(counts.size)
        for cell in range(counts.size):
            if counts[cell] > 0:
                code = field.domain[cell, a]
                row = field.squares[a] + code * size
                first = cell - code * after
                for j in range(size):
                    moved[first + j * after] += counts[cell] * matrices[row + j]
        counts = moved
    return counts


@inner
def _inferred(field: Field, matrices: Floats) -> float:
    """Inference, on the expected counts."""
    halves = field.halves
    if halves.floor >= 1.0 or halves.sizes.size == 0:
        return 0.0
    masked = _arrived(field, matrices)
    total = 0.0
    for half in range(halves.sizes.size):
        total += _success(field, masked, half)
    gained = (total / halves.sizes.size - halves.floor) / (1.0 - halves.floor)
    return 100.0 * min(1.0, max(0.0, gained))


@inner
def _success(field: Field, masked: Floats, half: int) -> float:
    """Share of unknown cells that are read closely by who knows one half."""
    halves = field.halves
    known = halves.known[half]
    there = np.zeros(halves.sizes[half])
    for cell in range(masked.size):
        there[known[cell]] += masked[cell]
    shares = _shares(halves, half, there)
    total, unknown = 0.0, 0
    for a in range(field.sizes.size):
        if halves.unknown[half, a]:
            unknown += 1
            total += _read(field, masked, half, a, shares)
    return total / unknown


@inner
def _shares(halves: Halves, half: int, there: Floats) -> Floats:
    """Who knows combination x (row) reads y (column): one over the records that tie, else 0."""
    size = there.size
    shares = np.zeros((size, size))
    begin = halves.begins[half]
    for x in range(size):
        nearest, tied = np.inf, 0.0
        for y in range(size):
            if there[y] >= PRESENT:
                apart = halves.apart[begin + x * size + y]
                if apart < nearest:
                    nearest, tied = apart, there[y]
                elif apart == nearest:
                    tied += there[y]
        for y in range(size):
            if there[y] >= PRESENT and halves.apart[begin + x * size + y] == nearest:
                shares[x, y] = 1 / tied
    return shares


@inner
def _read(field: Field, masked: Floats, half: int, a: int, shares: Floats) -> float:
    """Share of one attribute's cells that are read closely."""
    size, known = field.sizes[a], field.halves.known[half]
    held = np.zeros((shares.shape[0], size))
    people = np.zeros((shares.shape[0], size))
    for cell in range(masked.size):
        held[known[cell], field.domain[cell, a]] += masked[cell]
        people[known[cell], field.domain[cell, a]] += field.halves.people[cell]
    total = 0.0
    for x in range(shares.shape[0]):
        for y in range(shares.shape[0]):
            if shares[x, y] > 0:
                for i in range(size):
                    if people[x, i] > 0:
                        row = field.squares[a] + i * size
                        close = 0.0
                        for j in range(size):
                            close += field.near_read[row + j] * held[y, j]
                        total += people[x, i] * shares[x, y] * close
    return total


@kernel(FIELD, FLOATS, TRUTH)
def loss_and_risk(field: Field, matrices: Floats, strict: bool) -> tuple[float, float]:
    """Loss, and the papers' risk or what can be foretold of the strict one, in percent."""
    tables, entropies = _tables(field, matrices), _entropies(field, matrices)
    distances = _mean_cell(field, matrices, field.distances)
    loss = mean_on_scales(field.ends, tables, distances, entropies)
    if not strict:
        return loss, (_mean_cell(field, matrices, field.near) + _linked(field, matrices)) / 2
    named, recovered, other = _renamed(field, matrices)
    if field.domain.shape[0] == 0:
        return loss, max(_mean_cell(field, matrices, field.near), recovered) / 2
    risk = max(_linked(field, matrices), _inferred(field, matrices))
    if other:
        risk = max(risk, _linked(field, named), _inferred(field, named))
    return loss, risk
