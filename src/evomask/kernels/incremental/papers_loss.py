"""Losses of the papers and interval disclosure under changes of single cells.

Categorical attributes: joint counts of original and masked categories, and the difference of every
cell of every contingency table from the original's. A change costs O(number of tables that contain
the attribute).

Continuous attributes: sums, products and counts of every pair of attributes. One changed cell
touches one row of them, so a change costs O(d) and one binary search in the records. The quantiles
of the probabilistic loss are the original's: a change moves counts at up to 19 fixed cuts and
nothing has to be sorted again.
"""

import math
from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import search_left, search_right
from evomask.kernels.incremental.undo_log import Memory, add_float, add_int, write_float, write_int
from evomask.kernels.jit import (
    INT64,
    RW_FLOATS,
    RW_INDEX_ROWS,
    RW_INDICES,
    RW_POINTS,
    bundle,
    inner,
)
from evomask.types import Floats, Indices, Points


class CategoryPlaces(NamedTuple):
    """Start of each part of the categorical state in a memory.

    Args:
        moved: sum of the distances of cells, for each attribute.
        entropies: n times the conditional entropy of the original given the masked value, by
            attribute.
        joint: joint counts of original and masked categories, attribute by attribute.
        sizes: counts of masked categories, attribute by attribute.
        apart: masked minus original count, for every cell of every table.
        total: one number: sum of the absolute values of these differences.
        hits: cells within the rank interval, for each attribute.
    """

    moved: int
    entropies: int
    codes: int
    joint: int
    sizes: int
    apart: int
    total: int
    hits: int


class Categories(NamedTuple):
    """Categorical attributes of an original: one row an attribute, records as columns.

    Args:
        starts: start of each attribute in a list of all categories.
        squares: start of each attribute's category-by-category matrix in a list of all.
        entropies: k log k for the counts k from 0 to the number of records.
        logarithms: logarithm of the number of categories of each attribute.
        tables: start of each contingency table in a list of all.
        strides: stride of each attribute (column) in each table (row); 0 if not part of it.
    """

    codes: Indices
    sizes: Indices
    starts: Indices
    squares: Indices
    near: Indices
    distances: Floats
    entropies: Floats
    logarithms: Floats
    tables: Indices
    strides: Indices
    at: CategoryPlaces


CATEGORIES = bundle(
    Categories, RW_INDEX_ROWS, *[RW_INDICES] * 4, *[RW_FLOATS] * 3, RW_INDICES, RW_INDEX_ROWS,
    bundle(CategoryPlaces, *[INT64] * len(CategoryPlaces._fields)),
)  # fmt: skip


@inner
def change_category(facts: Categories, memory: Memory, record: int, j: int, code: int) -> None:
    """Write another category into a cell and update its joint counts."""
    place = facts.at.codes + j * facts.codes.shape[1] + record
    row = facts.at.joint + facts.squares[j] + facts.codes[j, record] * facts.sizes[j]
    add_int(memory, row + memory.wholes[place], -1)
    add_int(memory, row + code, 1)
    write_int(memory, place, code)


@inner
def change_category_losses(
    facts: Categories, memory: Memory, record: int, j: int, code: int
) -> None:
    """Update the losses for another category in a cell, before it is written."""
    old = memory.wholes[facts.at.codes + j * facts.codes.shape[1] + record]
    _change_tables(facts, memory, record, j, old, code)
    row = facts.squares[j] + facts.codes[j, record] * facts.sizes[j]
    add_float(memory, facts.at.moved + j, facts.distances[row + code] - facts.distances[row + old])
    add_int(memory, facts.at.hits + j, facts.near[row + code] - facts.near[row + old])
    change = _update_count(facts, memory, facts.at.sizes + facts.starts[j] + code, 1)
    change += _update_count(facts, memory, facts.at.sizes + facts.starts[j] + old, -1)
    change -= _entropy_growth(facts, memory, facts.at.joint + row + code, 1)
    change -= _entropy_growth(facts, memory, facts.at.joint + row + old, -1)
    add_float(memory, facts.at.entropies + j, change)


