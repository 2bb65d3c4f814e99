"""Crossover by set partitioning of the parents' groups, and exact solution of small pools.

Set partitioning selects, of given groups, the cheapest that contain every record exactly once. It
is solved by linear programming if that is enough, else by branch and bound, whose running time
depends on the number of fractional groups of the linear program; these are counted first. Nothing
depends on the clock, so equal groups give equal selections.

Two parents are compared component by component (sets of records that no group of either leaves),
which is exact. With more parents, set partitioning is applied region by region: the groups of the
child around a record, and all groups of the parents among the same records. Regions overlap, and
are as large as can be solved quickly.
"""

import ctypes
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evomask.data.partition import canonical, centroids, group_sizes, within_sum_of_squares
from evomask.kernels.groups.exact import optimum
from evomask.searches.partition.genome import group_sums_of_squares
from evomask.types import Flags, Floats, Indices, Labels, Points

if TYPE_CHECKING:
    from scipy.sparse import csc_array


FRACTIONS = 48
"""Number of fractional groups above which branch and bound may take seconds."""

WHOLE = 1e-6
"""Tolerance within which a share is 0 or 1."""

GAIN = 1e-9
"""Share of the cost by which a selection must be better than the known one."""


class TooHardError(Exception):
    """Branch and bound might take too long."""


def cheapest(costs: Floats, cover: "csc_array", known: float) -> Flags | None:
    """Return the groups to select, or None if no selection is cheaper than the *known* cost.

    Args:
        cover: incidence matrix of records (rows) and groups (columns); every row has an entry.

    Raises:
        TooHardError: if branch and bound might take too long.
    """
    scaled = costs * (len(costs) / known) if known > 0 else costs
    limit = len(costs) * (1.0 - GAIN) if known > 0 else 0.0
    shares = _shares(scaled, cover, whole=False)
    if shares is None or scaled @ shares >= limit:
        return None
    parts = int(np.sum((shares > WHOLE) & (shares < 1.0 - WHOLE)))
    if parts > FRACTIONS:
        raise TooHardError
    if parts > 0:
        shares = _shares(scaled, cover, whole=True)
    selected: Flags | None = None if shares is None else shares > 0.5
    return selected if selected is not None and _is_better(scaled, cover, selected, limit) else None


def cheapest_within(costs: Floats, cover: "csc_array", known: float, nodes: int) -> Flags | None:
    """Return the best selection found within so many branch-and-bound nodes, if cheaper."""
    shares = _shares(costs, cover, whole=True, nodes=nodes)
    selected: Flags | None = None if shares is None else shares > 0.5
    limit = known * (1.0 - GAIN)
    return selected if selected is not None and _is_better(costs, cover, selected, limit) else None


def _is_better(costs: Floats, cover: "csc_array", selected: Flags, limit: float) -> bool:
    is_cover = bool((cover @ selected.astype(np.float64) == 1.0).all())
    return is_cover and float(costs[selected].sum()) < limit


def _shares(
    costs: Floats, cover: "csc_array", whole: bool, nodes: int | None = None
) -> Floats | None:
    from scipy.optimize import Bounds, LinearConstraint, milp

    with _quiet():
        solution = milp(
            costs,
            integrality=np.full(len(costs), int(whole)),
            bounds=Bounds(0, 1 if whole else np.inf),
            constraints=LinearConstraint(cover, 1, 1),
            options={"mip_rel_gap": 0} if nodes is None else {"node_limit": nodes},
        )
    return None if solution.x is None else np.asarray(solution.x, dtype=np.float64)


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress standard output: HiGHS 1.12 prints lines that cannot be switched off."""
    if os.name != "posix":
        yield
        return
    flush = ctypes.CDLL(None).fflush
    sys.stdout.flush()
    flush(None)
    stdout, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 1)
        yield
        flush(None)
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
        os.close(null)


FIRST_GROUPS, MOST_GROUPS = 400, 1600
"""Initial and largest number of groups of a region; doubled after an easy region."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The distinct groups of several partitions.

    Args:
        choices: one row per parent: number of each record's group in the pool.
        members: records of all groups, group by group.
        starts: position of each group in *members*, and the end.
        costs: sum of squares of each group.
    """

    choices: Indices
    members: Indices
    starts: Indices
    costs: Floats

    @classmethod
    def of(cls, points: Points, parents: Sequence[Labels]) -> "Pool":
        known: dict[bytes, int] = {}
        rows = [_number_groups(canonical(parent), known) for parent in parents]
        groups = [np.frombuffer(name, dtype=np.int64) for name in known]
        sizes = np.array([len(group) for group in groups])
        starts = np.concatenate([[0], np.cumsum(sizes)])
        members = np.concatenate(groups)
        return cls(
            np.array(rows), members, starts, group_sums_of_squares(points, members, starts[:-1])
        )

    def records(self, group: int) -> Indices:
        return self.members[self.starts[group] : self.starts[group + 1]]

    def means(self, points: Points) -> Points:
        sums = np.add.reduceat(points[self.members], self.starts[:-1], axis=0)
        centres: Points = sums / np.diff(self.starts)[:, None]
        return centres

    def cover(self, groups: Indices) -> "csc_array":
        """Return the incidence matrix of records (rows) and groups (columns)."""
        from scipy.sparse import csc_array

        records = [self.records(group) for group in groups]
        _, rows = np.unique(np.concatenate(records), return_inverse=True)
        ends = np.cumsum([0, *(len(group) for group in records)])
        shape = (int(rows.max()) + 1, len(groups))
        return csc_array((np.ones(len(rows)), rows, ends), shape=shape)

    def components(self) -> Indices:
        """Return the component of each record."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = self.choices.shape[1]
        groups = np.repeat(np.arange(len(self.costs)), np.diff(self.starts))
        shape = (n + len(self.costs),) * 2
        edges = coo_array((np.ones(len(groups)), (self.members, n + groups)), shape=shape)
        components: Indices = connected_components(edges, directed=False)[1][:n].astype(np.int64)
        return components


