"""Expected measures of the papers and expected linkage of PRAM, from transition matrices alone.

Matrices are concatenated attribute by attribute. Linkage, intervals and distances are expectations;
counts of tables are folded normals; entropies are taken to second order. Renaming is computed from
the expected counts, as if the masked file were the average one.
"""

from math import log
from typing import NamedTuple

import numpy as np

from evomask.kernels.jit import (
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
from evomask.kernels.pram.expected_loss import folded_mean
from evomask.types import Codes, Floats, Indices

FINE = 1_000
"""Units per record of the integer weights of renaming."""


class PramInput(NamedTuple):
    """An original file, prepared for the evaluation of matrices.

    Args:
        squares: start of each attribute's matrix in a list of all.
        starts: start of each attribute in a list of all categories.
        pairs: two attributes a row; their contingency table begins at `tables`.
        right: links: pairs of a distinct original and a masked record, and their values.
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


PRAM_INPUT = bundle(
    PramInput, *[RW_INDICES] * 3, *[RW_FLOATS] * 3, RW_INDEX_ROWS, RW_INDICES, RW_FLOATS,
    RW_CODE_ROWS, RW_CODE_ROWS, RW_FLOATS,
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
            total += folded_mean(mean - given.counts[given.starts[a] + j], mean - squares)
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
            total += folded_mean(
                mean - given.crossed[given.tables[pair] + j * n_b + m], mean - square
            )
    return total


@inner
def _log_of_count(others: float, variance: float) -> float:
    """E log(1 + X) by a Taylor expansion to second order; X counts other records in the cell."""
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


@kernel(PRAM_INPUT, FLOATS)
def papers_loss_and_risk(given: PramInput, matrices: Floats) -> tuple[float, float]:
    """Return the expected loss and risk of the papers, in percent.

    Cost is O(links · attributes + sum of squared table sizes).
    """
    distances = _mean_cell(given, matrices, given.distances)
    loss = (_tables(given, matrices) + distances + _entropies(given, matrices)) / 3
    return loss, (_mean_cell(given, matrices, given.near) + _linkage(given, matrices)) / 2


@kernel(PRAM_INPUT, FLOATS)
def linkage_risk(given: PramInput, matrices: Floats) -> float:
    """Return the expected linkage before and after undoing a relabelling, in percent.

    Without links, half of the larger of two shares of cells: those within the rank interval, and
    those recovered by undoing a relabelling. Cost is O(links · attributes).
    """
    named, recovered, other = _rename(given, matrices)
    if given.right.size == 0:
        return max(_mean_cell(given, matrices, given.near), recovered) / 2
    linked = _linkage(given, matrices)
    return max(linked, _linkage(given, named)) if other else linked