@inner
def _entropy_growth(facts: Categories, memory: Memory, place: int, step: int) -> float:
    """Growth of k log k when a count k changes."""
    before = memory.wholes[place]
    return facts.entropies[before + step] - facts.entropies[before]


@inner
def _update_count(facts: Categories, memory: Memory, place: int, step: int) -> float:
    """Change one count and return the growth of its k log k."""
    growth = _entropy_growth(facts, memory, place, step)
    add_int(memory, place, step)
    return growth


@inner
def _change_tables(
    facts: Categories, memory: Memory, record: int, j: int, old: int, code: int
) -> None:
    n_attributes, n = facts.codes.shape
    growth = 0
    for t in range(facts.tables.size):
        stride = facts.strides[t, j]
        if stride == 0:
            continue
        cell = facts.at.apart + facts.tables[t]
        for b in range(n_attributes):
            if b != j and facts.strides[t, b] != 0:
                cell += facts.strides[t, b] * memory.wholes[facts.at.codes + b * n + record]
        growth += _update_difference(memory, cell + stride * old, -1)
        growth += _update_difference(memory, cell + stride * code, 1)
    add_int(memory, facts.at.total, growth)


@inner
def _update_difference(memory: Memory, place: int, step: int) -> int:
    """Change one difference and return the change of its absolute value."""
    before = memory.wholes[place]
    write_int(memory, place, before + step)
    return abs(before + step) - abs(before)


@inner
def contingency_loss(facts: Categories, memory: Memory) -> float:
    """Return the loss by changed contingency tables (CTBIL), in percent."""
    total = memory.wholes[facts.at.total]
    return 50.0 * total / (facts.codes.shape[1] * facts.tables.size)


@inner
def entropy_loss(facts: Categories, memory: Memory) -> float:
    """Return the loss by conditional entropy of original categories (EBIL), in percent."""
    n_attributes, n = facts.codes.shape
    total = 0.0
    for j in range(n_attributes):
        if facts.sizes[j] > 1:
            share = memory.reals[facts.at.entropies + j] / n / facts.logarithms[j]
            total += min(1.0, max(0.0, share))
    return 100.0 * total / n_attributes


ROUNDING = 1e-9
"""Standardised differences below this are rounding."""

FLAT = 1e-12
"""Products of standard deviations below this have no correlation."""


class NumberPlaces(NamedTuple):
    """Start of each part of the continuous state in a memory.

    Args:
        relative: sum of the relative differences of cells, for each attribute.
        moved: sum of the distances of cells, for each attribute.
        up_to: in the integer array: number of masked values up to each cut.
        hits: in the integer array: rank windows that contain a cell, summed over records.
    """

    values: int
    ranks: int
    counts: int
    sums: int
    products: int
    covariances: int
    correlations: int
    mean_losses: int
    covariance_losses: int
    correlation_losses: int
    quantile_losses: int
    relative: int
    moved: int
    up_to: int
    hits: int


class Numbers(NamedTuple):
    """Continuous attributes of an original: one row an attribute, records as columns.

    Args:
        scales: divisor of the difference of each value in IL1.
        ends: Attribute a has the sorted values from ends[a] to ends[a + 1].
        spreads: divisor of differences in distances.
        deviations: standard deviations; 1 for a constant attribute.
        centres: standardised means: 0 but for rounding.
        drawn: size of the sample whose standard errors quantiles are compared with.
    """

    values: Points
    ranks: Points
    scales: Points
    sorted: Floats
    ends: Indices
    windows: Floats
    spreads: Floats
    means: Floats
    deviations: Floats
    centres: Floats
    mean_errors: Floats
    mean_fallbacks: Floats
    counts: Points
    covariances: Points
    covariance_errors: Points
    covariance_fallbacks: Points
    correlations: Points
    correlation_errors: Points
    cuts: Points
    shares: Points
    drawn: Floats
    at: NumberPlaces


NUMBERS = bundle(
    Numbers, *[RW_POINTS] * 3, RW_FLOATS, RW_INDICES, *[RW_FLOATS] * 7, *[RW_POINTS] * 8,
    RW_FLOATS,
    bundle(NumberPlaces, *[INT64] * len(NumberPlaces._fields)),
)  # fmt: skip


