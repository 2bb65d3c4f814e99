"""Losses and interval disclosure of continuous attributes under changes of single cells.

Sums, products and counts of every pair of attributes are kept; one changed cell touches one
row of them, so a change costs O(d) and no more than one binary search in the records. The
quantiles of the probabilistic loss are the original's, so a change moves whole counts up to
19 fixed cuts and nothing has to be sorted again.
"""

import math
from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import OWN_FLOATS, OWN_INDICES, OWN_POINTS, WHOLE, bundle, inner
from evomask.kernels.sorting import place_before, place_behind
from evomask.kernels.tracked.memory import Memory, add_real, add_whole, write_real

ROUNDING = 1e-9
"""A standardised difference below this is rounding, not loss."""

FLAT = 1e-12
"""Products of deviations below this have no correlation."""


class NumberPlaces(NamedTuple):
    """Where the state of continuous attributes begins in a memory."""

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
    """Sums of relative differences of cells, for each attribute."""

    moved: int
    """Sums of distances of cells, for each attribute."""

    up_to: int
    """Among whole numbers: masked values up to each cut."""

    hits: int
    """Among whole numbers: windows that hold a cell, summed over records."""


class Numbers(NamedTuple):
    """Continuous attributes of an original: one attribute a row, records as columns."""

    values: Points
    ranks: Points
    scales: Points
    """What a difference of each value is divided by in IL1."""

    sorted: Floats
    ends: Indices
    """Attribute a has the sorted values from ends[a] to ends[a + 1]."""

    windows: Floats
    spreads: Floats
    """What differences are divided by in distances."""

    means: Floats
    deviations: Floats
    """Deviations that standardise: 1 for a constant attribute."""

    centres: Floats
    """Standardised means: 0 but for rounding."""

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
    """Records in the sample whose errors quantiles are compared with."""

    at: NumberPlaces


NUMBERS = bundle(
    Numbers, *[OWN_POINTS] * 3, OWN_FLOATS, OWN_INDICES, *[OWN_FLOATS] * 7, *[OWN_POINTS] * 8,
    OWN_FLOATS,
    bundle(NumberPlaces, *[WHOLE] * len(NumberPlaces._fields)),
)  # fmt: skip


@inner
def pair(d: int, a: int, b: int) -> int:
    """Place of an unordered pair in a square matrix."""
    return a * d + b if a < b else b * d + a


@inner
def surprise(difference: float, variance: float) -> float:
    """2 Phi(|difference| / standard error) - 1."""
    apart = abs(difference)
    if apart < ROUNDING:
        return 0.0
    if variance <= ROUNDING * ROUNDING:
        return 1.0
    return math.erf(apart / math.sqrt(variance) / math.sqrt(2.0))


@inner
def _worsened(loss: float, before: float, after: float) -> float:
    """A loss where the number of known values has changed too."""
    gone = abs(before - after) / max(before, after, 1.0)
    return 1.0 - (1.0 - gone) * (1.0 - loss)


@inner
def capped(before: float, after: float, scale: float) -> float:
    """Difference of two cells over a scale, at most 1; missing agrees with missing only."""
    if np.isnan(before) or np.isnan(after):
        return 0.0 if np.isnan(before) and np.isnan(after) else 1.0
    apart = abs(before - after)
    if apart == 0.0:
        return 0.0
    return 1.0 if scale <= 0.0 else min(apart / scale, 1.0)


@inner
def rank_of(facts: Numbers, a: int, value: float) -> float:
    """Where a number would stand among the original values, as a mean rank."""
    if np.isnan(value):
        return np.nan
    known = facts.sorted[facts.ends[a] : facts.ends[a + 1]]
    return (place_before(known, value) + place_behind(known, value) + 1) / 2


@inner
def windows_around(windows: Floats, ours: float, theirs: float) -> int:
    """How many windows hold two ranks; all of them where both are missing."""
    if np.isnan(ours) or np.isnan(theirs):
        return windows.size if np.isnan(ours) and np.isnan(theirs) else 0
    apart = abs(theirs - ours)
    count = 0
    for window in windows:
        count += apart <= window
    return count


