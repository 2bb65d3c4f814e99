"""Crossover of partitions: the best partition made of whole groups of several parents.

Two parents are compared component by component (sets of records that no group of either
leaves), which is exact. Of more parents whole groups are chosen by set partitioning, region by
region: the groups of the child around one of its records, and all that the parents have made of
the same records. A region is as large as can be solved soon; regions overlap, so what one could
not change the next may.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evomask.arrays import Floats, Indices, Labels, Points
from evomask.data.partition import canonical
from evomask.searches.partition.genome import squares_within
from evomask.searches.partition.set_partitioning import TooHardError, cheapest

if TYPE_CHECKING:
    from scipy.sparse import csc_array

FIRST_GROUPS, MOST_GROUPS = 400, 1600
"""Groups that a region is chosen from, at first and at most; doubled where that was easy."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The different groups of several partitions.

    Args:
        choices: a row a parent: the pool's number of each record's group.
        members: records of all groups, group by group.
        starts: where each group begins in *members*; one more for the end.
        costs: sum of squares of each group.
    """

    choices: Indices
    members: Indices
    starts: Indices
    costs: Floats

    @classmethod
    def of(cls, points: Points, parents: Sequence[Labels]) -> "Pool":
        """The groups of the parents, each once."""
        known: dict[bytes, int] = {}
        rows = [_numbered(canonical(parent), known) for parent in parents]
        groups = [np.frombuffer(name, dtype=np.int64) for name in known]
        sizes = np.array([len(group) for group in groups])
        starts = np.concatenate([[0], np.cumsum(sizes)])
        members = np.concatenate(groups)
        return cls(np.array(rows), members, starts, squares_within(points, members, starts[:-1]))

    def records(self, group: int) -> Indices:
        """The records of one group of the pool."""
        return self.members[self.starts[group] : self.starts[group + 1]]

    def means(self, points: Points) -> Points:
        """The mean of each group's records."""
        sums = np.add.reduceat(points[self.members], self.starts[:-1], axis=0)
        centres: Points = sums / np.diff(self.starts)[:, None]
        return centres

    def cover(self, groups: Indices) -> "csc_array":
        """Which record (row) is in which of the groups (column); rows without any are left out."""
        from scipy.sparse import csc_array

        records = [self.records(group) for group in groups]
        _, rows = np.unique(np.concatenate(records), return_inverse=True)
        ends = np.cumsum([0, *(len(group) for group in records)])
        shape = (int(rows.max()) + 1, len(groups))
        return csc_array((np.ones(len(rows)), rows, ends), shape=shape)

    def components(self) -> Indices:
        """For each record, the number of its component."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = self.choices.shape[1]
        groups = np.repeat(np.arange(len(self.costs)), np.diff(self.starts))
        shape = (n + len(self.costs),) * 2
        edges = coo_array((np.ones(len(groups)), (self.members, n + groups)), shape=shape)
        components: Indices = connected_components(edges, directed=False)[1][:n].astype(np.int64)
        return components


def recombined(
    points: Points,
    parents: Sequence[Labels],
    regions: int,
    rng: np.random.Generator,
    largest: int = MOST_GROUPS,
) -> Labels:
    """The best child found among partitions made of the parents' groups; no parent is better.

    Args:
        regions: how many are solved, at most, around records drawn by *rng*.
        largest: groups that a region is chosen from, at most.
    """
    child = canonical(parents[0])
    for other in parents[1:]:
        child = best_of_components(points, [child, other])
    if len(parents) <= 2:
        return child
    pool = Pool.of(points, [child, *parents])
    return canonical(_by_regions(points, pool, regions, rng, largest))


def best_of_components(points: Points, parents: Sequence[Labels]) -> Labels:
    """Each component as in the parent that is cheapest there, without mixing parents inside."""
    pool = Pool.of(points, parents)
    return canonical(_best_parents(pool, pool.components()))


def _numbered(labels: Labels, known: dict[bytes, int]) -> Indices:
    """Numbers of the groups in *known*, which takes in the new ones."""
    order = np.argsort(labels, kind="stable")
    edges = np.cumsum(np.bincount(labels))[:-1]
    names = [group.tobytes() for group in np.split(order.astype(np.int64), edges)]
    numbers = np.array([known.setdefault(name, len(known)) for name in names])
    groups: Indices = numbers[labels]
    return groups


def _best_parents(pool: Pool, parts: Indices) -> Indices:
    """Each component as in the parent that is cheapest there; the first wins a tie."""
    sizes = np.diff(pool.starts)
    shares = (pool.costs / sizes)[pool.choices]
    costs = np.array([np.bincount(parts, weights=row) for row in shares])
    best = np.argmin(costs.round(12), axis=0)
    chosen: Indices = pool.choices[best[parts], np.arange(len(parts))]
    return chosen


def _by_regions(
    points: Points, pool: Pool, regions: int, rng: np.random.Generator, largest: int
) -> Indices:
    """The first parent's choice after set partitioning around records where parents differ."""
    chosen: Indices = pool.choices[0].copy()
    means = pool.means(points)
    open_records = (pool.choices != chosen).any(axis=0)
    waiting = np.ones(len(pool.costs), dtype=bool)
    most = min(FIRST_GROUPS, largest)
    for _ in range(regions):
        used = np.unique(chosen[open_records])
        middles = used[waiting[used]]
        if len(middles) == 0:
            break
        middle = middles[rng.integers(len(middles))]
        apart = np.sum((means[used] - means[middle]) ** 2, axis=1)
        order = used[np.argsort(apart, kind="stable")]
        better, width, most = _solved(pool, chosen, order, most)
        most = min(most, largest)
        # What lies at a region's border is looked at again, from nearer by.
        waiting[order[: max(1, width // 2)]] = False
        for group in better:
            chosen[pool.records(group)] = group
    return chosen


def _solved(pool: Pool, chosen: Indices, order: Indices, most: int) -> tuple[Indices, int, int]:
    """Groups to take instead of those first in the order, how many these are, and the next size.

    Args:
        order: groups of the choice, those in the middle of the region first.
        most: groups to choose from, at most; halved until the choice is easy enough.
    """
    rank = np.full(len(pool.costs), len(order))
    rank[order] = np.arange(len(order))
    outermost = np.maximum.reduceat(rank[chosen][pool.members], pool.starts[:-1])
    counts = np.cumsum(np.bincount(outermost, minlength=len(order) + 1)[:-1])
    while True:
        width = max(1, int(np.searchsorted(counts, most, side="right")))
        groups = np.flatnonzero(outermost < width)
        try:
            taken = cheapest(
                pool.costs[groups], pool.cover(groups), pool.costs[order[:width]].sum()
            )
        except TooHardError:
            most //= 2
            continue
        better = groups[:0] if taken is None else groups[taken]
        return better, width, min(MOST_GROUPS, 2 * most)
