"""The partition search as an evolutionary problem, and the annealing that it is based on.

Temperatures are calibrated on the data: a fast pass from very hot to very cold shows how far the
sum of squares at each temperature exceeds its final value, its *excess*. Bursts are given their
excess at start and end, which is comparable between files, and spend equal numbers of steps on
equal ratios of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from evomask.data.partition import (
    canonical,
    group_sizes,
    total_sum_of_squares,
    within_sum_of_squares,
)
from evomask.data.table import Table
from evomask.evolution.individual import FIRST, Outcome, Task
from evomask.evolution.loop import Draws
from evomask.evolution.state import State
from evomask.kernels.generator import draw_seed
from evomask.kernels.groups.annealing import anneal, center_and_pad
from evomask.kernels.groups.mdav import mdav
from evomask.masking.microaggregation.aggregation import aggregate
from evomask.masking.provenance import Provenance, Step
from evomask.searches.base import MaskingProblem, Proven
from evomask.searches.partition.constructions import construct
from evomask.searches.partition.genome import near_count, near_records
from evomask.searches.partition.operators import MOST_GROUPS, recombine, resolve_pools
from evomask.searches.partition.proof import lower_bound, proved
from evomask.types import Codes, Floats, Labels, Points

LEVELS = 200
SCAN_STEPS = 3000
HOTTEST, COLDEST = 1e3, 1e-5
"""Temperatures of the first pass, in mean squared distances of a record to its centroid."""

QUENCHED = 0.02
"""Share of the final levels of a burst that accept no worsening."""

SAMPLE, BALLS = 5000, 20
"""A larger file is represented by the neighbours of so many of its records."""

LEAST_EXCESS = 1e-9


@dataclass(frozen=True, eq=False)
class Schedule:
    """Descending temperatures, and the excess at each."""

    temperatures: Floats
    excess: Floats

    @classmethod
    def of(cls, points: Points, k: int, rng: np.random.Generator) -> "Schedule":
        sample = _representatives(points, rng)
        labels = mdav(sample, k)
        scale = within_sum_of_squares(sample, labels) / len(sample)
        temperatures = scale * np.geomspace(HOTTEST, COLDEST, LEVELS)
        near = near_records(sample, near_count(k))
        seed = draw_seed(rng)
        energies = anneal(center_and_pad(sample), near, labels, k, temperatures, SCAN_STEPS, seed)[
            1
        ]
        lowest = np.minimum.accumulate(energies)
        if not lowest[-1] > 0:
            return cls(temperatures, np.geomspace(HOTTEST, LEAST_EXCESS, LEVELS))
        return cls(temperatures, lowest / lowest[-1] - 1.0)

    def between(self, hot: float, cold: float) -> Floats:
        """Return the temperatures of a burst from one excess to another, quenched at its end."""
        excesses = np.geomspace(hot, cold, LEVELS)
        # Equal excesses are made slightly different, so that each has one temperature.
        falling = np.maximum(self.excess, LEAST_EXCESS) * (1.0 + 1e-9 * np.arange(LEVELS)[::-1])
        logs = np.interp(
            -np.log(excesses), -np.log(falling), np.log(np.maximum(self.temperatures, 1e-300))
        )
        burst = np.exp(logs)
        burst[-max(1, int(QUENCHED * LEVELS)) :] = 0.0
        return burst


def _representatives(points: Points, rng: np.random.Generator) -> Points:
    """All records of a small file, else some neighbourhoods of the same density."""
    if len(points) <= SAMPLE:
        return points
    from scipy.spatial import KDTree

    middles = rng.choice(len(points), BALLS, replace=False)
    _, neighbours = KDTree(points).query(points[middles], SAMPLE // BALLS)
    return np.ascontiguousarray(points[np.unique(neighbours)])


NAME = "partition"
ANNEAL = "anneal"
RECOMBINE = "recombine"
RENEW = "renew"
RESOLVE = "resolve"

HOT, COLD = 1.2, 0.01
"""Excess at the start of a burst that is independent of its start, and at the end of all bursts."""

REGION_STEPS = 100_000
"""Steps of a short burst that take as long as a region of a crossover on one of four workers."""

FEWEST_REGIONS, MOST_REGIONS, PER_REGION = 4, 40, 500
"""Limits of the number of regions of a crossover; one more for so many records."""

WARM = (0.02, 0.2)
"""Range of the excess at the start of a burst that preserves most of its start."""


@dataclass(frozen=True, eq=False)
class PartitionProblem(MaskingProblem):
    """Base of the partition problems of one table.

    Args:
        names: attributes whose values are aggregated.
        points: records as standardised numbers.
    """

    packed_as = "labels"

    original: Table
    names: tuple[str, ...]
    points: Points
    k: int

    def decode(self, genome: Labels, draw: int) -> Table:
        return aggregate(self.original, self.names, genome)

    def making(self, genome: Labels) -> Provenance:
        parameters = {"k": self.k, "groups": int(genome.max()) + 1}
        return Provenance((Step(NAME, parameters, self.names),), search=NAME)

    def read(self, genome: Labels, draw: int) -> Mapping[str, float]:
        sse, total = within_sum_of_squares(self.points, genome), total_sum_of_squares(self.points)
        return {"loss": 100.0 * sse / total if total > 0 else 0.0, "sse": sse}

    def answer(self, genome: Labels) -> Mapping[str, object]:
        readings = self.read(genome, 0)
        return {
            "sse": readings["sse"],
            "il": readings["loss"],
            "groups": len(group_sizes(genome)),
            "lower_bound": lower_bound(self.points, self.k, genome),
        }

    def outcome(self, genome: Labels, steps: int = 0) -> Outcome[Labels]:
        return Outcome(genome, (within_sum_of_squares(self.points, genome),), steps)


@dataclass(frozen=True, eq=False)
class Annealing:
    """Data that annealing needs of the points, computed on demand because it takes long.

    Args:
        stream: returns a generator with the same random numbers at each call.
    """

    points: Points
    k: int
    stream: Callable[[], np.random.Generator]

    @cached_property
    def wide(self) -> Points:
        return center_and_pad(self.points)

    @cached_property
    def near(self) -> Codes:
        return near_records(self.points, near_count(self.k))

    @cached_property
    def schedule(self) -> Schedule:
        return Schedule.of(self.points, self.k, self.stream())


@dataclass(frozen=True, eq=False)
class Memetic(PartitionProblem):
    """Annealing bursts as mutation, set partitioning as crossover, exact solution of small pools.

    Args:
        long: steps of a burst that is independent of its start.
        short: steps of a burst that preserves most of its start.
        proves: whether to compute a bound of the optimum after the search.
        largest: largest number of groups of a region of a crossover.
    """

    annealing: Annealing
    long: int = 1
    short: int = 1
    proves: bool = False
    largest: int = MOST_GROUPS

    @classmethod
    def of(cls, common: PartitionProblem, draws: Draws, stratum: int = 0) -> "Memetic":
        annealing = Annealing(common.points, common.k, partial(draws, stratum))
        return cls(common.original, common.names, common.points, common.k, annealing)

    def work(self, task: Task[Labels], rng: np.random.Generator) -> Outcome[Labels]:
        if task.operator == FIRST:
            start = self.construct(task.rival or 0)
            annealed = self._anneal(start, HOT, self.long, rng)
            built = self.outcome(start, annealed.steps)
            return annealed if annealed.fitness <= built.fitness else built
        parents = [parent.genome for parent in task.parents]
        if task.operator == RECOMBINE:
            child = recombine(self.points, parents, self._regions(), rng, self.largest)
            return self.outcome(child)
        if task.operator == RESOLVE:
            return self.outcome(resolve_pools(self.points, parents[0], self.k, rng))
        if task.operator == RENEW:
            return self._anneal(parents[0], HOT, self.long, rng)
        hot = float(np.exp(rng.uniform(*np.log(WARM))))
        return self._anneal(parents[0], hot, self.short, rng)

    def proved(self, state: State[Labels]) -> Proven | None:
        """Return a bound by column generation from the groups of the last population."""
        if not self.proves:
            return None
        proof = proved(self.points, self.k, [member.genome for member in state.population])
        answer = {"lower_bound": proof.bound, "gap": proof.gap}
        return Proven(self.outcome(proof.labels), answer)

    def with_burst_lengths(self, long: int, short: int) -> "Memetic":
        return replace(self, long=long, short=short)

    def _regions(self) -> int:
        """Number of regions of a crossover that balances it with the bursts."""
        most = MOST_REGIONS + len(self.points) // PER_REGION
        return min(max(FEWEST_REGIONS, self.short // REGION_STEPS), most)

    def construct(self, number: int) -> Labels:
        return canonical(construct(self.points, self.k, number))

    def run_trial(self, start: Labels, steps: int) -> int:
        """Run a burst of about *steps* steps and discard it, to measure its time."""
        rng = np.random.default_rng(0)
        return self._anneal(start, HOT, steps, rng).steps

    def _anneal(
        self, start: Labels, hot: float, steps: int, rng: np.random.Generator
    ) -> Outcome[Labels]:
        """Anneal by a burst of *steps* steps whose excess at the start is *hot*."""
        each = max(1, steps // LEVELS)
        labels, _ = anneal(
            self.annealing.wide,
            self.annealing.near,
            start,
            self.k,
            self.annealing.schedule.between(hot, COLD),
            each,
            draw_seed(rng),
        )
        return self.outcome(canonical(labels), each * LEVELS)
