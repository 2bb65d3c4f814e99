"""The memetic search: its scheme, the distribution of its budget, strata, and large files.

A burst on a whole large file would mostly wait for memory, and its lists of neighbours would take
longer than the burst. So its regions are annealed separately and redefined each turn: a region of
some thousands of records fits into the processor's cache. Groups are never split: a region consists
of whole neighbouring groups. Groups that one division separates may be joined after the next one.
Regions are distributed over parts, the independent tasks of a generation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.partition import (
    canonical,
    centroids,
    group_sizes,
    join_groups,
    within_sum_of_squares,
)
from evomask.data.schema import Role
from evomask.errors import EvomaskError
from evomask.evolution.individual import (
    FIRST,
    Brood,
    Individual,
    Outcome,
    Outcomes,
    Population,
    Task,
)
from evomask.evolution.loop import Draws
from evomask.evolution.state import State, individuals_from
from evomask.evolution.streams import draw_litter, litter_stream
from evomask.kernels.generator import draw_seed
from evomask.kernels.groups.annealing import anneal, center_and_pad
from evomask.kernels.groups.orders import nearest_of_all
from evomask.masking.microaggregation.mdav import group_mixed, group_numbers, mixed_records
from evomask.masking.provenance import Provenance
from evomask.searches.partition.genome import check_points, near_count
from evomask.searches.partition.operators import MOST_GROUPS
from evomask.searches.partition.problem import (
    ANNEAL,
    COLD,
    LEVELS,
    RECOMBINE,
    RENEW,
    RESOLVE,
    Annealing,
    Memetic,
    PartitionProblem,
)
from evomask.types import Indices, Labels, Points

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
        effort = cls(long, 1, initial_tasks, width)
        later = long * initial_tasks * (1.0 - FOUNDING) / FOUNDING
        return replace(effort, short=max(1, int(later / (effort.bursts * GENERATIONS))))

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
        """Number of bursts per generation; with a width, all tasks but a few."""
        return self.width - self.crossings - 1 if self.width else BURSTS

    @property
    def crossings(self) -> int:
        """Crossovers of a generation: one for every eight tasks.

        A crossover of all partitions would take much longer than a burst, and block all workers.
        """
        return max(1, self.width // CROSSED)

    @property
    def largest(self) -> int:
        """Groups of a region of a crossover: few if other tasks would wait for it."""
        return QUICK_GROUPS if self.crossings > 1 else MOST_GROUPS

    @property
    def renewals(self) -> int:
        return (self.initial_tasks - self.first) // BURSTS


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
        labels = classes_of(common.original, common.original.schema.with_role(Role.STRATUM)).labels
        strata = tuple(np.flatnonzero(labels == label) for label in range(int(labels.max()) + 1))
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
        return canonical(join_groups(len(self.points), zip(self.strata, groups, strict=True)))


def _part(common: PartitionProblem, records: Indices, draws: Draws, stratum: int) -> Memetic:
    try:
        points = check_points(common.points[records], common.k)
    except EvomaskError as error:
        raise type(error)(f"within a stratum: {error}") from None
    return Memetic.of(replace(common, points=points), draws, stratum)


def _restrict_task(task: Task[Labels], records: Indices) -> Task[Labels]:
    parents = [replace(parent, genome=canonical(parent.genome[records])) for parent in task.parents]
    return replace(task, parents=tuple(parents))


JOIN = "join"

REGION = 4_000
"""Largest number of records of a region, which fit into a processor's cache."""

PARTS = 8
"""Annealing tasks per generation."""

RECORDS = 200_000
"""Largest number of records annealed in a generation, which limits its duration."""

STEPS = 100
"""Steps of a burst per record of a region."""

WARM = (0.05, 0.3)
"""Range of the excess at the start of a burst; drawn for each region."""

UNEVEN = (0.35, 0.65)
"""Range of the share of records on one side of a cut, so that borders move."""


