"""The partition as an evolutionary problem: its first genomes, its fitness, its masked file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Codes, Floats, Labels, Points
from evomask.data.partition import (
    canonical,
    group_sizes,
    total_sum_of_squares,
    within_sum_of_squares,
)
from evomask.data.table import Table
from evomask.evolution.brood import FIRST, Outcome, Task
from evomask.evolution.setup import Draws
from evomask.evolution.state import State
from evomask.kernels.generator import seed_of
from evomask.kernels.groups.annealing import anneal
from evomask.kernels.groups.sums import padded
from evomask.masking.making import Making, Step
from evomask.masking.microaggregation.aggregation import aggregated
from evomask.searches.partition.bounds import lower_bound
from evomask.searches.partition.constructions import constructed
from evomask.searches.partition.genome import near_count, near_records
from evomask.searches.partition.operators import resolved
from evomask.searches.partition.proof import proved
from evomask.searches.partition.recombination import MOST_GROUPS, recombined
from evomask.searches.partition.schedule import LEVELS, Schedule
from evomask.searches.search import Proven

NAME = "partition"
ANNEAL = "anneal"
RECOMBINE = "recombine"
RENEW = "renew"
RESOLVE = "resolve"

HOT, COLD = 1.2, 0.01
"""Excess at which a burst that forgets its start begins, and at which bursts end."""

REGION_STEPS = 100_000
"""Steps of a short burst that take as long as a region of a crossover on one of four workers."""

FEWEST_REGIONS, MOST_REGIONS, PER_REGION = 4, 40, 500
"""Regions of a crossover; for so many records it may be one more."""

WARM = (0.02, 0.2)
"""Excess at which a burst begins that keeps most of its start; drawn anew each time."""


@dataclass(frozen=True, eq=False)
class PartitionProblem:
    """What every search for a partition of one table has in common.

    Args:
        names: the attributes whose values are aggregated.
        points: the records as standardised numbers.
    """

    original: Table
    names: tuple[str, ...]
    points: Points
    k: int

    def decode(self, genome: Labels, draw: int) -> Table:
        """Every record with its group's aggregate; nothing is random."""
        return aggregated(self.original, self.names, genome)

    def making(self, genome: Labels) -> Making:
        """How many groups there are of how many records at least."""
        parameters = {"k": self.k, "groups": int(genome.max()) + 1}
        return Making((Step(NAME, parameters, self.names),), search=NAME)

    def read(self, genome: Labels, draw: int) -> Mapping[str, float]:
        """Sum of squares, and information loss in percent of the total."""
        sse, total = within_sum_of_squares(self.points, genome), total_sum_of_squares(self.points)
        return {"loss": 100.0 * sse / total if total > 0 else 0.0, "sse": sse}

    def answer(self, genome: Labels) -> Mapping[str, object]:
        """What the partition is like, and below what no partition can be."""
        readings = self.read(genome, 0)
        return {
            "sse": readings["sse"],
            "il": readings["loss"],
            "groups": len(group_sizes(genome)),
            "lower_bound": lower_bound(self.points, self.k, genome),
        }

    def pack(self, genome: Labels) -> Mapping[str, NDArray[Any]]:
        """The group number of each record as one array."""
        return {"labels": genome}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Labels:
        """The partition whose group numbers were packed."""
        return arrays["labels"]

    def outcome(self, genome: Labels, steps: int = 0) -> Outcome[Labels]:
        """A partition with its sum of squares, computed from all records."""
        return Outcome(genome, (within_sum_of_squares(self.points, genome),), steps)


@dataclass(frozen=True, eq=False)
class Annealing:
    """What annealing needs to know of the points: found when first asked for, as it takes long.

    Args:
        stream: gives the same random numbers each time it is called.
    """

    points: Points
    k: int
    stream: Callable[[], np.random.Generator]

    @cached_property
    def wide(self) -> Points:
        """The points as annealing takes them."""
        return padded(self.points)

    @cached_property
    def near(self) -> Codes:
        """For each record the records nearest to it, with which it may change groups."""
        return near_records(self.points, near_count(self.k))

    @cached_property
    def schedule(self) -> Schedule:
        """The temperatures of annealing that suit the spread of these points."""
        return Schedule.of(self.points, self.k, self.stream())


