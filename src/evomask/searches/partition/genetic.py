"""The genetic algorithm of Solanas et al. (2006) as a search that can be stopped and resumed.

What evolves in the loop is its whole population; one task is a burst of epochs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Indices, Labels, Points
from evomask.data.partition import canonical
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.brood import FIRST, Brood, Outcome, Outcomes, Task
from evomask.evolution.individual import Population
from evomask.evolution.state import State, born
from evomask.kernels.generator import seed_of
from evomask.kernels.groups.genetic import bred, first_genomes
from evomask.searches.partition.problem import PartitionProblem

BREED = "breed"

BURST = 1_000
"""Epochs of one task."""


@dataclass(frozen=True)
class Rates:
    """Parameters of the genetic algorithm.

    Args:
        chromosomes: size of its population.
        mutation: rate at which a gene changes to a random group.
        crossover: rate at which a pair of parents is crossed.
        epochs: how many generations it has.
        per_gene: as written in the paper; otherwise the rate is that of one gene in a genome,
            which leaves long genomes valid.
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
    """The parameters of a paper by name."""

    WHOLE_FILE = "whole-file"
    FIFTY_RECORDS = "fifty-records"
    MACROGROUPS = "macrogroups"


PRESETS: Mapping[Preset, Rates] = {
    Preset.WHOLE_FILE: WHOLE_FILE,
    Preset.FIFTY_RECORDS: FIFTY_RECORDS,
    Preset.MACROGROUPS: MACROGROUPS,
}


class Breeding(NamedTuple):
    """A population of genomes, the best in front.

    Args:
        epochs: how many it has gone through.
        arisen: the epoch in which its best arose.
    """

    genomes: Indices
    epochs: int
    arisen: int

    @property
    def labels(self) -> Labels:
        """The best partition of the population: the group of each record."""
        return canonical(self.genomes[0])


def begun(
    points: Points, k: int, rates: Rates, rng: np.random.Generator, given: Labels | None = None
) -> Breeding:
    """A first population; *given* takes the place of its first genome."""
    genomes = first_genomes(len(points), k, rates.chromosomes, seed_of(rng))
    if given is not None:
        genomes[0] = given
    return Breeding(genomes, 0, 0)


def continued(
    points: Points,
    k: int,
    rates: Rates,
    before: Breeding,
    epochs: int,
    rng: np.random.Generator,
    *,
    proven: float = 0.0,
) -> Breeding:
    """The population so many epochs later; its best stays once it is *proven* to be the least."""
    genomes, _, arisen = bred(
        points, k, before.genomes, epochs, rates.mutation, rates.crossover, seed_of(rng),
        rates.per_gene, proven,
    )  # fmt: skip
    when = before.epochs + arisen if arisen else before.arisen
    return Breeding(genomes, before.epochs + epochs, when)


@dataclass(frozen=True, eq=False)
class Genetic:
    """The algorithm on a whole file."""

    common: PartitionProblem
    rates: Rates

    def work(self, task: Task[Breeding], rng: np.random.Generator) -> Outcome[Breeding]:
        """One burst of epochs, from random genomes or from where the last one ended."""
        points, k = self.common.points, self.common.k
        start = begun(points, k, self.rates, rng) if task.operator == FIRST else None
        before = start or task.parents[0].genome
        epochs = min(BURST, self.rates.epochs - before.epochs)
        after = continued(points, k, self.rates, before, epochs, rng)
        readings = self.common.read(after.labels, 0)
        return Outcome(after, (readings["sse"],), epochs * self.rates.chromosomes)

    def decode(self, genome: Breeding, draw: int) -> Table:
        """The masked file of the best partition."""
        return self.common.decode(genome.labels, draw)

    def read(self, genome: Breeding, draw: int) -> Mapping[str, float]:
        """Sum of squares and information loss of the best partition."""
        return self.common.read(genome.labels, draw)

    def answer(self, genome: Breeding) -> Mapping[str, object]:
        """What the best partition is like, and when it arose."""
        return {**self.common.answer(genome.labels), "convergence_epoch": genome.arisen}

    def pack(self, genome: Breeding) -> Mapping[str, NDArray[Any]]:
        """All genomes of the population, its epochs and when its best arose."""
        return {"genomes": genome.genomes, "epochs": np.array([genome.epochs, genome.arisen])}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Breeding:
        """The population whose genomes and epochs were packed."""
        epochs, arisen = (int(number) for number in arrays["epochs"])
        return Breeding(np.ascontiguousarray(arrays["genomes"]), epochs, arisen)


@dataclass(frozen=True)
class MoreEpochs:
    """One population that goes on until its epochs are used up."""

    epochs: int

    def propose(self, state: State[Breeding], rng: np.random.Generator) -> Brood[Breeding]:
        """Another burst, while epochs are left."""
        left = self.epochs - state.population[0].genome.epochs
        return (Task(BREED, state.population),) if left > 0 else ()

    def replace(
        self, state: State[Breeding], brood: Brood[Breeding], outcomes: Outcomes[Breeding]
    ) -> Population[Breeding]:
        """The population as the burst of epochs left it."""
        return born(state, brood, outcomes)
