"""The memetic search for large files: regions are annealed one by one, and cut anew each turn.

A burst on a whole large file waits for memory most of the time, and its lists of near records
take longer than the burst. A region of some thousands of records stays in the nearest memory.
Groups are never cut: a region is a number of whole groups that lie together. What one cut keeps
apart the next one may bring together. Regions are dealt to parts, independent tasks of a turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from evomask.arrays import Indices, Labels, Points
from evomask.data.partition import canonical, centroids, group_sizes, within_sum_of_squares
from evomask.evolution.brood import FIRST, Brood, Outcome, Outcomes, Task
from evomask.evolution.individual import Population
from evomask.evolution.state import State, born
from evomask.evolution.streams import draw_litter, litter_stream
from evomask.kernels.generator import seed_of
from evomask.kernels.groups.annealing import anneal
from evomask.kernels.groups.near import nearest_of_all
from evomask.kernels.groups.sums import padded
from evomask.masking.microaggregation.mdav_generic import coded
from evomask.masking.microaggregation.regions import grouped_mixed, grouped_numbers
from evomask.searches.partition.genome import near_count
from evomask.searches.partition.problem import ANNEAL, COLD, Annealing, PartitionProblem
from evomask.searches.partition.schedule import LEVELS

JOIN = "join"

REGION = 4_000
"""Most records of a region; so many stay in the nearest memory of a processor."""

PARTS = 8
"""Tasks of a turn."""

RECORDS = 200_000
"""Most records that are annealed in a turn; more would make a turn long."""

STEPS = 100
"""Steps of a burst for each record of a region."""

WARM = (0.05, 0.3)
"""Excess at which bursts begin; drawn anew for each region."""

UNEVEN = (0.35, 0.65)
"""Share of the records on one side of a cut, so that borders are not where they were."""


@dataclass(frozen=True, eq=False)
class Regional(PartitionProblem):
    """Bursts of annealing in regions of one partition, then the parts put together.

    Args:
        steps: of a burst, for each record.
    """

    annealing: Annealing
    steps: int = STEPS
    _cuts: dict[int, list[Indices]] = field(default_factory=dict, repr=False)

    def work(self, task: Task[Labels], rng: np.random.Generator) -> Outcome[Labels]:
        """A first partition, one part of a partition annealed, or all parts put together."""
        if task.operator == FIRST:
            return self.outcome(self.constructed())
        genomes = [parent.genome for parent in task.parents]
        if task.operator == JOIN:
            return self.outcome(joined(genomes[0], genomes[1:]))
        regions = self._regions(genomes[0], task.litter)[task.rival :: PARTS]
        return self._annealed(genomes[0], regions, rng)

    def constructed(self) -> Labels:
        """Groups by MDAV, region by region where the file is very large."""
        if any(self.original.attribute(name).is_categorical for name in self.names):
            return canonical(grouped_mixed(coded(self.original, self.names), self.k))
        return canonical(grouped_numbers(self.points, self.k))

    def _regions(self, labels: Labels, litter: int) -> list[Indices]:
        """The regions of a turn, in random order: as many as are annealed in it."""
        if litter not in self._cuts:
            self._cuts.clear()
            rng = litter_stream(litter)
            regions = regions_of(self.points, labels, REGION, rng)
            order = [regions[i] for i in rng.permutation(len(regions))]
            ends = np.cumsum([len(region) for region in order])
            self._cuts[litter] = order[: max(1, int(np.searchsorted(ends, RECORDS, "right")))]
        return self._cuts[litter]

    def _annealed(
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
        """One region after a burst, or as it was if that is better; and the steps it took."""
        hot = float(np.exp(rng.uniform(*np.log(WARM))))
        each = max(1, self.steps * len(points) // LEVELS)
        near = nearest_of_all(points, min(near_count(self.k), len(points) - 1))
        temperatures = self.annealing.schedule.between(hot, COLD)
        found, _ = anneal(padded(points), near, start, self.k, temperatures, each, seed_of(rng))
        labels = canonical(found)
        before, after = (within_sum_of_squares(points, own) for own in (start, labels))
        return (labels if after <= before else start), each * LEVELS


def regions_of(
    points: Points, labels: Labels, most: int, rng: np.random.Generator
) -> list[Indices]:
    """Records of whole groups that lie together, up to *most* (more only for a larger group).

    Groups are cut apart by their means, across the widest of axes that are turned at random.
    """
    sizes = group_sizes(labels)
    turned = centroids(points, labels) @ _rotation(points.shape[1], rng)
    region_of = np.empty(len(sizes), dtype=np.int64)
    waiting, done = [np.arange(len(sizes))], 0
    while waiting:
        groups = waiting.pop()
        if sizes[groups].sum() <= most or len(groups) == 1:
            region_of[groups] = done
            done += 1
            continue
        along = turned[groups, np.argmax(turned[groups].var(axis=0))]
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


def joined(start: Labels, parts: Sequence[Labels]) -> Labels:
    """The partition with what each part changed; no two changed the same groups."""
    labels = start.copy()
    count = int(labels.max()) + 1
    for part in parts:
        changed = _changed(start, part)
        labels[changed] = count + part[changed]
        count += int(part.max()) + 1
    return canonical(labels)


def _changed(start: Labels, labels: Labels) -> Indices:
    """Records whose group is not the same set of records in both partitions."""
    pairs = start * (labels.max() + 1) + labels
    _, place, together = np.unique(pairs, return_inverse=True, return_counts=True)
    alike = together[place]
    same = (alike == group_sizes(start)[start]) & (alike == group_sizes(labels)[labels])
    return np.flatnonzero(~same)


@dataclass(frozen=True)
class PartByPart:
    """Anneal the parts of one partition side by side, put them together, and again."""

    def propose(self, state: State[Labels], rng: np.random.Generator) -> Brood[Labels]:
        """All parts of the partition under one new cut, or the parts to be put together."""
        if len(state.population) > 1:
            return (Task(JOIN, state.population),)
        litter = draw_litter(rng)
        return tuple(Task(ANNEAL, state.population, part, litter) for part in range(PARTS))

    def replace(
        self, state: State[Labels], brood: Brood[Labels], outcomes: Outcomes[Labels]
    ) -> Population[Labels]:
        """The partition and its annealed parts, or the partition made of them."""
        children = born(state, brood, outcomes)
        return children if brood[0].operator == JOIN else (*state.population, *children)
