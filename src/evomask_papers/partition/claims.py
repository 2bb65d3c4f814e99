"""Claims of Solanas et al. (2006) about their figures, tested on runs."""

from collections.abc import Sequence

import numpy as np

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


def optimum_claim(made: Sequence[Trial], printed: float, least: float) -> str:
    """Figure 1: the computed and the printed optimum, and whether it is always found."""
    both = with_both_rates(made)
    found = sum(is_as_low(trial.sse, least) for trial in both)
    return (
        f"The optimum is {printed:.2f} in the paper and {least:.2f} here. The paper says, and "
        f"ours show: it is always found where both rates are above 0: {_yes(found == len(both))} "
        f"({found} of {len(both)} runs, {percent_found(both, least):.2f} %)."
    )


def growth_claim(made: Sequence[Trial]) -> str:
    """Figures 2 and 3: whether the epoch of convergence grows with the mutation rate."""
    rates = sorted({trial.mutation for trial in made})
    means = [float(np.mean([t.epoch for t in made if t.mutation == rate])) for rate in rates]
    risen = int(np.sum(np.diff(means) > 0))
    return (
        f"From mutation rate {rates[0]:g} to {rates[-1]:g} the mean epoch goes from "
        f"{means[0]:.0f} to {means[-1]:.0f}. The paper says, and ours show: it grows with the "
        f"mutation rate: {_yes(risen == len(rates) - 1)} (at {risen} of {len(rates) - 1} steps)."
    )


def rates_claim(made: Sequence[Trial], most: float) -> str:
    """Figure 4: whether the smallest sums have the mutation rates stated in the paper."""
    means = pair_means(made, "sse")
    crossovers = sorted({crossover for _, crossover in means})
    best = [_best_mutation(means, crossover) for crossover in crossovers]
    inside = sum(LOWEST_RATE <= rate <= most for rate in best)
    span = f"{LOWEST_RATE:g}" if most == LOWEST_RATE else f"{LOWEST_RATE:g} to {most:g}"
    return (
        f"The paper says, and ours show: the smallest sums have a mutation rate of {span}: "
        f"{_yes(inside == len(best))} (at {inside} of {len(best)} crossover rates; the rates are "
        f"{', '.join(f'{rate:g}' for rate in sorted(set(best)))})."
    )


def _best_mutation(means: dict[tuple[float, float], float], crossover: float) -> float:
    pairs = [pair for pair in means if pair[1] == crossover]
    return min(pairs, key=lambda pair: means[pair])[0]


def _yes(held: bool) -> str:
    return "yes" if held else "no"