@inner
def pair(d: int, a: int, b: int) -> int:
    """Return the position of an unordered pair in a square matrix."""
    return a * d + b if a < b else b * d + a


@inner
def deviation_probability(difference: float, variance: float) -> float:
    """Return 2 Phi(|difference| / standard error) - 1."""
    apart = abs(difference)
    if apart < ROUNDING:
        return 0.0
    if variance <= ROUNDING * ROUNDING:
        return 1.0
    return math.erf(apart / math.sqrt(variance) / math.sqrt(2.0))


@inner
def _add_lost_values(loss: float, before: float, after: float) -> float:
    """Increase a loss by the share of known values that were lost or added."""
    gone = abs(before - after) / max(before, after, 1.0)
    return 1.0 - (1.0 - gone) * (1.0 - loss)


@inner
def capped_difference(before: float, after: float, scale: float) -> float:
    """Return |before - after| / scale, at most 1; missing equals missing only."""
    if np.isnan(before) or np.isnan(after):
        return 0.0 if np.isnan(before) and np.isnan(after) else 1.0
    apart = abs(before - after)
    if apart == 0.0:
        return 0.0
    return 1.0 if scale <= 0.0 else min(apart / scale, 1.0)


@inner
def rank_of(facts: Numbers, a: int, value: float) -> float:
    """Return the mean rank that a number has among the original values."""
    if np.isnan(value):
        return np.nan
    known = facts.sorted[facts.ends[a] : facts.ends[a + 1]]
    return (search_left(known, value) + search_right(known, value) + 1) / 2


@inner
def count_windows(windows: Floats, ours: float, theirs: float) -> int:
    """Return how many windows contain both ranks; all where both are missing."""
    if np.isnan(ours) or np.isnan(theirs):
        return windows.size if np.isnan(ours) and np.isnan(theirs) else 0
    apart = abs(theirs - ours)
    count = 0
    for window in windows:
        count += apart <= window
    return count


@inner
def change_number(facts: Numbers, memory: Memory, record: int, a: int, value: float) -> None:
    """Write another value and its rank into a cell."""
    cell = a * facts.values.shape[1] + record
    write_float(memory, facts.at.values + cell, value)
    write_float(memory, facts.at.ranks + cell, rank_of(facts, a, value))


@inner
def change_number_losses(
    facts: Numbers, memory: Memory, record: int, a: int, old: float, old_rank: float
) -> None:
    """Update the losses for another value in a cell, after it was written."""
    at, cell = facts.at, a * facts.values.shape[1] + record
    value = memory.reals[at.values + cell]
    _change_cell(facts, memory, record, a, old, value)
    own = facts.ranks[a, record]
    hits = count_windows(facts.windows, own, memory.reals[at.ranks + cell])
    add_int(memory, at.hits + a, hits - count_windows(facts.windows, own, old_rank))
    _change_sums(facts, memory, record, a, old, value)
    for q in range(facts.cuts.shape[1]):
        cut = facts.cuts[a, q]
        if (value <= cut) != (old <= cut):
            place = at.up_to + a * facts.cuts.shape[1] + q
            add_int(memory, place, 1 if value <= cut else -1)
    refresh_number(facts, memory, a)


@inner
def _change_cell(
    facts: Numbers, memory: Memory, record: int, a: int, old: float, value: float
) -> None:
    at, x, scale = facts.at, facts.values[a, record], facts.scales[a, record]
    spread = facts.spreads[a]
    add_float(
        memory,
        at.relative + a,
        capped_difference(x, value, scale) - capped_difference(x, old, scale),
    )
    add_float(
        memory,
        at.moved + a,
        capped_difference(x, value, spread) - capped_difference(x, old, spread),
    )


@inner
def standardize(facts: Numbers, a: int, value: float) -> float:
    """Return a value on the original's standard scale; 0 where missing."""
    return 0.0 if np.isnan(value) else (value - facts.means[a]) / facts.deviations[a]


