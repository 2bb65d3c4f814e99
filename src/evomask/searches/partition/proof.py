"""How far a partition is from the best there is: column generation.

The cheapest partition is a choice of groups that hold every record once. Let groups be taken in
part, and the cheapest choice is a linear program whose dual gives every record a price; if no group
is worth more than it costs, the prices add up to a sum of squares that no partition falls below.
Groups that are worth more are found exactly (`kernels.groups.pricing`) and join the program, round
by round. Each round also gives a bound at once: every record pays back the most that any of its
groups gains.

Prices would swing wildly, so they stay within a box around the best found so far. Once nothing is
gained any more, trios of records sharpen the program: of any partition at most one group holds two
of a trio, while parts of groups can add up to three halves.

In the end the cheapest whole choice of all groups that were found may be a better partition.
Nothing reads a clock: the same partitions always give the same proof.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evomask.arrays import Floats, Labels, Points
from evomask.data.partition import canonical, within_sum_of_squares
from evomask.errors import ParameterError
from evomask.kernels.groups.bound import SAFE
from evomask.kernels.groups.pricing import best_groups
from evomask.searches.partition.set_partitioning import cheapest_within

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MOST_RECORDS = 5_000
"""Above, the distances of all pairs would not fit into memory beside everything else."""

ROUNDS = 250
"""Rounds of pricing, at most."""

BEGUN = 200_000
"""Groups begun for a record and a size; beyond, a weaker bound is taken."""

CLOSED = 5e-4
"""Where the bound is so near what the program says, as a share, nothing more is gained."""

FIRST_BOX, WIDER, NARROWER = 0.5, 2.0, 0.6
"""How far prices may move, in parts of themselves; wider after a gain, narrower without one."""

LEAST_MOVE = 0.2
"""Prices may at least move as if they were this part of what a record pays on average."""

HELD = 1e-6
"""What a wider box would be worth to a price, from which on the box counts as in the way."""

VIOLATED, MOST_TRIOS = 0.05, 300
"""By how much parts of groups must exceed a trio's one, and how many trios join at once."""

NODES = 200
"""Branches of the final choice of whole groups."""

Group = tuple[int, ...]


@dataclass(frozen=True)
class Proof:
    """What was proved of a file's partitions.

    Args:
        bound: a sum of squares that no partition can fall below.
        labels: the best partition known now.
        sse: its sum of squares.
    """

    bound: float
    labels: Labels
    sse: float

    @property
    def gap(self) -> float:
        """By how many percent the best possible may be below this partition, of the bound."""
        return 100.0 * (self.sse / self.bound - 1.0) if self.bound > 0 else 0.0


def proved(points: Points, k: int, known: Sequence[Labels]) -> Proof:
    """The bound for groups of k or more, and what the groups found on the way make.

    Args:
        known: good partitions; their groups are the first in the program.
    """
    require_few(len(points))
    sums = [within_sum_of_squares(points, labels) for labels in known]
    best = int(np.argmin(sums))
    if k < 2 or len(points) < 2 * k or sums[best] == 0.0:
        return Proof(sums[best] if len(points) < 2 * k else 0.0, known[best], sums[best])
    program = _Program(points, k, sums[best])
    program.enter(group for labels in known for group in _groups_of(labels))
    program.prices = _first_prices(points, known[best])
    bound = _bounded(program)
    labels = _whole(program, known[best])
    return Proof(SAFE * bound, labels, within_sum_of_squares(points, labels))


def require_few(n_records: int) -> None:
    """Refuse files whose pairs are too many."""
    if n_records > MOST_RECORDS:
        raise ParameterError(
            f"--prove is for {MOST_RECORDS:,} records or fewer, and there are {n_records:,}; "
            "leave it out, or prove a sample"
        )


def _groups_of(labels: Labels) -> list[Group]:
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels))[:-1]
    return [tuple(group.tolist()) for group in np.split(order, ends)]


def _first_prices(points: Points, labels: Labels) -> Floats:
    """What every record pays in a good partition."""
    prices = np.empty(len(points))
    for group in map(list, _groups_of(labels)):
        prices[group] = np.sum((points[group] - points[group].mean(axis=0)) ** 2, axis=1)
    return prices


