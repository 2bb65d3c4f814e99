"""Which parameters of the genetic algorithm matter (Solanas et al., 2006, sections III and IV).

The algorithm runs at every point of a grid of rates and sizes. Analysis of variance tells which
of them matter for the sum of squares; of each that does, the values stay that neither Tukey's
nor Scheffé's test tells from the best one. Among these it is repeated for the epoch of
convergence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from evomask.arrays import Flags, Floats, Points
from evomask.data.partition import within_sum_of_squares
from evomask.evolution.streams import trial_stream
from evomask.searches.partition.genetic import Rates, begun, continued

FACTORS = "mutation", "crossover", "chromosomes"
LEVEL = 0.05
TENTHS = tuple(round(0.1 * i, 1) for i in range(11))


@dataclass(frozen=True)
class FactorialDesign:
    """Values tried of each parameter, and how often each combination is run."""

    mutation: Sequence[float] = TENTHS
    crossover: Sequence[float] = TENTHS
    chromosomes: Sequence[int] = tuple(range(10, 101, 10))
    runs: int = 10
    epochs: int = 10_000


class Trial(NamedTuple):
    """One run of the genetic algorithm: its parameters, the sum of squares it reached, and when."""

    mutation: float
    crossover: float
    chromosomes: int
    sse: float
    epoch: int


def trials(points: Points, k: int, design: FactorialDesign, seed: int) -> list[Trial]:
    """All runs of a design, in its order; each has a random stream of its own."""
    made = []
    settings = product(design.mutation, design.crossover, design.chromosomes, range(design.runs))
    for number, (mutation, crossover, chromosomes, _) in enumerate(settings):
        rng = trial_stream(seed, number)
        rates = Rates(chromosomes, mutation, crossover, design.epochs)
        end = continued(points, k, rates, begun(points, k, rates, rng), design.epochs, rng)
        sse = within_sum_of_squares(points, end.labels)
        made.append(Trial(mutation, crossover, chromosomes, sse, end.arisen))
    return made


def best_values(made: Sequence[Trial]) -> Mapping[str, tuple[float, ...]]:
    """Values of each parameter that reach the least sum of squares, and of these the fastest."""
    kept = _narrowed(list(made), "sse")
    fastest = _narrowed(kept, "epoch")
    return {name: tuple(sorted({getattr(t, name) for t in fastest})) for name in FACTORS}


def _narrowed(made: list[Trial], response: str) -> list[Trial]:
    """The trials at the best values of every parameter that matters for the response."""
    matters = significant(made, response)
    for name in matters:
        best = set(_best_group(made, name, response))
        made = [trial for trial in made if getattr(trial, name) in best]
    return made


def significant(made: Sequence[Trial], response: str) -> tuple[str, ...]:
    """The parameters that analysis of variance finds to matter, at the level of 5 percent."""
    varied = [name for name in FACTORS if len({getattr(t, name) for t in made}) > 1]
    values = np.array([getattr(t, response) for t in made], dtype=np.float64)
    if not varied or np.ptp(values) <= 1e-9 * max(1.0, float(np.abs(values).max())):
        return ()
    return tuple(name for name in varied if _chance(made, values, varied, name) < LEVEL)


def _chance(made: Sequence[Trial], values: Floats, varied: Sequence[str], name: str) -> float:
    """How likely the part of one parameter in the additive model is, had it no effect."""
    from scipy.stats import f

    rest, width = _left_over(made, values, varied)
    without, narrower = _left_over(made, values, [other for other in varied if other != name])
    spare = len(values) - width
    ratio = (without - rest) / (width - narrower) / (rest / spare)
    return float(f.sf(ratio, width - narrower, spare))


def _left_over(made: Sequence[Trial], values: Floats, names: Sequence[str]) -> tuple[float, int]:
    """Sum of squares that an additive model leaves, and how many numbers it fits."""
    columns = [np.ones(len(made))]
    for name in names:
        settings = np.array([getattr(t, name) for t in made])
        columns += [(settings == value).astype(np.float64) for value in np.unique(settings)[1:]]
    design = np.column_stack(columns)
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(np.sum((values - fitted) ** 2)), design.shape[1]


def _best_group(made: Sequence[Trial], name: str, response: str) -> list[float]:
    """The values of a parameter that are not told from the one with the smallest mean."""
    groups: dict[float, list[float]] = {}
    for trial in made:
        groups.setdefault(getattr(trial, name), []).append(getattr(trial, response))
    order = sorted(groups, key=lambda value: np.mean(groups[value]))
    samples = [np.array(groups[value], dtype=np.float64) for value in order]
    same = _as_good_by_tukey(samples) & _as_good_by_scheffe(samples)
    return [value for value, keeps in zip(order, same, strict=True) if keeps]


def _as_good_by_tukey(samples: Sequence[Floats]) -> Flags:
    """Which samples Tukey's test does not tell from the first."""
    from scipy.stats import tukey_hsd

    if len(samples) < 2 or max(np.ptp(sample) for sample in samples) == 0:
        return np.array([np.mean(sample) == np.mean(samples[0]) for sample in samples])
    same: Flags = np.asarray(tukey_hsd(*samples).pvalue)[0] >= LEVEL
    return same


def _as_good_by_scheffe(samples: Sequence[Floats]) -> Flags:
    """Which samples Scheffé's test does not tell from the first."""
    from scipy.stats import f

    spare = sum(map(len, samples)) - len(samples)
    within = sum(float(np.sum((sample - sample.mean()) ** 2)) for sample in samples) / spare
    if len(samples) < 2 or within == 0:
        return np.array([np.mean(sample) == np.mean(samples[0]) for sample in samples])
    apart = np.array([(sample.mean() - samples[0].mean()) ** 2 for sample in samples])
    scale = np.array([within * (1 / len(sample) + 1 / len(samples[0])) for sample in samples])
    chances = f.sf(apart / scale / (len(samples) - 1), len(samples) - 1, spare)
    same: Flags = np.asarray(chances) >= LEVEL
    return same
