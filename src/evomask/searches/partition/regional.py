"""The memetic search for large files: regions are annealed separately and redefined each turn.

A burst on a whole large file would mostly wait for memory, and its lists of neighbours would take
longer than the burst. A region of some thousands of records fits into the processor's cache. Groups
are never split: a region consists of whole neighbouring groups. What one division separates the
next may join. Regions are distributed over parts, the independent tasks of a generation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from evomask.data.partition import canonical, centroids, group_sizes, within_sum_of_squares
from evomask.evolution.individual import FIRST, Brood, Outcome, Outcomes, Population, Task
from evomask.evolution.state import State, individuals_from
from evomask.evolution.streams import draw_litter, litter_stream
from evomask.kernels.generator import draw_seed
from evomask.kernels.groups.annealing import anneal, center_and_pad
from evomask.kernels.groups.orders import nearest_of_all
from evomask.masking.microaggregation.mdav import mixed_records
from evomask.masking.microaggregation.regions import group_mixed, group_numbers
from evomask.searches.partition.genome import near_count
from evomask.searches.partition.problem import ANNEAL, COLD, LEVELS, Annealing, PartitionProblem
from evomask.types import Indices, Labels, Points

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
    rotated = centroids(points, labels) @ _rotation(points.shape[1], rng)
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


def _rotation(size: int, rng: np.random.Generator) -> Points:
    rotation: Points = np.linalg.qr(rng.standard_normal((size, size)))[0]
    return rotation


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