class _Program:
    """The linear program of all groups found so far, by its dual: prices and fines."""

    def __init__(self, points: Points, k: int, sse: float) -> None:
        norms = np.einsum("ij,ij->i", points, points)
        squares = norms[:, None] + norms[None, :] - 2.0 * points @ points.T
        self.apart = np.maximum(squares, 0.0)
        np.fill_diagonal(self.apart, 0.0)
        self.k, self.sse = k, sse
        self.costs: dict[Group, float] = {}
        self.trios: list[Group] = []
        self.prices = np.zeros(len(points))
        self.fines = np.zeros(0)
        self.centre = self.prices
        self.bound = -np.inf
        self.box = FIRST_BOX
        self.is_held = False
        """Whether the box kept the prices from being worth more."""

    def enter(self, groups: Iterable[Group]) -> None:
        """Let groups of k to 2k-1 take part."""
        for group in groups:
            key = tuple(sorted(group))
            if key not in self.costs and self.k <= len(key) < 2 * self.k:
                self.costs[key] = float(self.apart[np.ix_(key, key)].sum()) / (2 * len(key))

    def price(self) -> bool:
        """Let in the groups that are worth more than they cost; whether the bound has risen."""
        gains, groups = best_groups(
            self.apart, self.prices, self.k, np.array(self.trios).reshape(-1, 3), self.fines, BEGUN
        )
        paid = gains.min(axis=1)
        bound = float(self.prices.sum() - self.fines.sum() + paid.sum())
        worth = gains.ravel() < -1e-9 * self.sse / len(paid)
        found = groups[worth & (groups[:, 0] >= 0)]
        self.enter(tuple(row[row >= 0].tolist()) for row in found)
        has_risen = bound > self.bound
        if has_risen:
            self.bound, self.centre = bound, self.prices + paid
        return has_risen

    def solve(self) -> tuple[float, Floats]:
        """New prices within the box: what the program is worth, and the parts of its groups."""
        from scipy.optimize import linprog
        from scipy.sparse import hstack

        n, costs = len(self.prices), np.array(list(self.costs.values()))
        cover = self.cover()
        reach = self.box * np.maximum(self.centre, LEAST_MOVE * self.sse / n)
        limits = np.vstack(
            [
                np.column_stack([self.centre - reach, self.centre + reach]),
                np.tile([0.0, np.inf], (len(self.trios), 1)),
            ]
        )
        worth = np.concatenate([np.full(n, -1.0), np.ones(len(self.trios))])
        binding = np.flatnonzero(cover @ limits[:n, 1] > costs)
        rows = hstack([cover, -self.fined(cover)], format="csr")[binding]
        solution: Any = linprog(worth, rows, costs[binding], bounds=limits)  # type: ignore[call-overload]
        self.prices, self.fines = solution.x[:n], solution.x[n:]
        held = solution.upper.marginals[:n], solution.lower.marginals[:n]
        self.is_held = bool(np.abs(held).max() > HELD)
        parts = np.zeros(len(costs))
        parts[binding] = -solution.ineqlin.marginals
        return -float(solution.fun), parts

    def cover(self) -> "csr_array":
        """Which group (row) holds which record (column)."""
        return _incidence(list(self.costs), len(self.prices))

    def fined(self, cover: "csr_array") -> "csr_array":
        """Which group (row) holds two or more of which trio (column)."""
        from scipy.sparse import csr_array

        inside = csr_array(cover @ _incidence(self.trios, cover.shape[1]).T)
        inside.data = (inside.data >= 2.0).astype(np.float64)
        inside.eliminate_zeros()
        return inside

    def sharpen(self, parts: Floats) -> bool:
        """Let the trios join whom parts of groups exceed most; whether there are any."""
        taken = np.flatnonzero(parts > 1e-6)
        groups = list(self.costs)
        found = _exceeded([groups[g] for g in taken], parts[taken])
        known = set(self.trios)
        new = [trio for trio in found if trio not in known][:MOST_TRIOS]
        self.trios += new
        self.fines = np.append(self.fines, np.zeros(len(new)))
        self.box = FIRST_BOX
        return bool(new)


def _incidence(sets: Sequence[Group], n: int) -> "csr_array":
    from scipy.sparse import csr_array

    sizes = np.array([len(members) for members in sets], dtype=np.int64)
    columns = np.array([i for members in sets for i in members], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return csr_array((np.ones(len(columns)), columns, starts), shape=(len(sets), n))


def _exceeded(groups: Sequence[Group], parts: Floats) -> list[Group]:
    """Trios two or three of whom parts of groups hold that add up to more than one, worst first."""
    together: dict[tuple[int, int], float] = {}
    threes: dict[Group, float] = {}
    near: dict[int, set[int]] = {}
    for group, part in zip(groups, parts, strict=True):
        for place, i in enumerate(group):
            for at, j in enumerate(group[:place]):
                together[j, i] = together.get((j, i), 0.0) + part
                near.setdefault(i, set()).add(j)
                near.setdefault(j, set()).add(i)
                for h in group[:at]:
                    threes[h, j, i] = threes.get((h, j, i), 0.0) + part
    excess: dict[Group, float] = {}
    for (i, j), both in together.items():
        for h in near[i] & near[j]:
            trio: Group = tuple(sorted((h, i, j)))
            pairs = both + together[min(h, i), max(h, i)] + together[min(h, j), max(h, j)]
            excess[trio] = pairs - 2.0 * threes.get(trio, 0.0)
    worst = sorted((-value, trio) for trio, value in excess.items() if value > 1.0 + VIOLATED)
    return [trio for _, trio in worst]


def _bounded(program: _Program) -> float:
    """Round by round, until the bound is what the program is worth and no trio sharpens it."""
    worth, parts = np.inf, np.zeros(0)
    for _ in range(ROUNDS):
        has_risen = program.price()
        if program.sse - program.bound <= CLOSED * program.sse:
            break
        is_settled = worth - program.bound <= CLOSED * program.sse
        is_free = program.box >= FIRST_BOX and not program.is_held
        if is_settled and is_free and not program.sharpen(parts):
            break
        program.box *= WIDER if has_risen or is_settled else NARROWER
        worth, parts = program.solve()
    return program.bound


def _whole(program: _Program, known: Labels) -> Labels:
    """The cheapest whole choice of the groups that can be in one, or the known partition."""
    groups, costs = list(program.costs), np.array(list(program.costs.values()))
    cover = program.cover()
    gap = program.sse - program.bound
    few = np.flatnonzero(costs - cover @ program.centre <= max(gap, 0.0) + 1e-9 * program.sse)
    taken = cheapest_within(costs[few], cover[few].T.tocsc(), program.sse, NODES)
    if taken is None:
        return known
    labels = np.empty(len(known), dtype=np.int64)
    for number, group in enumerate(few[taken]):
        labels[list(groups[group])] = number
    return canonical(labels)
