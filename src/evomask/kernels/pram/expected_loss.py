"""Expected information loss of PRAM, from transition matrices and tables of the original.

A cell of a table is a sum of independent draws: its dependence is approximated by a normal
variable with its true mean and, to first order, its true variance; the distance from the original
is then a folded normal. Matrices are concatenated attribute by attribute.
"""

from math import erf, exp, pi, sqrt
from typing import NamedTuple

import numpy as np

from evomask.kernels.jit import (
    FLOAT64,
    FLOATS,
    RW_FLOATS,
    RW_INDEX_ROWS,
    RW_INDICES,
    bundle,
    inner,
    kernel,
)
from evomask.types import Floats, Indices, Points

FAR = 6.0
"""Standard deviations from 0 beyond which the mean distance of a normal variable is its mean."""


class LossInput(NamedTuple):
    """An original file, prepared for the expected loss of matrices.

    Args:
        sizes: number of categories of each attribute.
        squares: start of each attribute's matrix in a list of all.
        starts: start of each attribute in a list of all categories.
        shares: share of each category.
        costs: contribution of each cell of a matrix to the accuracy that is lost.
        bins: bin of each category in tables of two (row 0) and of three columns.
        n_bins: number of bins of each attribute in both.
        binned: start of the matrix between bins of each attribute in both, and their total size.
        tables: a table a row: its first cell, its numbers of rows, columns and layers, the
            attribute on each of these axes (-1 for one that does not change), and the row of
            *bins*. A table of two axes has 0 layers.
        before: share of each cell of all tables.
        dependence: the part of it that the marginals do not explain.
        records: number of records, by their survey weights (Kish).
    """

    sizes: Indices
    squares: Indices
    starts: Indices
    shares: Floats
    costs: Floats
    bins: Indices
    n_bins: Indices
    binned: Indices
    tables: Indices
    before: Floats
    dependence: Floats
    records: float


LOSS_INPUT = bundle(
    LossInput, *[RW_INDICES] * 3, *[RW_FLOATS] * 2, *[RW_INDEX_ROWS] * 4, *[RW_FLOATS] * 2, FLOAT64
)


class Moves(NamedTuple):
    """Matrices between bins, their squares by cell, and whether each attribute changes at all.

    Args:
        away: share of the records of each attribute that are in another bin then, in tables of two
            (row 0) and of three columns.
    """

    chances: Floats
    squares: Floats
    changes: Indices
    away: Points


@inner
def folded_mean(mean: float, variance: float) -> float:
    """E |X| for normal X."""
    spread = sqrt(max(variance, 0.0))
    if spread <= 1e-12:
        return abs(mean)
    score = abs(mean) / spread
    if score > FAR:
        return abs(mean)
    return spread * (sqrt(2 / pi) * exp(-score * score / 2) + score * erf(score / sqrt(2.0)))


@inner
def _bin_matrices(given: LossInput, matrices: Floats, moves: Moves) -> None:
    """Fill the matrices between bins; the categories of a bin count by their shares."""
    for a in range(given.sizes.size):
        size, start, square = given.sizes[a], given.starts[a], given.squares[a]
        for i in range(size):
            for j in range(size):
                if matrices[square + i * size + j] != (1.0 if i == j else 0.0):
                    moves.changes[a] = 1
        for level in range(2):
            width, begin = given.n_bins[level, a], given.binned[level, a]
            totals = np.zeros(width)
            for i in range(size):
                totals[given.bins[level, start + i]] += given.shares[start + i]
            for i in range(size):
                source = given.bins[level, start + i]
                if totals[source] > 0.0:
                    share = given.shares[start + i] / totals[source]
                    for j in range(size):
                        cell = begin + source * width + given.bins[level, start + j]
                        moves.chances[cell] += share * matrices[square + i * size + j]
                        if given.bins[level, start + j] != source:
                            chance = matrices[square + i * size + j]
                            moves.away[level, a] += given.shares[start + i] * chance
    for cell in range(moves.chances.size):
        moves.squares[cell] = moves.chances[cell] * moves.chances[cell]


@inner
def _distribution(given: LossInput, matrices: Floats, a: int) -> float:
    """Expected total variation distance of the bins of one attribute."""
    size, start, width = given.sizes[a], given.starts[a], given.n_bins[0, a]
    means, variances = np.zeros(width), np.zeros(width)
    into = np.empty(width)
    for i in range(size):
        share = given.shares[start + i]
        if share > 0.0:
            into[:] = 0.0
            for j in range(size):
                chance = matrices[given.squares[a] + i * size + j]
                into[given.bins[0, start + j]] += chance
            for b in range(width):
                means[b] += share * into[b]
                variances[b] += share * into[b] * (1.0 - into[b])
            means[given.bins[0, start + i]] -= share
    total = 0.0
    for b in range(width):
        total += folded_mean(means[b], variances[b] / given.records)
    return total / 2


