"""Sensitivity study of the genetic algorithm's parameters (Solanas et al., 2006, sections III and
IV).

The algorithm runs at every point of a grid of rates and sizes. Analysis of variance decides which
parameters matter for the sum of squares; of each significant one, the values are kept that neither
Tukey's nor Scheffé's test separates from the best one. Among these it is repeated for the epoch of
convergence. The paper does not say which error the tests use: the variation among runs at one value
of the parameter (one way), or the residual of an additive model of all parameters (jointly), as
statistical packages do with several factors.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from evomask.data.partition import within_sum_of_squares
from evomask.evolution.streams import trial_stream
from evomask.searches.partition.genetic import Rates, initial_population, run_epochs
from evomask.types import Flags, Floats, Points

FACTORS = "mutation", "crossover", "chromosomes"
LEVEL = 0.05
TENTHS = tuple(round(0.1 * i, 1) for i in range(11))


@dataclass(frozen=True)
class FactorialDesign:
    """Values of each parameter, and the number of runs of each combination."""

    mutation: Sequence[float] = TENTHS
    crossover: Sequence[float] = TENTHS
    chromosomes: Sequence[int] = tuple(range(10, 101, 10))
    runs: int = 10
    epochs: int = 10_000


class Trial(NamedTuple):
    """One run of the genetic algorithm: parameters, sum of squares reached, and epoch."""

    mutation: float
    crossover: float
    chromosomes: int
    sse: float
    epoch: int


def trials(
    points: Points, k: int, design: FactorialDesign, seed: int, proven: float = 0.0
) -> Iterator[Trial]:
    """All runs of a design, in its order; each has its own random stream.

    Args:
        proven: the minimum sum of squares, if known; a run that reaches it stops.
    """
    settings = product(design.mutation, design.crossover, design.chromosomes, range(design.runs))
    for number, (mutation, crossover, chromosomes, _) in enumerate(settings):
        rng = trial_stream(seed, number)
        rates = Rates(chromosomes, mutation, crossover, design.epochs)
        first = initial_population(points, k, rates, rng)
        end = run_epochs(points, k, rates, first, design.epochs, rng, proven=proven)
        sse = within_sum_of_squares(points, end.labels)
        yield Trial(mutation, crossover, chromosomes, sse, end.arisen)


class Error(NamedTuple):
    """Mean square error for comparing means, and its degrees of freedom."""

    square: float
    spare: int


def best_values(made: Sequence[Trial], *, jointly: bool = False) -> Mapping[str, tuple[float, ...]]:
    """Return the values of each parameter that reach the least sum of squares, and of these the
    fastest.

    Args:
        jointly: whether values are compared by the residual error of all parameters together.
    """
    kept = _narrowed(list(made), "sse", jointly)
    fastest = _narrowed(kept, "epoch", jointly)
    return {name: tuple(sorted({getattr(t, name) for t in fastest})) for name in FACTORS}


def _narrowed(made: list[Trial], response: str, jointly: bool) -> list[Trial]:
    """The trials at the best values of every parameter that matters for the response."""
    matters = significant(made, response)
    for name in matters:
        best = set(best_group(made, name, response, jointly=jointly))
        made = [trial for trial in made if getattr(trial, name) in best]
    return made


def significant(made: Sequence[Trial], response: str) -> tuple[str, ...]:
    """Parameters that matter by analysis of variance at the 5 percent level."""
    varied = [name for name in FACTORS if len({getattr(t, name) for t in made}) > 1]
    values = np.array([getattr(t, response) for t in made], dtype=np.float64)
    if not varied or np.ptp(values) <= 1e-9 * max(1.0, float(np.abs(values).max())):
        return ()
    return tuple(name for name in varied if _chance(made, values, varied, name) < LEVEL)


def _chance(made: Sequence[Trial], values: Floats, varied: Sequence[str], name: str) -> float:
    """P-value of one parameter in the additive model."""
    from scipy.stats import f

    rest, width = _left_over(made, values, varied)
    without, narrower = _left_over(made, values, [other for other in varied if other != name])
    spare = len(values) - width
    ratio = (without - rest) / (width - narrower) / (rest / spare)
    return float(f.sf(ratio, width - narrower, spare))


def _left_over(made: Sequence[Trial], values: Floats, names: Sequence[str]) -> tuple[float, int]:
    """Residual sum of squares of an additive model, and its number of coefficients."""
    columns = [np.ones(len(made))]
    for name in names:
        settings = np.array([getattr(t, name) for t in made])
        columns += [(settings == value).astype(np.float64) for value in np.unique(settings)[1:]]
    design = np.column_stack(columns)
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return float(np.sum((values - fitted) ** 2)), design.shape[1]


def best_group(
    made: Sequence[Trial], name: str, response: str, *, jointly: bool = False
) -> list[float]:
    """Values of a parameter that are not separated from the one with the smallest mean."""
    groups: dict[float, list[float]] = {}
    for trial in made:
        groups.setdefault(getattr(trial, name), []).append(getattr(trial, response))
    order = sorted(groups, key=lambda value: np.mean(groups[value]))
    samples = [np.array(groups[value], dtype=np.float64) for value in order]
    error = _joint_error(made, response) if jointly else _error_within(samples)
    same = _as_good(samples, error)
    return [value for value, keeps in zip(order, same, strict=True) if keeps]


def _error_within(samples: Sequence[Floats]) -> Error:
    spare = sum(map(len, samples)) - len(samples)
    within = sum(float(np.sum((sample - sample.mean()) ** 2)) for sample in samples)
    return Error(within / spare if spare else 0.0, spare)


def _joint_error(made: Sequence[Trial], response: str) -> Error:
    values = np.array([getattr(t, response) for t in made], dtype=np.float64)
    rest, width = _left_over(made, values, FACTORS)
    spare = len(values) - width
    return Error(rest / spare if spare > 0 else 0.0, spare)


def _as_good(samples: Sequence[Floats], error: Error) -> Flags:
    """Samples that neither Tukey's nor Scheffé's test separates from the first."""
    from scipy.stats import f, studentized_range

    means = np.array([sample.mean() for sample in samples])
    if len(samples) < 2 or error.square <= 0:
        alike: Flags = means == means[0]
        return alike
    apart = (means - means[0]) ** 2
    inverse = np.array([1 / len(sample) + 1 / len(samples[0]) for sample in samples])
    scaled = apart / (error.square * inverse)
    count = len(samples)
    tukey = studentized_range.sf(np.sqrt(2 * scaled), count, error.spare)
    scheffe = f.sf(scaled / (count - 1), count - 1, error.spare)
    same: Flags = (tukey >= LEVEL) & (scheffe >= LEVEL)
    return same