@inner
def change_number(facts: Numbers, memory: Memory, record: int, a: int, value: float) -> None:
    """Write another value into a cell, and all that follows from it."""
    at = facts.at
    cell = a * facts.values.shape[1] + record
    old = memory.reals[at.values + cell]
    _change_cell(facts, memory, record, a, old, value)
    _change_sums(facts, memory, record, a, old, value)
    for q in range(facts.cuts.shape[1]):
        cut = facts.cuts[a, q]
        if (value <= cut) != (old <= cut):
            place = at.up_to + a * facts.cuts.shape[1] + q
            add_whole(memory, place, 1 if value <= cut else -1)
    write_real(memory, at.values + cell, value)
    refresh_number(facts, memory, a)


@inner
def _change_cell(
    facts: Numbers, memory: Memory, record: int, a: int, old: float, value: float
) -> None:
    at, x, scale = facts.at, facts.values[a, record], facts.scales[a, record]
    spread = facts.spreads[a]
    add_real(memory, at.relative + a, capped(x, value, scale) - capped(x, old, scale))
    add_real(memory, at.moved + a, capped(x, value, spread) - capped(x, old, spread))
    rank = rank_of(facts, a, value)
    place = at.ranks + a * facts.values.shape[1] + record
    own = facts.ranks[a, record]
    before = windows_around(facts.windows, own, memory.reals[place])
    add_whole(memory, at.hits + a, windows_around(facts.windows, own, rank) - before)
    write_real(memory, place, rank)


@inner
def standard(facts: Numbers, a: int, value: float) -> float:
    """A value on the original's standard scale; 0 where missing."""
    return 0.0 if np.isnan(value) else (value - facts.means[a]) / facts.deviations[a]


@inner
def _change_sums(
    facts: Numbers, memory: Memory, record: int, a: int, old: float, value: float
) -> None:
    at, d, n = facts.at, facts.values.shape[0], facts.values.shape[1]
    z_old, z_new = standard(facts, a, old), standard(facts, a, value)
    known = (1.0 if np.isnan(old) else 0.0) - (1.0 if np.isnan(value) else 0.0)
    for b in range(d):
        other = memory.reals[at.values + b * n + record]
        if b == a:
            add_real(memory, at.products + pair(d, a, a), z_new * z_new - z_old * z_old)
        elif np.isnan(other):
            continue
        else:
            z = standard(facts, b, other)
            add_real(memory, at.products + pair(d, a, b), (z_new - z_old) * z)
            if known != 0.0:
                add_real(memory, at.sums + b * d + a, known * z)
        add_real(memory, at.sums + a * d + b, z_new - z_old)
        if known != 0.0:
            add_real(memory, at.counts + pair(d, a, b), known)


@inner
def refresh_number(facts: Numbers, memory: Memory, a: int) -> None:
    """Covariances, correlations and losses of one attribute, from its sums."""
    at, d = facts.at, facts.values.shape[0]
    _refresh_covariance(facts, memory, a, a)
    for b in range(d):
        if b != a:
            _refresh_covariance(facts, memory, a, b)
            _refresh_correlation(facts, memory, a, b)
    known = memory.reals[at.counts + pair(d, a, a)]
    mean = memory.reals[at.sums + a * d + a] / max(known, 1.0)
    loss = surprise(mean - facts.centres[a], facts.mean_errors[a])
    write_real(memory, at.mean_losses + a, _worsened(loss, facts.counts[a, a], known))
    write_real(memory, at.quantile_losses + a, _quantile_loss(facts, memory, a, known))


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
    write_real(memory, at.covariances + place, covariance)
    loss = surprise(covariance - facts.covariances[a, b], facts.covariance_errors[a, b])
    loss = _worsened(loss, facts.counts[a, b], known)
    write_real(memory, at.covariance_losses + place, loss)


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
    write_real(memory, at.correlations + place, correlation)
    loss = surprise(correlation - facts.correlations[a, b], facts.correlation_errors[a, b])
    loss = _worsened(loss, facts.counts[a, b], memory.reals[at.counts + place])
    write_real(memory, at.correlation_losses + place, loss)


@inner
def _quantile_loss(facts: Numbers, memory: Memory, a: int, known: float) -> float:
    n_cuts = facts.cuts.shape[1]
    total = 0.0
    for q in range(n_cuts):
        share = facts.shares[a, q]
        after = memory.wholes[facts.at.up_to + a * n_cuts + q] / max(known, 1.0)
        error = share * (1.0 - share) / facts.drawn[a]
        total += _worsened(surprise(after - share, error), facts.counts[a, a], known)
    return total / n_cuts