@inner
def _along(
    given: LossInput, moves: Moves, chances: Floats, shares: Floats, t: int, axis: int
) -> Floats:  # fmt: skip
    """Shares of a table after the bins on one axis have changed; itself where none do."""
    a = given.tables[t, 4 + axis]
    if a < 0 or moves.changes[a] == 0:
        return shares
    size = given.tables[t, 1 + axis]
    after = 1
    for later in range(axis + 1, 3):
        after *= max(1, given.tables[t, 1 + later])
    begin = given.binned[given.tables[t, 7], a]
    found = np.zeros(shares.size)
    for before in range(shares.size // (size * after)):
        for i in range(size):
            source = (before * size + i) * after
            for j in range(size):
                chance = chances[begin + i * size + j]
                target = (before * size + j) * after
                for k in range(after):
                    found[target + k] += chance * shares[source + k]
    return found


@inner
def _lost_in_two(given: LossInput, moves: Moves, t: int) -> float:
    """Expected distance of the dependence of two axes from that of the original.

    The chances that a record is in a row and in a column are independent; variances are those of
    1(a, b) - P(b) 1(a) - P(a) 1(b), summed over records.
    """
    start, rows, width = given.tables[t, 0], given.tables[t, 1], given.tables[t, 2]
    before = given.before[start : start + rows * width]
    once = _along(given, moves, moves.chances, before, t, 1)
    twice = _along(given, moves, moves.squares, before, t, 1)
    mean = _along(given, moves, moves.chances, once, t, 0)
    first = _along(given, moves, moves.squares, once, t, 0)
    second, both = mean, first
    b = given.tables[t, 5]
    if b >= 0 and moves.changes[b]:
        second = _along(given, moves, moves.chances, twice, t, 0)
        both = _along(given, moves, moves.squares, twice, t, 0)
    across, varying = np.zeros((2, rows))
    down, moving = np.zeros((2, width))
    for i in range(rows):
        for j in range(width):
            cell = i * width + j
            across[i] += mean[cell]
            down[j] += mean[cell]
            varying[i] += mean[cell] - first[cell]
            moving[j] += mean[cell] - second[cell]
    total = 0.0
    for i in range(rows):
        for j in range(width):
            cell = i * width + j
            variance = (
                mean[cell] - both[cell]
                + down[j] * down[j] * varying[i] + across[i] * across[i] * moving[j]
                - 2.0 * down[j] * (mean[cell] - first[cell])
                - 2.0 * across[i] * (mean[cell] - second[cell])
            )  # fmt: skip
            apart = mean[cell] - across[i] * down[j] - given.dependence[start + cell]
            total += folded_mean(apart, variance / given.records)
    return total / 2


@inner
def _marginals(mean: Floats, squared: Floats, out: Floats, size: int, after: int) -> None:
    """Add the shares of one axis, and their variances, to the rows of *out*."""
    for cell in range(mean.size):
        place = cell // after % size
        out[0, place] += mean[cell]
        out[1, place] += mean[cell] - squared[cell]


@inner
def _lost_in_three(given: LossInput, moves: Moves, t: int) -> float:
    """Expected distance of the dependence of three axes; see `_lost_in_two`."""
    start, rows, width, depth = given.tables[t, :4]
    before = given.before[start : start + rows * width * depth]
    once = _along(given, moves, moves.chances, before, t, 2)
    twice = _along(given, moves, moves.squares, before, t, 2)
    both = _along(given, moves, moves.chances, once, t, 1)
    mean = _along(given, moves, moves.chances, both, t, 0)
    first = _along(given, moves, moves.squares, both, t, 0)
    second = _along(given, moves, moves.squares, once, t, 1)
    second = _along(given, moves, moves.chances, second, t, 0)
    third = _along(given, moves, moves.chances, twice, t, 1)
    third = _along(given, moves, moves.chances, third, t, 0)
    every = _along(given, moves, moves.squares, twice, t, 1)
    every = _along(given, moves, moves.squares, every, t, 0)
    a, b, c = np.zeros((2, rows)), np.zeros((2, width)), np.zeros((2, depth))
    _marginals(mean, first, a, rows, width * depth)
    _marginals(mean, second, b, width, depth)
    _marginals(mean, third, c, depth, 1)
    total = 0.0
    for i in range(rows):
        for j in range(width):
            for k in range(depth):
                cell = (i * width + j) * depth + k
                of_a, of_b, of_c = b[0, j] * c[0, k], a[0, i] * c[0, k], a[0, i] * b[0, j]
                variance = (
                    mean[cell] - every[cell]
                    + of_a * of_a * a[1, i] + of_b * of_b * b[1, j] + of_c * of_c * c[1, k]
                    - 2.0 * of_a * (mean[cell] - first[cell])
                    - 2.0 * of_b * (mean[cell] - second[cell])
                    - 2.0 * of_c * (mean[cell] - third[cell])
                )  # fmt: skip
                apart = mean[cell] - a[0, i] * of_a - given.dependence[start + cell]
                total += folded_mean(apart, variance / given.records)
    return total / 2


@kernel(LOSS_INPUT, FLOATS)
def expected_losses(
    given: LossInput, matrices: Floats
) -> tuple[Floats, Floats, Floats, Points]:  # fmt: skip
    """Return the expected accuracy and distribution lost by attribute, the expected change of
    dependence by table, and the share of records that move, in tables of two and of three.

    Cost is O(cells · bins) over the tables of attributes that change.
    """
    size = given.binned[1, given.sizes.size]
    moves = Moves(
        np.zeros(size), np.zeros(size), np.zeros(given.sizes.size, np.int64),
        np.zeros((2, given.sizes.size)),
    )  # fmt: skip
    _bin_matrices(given, matrices, moves)
    accuracy, distributions = np.zeros((2, given.sizes.size))
    for a in range(given.sizes.size):
        if moves.changes[a]:
            for cell in range(given.squares[a], given.squares[a] + given.sizes[a] ** 2):
                accuracy[a] += matrices[cell] * given.costs[cell]
            distributions[a] = _distribution(given, matrices, a)
    lost = np.zeros(len(given.tables))
    for t in range(len(given.tables)):
        changes = False
        for axis in range(3):
            a = given.tables[t, 4 + axis]
            changes = changes or (a >= 0 and moves.changes[a] == 1)
        if changes:
            is_deep = given.tables[t, 3] > 0
            lost[t] = _lost_in_three(given, moves, t) if is_deep else _lost_in_two(given, moves, t)
    return accuracy, distributions, lost, moves.away
