"""Crossover of partitions: the best partition made of whole groups of several parents.

Choosing groups so that every record is in exactly one, at the smallest sum of squares, is a set
partitioning problem. It falls into components: sets of records that no parent's group leaves.
Components are solved by linear programming; what stays fractional is fixed group by group until
the rest is small enough for branch and bound. Nothing reads a clock, so the same parents
always give the same child.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evomask.data.partition import canonical
from evomask.kernels.arrays import Flags, Floats, Indices, Labels, Points
from evomask.searches.partition.genome import squares_within

BRANCHING = 80
"""Components of at most so many groups are left to branch and bound; its time is unbounded."""

PROGRAMMING = 6_000
"""Most groups in a program; in the components beyond, the parents are only compared."""

LIKELY = 0.6
"""A group with a larger share in the relaxation is fixed; two such groups never overlap."""

ROUNDS = 12
"""Most relaxations solved one after another; what is open then stays as in the best parent."""


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
        """The records of one group."""
        return self.members[self.starts[group] : self.starts[group + 1]]

    def components(self) -> Indices:
        """For each record, the number of its component."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = self.choices.shape[1]
        groups = np.repeat(np.arange(len(self.costs)), np.diff(self.starts))
        shape = (n + len(self.costs),) * 2
        edges = coo_array((np.ones(len(groups)), (self.members, n + groups)), shape=shape)
        found: Indices = connected_components(edges, directed=False)[1][:n].astype(np.int64)
        return found


def recombined(points: Points, parents: Sequence[Labels]) -> Labels:
    """The best child found among partitions made of the parents' groups; no parent is better."""
    child = canonical(parents[0])
    for other in parents[1:]:
        child = best_of_components(points, [child, other])
    if len(parents) <= 2:
        return child
    pool = Pool.of(points, [child, *parents])
    return canonical(_improved(pool, pool.components(), pool.choices[0]))


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
    own: Indices = numbers[labels]
    return own


def _best_parents(pool: Pool, parts: Indices) -> Indices:
    """Each component as in the parent that is cheapest there; the first wins a tie."""
    sizes = np.diff(pool.starts)
    shares = (pool.costs / sizes)[pool.choices]
    costs = np.array([np.bincount(parts, weights=row) for row in shares])
    best = np.argmin(costs.round(12), axis=0)
    chosen: Indices = pool.choices[best[parts], np.arange(len(parts))]
    return chosen


def _improved(pool: Pool, parts: Indices, chosen: Indices) -> Indices:
    """The choice after set partitioning in every component where the parents differ."""
    part_of = parts[pool.members[pool.starts[:-1]]]
    used = np.zeros(len(pool.costs), dtype=bool)
    used[chosen] = True
    mixed = _programmed(part_of, used)
    groups = np.flatnonzero(np.isin(part_of, mixed))
    if len(groups) == 0:
        return chosen
    child = chosen.copy()
    found = _partitioned(pool, groups)
    for group in found:
        child[pool.records(group)] = group
    return _cheaper(pool, parts, child, chosen, mixed)


def _programmed(part_of: Indices, used: Flags) -> Indices:
    """Components with other groups than those in use, the smallest first, as many as can be."""
    others = np.bincount(part_of[~used], minlength=int(part_of.max()) + 1)
    sizes = np.bincount(part_of)
    order = np.argsort(sizes, kind="stable")
    order = order[others[order] > 0]
    return np.sort(order[np.cumsum(sizes[order]) <= PROGRAMMING])


def _cheaper(
    pool: Pool, parts: Indices, child: Indices, chosen: Indices, mixed: Indices
) -> Indices:
    """The child in components where it is whole and cheaper, the choice elsewhere."""
    sizes = np.diff(pool.starts)
    held = np.bincount(child, minlength=len(sizes))
    broken = np.bincount(parts, weights=held[child] != sizes[child]) > 0
    gain = np.bincount(parts, weights=(pool.costs / sizes)[chosen] - (pool.costs / sizes)[child])
    better = np.zeros(len(gain), dtype=bool)
    better[mixed] = (gain > 1e-12)[mixed] & ~broken[mixed]
    return np.where(better[parts], child, chosen)


def _partitioned(pool: Pool, groups: Indices) -> list[int]:
    """Groups that cover what *groups* cover, found by programming, fixing and branching."""
    taken: list[int] = []
    for _ in range(ROUNDS):
        small, large = _by_size(pool, groups)
        for component in small:
            taken += _branched(pool, component)
        if len(large) == 0:
            break
        values = _relaxed(pool, large)
        fixed = large[values > LIKELY]
        if len(fixed) == 0:
            fixed = large[[int(np.argmax(values))]]
        taken += fixed.tolist()
        groups = _untouched(pool, large, fixed)
        if len(groups) == 0:
            break
    return taken


def _by_size(pool: Pool, groups: Indices) -> tuple[list[Indices], Indices]:
    """Components small enough to branch on, and the groups of all others."""
    from scipy.sparse.csgraph import connected_components

    cover = _cover(pool, groups)
    _, part = connected_components(cover.T @ cover, directed=False)
    sizes = np.bincount(part)
    small = [groups[part == number] for number in np.flatnonzero(sizes <= BRANCHING)]
    return small, groups[sizes[part] > BRANCHING]


def _cover(pool: Pool, groups: Indices):  # type: ignore[no-untyped-def]  # noqa: ANN202
    """Which record (row) is in which group (column), rows without any left out."""
    from scipy.sparse import csc_array

    records = [pool.records(group) for group in groups]
    _, rows = np.unique(np.concatenate(records), return_inverse=True)
    ends = np.cumsum([0, *(len(members) for members in records)])
    return csc_array((np.ones(len(rows)), rows, ends), shape=(int(rows.max()) + 1, len(groups)))


def _relaxed(pool: Pool, groups: Indices) -> Floats:
    """The share of each group in the linear relaxation."""
    from scipy.optimize import linprog

    cover = _cover(pool, groups)
    ones = np.ones(cover.shape[0])
    found = linprog(pool.costs[groups], A_eq=cover, b_eq=ones, bounds=(0, 1), method="highs-ds")
    return np.zeros(len(groups)) if found.x is None else np.asarray(found.x)


def _branched(pool: Pool, groups: Indices) -> list[int]:
    """The best choice of a small component; none where nothing covers it exactly."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    if len(groups) == 1:
        return [int(groups[0])]
    found = milp(
        pool.costs[groups],
        integrality=np.ones(len(groups), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(_cover(pool, groups), 1, 1),
        options={"mip_rel_gap": 0},
    )
    return [] if found.x is None else groups[found.x > 0.5].tolist()


def _untouched(pool: Pool, groups: Indices, fixed: Indices) -> Indices:
    """The groups that share no record with the fixed ones."""
    covered = np.zeros(pool.choices.shape[1], dtype=bool)
    for group in fixed:
        covered[pool.records(group)] = True
    return np.array([g for g in groups if not covered[pool.records(g)].any()], dtype=np.int64)