@dataclass(frozen=True, eq=False)
class Memetic(PartitionProblem):
    """Annealing bursts mutate, set partitioning crosses, small pools are solved exactly.

    Args:
        long: steps of a burst that forgets its start.
        short: steps of one that keeps most of it.
        proves: whether to tell in the end how far from the best possible the partition is.
        largest: groups that a region of a crossing is chosen from, at most.
    """

    annealing: Annealing
    long: int = 1
    short: int = 1
    proves: bool = False
    largest: int = MOST_GROUPS

    @classmethod
    def of(cls, common: PartitionProblem, draws: Draws, stratum: int = 0) -> "Memetic":
        """The problem of a file or of one of its strata, each with random numbers of its own."""
        annealing = Annealing(common.points, common.k, partial(draws, stratum))
        return cls(common.original, common.names, common.points, common.k, annealing)

    def work(self, task: Task[Labels], rng: np.random.Generator) -> Outcome[Labels]:
        """One child by the task's operator."""
        if task.operator == FIRST:
            return self._founded(self.constructed(task.rival or 0), rng)
        parents = [parent.genome for parent in task.parents]
        if task.operator == RECOMBINE:
            child = recombined(self.points, parents, self._regions(), rng, self.largest)
            return self.outcome(child)
        if task.operator == RESOLVE:
            return self.outcome(resolved(self.points, parents[0], self.k, rng))
        if task.operator == RENEW:
            return self._annealed(
                parents[0], self.annealing.schedule.between(HOT, COLD), self.long, rng
            )
        hot = float(np.exp(rng.uniform(*np.log(WARM))))
        return self._annealed(
            parents[0], self.annealing.schedule.between(hot, COLD), self.short, rng
        )

    def proved(self, state: State[Labels]) -> Proven | None:
        """A bound by column generation from all groups of the last population."""
        if not self.proves:
            return None
        proof = proved(self.points, self.k, [member.genome for member in state.population])
        answer = {"lower_bound": proof.bound, "gap": proof.gap}
        return Proven(self.outcome(proof.labels), answer)

    def lasting(self, long: int, short: int) -> "Memetic":
        """The same with bursts of so many steps."""
        return replace(self, long=long, short=short)

    def _regions(self) -> int:
        """How many regions of a crossover are worth their time beside the bursts."""
        most = MOST_REGIONS + len(self.points) // PER_REGION
        return min(max(FEWEST_REGIONS, self.short // REGION_STEPS), most)

    def constructed(self, number: int) -> Labels:
        """The partition that founder number *number* starts from."""
        return canonical(constructed(self.points, self.k, number))

    def tried(self, start: Labels, steps: int) -> int:
        """Do a burst of about so many steps for nothing, to see how long it takes."""
        rng = np.random.default_rng(0)
        return self._annealed(start, self.annealing.schedule.between(HOT, COLD), steps, rng).steps

    def _founded(self, start: Labels, rng: np.random.Generator) -> Outcome[Labels]:
        """What a long burst makes of a construction, or the construction if that is better."""
        annealed = self._annealed(start, self.annealing.schedule.between(HOT, COLD), self.long, rng)
        built = self.outcome(start, annealed.steps)
        return annealed if annealed.fitness <= built.fitness else built

    def _annealed(
        self, start: Labels, temperatures: Floats, steps: int, rng: np.random.Generator
    ) -> Outcome[Labels]:
        each = max(1, steps // LEVELS)
        labels, _ = anneal(
            self.annealing.wide,
            self.annealing.near,
            start,
            self.k,
            temperatures,
            each,
            seed_of(rng),
        )
        return self.outcome(canonical(labels), each * LEVELS)
