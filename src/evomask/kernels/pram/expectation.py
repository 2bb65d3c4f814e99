"""Expected information loss and disclosure risk of PRAM, from transition matrices alone.

All arrays are flat: matrices are concatenated attribute by attribute; the domain is the list of all
combinations of categories, the last attribute the fastest. Linkage, intervals and distances are
expectations; counts of tables are folded normals; entropies are taken to second order. Renaming and
inference are computed from the expected counts, as if the masked file were the average one.
"""

from math import erf, exp, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from evomask.kernels.incremental.information_loss import mean_on_scales
from evomask.kernels.jit import (
    BOOL,
    FLOAT64,
    FLOATS,
    RW_CODE_ROWS,
    RW_FLOATS,
    RW_INDEX_ROWS,
    RW_INDICES,
    bundle,
    inner,
    kernel,
)
from evomask.kernels.linking.assignment import solve_assignment
from evomask.types import Codes, Floats, Indices

PRESENT = 0.5
"""Expected count from which on a combination of categories is taken to occur."""

FINE = 1_000
"""Units per record of the integer weights of renaming."""


class Halves(NamedTuple):
    """Knowledge of intruders: one half of the attributes after the other.

    Args:
        known: for each half and combination, the combination of its known categories.
        sizes: number of combinations of known categories, for each half.
        unknown: for each half, 1 for each attribute to infer.
        apart: distances between combinations of known categories, half by half.
        begins: start of the distances of each half.
        people: share of the targets in each combination of the domain.
    """

    known: Indices
    sizes: Indices
    unknown: Indices
    apart: Floats
    begins: Indices
    people: Floats
    floor: float


class PramInput(NamedTuple):
    """An original file, prepared for the evaluation of matrices.

    Args:
        squares: start of each attribute's matrix in a list of all.
        starts: start of each attribute in a list of all categories.
        pairs: two attributes a row; their contingency table begins at `tables`.
        right: links: pairs of a distinct original and a masked record, and their values.
        domain: categories of every combination; empty where no inference is needed.
        originals: original records in each combination.
        near_read: categories that inference counts as correct.
        ends: maxima of the losses by tables, distances and entropies.
    """

    sizes: Indices
    squares: Indices
    starts: Indices
    counts: Floats
    distances: Floats
    near: Floats
    pairs: Indices
    tables: Indices
    crossed: Floats
    before: Codes
    after: Codes
    right: Floats
    domain: Codes
    originals: Floats
    halves: Halves
    near_read: Floats
    ends: Floats


HALVES = bundle(
    Halves, RW_INDEX_ROWS, RW_INDICES, RW_INDEX_ROWS, RW_FLOATS, RW_INDICES, RW_FLOATS,
    FLOAT64,
)  # fmt: skip
PRAM_INPUT = bundle(
    PramInput, *[RW_INDICES] * 3, *[RW_FLOATS] * 3, RW_INDEX_ROWS, RW_INDICES, RW_FLOATS,
    RW_CODE_ROWS, RW_CODE_ROWS, RW_FLOATS, RW_CODE_ROWS, RW_FLOATS, HALVES, RW_FLOATS,
    RW_FLOATS,
)  # fmt: skip


@inner
def _n_records(given: PramInput) -> float:
    return np.sum(given.counts[: given.sizes[0]])


@inner
def _mean_cell(given: PramInput, matrices: Floats, of_categories: Floats) -> float:
    """Expected mean over all cells of a matrix of original by masked categories."""
    total = 0.0
    for a in range(given.sizes.size):
        size = given.sizes[a]
        for i in range(size):
            row = given.squares[a] + i * size
            inside = 0.0
            for j in range(row, row + size):
                inside += matrices[j] * of_categories[j]
            total += given.counts[given.starts[a] + i] * inside
    return 100.0 * total / (_n_records(given) * given.sizes.size)


@inner
def _linkage(given: PramInput, matrices: Floats) -> float:
    """Expected masked records linked to their own original (DBRL), in percent."""
    total = 0.0
    for link in range(given.right.size):
        chance = given.right[link]
        for a in range(given.sizes.size):
            row = given.squares[a] + given.before[link, a] * given.sizes[a]
            chance *= matrices[row + given.after[link, a]]
        total += chance
    return 100.0 * total / _n_records(given)


