"""The memetic search: its scheme, the distribution of its budget, and its use within strata."""

from dataclasses import dataclass, replace

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.partition import canonical
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import EvomaskError
from evomask.evolution.individual import Brood, Individual, Outcome, Outcomes, Population, Task
from evomask.evolution.loop import Draws
from evomask.evolution.state import State, individuals_from
from evomask.masking.provenance import Provenance
from evomask.searches.partition.genome import check_points
from evomask.searches.partition.operators import MOST_GROUPS
from evomask.searches.partition.problem import (
    ANNEAL,
    RECOMBINE,
    RENEW,
    RESOLVE,
    Memetic,
    PartitionProblem,
)
from evomask.types import Indices, Labels

FOUNDERS = 16
"""Largest number of partitions made by long bursts, from which crossover chooses groups."""

FEW_FOUNDERS = 2
"""Number of long bursts if they are too short to converge: then longer is better than more."""

FIRST_FOUNDERS = 4
"""Largest number of long bursts before the first crossover, so that there is always one."""

ENOUGH = 200
"""Steps per record, times k², after which a long burst converges; beyond, more are better."""

FOUNDING = 0.6
"""Share of the budget for long bursts."""

BURSTS = 4
"""Partitions annealed per generation, by default."""

POPULATION = 24
"""Size of the population."""

OTHER_TASKS = 2
"""Tasks of a generation that are not bursts: crossover, and exact solution of pools."""

QUICK_GROUPS = 200
"""Number of groups whose set partitioning takes about a tenth of a second at most."""

CROSSED = 8
"""Tasks of a wide generation per crossover."""

GENERATIONS = 10
"""Generations of short bursts for which the rest of the budget is planned."""

PER_RECORD = 2_000
"""Default number of steps of a long burst per record."""


