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
from typing import Any, NamedTuple

import numpy as np

from evomask.data.chart import Axis, Chart, HeatMap
from evomask.data.partition import within_sum_of_squares
from evomask.errors import ParameterError
from evomask.evolution.streams import trial_stream
from evomask.runs.store.run_summary import finite_json
from evomask.searches.partition.genetic import Rates, initial_population, run_epochs
from evomask.types import Floats, Points
from evomask_papers.analysis_of_variance import (
    Comparisons,
    Effect,
    Settings,
    analyse_variance,
    compare_means,
    error_within,
    joint_error,
)

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

    def __post_init__(self) -> None:
        for name in FACTORS:
            values = getattr(self, name)
            if not values or len(set(values)) < len(values):
                raise ParameterError(f"{name} needs one or more different values, got {values}")
        if self.runs < 1:
            raise ParameterError(f"runs must be at least 1, got {self.runs}")
        for mutation, crossover in product(self.mutation, self.crossover):
            Rates(min(self.chromosomes), mutation, crossover, self.epochs)

    @property
    def trials(self) -> int:
        """Number of runs in all."""
        return len(self.mutation) * len(self.crossover) * len(self.chromosomes) * self.runs


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


@dataclass(frozen=True, eq=False)
class FactorAnalysis:
    """What one parameter does to a response.

    Args:
        values: its values in the order of their means, the smallest first.
        effect: None if it does not vary, or all runs have the same response.
        comparisons: p-values of all pairs of values; None if the parameter has no significant
            effect.
        best: the values that neither test separates from the first; all without an effect.
    """

    name: str
    values: tuple[float, ...]
    means: tuple[float, ...]
    effect: Effect | None
    comparisons: Comparisons | None
    best: tuple[float, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        tests = None if self.comparisons is None else self.comparisons._asdict()
        return {
            "name": self.name,
            "values": list(self.values),
            "means": list(self.means),
            "effect": None if self.effect is None else finite_json(self.effect._asdict()),
            "comparisons": tests and {test: p.tolist() for test, p in tests.items()},
            "best": list(self.best),
        }


@dataclass(frozen=True, eq=False)
class ResponseAnalysis:
    """Analysis of one response, ``sse`` or ``epoch``, over a number of runs."""

    response: str
    runs: int
    factors: tuple[FactorAnalysis, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        factors = [factor.as_json for factor in self.factors]
        return {"response": self.response, "runs": self.runs, "factors": factors}


@dataclass(frozen=True, eq=False)
class SensitivityStudy:
    """Runs of the genetic algorithm over a design, and which parameter values are best.

    Args:
        analyses: of the sum of squares over all runs, and of the epoch of convergence over the
            runs at the values that are best for the sum.
        best: the values of each parameter that reach the least sum, and of these the fastest.
    """

    trials: tuple[Trial, ...]
    analyses: tuple[ResponseAnalysis, ...]
    best: Mapping[str, tuple[float, ...]]

    @classmethod
    def of(cls, made: Sequence[Trial], *, jointly: bool = False) -> "SensitivityStudy":
        """Analyse runs.

        Args:
            jointly: whether values are compared by the residual error of all parameters together.
        """
        by_sse, good = _analyse(list(made), "sse", jointly)
        by_epoch, fastest = _analyse(good, "epoch", jointly)
        best = {name: tuple(sorted({getattr(t, name) for t in fastest})) for name in FACTORS}
        return cls(tuple(made), (by_sse, by_epoch), best)

    @property
    def least(self) -> Trial:
        """The run with the smallest sum of squares, the first of equal ones."""
        return min(self.trials, key=lambda trial: trial.sse)

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "runs": len(self.trials),
            "least": self.least._asdict(),
            "best": {name: list(values) for name, values in self.best.items()},
            "analyses": [analysis.as_json for analysis in self.analyses],
        }

    @property
    def charts(self) -> list[Chart]:
        """Mean sum of squares and mean epoch of each pair of rates."""
        return [_surface(self.trials, *named) for named in RESPONSES.items()]


RESPONSES = {"sse": "sum of squares", "epoch": "epoch of convergence"}


def pair_means(made: Sequence[Trial], response: str) -> dict[tuple[float, float], float]:
    """Return the mean over all sizes and runs of each pair of mutation and crossover rates."""
    values: dict[tuple[float, float], list[float]] = {}
    for trial in made:
        pair = trial.mutation, trial.crossover
        values.setdefault(pair, []).append(float(getattr(trial, response)))
    return {pair: float(np.mean(here)) for pair, here in values.items()}


def _surface(made: Sequence[Trial], response: str, what: str) -> Chart:
    means = pair_means(made, response)
    mutations, crossovers = (sorted(set(rates)) for rates in zip(*means, strict=True))
    (low, _), smallest = min(means.items(), key=lambda item: item[1])
    return Chart(
        f"sensitivity-{response}",
        f"{what.capitalize()} by rates",
        f"Mean {what} of each pair of rates; the smallest, {smallest:.4g}, has mutation rate "
        f"{low:g}.",
        Axis("crossover rate", tuple(f"{rate:g}" for rate in crossovers)),
        Axis("mutation rate", tuple(f"{rate:g}" for rate in mutations)),
        heat=HeatMap(
            f"mean {what}",
            tuple(tuple(means[mutation, c] for c in crossovers) for mutation in mutations),
        ),
    )


def _analyse(
    made: list[Trial], response: str, jointly: bool
) -> tuple[ResponseAnalysis, list[Trial]]:
    """Analyse a response; also return the runs at the best values of every significant factor.

    A parameter is compared on the runs at the best values of those before it.
    """
    effects = analyse_variance(_settings(made), _responses(made, response))
    runs = len(made)
    factors = []
    for name in FACTORS:
        effect = effects.get(name)
        matters = effect is not None and effect.p < LEVEL
        factor = _analyse_factor(made, name, response, jointly, effect, matters)
        if matters:
            made = [trial for trial in made if getattr(trial, name) in set(factor.best)]
        factors.append(factor)
    return ResponseAnalysis(response, runs, tuple(factors)), made


def _analyse_factor(
    made: Sequence[Trial],
    name: str,
    response: str,
    jointly: bool,
    effect: Effect | None,
    matters: bool,
) -> FactorAnalysis:
    groups: dict[float, list[float]] = {}
    for trial in made:
        groups.setdefault(getattr(trial, name), []).append(getattr(trial, response))
    values = tuple(sorted(groups, key=lambda value: np.mean(groups[value])))
    samples = [np.array(groups[value], dtype=np.float64) for value in values]
    means = tuple(float(sample.mean()) for sample in samples)
    if not matters:
        return FactorAnalysis(name, values, means, effect, None, values)
    error = (
        joint_error(_settings(made), _responses(made, response))
        if jointly
        else error_within(samples)
    )
    tests = compare_means(samples, error)
    same = (tests.tukey[0] >= LEVEL) & (tests.scheffe[0] >= LEVEL)
    best = tuple(value for value, keeps in zip(values, same, strict=True) if keeps)
    return FactorAnalysis(name, values, means, effect, tests, best)


def _settings(made: Sequence[Trial]) -> dict[str, Settings]:
    return {name: np.array([getattr(t, name) for t in made]) for name in FACTORS}


def _responses(made: Sequence[Trial], response: str) -> Floats:
    return np.array([getattr(t, response) for t in made], dtype=np.float64)