@inner
def _folded_mean(mean: float, variance: float) -> float:
    """E |X| for normal X."""
    spread = sqrt(max(variance, 0.0))
    if spread <= 1e-9:
        return abs(mean)
    score = mean / spread
    return spread * sqrt(2 / pi) * exp(-score * score / 2) + mean * erf(score / sqrt(2.0))


@inner
def _tables(given: PramInput, matrices: Floats) -> float:
    """Expected CTBIL over tables of one and two attributes, in percent."""
    total = 0.0
    for a in range(given.sizes.size):
        size = given.sizes[a]
        for j in range(size):
            mean, squares = 0.0, 0.0
            for i in range(size):
                chance = matrices[given.squares[a] + i * size + j]
                count = given.counts[given.starts[a] + i]
                mean += count * chance
                squares += count * chance * chance
            total += _folded_mean(mean - given.counts[given.starts[a] + j], mean - squares)
    for pair in range(given.tables.size):
        total += _pair_table(given, matrices, pair)
    return 50.0 * total / (_n_records(given) * (given.sizes.size + given.tables.size))


@inner
def _pair_table(given: PramInput, matrices: Floats, pair: int) -> float:
    """Expected sum of absolute differences in the table of two attributes."""
    a, b = given.pairs[pair]
    n_a, n_b = given.sizes[a], given.sizes[b]
    means, squares = np.zeros((n_a, n_b)), np.zeros((n_a, n_b))
    for i in range(n_a):
        for k in range(n_b):
            count = given.crossed[given.tables[pair] + i * n_b + k]
            if count > 0:
                for m in range(n_b):
                    chance = matrices[given.squares[b] + k * n_b + m]
                    means[i, m] += count * chance
                    squares[i, m] += count * chance * chance
    total = 0.0
    for j in range(n_a):
        for m in range(n_b):
            mean, square = 0.0, 0.0
            for i in range(n_a):
                chance = matrices[given.squares[a] + i * n_a + j]
                mean += chance * means[i, m]
                square += chance * chance * squares[i, m]
            total += _folded_mean(
                mean - given.crossed[given.tables[pair] + j * n_b + m], mean - square
            )
    return total


@inner
def _log_of_count(others: float, variance: float) -> float:
    """E log(1 + X) for a count X of others, to second order."""
    count = 1 + max(others, 0.0)
    return log(count) - max(variance, 0.0) / (2 * count * count)


@inner
def _entropies(given: PramInput, matrices: Floats) -> float:
    """Expected loss by conditional entropy (EBIL), in percent."""
    total = 0.0
    for a in range(given.sizes.size):
        size = given.sizes[a]
        if size > 1:
            entropy = 0.0
            for j in range(size):
                entropy += _entropy_of(given, matrices, a, j)
            total += max(0.0, entropy / log(float(size)))
    return 100.0 * total / (_n_records(given) * given.sizes.size)


@inner
def _entropy_of(given: PramInput, matrices: Floats, a: int, j: int) -> float:
    """Contribution of one masked category to the conditional entropy."""
    size = given.sizes[a]
    arriving, spread = 0.0, 0.0
    for i in range(size):
        chance = matrices[given.squares[a] + i * size + j]
        arriving += given.counts[given.starts[a] + i] * chance
        spread += given.counts[given.starts[a] + i] * chance * (1 - chance)
    total = 0.0
    for i in range(size):
        chance = matrices[given.squares[a] + i * size + j]
        joint = given.counts[given.starts[a] + i] * chance
        varies = chance * (1 - chance)
        if joint > 0:
            together = _log_of_count(arriving - chance, spread - varies)
            count = given.counts[given.starts[a] + i]
            own = _log_of_count(joint - chance, count * varies - varies)
            total += joint * (together - own)
    return total


@inner
def _rename(given: PramInput, matrices: Floats) -> tuple[Floats, float, bool]:
    """Matrices with renamed columns, recovered cells in percent, whether any name changes."""
    named = np.zeros(matrices.size)
    recovered, other = 0.0, False
    for a in range(given.sizes.size):
        size = given.sizes[a]
        weights = np.zeros((size, size), dtype=np.int64)
        for i in range(size):
            for j in range(size):
                cell = given.squares[a] + i * size + j
                expected = given.counts[given.starts[a] + i] * matrices[cell]
                weights[i, j] = int(FINE * expected + 0.5) * (size + 1) + (i == j)
        best = solve_assignment(weights)
        for j in range(size):
            other = other or best[j] != j
            for i in range(size):
                row = given.squares[a] + i * size
                named[row + best[j]] += matrices[row + j]
        for i in range(size):
            cell = given.squares[a] + i * size + i
            recovered += given.counts[given.starts[a] + i] * named[cell]
    return named, 100.0 * recovered / (_n_records(given) * given.sizes.size), other