@dataclass(frozen=True, eq=False)
class Regional(PartitionProblem):
    """Annealing of the regions of one partition, and combination of the parts.

    Args:
        steps: steps of a burst per record.
    """

    annealing: Annealing
    steps: int = STEPS
    _cuts: dict[int, list[Indices]] = field(default_factory=dict, repr=False)

    def work(self, task: Task[Labels], rng: np.random.Generator) -> Outcome[Labels]:
        if task.operator == FIRST:
            return self.outcome(self.construct())
        genomes = [parent.genome for parent in task.parents]
        if task.operator == JOIN:
            return self.outcome(join_parts(genomes[0], genomes[1:]))
        regions = self._regions(genomes[0], task.litter)[task.rival :: PARTS]
        return self._anneal(genomes[0], regions, rng)

    def construct(self) -> Labels:
        if any(self.original.attribute(name).is_categorical for name in self.names):
            return canonical(group_mixed(mixed_records(self.original, self.names), self.k))
        return canonical(group_numbers(self.points, self.k))

    def _regions(self, labels: Labels, litter: int) -> list[Indices]:
        """Regions of one generation in random order, as many as are annealed in it."""
        if litter not in self._cuts:
            self._cuts.clear()
            rng = litter_stream(litter)
            regions = regions_of(self.points, labels, REGION, rng)
            order = [regions[i] for i in rng.permutation(len(regions))]
            ends = np.cumsum([len(region) for region in order])
            self._cuts[litter] = order[: max(1, int(np.searchsorted(ends, RECORDS, "right")))]
        return self._cuts[litter]

    def _anneal(
        self, start: Labels, regions: list[Indices], rng: np.random.Generator
    ) -> Outcome[Labels]:
        labels = start.copy()
        count, steps = int(labels.max()) + 1, 0
        for region in regions:
            inside, used = self._burst(self.points[region], canonical(start[region]), rng)
            labels[region] = count + inside
            count += int(inside.max()) + 1
            steps += used
        return self.outcome(canonical(labels), steps)

    def _burst(self, points: Points, start: Labels, rng: np.random.Generator) -> tuple[Labels, int]:
        """Anneal one region; return it, or its start if that is better, and the steps used."""
        hot = float(np.exp(rng.uniform(*np.log(WARM))))
        each = max(1, self.steps * len(points) // LEVELS)
        near = nearest_of_all(points, min(near_count(self.k), len(points) - 1))
        temperatures = self.annealing.schedule.between(hot, COLD)
        found, _ = anneal(
            center_and_pad(points), near, start, self.k, temperatures, each, draw_seed(rng)
        )
        labels = canonical(found)
        before, after = (within_sum_of_squares(points, own) for own in (start, labels))
        return (labels if after <= before else start), each * LEVELS


def regions_of(
    points: Points, labels: Labels, most: int, rng: np.random.Generator
) -> list[Indices]:
    """Return the records of whole neighbouring groups, up to *most* (more for a larger group).

    Centroids are bisected along the widest of randomly rotated axes.
    """
    sizes = group_sizes(labels)
    rotation = np.linalg.qr(rng.standard_normal((points.shape[1],) * 2))[0]
    rotated = centroids(points, labels) @ rotation
    region_of = np.empty(len(sizes), dtype=np.int64)
    waiting, done = [np.arange(len(sizes))], 0
    while waiting:
        groups = waiting.pop()
        if sizes[groups].sum() <= most or len(groups) == 1:
            region_of[groups] = done
            done += 1
            continue
        along = rotated[groups, np.argmax(rotated[groups].var(axis=0))]
        order = groups[np.argsort(along, kind="stable")]
        ends = np.cumsum(sizes[order])
        cut = int(np.searchsorted(ends, ends[-1] * rng.uniform(*UNEVEN)))
        cut = min(max(cut, 1), len(order) - 1)
        waiting += [order[:cut], order[cut:]]
    owners = region_of[labels]
    edges = np.cumsum(np.bincount(owners))[:-1]
    return np.split(np.argsort(owners, kind="stable"), edges)


def join_parts(start: Labels, parts: Sequence[Labels]) -> Labels:
    """Return the partition with the changes of all parts, which affect different groups."""
    labels = start.copy()
    count = int(labels.max()) + 1
    for part in parts:
        changed = _changed_records(start, part)
        labels[changed] = count + part[changed]
        count += int(part.max()) + 1
    return canonical(labels)


def _changed_records(start: Labels, labels: Labels) -> Indices:
    """Records whose group differs between the partitions."""
    pairs = start * (labels.max() + 1) + labels
    _, place, together = np.unique(pairs, return_inverse=True, return_counts=True)
    alike = together[place]
    same = (alike == group_sizes(start)[start]) & (alike == group_sizes(labels)[labels])
    return np.flatnonzero(~same)


@dataclass(frozen=True)
class AnnealParts:
    """Anneal the parts of one partition in parallel, combine them, and repeat."""

    def propose(self, state: State[Labels], rng: np.random.Generator) -> Brood[Labels]:
        if len(state.population) > 1:
            return (Task(JOIN, state.population),)
        litter = draw_litter(rng)
        return tuple(Task(ANNEAL, state.population, part, litter) for part in range(PARTS))

    def replace(
        self, state: State[Labels], brood: Brood[Labels], outcomes: Outcomes[Labels]
    ) -> Population[Labels]:
        children = individuals_from(state, brood, outcomes)
        return children if brood[0].operator == JOIN else (*state.population, *children)
