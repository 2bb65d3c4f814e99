"""Losses of continuous attributes read from a tracked state, in percent."""

from evomask.kernels.compiler import inner
from evomask.kernels.tracked.memory import Memory
from evomask.kernels.tracked.numbers import Numbers, pair


@inner
def probabilistic_loss(facts: Numbers, memory: Memory) -> float:
    """The mean over families of statistics of their mean losses."""
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
    """Mean relative change of values (IL1), in percent."""
    d, n = facts.values.shape
    total = 0.0
    for a in range(d):
        total += memory.reals[facts.at.relative + a]
    return 100.0 * total / (d * n)


@inner
def _changed(before: float, after: float, fallback: float) -> float:
    scale = abs(before) if before != 0.0 else fallback
    apart = abs(before - after)
    if apart == 0.0:
        return 0.0
    return 1.0 if scale <= 0.0 else min(apart / scale, 1.0)


@inner
def _known(facts: Numbers, memory: Memory, a: int, b: int) -> float:
    """Records known in both of two attributes of the masked file."""
    return memory.reals[facts.at.counts + pair(facts.values.shape[0], a, b)]


@inner
def _is_lost(facts: Numbers, memory: Memory, a: int, b: int) -> bool:
    """Whether a statistic can be taken from the one file only."""
    return (facts.counts[a, b] > 0.0) != (_known(facts, memory, a, b) > 0.0)


@inner
def mean_loss(facts: Numbers, memory: Memory) -> float:
    """Mean relative change of the attributes' means (IL2), in percent."""
    d = facts.values.shape[0]
    total = 0.0
    for a in range(d):
        after = memory.reals[facts.at.sums + a * d + a] / max(_known(facts, memory, a, a), 1.0)
        moved = facts.means[a] + (after - facts.centres[a]) * facts.deviations[a]
        change = _changed(facts.means[a], moved, facts.mean_fallbacks[a])
        total += 1.0 if _is_lost(facts, memory, a, a) else change
    return 100.0 * total / d


@inner
def covariance_loss(facts: Numbers, memory: Memory) -> float:
    """Mean relative change of covariances, variances among them (IL3), in percent."""
    d = facts.values.shape[0]
    total = 0.0
    for a in range(d):
        for b in range(a, d):
            after = memory.reals[facts.at.covariances + pair(d, a, b)]
            fallback = facts.covariance_fallbacks[a, b]
            change = _changed(facts.covariances[a, b], after, fallback)
            total += 1.0 if _is_lost(facts, memory, a, b) else change
    return 100.0 * total / (d * (d + 1) / 2)


@inner
def variance_loss(facts: Numbers, memory: Memory) -> float:
    """Mean relative change of variances (IL4), in percent."""
    d = facts.values.shape[0]
    total = 0.0
    for a in range(d):
        after = memory.reals[facts.at.covariances + pair(d, a, a)]
        change = _changed(facts.covariances[a, a], after, 0.0)
        total += 1.0 if _is_lost(facts, memory, a, a) else change
    return 100.0 * total / d


@inner
def correlation_loss(facts: Numbers, memory: Memory) -> float:
    """Mean change of correlations (IL5), in percent; 0 for a single attribute."""
    d = facts.values.shape[0]
    total = 0.0
    for a in range(d):
        for b in range(a + 1, d):
            after = memory.reals[facts.at.correlations + pair(d, a, b)]
            change = min(abs(facts.correlations[a, b] - after), 1.0)
            total += 1.0 if _is_lost(facts, memory, a, b) else change
    return 100.0 * total / max(d * (d - 1) / 2, 1.0)
