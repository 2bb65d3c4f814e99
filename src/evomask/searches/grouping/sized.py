"""Groupings whose groups have a k of their own: what evolves, and how it varies.

The first row of a genome is a grouping, the second the k of each attribute's group. Operators of
groupings work on the first row; the k of a new group is the one most of its attributes had.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from evomask.evolution.brood import FIRST, Task
from evomask.evolution.schemes import CROSS
from evomask.searches.grouping.genome import Grouping, SizedGroup, groups_of, identity
from evomask.searches.grouping.operators import (
    MUTATIONS,
    crossing_site,
    first_grouping,
    injected,
)

SizedGrouping = NDArray[np.int64]
"""Two rows: the group of each attribute, and the k of that group."""

RESIZE = "resize"
STRIDE = 0.7
"""Standard deviation of the logarithm by which a group's k grows or shrinks."""

FACTOR = 16
"""How many times the smallest k a group's k may be, where nobody says."""


@dataclass(frozen=True)
class Sizes:
    """The k that groups may have, from the least to the largest."""

    least: int
    largest: int

    def drawn(self, rng: np.random.Generator) -> int:
        """Any k, small ones more likely: its logarithm is uniform."""
        return self.within(float(np.exp(rng.uniform(log(self.least), log(self.largest)))))

    def moved(self, k: int, rng: np.random.Generator) -> int:
        """A k near by, but another one where there is another."""
        wanted = k * float(np.exp(rng.normal(0.0, STRIDE)))
        near = self.within(wanted)
        return near if near != k else self.within(k + (1 if wanted > k else -1))

    def within(self, k: float) -> int:
        """The nearest k that is allowed."""
        return int(min(max(round(k), self.least), self.largest))


def of_one_size(grouping: Grouping, k: int) -> SizedGrouping:
    """A grouping all of whose groups have the same k."""
    return np.stack([grouping, np.full_like(grouping, k)])


def agreed(labels: Grouping, wishes: NDArray[np.int64]) -> SizedGrouping:
    """Every group with the k that most of its attributes wish; of ties the smallest."""
    sizes = np.empty_like(wishes)
    for group in groups_of(labels):
        places = list(group)
        values, counts = np.unique(wishes[places], return_counts=True)
        sizes[places] = values[int(np.argmax(counts))]
    return np.stack([labels, sizes])


def cross_sized(
    first: SizedGrouping, second: SizedGrouping, rng: np.random.Generator
) -> SizedGrouping:
    """The groups of a crossing site of *first* with their sizes, the rest as in *second*."""
    low, high = crossing_site(int(first[0].max()) + 1, rng)
    chosen = (low <= first[0]) & (first[0] < high)
    wishes = np.where(chosen, first[1], second[1])
    return np.stack([injected(chosen, first[0], second[0]), wishes])


def resize_group(parent: SizedGrouping, sizes: Sizes, rng: np.random.Generator) -> SizedGrouping:
    """A random group gets another k, rather one near by."""
    child = parent.copy()
    group = parent[0] == rng.integers(parent[0].max() + 1)
    child[1, group] = sizes.moved(int(parent[1, group][0]), rng)
    return child


@dataclass(frozen=True, eq=False)
class SizedGenes:
    """Groupings of so many attributes, each group with a k of its own.

    Args:
        sizes: the k that groups may have.
        starts: groupings to begin with, at the least k.
    """

    n_attributes: int
    sizes: Sizes
    starts: Sequence[Grouping] = ()

    mutations = (*MUTATIONS, RESIZE)

    def child(self, task: Task[SizedGrouping], rng: np.random.Generator) -> SizedGrouping:
        """What an operator makes of its parents."""
        if task.operator == FIRST:
            return self._first(int(task.rival or 0), rng)
        parents = [parent.genome for parent in task.parents]
        if task.operator == CROSS:
            return cross_sized(parents[0], parents[1], rng)
        if task.operator == RESIZE:
            return resize_group(parents[0], self.sizes, rng)
        return agreed(MUTATIONS[task.operator](parents[0][0], rng), parents[0][1])

    def _first(self, number: int, rng: np.random.Generator) -> SizedGrouping:
        """Known groupings with the least k, then any grouping with any sizes."""
        if number < len(self.starts):
            return self.of(self.starts[number])
        labels = first_grouping(self.n_attributes, rng)
        drawn = np.array([self.sizes.drawn(rng) for _ in range(int(labels.max()) + 1)])
        return np.stack([labels, drawn[labels]])

    def groups(self, genome: SizedGrouping) -> tuple[SizedGroup, ...]:
        """Each group with its k."""
        return tuple((group, int(genome[1, group[0]])) for group in groups_of(genome[0]))

    def identity(self, genome: SizedGrouping) -> Hashable:
        """The same for two genomes that mean the same groups of the same sizes."""
        return identity(genome[0]), genome[1].tobytes()

    def of(self, grouping: Grouping) -> SizedGrouping:
        """A grouping all of whose groups have the least k."""
        return of_one_size(grouping, self.sizes.least)
