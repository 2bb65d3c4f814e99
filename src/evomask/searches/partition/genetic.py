"""The genetic algorithm of Solanas et al. (2006) and the hybrids built on it (2007).

The genome of the genetic algorithm is its whole population; one task is a burst of epochs. In the
hybrids of Martínez-Ballesté et al. a heuristic forms macrogroups and a search refines each.
One-step: the heuristic forms groups of K records. Two-step: it forms groups of k, then groups of
K/k of their centroids; the inner search starts from the groups of k, so the result is never worse
than the heuristic (Lemma 1).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.data.partition import canonical, centroids, join_groups, within_sum_of_squares
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.individual import FIRST, Brood, Outcome, Task
from evomask.evolution.schemes import Unbred
from evomask.evolution.state import State
from evomask.kernels.generator import draw_seed
from evomask.kernels.groups.annealing import anneal, center_and_pad
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.genetic import evolve_genomes, initial_genomes
from evomask.kernels.groups.mdav import mdav
from evomask.searches.base import MaskingProblem
from evomask.searches.partition.genome import near_count, near_records
from evomask.searches.partition.operators import best_of_components
from evomask.searches.partition.problem import RECOMBINE, PartitionProblem
from evomask.types import Indices, Labels, Points

BREED = "breed"

BURST = 1_000
"""Epochs per task."""


@dataclass(frozen=True)
class Rates:
    """Parameters of the genetic algorithm.

    Args:
        chromosomes: size of the population.
        mutation: rate at which a gene changes to a random group.
        crossover: rate at which a pair of parents is crossed.
        epochs: number of generations.
        per_gene: whether the mutation rate is per gene, as in the paper; otherwise per genome,
            which keeps long genomes valid.
    """

    chromosomes: int = 100
    mutation: float = 0.1
    crossover: float = 0.3
    epochs: int = 10_000
    per_gene: bool = True

    def __post_init__(self) -> None:
        if self.chromosomes < 2 or self.epochs < 1:
            raise ParameterError("the genetic algorithm needs 2 chromosomes and 1 epoch or more")
        if not (0 <= self.mutation <= 1 and 0 <= self.crossover <= 1):
            raise ParameterError("mutation and crossover are rates and must lie in [0, 1]")


WHOLE_FILE = Rates()
"""Best values of the sensitivity study (results 2 to 4 of the paper of 2006)."""

FIFTY_RECORDS = Rates(epochs=100_000)
"""The same for its file of 50 records."""

MACROGROUPS = Rates(chromosomes=10, mutation=0.1, crossover=0.5, epochs=10_000)
"""Table 1 of the paper on the hybrid (2007)."""


class Preset(StrEnum):
    """Parameter sets of the papers."""

    WHOLE_FILE = "whole-file"
    FIFTY_RECORDS = "fifty-records"
    MACROGROUPS = "macrogroups"


PRESETS: Mapping[Preset, Rates] = {
    Preset.WHOLE_FILE: WHOLE_FILE,
    Preset.FIFTY_RECORDS: FIFTY_RECORDS,
    Preset.MACROGROUPS: MACROGROUPS,
}


class Breeding(NamedTuple):
    """A population of genomes, best first.

    Args:
        epochs: number of epochs so far.
        arisen: epoch in which the best was found.
    """

    genomes: Indices
    epochs: int
    arisen: int

    @property
    def labels(self) -> Labels:
        return canonical(self.genomes[0])


def initial_population(
    points: Points, k: int, rates: Rates, rng: np.random.Generator, given: Labels | None = None
) -> Breeding:
    """Return an initial population; *given* replaces its first genome."""
    genomes = initial_genomes(len(points), k, rates.chromosomes, draw_seed(rng))
    if given is not None:
        genomes[0] = given
    return Breeding(genomes, 0, 0)


def run_epochs(
    points: Points,
    k: int,
    rates: Rates,
    before: Breeding,
    epochs: int,
    rng: np.random.Generator,
    *,
    proven: float = 0.0,
) -> Breeding:
    """Return the population after more epochs; stop improving once its best is *proven* optimal."""
    genomes, _, arisen = evolve_genomes(
        points, k, before.genomes, epochs, rates.mutation, rates.crossover, draw_seed(rng),
        rates.per_gene, proven,
    )  # fmt: skip
    when = before.epochs + arisen if arisen else before.arisen
    return Breeding(genomes, before.epochs + epochs, when)


@dataclass(frozen=True, eq=False)
class Genetic(MaskingProblem):
    """The genetic algorithm on a whole file."""

    common: PartitionProblem
    rates: Rates

    def work(self, task: Task[Breeding], rng: np.random.Generator) -> Outcome[Breeding]:
        points, k = self.common.points, self.common.k
        start = initial_population(points, k, self.rates, rng) if task.operator == FIRST else None
        before = start or task.parents[0].genome
        epochs = min(BURST, self.rates.epochs - before.epochs)
        after = run_epochs(points, k, self.rates, before, epochs, rng)
        readings = self.common.read(after.labels, 0)
        return Outcome(after, (readings["sse"],), epochs * self.rates.chromosomes)

    def decode(self, genome: Breeding, draw: int) -> Table:
        return self.common.decode(genome.labels, draw)

    def read(self, genome: Breeding, draw: int) -> Mapping[str, float]:
        return self.common.read(genome.labels, draw)

    def answer(self, genome: Breeding) -> Mapping[str, object]:
        return {**self.common.answer(genome.labels), "convergence_epoch": genome.arisen}

    def pack(self, genome: Breeding) -> Mapping[str, NDArray[Any]]:
        return {"genomes": genome.genomes, "epochs": np.array([genome.epochs, genome.arisen])}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Breeding:
        epochs, arisen = (int(number) for number in arrays["epochs"])
        return Breeding(np.ascontiguousarray(arrays["genomes"]), epochs, arisen)


@dataclass(frozen=True)
class MoreEpochs(Unbred[Breeding]):
    """Continue the population until its epochs are used up."""

    epochs: int

    def propose(self, state: State[Breeding], rng: np.random.Generator) -> Brood[Breeding]:
        left = self.epochs - state.population[0].genome.epochs
        return (Task(BREED, state.population),) if left > 0 else ()


Heuristic = Callable[[Points, int], Labels]

PARTS = 8
"""Number of tasks into which the macrogroups are divided."""

EXACT_RECORDS = 20
"""Macrogroups of at most so many records are solved exactly by ``best``."""

STEPS = 2_000
"""Annealing steps per record of a macrogroup."""


NEAR = 50
"""Smallest number of neighbours considered within a macrogroup, mostly all records."""


class Inner(StrEnum):
    """Search inside a macrogroup; ``best`` is exact if possible, else memetic."""

    BEST = "best"
    GENETIC = "genetic"
    EXACT = "exact"
    MEMETIC = "memetic"


def one_step(points: Points, k: int, macro: int, heuristic: Heuristic = mdav) -> Labels:
    """Form macrogroups of *macro* records or more."""
    if not k < macro:
        raise ParameterError(f"macro must be larger than k, got {macro} for k = {k}")
    return heuristic(points, min(macro, len(points)))


def two_step(
    points: Points, k: int, macro: int, heuristic: Heuristic = mdav
) -> tuple[Labels, Labels]:
    """Form groups of k, then join them into macrogroups; return the labels of both."""
    if macro % k or not k < macro:
        raise ParameterError(f"macro must be a larger multiple of k, got {macro} for k = {k}")
    groups = heuristic(points, k)
    middles = centroids(points, groups)
    return heuristic(middles, min(macro // k, len(middles)))[groups], groups


def refine_macrogroup(
    points: Points,
    k: int,
    inner: Inner,
    rates: Rates,
    known: Labels | None,
    rng: np.random.Generator,
) -> Labels:
    """Return the best partition of a macrogroup found; never worse than *known*.

    Without a known partition the search starts at random.
    """
    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int64)
    if inner is Inner.GENETIC:
        start = initial_population(points, k, rates, rng, known)
        return run_epochs(points, k, rates, start, rates.epochs, rng).labels
    first = initial_population(points, k, rates, rng).labels if known is None else known
    annealed = _anneal(points, k, first, rng)
    if inner is Inner.EXACT or (inner is Inner.BEST and len(points) <= EXACT_RECORDS):
        return optimum(points, k, within_sum_of_squares(points, annealed))
    return annealed


def _anneal(points: Points, k: int, known: Labels, rng: np.random.Generator) -> Labels:
    scale = within_sum_of_squares(points, known) / len(points)
    heat = scale * np.append(np.geomspace(10.0, 0.01, 99), 0.0)
    near, wide = near_records(points, max(NEAR, near_count(k))), center_and_pad(points)
    best = known
    for _ in range(3):
        steps = max(1, STEPS * len(points) // len(heat))
        labels = canonical(anneal(wide, near, known, k, heat, steps, draw_seed(rng))[0])
        if within_sum_of_squares(points, labels) < within_sum_of_squares(points, best):
            best = labels
    return best


def refine_part(
    points: Points,
    k: int,
    macrogroups: Labels,
    groups: Labels,
    inner: Inner,
    rates: Rates,
    part: int,
    rng: np.random.Generator,
    *,
    informed: bool = True,
) -> Labels:
    """Refine every macrogroup of one part; leave the others unchanged.

    Args:
        informed: whether the inner search starts from the groups of the macrogroup.
    """
    labels = groups.copy()
    for number in range(part, int(macrogroups.max()) + 1, PARTS):
        records: Indices = np.flatnonzero(macrogroups == number)
        known = canonical(groups[records]) if informed else None
        inside = refine_macrogroup(points[records], k, inner, rates, known, rng)
        labels[records] = labels.max() + 1 + inside
    return canonical(labels)


@dataclass(frozen=True, eq=False)
class Hybrid(PartitionProblem):
    """An initial genome refines some macrogroups; recombination combines all of them.

    Args:
        macrogroups: macrogroup of each record.
        groups: partition of the macrogroups that are not refined.
        informed: whether the inner search starts from these groups.
    """

    macrogroups: Labels
    groups: Labels
    inner: Inner = Inner.BEST
    rates: Rates = MACROGROUPS
    informed: bool = True

    def work(self, task: Task[Labels], rng: np.random.Generator) -> Outcome[Labels]:
        if task.operator == FIRST:
            return self.outcome(
                refine_part(
                    self.points, self.k, self.macrogroups, self.groups, self.inner, self.rates,
                    task.rival or 0, rng, informed=self.informed,
                )
            )  # fmt: skip
        return self.outcome(
            best_of_components(self.points, [parent.genome for parent in task.parents])
        )


def group_within_macrogroups(points: Points, macrogroups: Labels, k: int) -> Labels:
    """Group the records of each macrogroup by MDAV, for an informed one-step hybrid."""
    places = [np.flatnonzero(macrogroups == number) for number in range(macrogroups.max() + 1)]
    return join_groups(len(points), ((records, mdav(points[records], k)) for records in places))


@dataclass(frozen=True)
class JoinParts(Unbred[Labels]):
    """Refine all parts of the macrogroups, combine them, and stop."""

    def propose(self, state: State[Labels], rng: np.random.Generator) -> Brood[Labels]:
        return (Task(RECOMBINE, state.population),) if len(state.population) > 1 else ()