@inner
def _change_sums(
    facts: Numbers, memory: Memory, record: int, a: int, old: float, value: float
) -> None:
    at, d, n = facts.at, facts.values.shape[0], facts.values.shape[1]
    z_old, z_new = standardize(facts, a, old), standardize(facts, a, value)
    known = (1.0 if np.isnan(old) else 0.0) - (1.0 if np.isnan(value) else 0.0)
    for b in range(d):
        other = memory.reals[at.values + b * n + record]
        if b == a:
            add_float(memory, at.products + pair(d, a, a), z_new * z_new - z_old * z_old)
        elif np.isnan(other):
            continue
        else:
            z = standardize(facts, b, other)
            add_float(memory, at.products + pair(d, a, b), (z_new - z_old) * z)
            if known != 0.0:
                add_float(memory, at.sums + b * d + a, known * z)
        add_float(memory, at.sums + a * d + b, z_new - z_old)
        if known != 0.0:
            add_float(memory, at.counts + pair(d, a, b), known)


@inner
def refresh_number(facts: Numbers, memory: Memory, a: int) -> None:
    """Recompute covariances, correlations and losses of one attribute from its sums."""
    at, d = facts.at, facts.values.shape[0]
    _refresh_covariance(facts, memory, a, a)
    for b in range(d):
        if b != a:
            _refresh_covariance(facts, memory, a, b)
            _refresh_correlation(facts, memory, a, b)
    known = memory.reals[at.counts + pair(d, a, a)]
    mean = memory.reals[at.sums + a * d + a] / max(known, 1.0)
    loss = deviation_probability(mean - facts.centres[a], facts.mean_errors[a])
    write_float(memory, at.mean_losses + a, _add_lost_values(loss, facts.counts[a, a], known))
    write_float(memory, at.quantile_losses + a, _quantile_loss(facts, memory, a, known))


@inner
def _refresh_covariance(facts: Numbers, memory: Memory, a: int, b: int) -> None:
    at, d = facts.at, facts.values.shape[0]
    place = pair(d, a, b)
    known = memory.reals[at.counts + place]
    count = max(known, 1.0)
    sums = memory.reals[at.sums + a * d + b] / count * (memory.reals[at.sums + b * d + a] / count)
    covariance = memory.reals[at.products + place] / count - sums
    if a == b:
        covariance = max(covariance, 0.0)
    write_float(memory, at.covariances + place, covariance)
    loss = deviation_probability(
        covariance - facts.covariances[a, b], facts.covariance_errors[a, b]
    )
    loss = _add_lost_values(loss, facts.counts[a, b], known)
    write_float(memory, at.covariance_losses + place, loss)


@inner
def _refresh_correlation(facts: Numbers, memory: Memory, a: int, b: int) -> None:
    at, d = facts.at, facts.values.shape[0]
    first = memory.reals[at.covariances + pair(d, a, a)]
    second = memory.reals[at.covariances + pair(d, b, b)]
    scale = math.sqrt(first) * math.sqrt(second)
    place = pair(d, a, b)
    correlation = 0.0
    if scale > FLAT:
        correlation = min(1.0, max(-1.0, memory.reals[at.covariances + place] / scale))
    write_float(memory, at.correlations + place, correlation)
    loss = deviation_probability(
        correlation - facts.correlations[a, b], facts.correlation_errors[a, b]
    )
    loss = _add_lost_values(loss, facts.counts[a, b], memory.reals[at.counts + place])
    write_float(memory, at.correlation_losses + place, loss)


@inner
def _quantile_loss(facts: Numbers, memory: Memory, a: int, known: float) -> float:
    n_cuts = facts.cuts.shape[1]
    total = 0.0
    for q in range(n_cuts):
        share = facts.shares[a, q]
        after = memory.wholes[facts.at.up_to + a * n_cuts + q] / max(known, 1.0)
        error = share * (1.0 - share) / facts.drawn[a]
        total += _add_lost_values(
            deviation_probability(after - share, error), facts.counts[a, a], known
        )
    return total / n_cuts