def recombine(
    points: Points,
    parents: Sequence[Labels],
    regions: int,
    rng: np.random.Generator,
    largest: int = MOST_GROUPS,
) -> Labels:
    """Return the best child found that consists of the parents' groups; no parent is better.

    Args:
        regions: largest number of regions solved, around records drawn by *rng*.
        largest: largest number of groups of a region.
    """
    child = canonical(parents[0])
    for other in parents[1:]:
        child = best_of_components(points, [child, other])
    if len(parents) <= 2:
        return child
    pool = Pool.of(points, [child, *parents])
    return canonical(_by_regions(points, pool, regions, rng, largest))


def best_of_components(points: Points, parents: Sequence[Labels]) -> Labels:
    """Return each component as in the parent that is cheapest there."""
    pool = Pool.of(points, parents)
    return canonical(_best_parents(pool, pool.components()))


def _number_groups(labels: Labels, known: dict[bytes, int]) -> Indices:
    order = np.argsort(labels, kind="stable")
    edges = np.cumsum(np.bincount(labels))[:-1]
    names = [group.tobytes() for group in np.split(order.astype(np.int64), edges)]
    numbers = np.array([known.setdefault(name, len(known)) for name in names])
    groups: Indices = numbers[labels]
    return groups


def _best_parents(pool: Pool, parts: Indices) -> Indices:
    """Cheapest parent of each component; the first wins a tie."""
    sizes = np.diff(pool.starts)
    shares = (pool.costs / sizes)[pool.choices]
    costs = np.array([np.bincount(parts, weights=row) for row in shares])
    best = np.argmin(costs.round(12), axis=0)
    chosen: Indices = pool.choices[best[parts], np.arange(len(parts))]
    return chosen


def _by_regions(
    points: Points, pool: Pool, regions: int, rng: np.random.Generator, largest: int
) -> Indices:
    """Improve the first parent by set partitioning around records where parents differ."""
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
        better, width, most = _solve_region(pool, chosen, order, most)
        most = min(most, largest)
        # What lies at a region's border is looked at again, from nearer by.
        waiting[order[: max(1, width // 2)]] = False
        for group in better:
            chosen[pool.records(group)] = group
    return chosen


def _solve_region(
    pool: Pool, chosen: Indices, order: Indices, most: int
) -> tuple[Indices, int, int]:
    """Return better groups of a region, its number of groups, and the next size.

    Args:
        order: groups of the child, from the middle of the region outwards.
        most: largest number of groups; halved until the problem is easy enough.
    """
    rank = np.full(len(pool.costs), len(order))
    rank[order] = np.arange(len(order))
    outermost = np.maximum.reduceat(rank[chosen][pool.members], pool.starts[:-1])
    counts = np.cumsum(np.bincount(outermost, minlength=len(order) + 1)[:-1])
    while True:
        width = max(1, int(np.searchsorted(counts, most, side="right")))
        groups = np.flatnonzero(outermost < width)
        try:
            selected = cheapest(
                pool.costs[groups], pool.cover(groups), pool.costs[order[:width]].sum()
            )
        except TooHardError:
            most //= 2
            continue
        better = groups[:0] if selected is None else groups[selected]
        return better, width, min(MOST_GROUPS, 2 * most)


POOL_RECORDS = 16
"""Largest number of records in a pool of groups that is solved exactly."""

POOLS = 600
"""Largest number of groups around which pools are solved in one call."""


def resolve_pools(points: Points, labels: Labels, k: int, rng: np.random.Generator) -> Labels:
    """Solve groups exactly together with their neighbouring groups; the result is never worse.

    A changed group is not solved again in the same call. Nothing changes if two groups exceed the
    size of a pool.
    """
    from scipy.spatial import KDTree

    if 2 * k > POOL_RECORDS:
        return canonical(labels)
    sizes = group_sizes(labels)
    middles = rng.permutation(len(sizes))[:POOLS]
    means = centroids(points, labels)
    _, nearest = KDTree(means).query(means[middles], min(len(means), POOL_RECORDS // k))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    grouped = np.split(np.argsort(labels, kind="stable"), starts[1:-1])
    child = labels.copy()
    changed = np.zeros(len(sizes), dtype=bool)
    for around in nearest.reshape(len(middles), -1):
        near = around[~changed[around]]
        pool = near[: int(np.searchsorted(np.cumsum(sizes[near]), POOL_RECORDS, side="right"))]
        records = np.concatenate([grouped[g] for g in pool]) if len(pool) > 1 else pool[:0]
        better = _solve_pool(points[records], child[records], k) if len(pool) > 1 else None
        if better is not None:
            child[records] = child.max() + 1 + better
            changed[pool] = True
    return canonical(child)


def _solve_pool(points: Points, labels: Labels, k: int) -> Labels | None:
    before = within_sum_of_squares(points, canonical(labels))
    best = optimum(points, k, before)
    return best if within_sum_of_squares(points, best) < before * (1.0 - 1e-12) else None
