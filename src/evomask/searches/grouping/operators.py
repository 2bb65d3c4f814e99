"""Operators on groupings: one crossover and five mutations (chapter 3.4 of the thesis).

Parents are not changed; an operator that cannot change anything returns a copy. A sized grouping
has a k for each group: its first row is the grouping, its second the k of each attribute's group.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from evomask.evolution.individual import FIRST, Task
from evomask.evolution.schemes import CROSS
from evomask.searches.grouping.genome import Grouping, SizedGroup, compact, groups_of, identity

Mutation = Callable[[Grouping, np.random.Generator], Grouping]


def first_grouping(n_attributes: int, rng: np.random.Generator) -> Grouping:
    """Draw one of as many groups as there are attributes for each attribute."""
    return compact(rng.integers(n_attributes, size=n_attributes))


def crossing_site(n_groups: int, rng: np.random.Generator) -> tuple[int, int]:
    """Draw a non-empty section of the group part: its first group and the one after its last."""
    low, high = np.sort(rng.choice(n_groups + 1, 2, replace=False))
    return int(low), int(high)


def cross(first: Grouping, second: Grouping, rng: np.random.Generator) -> Grouping:
    """Keep the groups in a crossing site of *first*, group the rest as in *second*.

    The injected groups come first; the second child of a crossover exchanges the parents.
    """
    low, high = crossing_site(int(first.max()) + 1, rng)
    return inject_groups((low <= first) & (first < high), first, second)


def inject_groups(chosen: np.ndarray, first: Grouping, second: Grouping) -> Grouping:
    """Combine the groups of *chosen* attributes in *first* with the rest of *second*."""
    return compact(np.where(chosen, first, first.max() + 1 + second))


def create_group(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """Make a random subset of attributes, of uniformly drawn size, a group."""
    n = len(parent)
    chosen = np.zeros(n, dtype=bool)
    chosen[rng.choice(n, int(rng.integers(1, n + 1)), replace=False)] = True
    return inject_groups(chosen, np.zeros_like(parent), parent)


def eliminate_group(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """Move the attributes of a random group to random other groups, if there are any."""
    n_groups = int(parent.max()) + 1
    if n_groups == 1:
        return parent.copy()
    gone = rng.integers(n_groups)
    child = parent - (parent > gone)
    scattered = parent == gone
    child[scattered] = rng.integers(n_groups - 1, size=int(scattered.sum()))
    return child


def split_group(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """Split a random group into two random halves; a single attribute stays."""
    attributes = rng.permutation(np.flatnonzero(parent == rng.integers(parent.max() + 1)))
    child = parent.copy()
    child[attributes[: len(attributes) // 2]] = parent.max() + 1
    return child


def swap_elements(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """Exchange the groups of two random attributes."""
    child = parent.copy()
    if len(parent) > 1:
        pair = rng.choice(len(parent), 2, replace=False)
        child[pair] = parent[pair[::-1]]
    return child


def move_element(parent: Grouping, rng: np.random.Generator) -> Grouping:
    """Move a random attribute to another group; its old group may disappear."""
    n_groups = int(parent.max()) + 1
    if n_groups == 1:
        return parent.copy()
    mover = rng.integers(len(parent))
    child = parent.copy()
    child[mover] = (parent[mover] + rng.integers(1, n_groups)) % n_groups
    return compact(child)


MUTATIONS: Mapping[str, Mutation] = {
    "create": create_group,
    "eliminate": eliminate_group,
    "split": split_group,
    "swap": swap_elements,
    "move": move_element,
}


SizedGrouping = NDArray[np.int64]
"""Two rows: the group of each attribute, and the k of that group."""

RESIZE = "resize"
STRIDE = 0.7
"""Standard deviation of the logarithm of a change of k."""

FACTOR = 16
"""Default ratio of the largest to the smallest k of a group."""


@dataclass(frozen=True)
class Sizes:
    """The range of k of groups."""

    least: int
    largest: int

    def drawn(self, rng: np.random.Generator) -> int:
        return self.within(float(np.exp(rng.uniform(log(self.least), log(self.largest)))))

    def moved(self, k: int, rng: np.random.Generator) -> int:
        target = k * float(np.exp(rng.normal(0.0, STRIDE)))
        near = self.within(target)
        return near if near != k else self.within(k + (1 if target > k else -1))

    def within(self, k: float) -> int:
        return int(min(max(round(k), self.least), self.largest))


def with_equal_k(grouping: Grouping, k: int) -> SizedGrouping:
    """Return a grouping all of whose groups have the same k."""
    return np.stack([grouping, np.full_like(grouping, k)])


def with_majority_k(labels: Grouping, sizes_before: NDArray[np.int64]) -> SizedGrouping:
    """Give every group the most frequent k among its attributes; the smallest wins a tie."""
    sizes = np.empty_like(sizes_before)
    for group in groups_of(labels):
        places = list(group)
        values, counts = np.unique(sizes_before[places], return_counts=True)
        sizes[places] = values[int(np.argmax(counts))]
    return np.stack([labels, sizes])


def cross_sized(
    first: SizedGrouping, second: SizedGrouping, rng: np.random.Generator
) -> SizedGrouping:
    """Keep the groups in a crossing site of *first* with their k, the rest as in *second*."""
    low, high = crossing_site(int(first[0].max()) + 1, rng)
    chosen = (low <= first[0]) & (first[0] < high)
    sizes_before = np.where(chosen, first[1], second[1])
    return np.stack([inject_groups(chosen, first[0], second[0]), sizes_before])


def resize_group(parent: SizedGrouping, sizes: Sizes, rng: np.random.Generator) -> SizedGrouping:
    """Change the k of a random group, preferably a little."""
    child = parent.copy()
    group = parent[0] == rng.integers(parent[0].max() + 1)
    child[1, group] = sizes.moved(int(parent[1, group][0]), rng)
    return child


@dataclass(frozen=True, eq=False)
class SizedGenes:
    """Groupings whose groups have their own k.

    Args:
        sizes: range of k.
        starts: initial groupings, with the smallest k.
    """

    n_attributes: int
    sizes: Sizes
    starts: Sequence[Grouping] = ()

    mutations = (*MUTATIONS, RESIZE)

    def child(self, task: Task[SizedGrouping], rng: np.random.Generator) -> SizedGrouping:
        if task.operator == FIRST:
            return self._first(int(task.rival or 0), rng)
        parents = [parent.genome for parent in task.parents]
        if task.operator == CROSS:
            return cross_sized(parents[0], parents[1], rng)
        if task.operator == RESIZE:
            return resize_group(parents[0], self.sizes, rng)
        return with_majority_k(MUTATIONS[task.operator](parents[0][0], rng), parents[0][1])

    def _first(self, number: int, rng: np.random.Generator) -> SizedGrouping:
        if number < len(self.starts):
            return self.of(self.starts[number])
        labels = first_grouping(self.n_attributes, rng)
        drawn = np.array([self.sizes.drawn(rng) for _ in range(int(labels.max()) + 1)])
        return np.stack([labels, drawn[labels]])

    def groups(self, genome: SizedGrouping) -> tuple[SizedGroup, ...]:
        return tuple((group, int(genome[1, group[0]])) for group in groups_of(genome[0]))

    def identity(self, genome: SizedGrouping) -> Hashable:
        return identity(genome[0]), genome[1].tobytes()

    def of(self, grouping: Grouping) -> SizedGrouping:
        return with_equal_k(grouping, self.sizes.least)
