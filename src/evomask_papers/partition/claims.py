"""Claims of Solanas et al. (2006) about their figures, tested on runs."""

from collections.abc import Sequence

import numpy as np

from evomask_papers.claims import Claim
from evomask_papers.partition.sensitivity import Trial, pair_means

SAME = 1e-9
"""Sums that differ by a smaller share are the same."""

LOWEST_RATE = 0.1


def is_as_low(sse: float, least: float) -> bool:
    """Whether a sum of squares equals the minimum, up to rounding."""
    return sse <= least * (1 + SAME)


def with_both_rates(made: Sequence[Trial]) -> list[Trial]:
    """The runs whose mutation and crossover rates are both above 0."""
    return [trial for trial in made if trial.mutation > 0 and trial.crossover > 0]


def percent_found(made: Sequence[Trial], least: float) -> float:
    """Percent of runs that reached the least sum of squares."""
    return 100.0 * sum(is_as_low(trial.sse, least) for trial in made) / len(made)


def optimum_claim(made: Sequence[Trial], printed: float, least: float) -> Claim:
    """Figure 1: the computed and the printed optimum, and whether it is always found."""
    both = with_both_rates(made)
    found = sum(is_as_low(trial.sse, least) for trial in both)
    return Claim(
        f"the optimum ({printed:.2f}) is always found where both rates are above 0",
        found == len(both),
        {"percent of these runs": percent_found(both, least), "optimum": least},
        source="Paper",
    )


def growth_claim(made: Sequence[Trial]) -> Claim:
    """Figures 2 and 3: whether the epoch of convergence grows with the mutation rate."""
    rates = sorted({trial.mutation for trial in made})
    means = [float(np.mean([t.epoch for t in made if t.mutation == rate])) for rate in rates]
    risen = int(np.sum(np.diff(means) > 0))
    return Claim(
        "the mean epoch grows with the mutation rate",
        risen == len(rates) - 1,
        {
            "from": means[0], "to": means[-1],
            "steps between rates": len(rates) - 1, "of which it grows at": risen,
        },
        source="Paper",
    )  # fmt: skip


def rates_claim(made: Sequence[Trial], most: float) -> Claim:
    """Figure 4: whether the smallest sums have the mutation rates stated in the paper."""
    means = pair_means(made, "sse")
    crossovers = sorted({crossover for _, crossover in means})
    best = [_best_mutation(means, crossover) for crossover in crossovers]
    inside = sum(LOWEST_RATE <= rate <= most for rate in best)
    span = f"{LOWEST_RATE:g}" if most == LOWEST_RATE else f"{LOWEST_RATE:g} to {most:g}"
    return Claim(
        f"the smallest sums have a mutation rate of {span}",
        inside == len(best),
        {
            "crossover rates": len(best), "of which it is so at": inside,
            "smallest mutation rate": min(best), "largest": max(best),
        },
        source="Paper",
    )  # fmt: skip


def _best_mutation(means: dict[tuple[float, float], float], crossover: float) -> float:
    pairs = [pair for pair in means if pair[1] == crossover]
    return min(pairs, key=lambda pair: means[pair])[0]