@inner
def _expected_counts(given: PramInput, matrices: Floats) -> Floats:
    """Expected masked records in each combination of the domain."""
    counts = given.originals
    after = counts.size
    for a in range(given.sizes.size):
        size = given.sizes[a]
        after //= size
        moved = np.zeros(counts.size)
        for cell in range(counts.size):
            if counts[cell] > 0:
                code = given.domain[cell, a]
                row = given.squares[a] + code * size
                first = cell - code * after
                for j in range(size):
                    moved[first + j * after] += counts[cell] * matrices[row + j]
        counts = moved
    return counts


@inner
def _inference(given: PramInput, matrices: Floats) -> float:
    """Gain of inference over guessing on the expected counts, in percent."""
    halves = given.halves
    if halves.floor >= 1.0 or halves.sizes.size == 0:
        return 0.0
    masked = _expected_counts(given, matrices)
    total = 0.0
    for half in range(halves.sizes.size):
        total += _success(given, masked, half)
    gained = (total / halves.sizes.size - halves.floor) / (1.0 - halves.floor)
    return 100.0 * min(1.0, max(0.0, gained))


@inner
def _success(given: PramInput, masked: Floats, half: int) -> float:
    """Share of unknown cells that an intruder with one half infers closely."""
    halves = given.halves
    known = halves.known[half]
    there = np.zeros(halves.sizes[half])
    for cell in range(masked.size):
        there[known[cell]] += masked[cell]
    shares = _shares(halves, half, there)
    total, unknown = 0.0, 0
    for a in range(given.sizes.size):
        if halves.unknown[half, a]:
            unknown += 1
            total += _read_attribute(given, masked, half, a, shares)
    return total / unknown


@inner
def _shares(halves: Halves, half: int, there: Floats) -> Floats:
    """Matrix of known (row) and masked combination: 1 / tied records where nearest, else 0."""
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
def _read_attribute(given: PramInput, masked: Floats, half: int, a: int, shares: Floats) -> float:
    """Share of one attribute's cells that are inferred closely."""
    size, known = given.sizes[a], given.halves.known[half]
    held = np.zeros((shares.shape[0], size))
    people = np.zeros((shares.shape[0], size))
    for cell in range(masked.size):
        held[known[cell], given.domain[cell, a]] += masked[cell]
        people[known[cell], given.domain[cell, a]] += given.halves.people[cell]
    total = 0.0
    for x in range(shares.shape[0]):
        for y in range(shares.shape[0]):
            if shares[x, y] > 0:
                for i in range(size):
                    if people[x, i] > 0:
                        row = given.squares[a] + i * size
                        close = 0.0
                        for j in range(size):
                            close += given.near_read[row + j] * held[y, j]
                        total += people[x, i] * shares[x, y] * close
    return total


@kernel(PRAM_INPUT, FLOATS, BOOL)
def loss_and_risk(given: PramInput, matrices: Floats, strict: bool) -> tuple[float, float]:
    """Return the expected loss, and the papers' risk or the predictable strict one, in percent.

    Cost is O(links · attributes + sum of squared table sizes), and with *strict* O(domain) for
    inference.
    """
    tables, entropies = _tables(given, matrices), _entropies(given, matrices)
    distances = _mean_cell(given, matrices, given.distances)
    loss = mean_on_scales(given.ends, tables, distances, entropies)
    if not strict:
        return loss, (_mean_cell(given, matrices, given.near) + _linkage(given, matrices)) / 2
    named, recovered, other = _rename(given, matrices)
    if given.domain.shape[0] == 0:
        return loss, max(_mean_cell(given, matrices, given.near), recovered) / 2
    risk = max(_linkage(given, matrices), _inference(given, matrices))
    if other:
        risk = max(risk, _linkage(given, named), _inference(given, named))
    return loss, risk