@inner
def probabilistic_loss(facts: Numbers, memory: Memory) -> float:
    """Return the probabilistic information loss: mean over families of statistics, in percent."""
    at, d = facts.at, facts.values.shape[0]
    means = variances = covariances = correlations = quantiles = 0.0
    for a in range(d):
        means += memory.reals[at.mean_losses + a]
        variances += memory.reals[at.covariance_losses + pair(d, a, a)]
        quantiles += memory.reals[at.quantile_losses + a]
        for b in range(a + 1, d):
            covariances += memory.reals[at.covariance_losses + pair(d, a, b)]
            correlations += memory.reals[at.correlation_losses + pair(d, a, b)]
    single = (means + variances + quantiles) / d
    if d == 1:
        return 100.0 * single / 3
    return 100.0 * (single + (covariances + correlations) / (d * (d - 1) / 2)) / 5


@inner
def value_loss(facts: Numbers, memory: Memory) -> float:
    """Return the mean relative change of values (IL1), in percent."""
    d, n = facts.values.shape
    total = 0.0
    for a in range(d):
        total += memory.reals[facts.at.relative + a]
    return 100.0 * total / (d * n)


@inner
def _relative_change(before: float, after: float, fallback: float) -> float:
    scale = abs(before) if before != 0.0 else fallback
    apart = abs(before - after)
    if apart == 0.0:
        return 0.0
    return 1.0 if scale <= 0.0 else min(apart / scale, 1.0)


@inner
def _known(facts: Numbers, memory: Memory, a: int, b: int) -> float:
    """Number of records with both attributes known in the masked file."""
    return memory.reals[facts.at.counts + pair(facts.values.shape[0], a, b)]


@inner
def _is_lost(facts: Numbers, memory: Memory, a: int, b: int) -> bool:
    """Whether a statistic exists in only one of the two files."""
    return (facts.counts[a, b] > 0.0) != (_known(facts, memory, a, b) > 0.0)


@inner
def mean_loss(facts: Numbers, memory: Memory) -> float:
    """Return the mean relative change of the attributes' means (IL2), in percent."""
    d = facts.values.shape[0]
    total = 0.0
    for a in range(d):
        after = memory.reals[facts.at.sums + a * d + a] / max(_known(facts, memory, a, a), 1.0)
        moved = facts.means[a] + (after - facts.centres[a]) * facts.deviations[a]
        change = _relative_change(facts.means[a], moved, facts.mean_fallbacks[a])
        total += 1.0 if _is_lost(facts, memory, a, a) else change
    return 100.0 * total / d


@inner
def covariance_loss(facts: Numbers, memory: Memory) -> float:
    """Return the mean relative change of covariances and variances (IL3), in percent."""
    d = facts.values.shape[0]
    total = 0.0
    for a in range(d):
        for b in range(a, d):
            after = memory.reals[facts.at.covariances + pair(d, a, b)]
            fallback = facts.covariance_fallbacks[a, b]
            change = _relative_change(facts.covariances[a, b], after, fallback)
            total += 1.0 if _is_lost(facts, memory, a, b) else change
    return 100.0 * total / (d * (d + 1) / 2)


@inner
def variance_loss(facts: Numbers, memory: Memory) -> float:
    """Return the mean relative change of variances (IL4), in percent."""
    d = facts.values.shape[0]
    total = 0.0
    for a in range(d):
        after = memory.reals[facts.at.covariances + pair(d, a, a)]
        change = _relative_change(facts.covariances[a, a], after, 0.0)
        total += 1.0 if _is_lost(facts, memory, a, a) else change
    return 100.0 * total / d


@inner
def correlation_loss(facts: Numbers, memory: Memory) -> float:
    """Return the mean change of correlations (IL5), in percent; 0 for a single attribute."""
    d = facts.values.shape[0]
    total = 0.0
    for a in range(d):
        for b in range(a + 1, d):
            after = memory.reals[facts.at.correlations + pair(d, a, b)]
            change = min(abs(facts.correlations[a, b] - after), 1.0)
            total += 1.0 if _is_lost(facts, memory, a, b) else change
    return 100.0 * total / max(d * (d - 1) / 2, 1.0)
