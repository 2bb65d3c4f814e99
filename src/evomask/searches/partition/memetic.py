"""The memetic search: how it breeds, and how it spends its budget."""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Labels
from evomask.evolution.brood import Brood, Outcomes, Task
from evomask.evolution.individual import Individual, Population
from evomask.evolution.state import State, born
from evomask.searches.partition.problem import ANNEAL, RECOMBINE, RENEW, RESOLVE
from evomask.searches.partition.recombination import MOST_GROUPS

FOUNDERS = 16
"""Most partitions that long bursts make: whole groups are chosen from all of them."""

FEW_FOUNDERS = 2
"""Founders where long bursts are too short to settle: longer ones are better than more."""

FIRST_FOUNDERS = 4
"""Most of them before the first crossover; so however little time there is, there is one."""

ENOUGH = 200
"""Steps for each record, times k², with which a long burst settles; beyond, more are better."""

FOUNDING = 0.6
"""Share of the budget that the long bursts take."""

BURSTS = 4
"""Partitions annealed in a generation, where nobody asks for a width."""

KEPT = 24
"""Partitions that stay."""

BESIDE = 2
"""Tasks of a generation that are not bursts: crossing, and solving pools."""

SOON = 200
"""Groups that are chosen from within a tenth of a second or so, however hard it is."""

CROSSED = 8
"""Tasks of a wide generation for each crossing."""

GENERATIONS = 10
"""Generations of short bursts that the rest of the budget is for."""

PER_RECORD = 2_000
"""Steps of a long burst for each record, where the budget does not say."""


@dataclass(frozen=True)
class Effort:
    """Steps of a long and of a short burst, and how many long ones there are."""

    long: int
    short: int
    founders: int = FIRST_FOUNDERS
    width: int = 0

    @classmethod
    def of(cls, long: int, founders: int = FIRST_FOUNDERS, width: int = 0) -> "Effort":
        """The short burst that goes with so many long ones."""
        later = long * founders * (1.0 - FOUNDING) / FOUNDING
        return cls(long, max(1, int(later / (bursts_of(width) * GENERATIONS))), founders, width)

    def wide(self, width: int) -> "Effort":
        """The same steps in so many bursts at once, as many as a generation has tasks."""
        long = max(1, self.long * self.founders // width)
        return Effort.of(long, width, width)

    @classmethod
    def within(cls, evaluations: float, n_records: int, k: int) -> "Effort":
        """Burst lengths for a budget of so many elementary steps, all workers together."""
        founding = evaluations * FOUNDING
        founders = FEW_FOUNDERS
        while founders < FOUNDERS and founding >= 2 * founders * ENOUGH * k**2 * n_records:
            founders *= 2
        return cls.of(max(1, int(founding / founders)), founders)

    @classmethod
    def usual(cls, n_records: int) -> "Effort":
        """Burst lengths where the budget is one of generations."""
        return cls.of(PER_RECORD * n_records)

    @property
    def first(self) -> int:
        """How many long bursts come before the first generation."""
        return min(self.founders, self.width or FIRST_FOUNDERS)

    @property
    def bursts(self) -> int:
        """Partitions annealed in a generation: with a width, all its tasks but a few."""
        return bursts_of(self.width)

    @property
    def crossings(self) -> int:
        """Crossings of a generation."""
        return crossings_of(self.width)

    @property
    def largest(self) -> int:
        """Groups that a region of a crossing is chosen from: few where others would wait for it."""
        return SOON if self.crossings > 1 else MOST_GROUPS

    @property
    def renewals(self) -> int:
        """Generations that the other long bursts take."""
        return (self.founders - self.first) // BURSTS


def crossings_of(width: int) -> int:
    """Crossings of a generation, each of as many partitions: with a width one of eight tasks.

    A crossing of all would last much longer than a burst, and everybody would wait for it.
    """
    return max(1, width // CROSSED)


def bursts_of(width: int) -> int:
    """Partitions annealed in a generation: with a width what crossing and solving pools leave."""
    return width - crossings_of(width) - 1 if width else BURSTS


@dataclass(frozen=True)
class Memes:
    """Cross all, anneal some, solve pools of the best now and then; the best different ones stay.

    Args:
        renewals: generations at the start whose bursts are long and forget where they began.
        size: how many stay.
        pools: every so many generations the best one's pools are solved exactly.
        bursts: how many are annealed in a generation.
        crossings: into how many parts all are dealt to be crossed.
    """

    renewals: int = 0
    size: int = KEPT
    pools: int = 4
    bursts: int = BURSTS
    crossings: int = 1

    def propose(self, state: State[Labels], rng: np.random.Generator) -> Brood[Labels]:
        """The best and individuals drawn by rank are annealed; all are recombined."""
        ranked = _ranked(state.population)
        weights = 1.0 / np.arange(1, len(ranked) + 1)
        drawn = rng.choice(len(ranked), self.bursts - 1, p=weights / weights.sum())
        annealed = [ranked[0], *(ranked[i] for i in drawn)]
        operator = RENEW if state.generation < self.renewals else ANNEAL
        brood = [
            *(Task(RECOMBINE, ranked[part :: self.crossings]) for part in range(self.crossings)),
            *(Task(operator, (individual,)) for individual in annealed),
        ]
        if (state.generation + 1) % self.pools == 0:
            long_ones_first = 0 if self.crossings > 1 else len(brood)
            brood.insert(long_ones_first, Task(RESOLVE, (ranked[0],)))
        return tuple(brood)

    def replace(
        self, state: State[Labels], brood: Brood[Labels], outcomes: Outcomes[Labels]
    ) -> Population[Labels]:
        """The best different ones of parents and children."""
        different: dict[bytes, Individual[Labels]] = {}
        for individual in (*state.population, *born(state, brood, outcomes)):
            different.setdefault(individual.genome.tobytes(), individual)
        return _ranked(tuple(different.values()))[: self.size]


def _ranked(individuals: Population[Labels]) -> Population[Labels]:
    """Best first; the earlier one of equals."""
    return tuple(
        sorted(individuals, key=lambda individual: (individual.fitness, individual.serial))
    )