@dataclass(frozen=True)
class Effort:
    """Steps of long and short bursts, and the number of long ones."""

    long: int
    short: int
    initial_tasks: int = FIRST_FOUNDERS
    width: int = 0

    @classmethod
    def of(cls, long: int, initial_tasks: int = FIRST_FOUNDERS, width: int = 0) -> "Effort":
        later = long * initial_tasks * (1.0 - FOUNDING) / FOUNDING
        return cls(
            long, max(1, int(later / (bursts_of(width) * GENERATIONS))), initial_tasks, width
        )

    def wide(self, width: int) -> "Effort":
        """Return the same number of steps in *width* bursts at once."""
        long = max(1, self.long * self.initial_tasks // width)
        return Effort.of(long, width, width)

    @classmethod
    def within(cls, evaluations: float, n_records: int, k: int) -> "Effort":
        """Return burst lengths for a budget of elementary steps, all workers together."""
        founding = evaluations * FOUNDING
        initial_tasks = FEW_FOUNDERS
        while (
            initial_tasks < FOUNDERS and founding >= 2 * initial_tasks * ENOUGH * k**2 * n_records
        ):
            initial_tasks *= 2
        return cls.of(max(1, int(founding / initial_tasks)), initial_tasks)

    @classmethod
    def default(cls, n_records: int) -> "Effort":
        return cls.of(PER_RECORD * n_records)

    @property
    def first(self) -> int:
        return min(self.initial_tasks, self.width or FIRST_FOUNDERS)

    @property
    def bursts(self) -> int:
        return bursts_of(self.width)

    @property
    def crossings(self) -> int:
        return crossings_of(self.width)

    @property
    def largest(self) -> int:
        """Groups of a region of a crossover: few if other tasks would wait for it."""
        return QUICK_GROUPS if self.crossings > 1 else MOST_GROUPS

    @property
    def renewals(self) -> int:
        return (self.initial_tasks - self.first) // BURSTS


def crossings_of(width: int) -> int:
    """Return the number of crossovers of a generation: one for every eight tasks.

    A crossover of all partitions would take much longer than a burst, and block all workers.
    """
    return max(1, width // CROSSED)


def bursts_of(width: int) -> int:
    """Return the number of bursts of a generation: with a width, all tasks but a few."""
    return width - crossings_of(width) - 1 if width else BURSTS


@dataclass(frozen=True)
class MemeticScheme:
    """Cross all, anneal some, solve pools of the best exactly; the best distinct ones survive.

    Args:
        renewals: initial generations whose bursts are long and independent of their start.
        size: size of the population.
        pools: interval, in generations, at which pools of the best partition are solved exactly.
        bursts: partitions annealed per generation.
        crossings: number of parts in which the population is crossed.
    """

    renewals: int = 0
    size: int = POPULATION
    pools: int = 4
    bursts: int = BURSTS
    crossings: int = 1

    def propose(self, state: State[Labels], rng: np.random.Generator) -> Brood[Labels]:
        ranked = _rank(state.population)
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
        different: dict[bytes, Individual[Labels]] = {}
        for individual in (*state.population, *individuals_from(state, brood, outcomes)):
            different.setdefault(individual.genome.tobytes(), individual)
        return _rank(tuple(different.values()))[: self.size]


def _rank(individuals: Population[Labels]) -> Population[Labels]:
    return tuple(
        sorted(individuals, key=lambda individual: (individual.fitness, individual.serial))
    )


@dataclass(frozen=True, eq=False)
class StratifiedMemetic(PartitionProblem):
    """The memetic search within every stratum, so that no group crosses strata.

    Args:
        strata: records of each stratum.
        parts: problem of each stratum.
    """

    strata: tuple[Indices, ...]
    parts: tuple[Memetic, ...]

    @classmethod
    def of(cls, common: PartitionProblem, draws: Draws) -> "StratifiedMemetic":
        strata = records_of_strata(common.original)
        parts = tuple(
            _part(common, records, draws, number) for number, records in enumerate(strata)
        )
        return cls(common.original, common.names, common.points, common.k, strata, parts)

    def making(self, genome: Labels) -> Provenance:
        strata = self.original.schema.with_role(Role.STRATUM)
        return replace(super().making(genome), strata=strata)

    def with_burst_lengths(self, long: int, short: int) -> "StratifiedMemetic":
        """Return the problem with these burst lengths, divided by the records of each stratum."""
        n = len(self.points)
        parts = (
            part.with_burst_lengths(
                max(1, long * len(records) // n), max(1, short * len(records) // n)
            )
            for records, part in zip(self.strata, self.parts, strict=True)
        )
        return replace(self, parts=tuple(parts))

    def work(self, task: Task[Labels], rng: np.random.Generator) -> Outcome[Labels]:
        made = [
            part.work(_restrict_task(task, records), rng)
            for records, part in zip(self.strata, self.parts, strict=True)
        ]
        return self.outcome(
            self.joined([outcome.genome for outcome in made]), sum(o.steps for o in made)
        )

    def construct(self, number: int) -> Labels:
        return self.joined([part.construct(number) for part in self.parts])

    def run_trial(self, start: Labels, steps: int) -> int:
        return sum(
            part.run_trial(canonical(start[records]), max(1, steps * len(records) // len(start)))
            for records, part in zip(self.strata, self.parts, strict=True)
        )

    def joined(self, groups: list[Labels]) -> Labels:
        labels = np.empty(len(self.points), dtype=np.int64)
        count = 0
        for records, inside in zip(self.strata, groups, strict=True):
            labels[records] = inside + count
            count += int(inside.max()) + 1
        return canonical(labels)


def records_of_strata(table: Table) -> tuple[Indices, ...]:
    """Return the records of each stratum; of the whole file if there are no strata."""
    labels = classes_of(table, table.schema.with_role(Role.STRATUM)).labels
    return tuple(np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1))


def _part(common: PartitionProblem, records: Indices, draws: Draws, stratum: int) -> Memetic:
    try:
        points = check_points(common.points[records], common.k)
    except EvomaskError as error:
        raise type(error)(f"within a stratum: {error}") from None
    return Memetic.of(replace(common, points=points), draws, stratum)


def _restrict_task(task: Task[Labels], records: Indices) -> Task[Labels]:
    parents = [replace(parent, genome=canonical(parent.genome[records])) for parent in task.parents]
    return replace(task, parents=tuple(parents))
