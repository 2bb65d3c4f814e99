"""Bounds of the optimal sum of squares: a fast lower bound, and column generation.

The cheapest partition is a selection of groups that contain every record once. In the linear
relaxation groups may be selected in part; its dual assigns every record a price. If no group has a
negative reduced cost, the sum of the prices is a lower bound of every partition. Groups with a
negative reduced cost are found exactly (`kernels.groups.pricing`) and added, round by round. Each
round also gives a valid bound: every record pays back the largest gain of its groups.

To prevent oscillation, prices stay within a box around the best found so far (stabilisation). When
the bound no longer improves, cuts on triples of records tighten the relaxation: at most one group
of a partition contains two of a triple, while fractional groups can add up to three halves.

Finally, the cheapest integer selection of all groups found may be a better partition. Nothing
depends on the clock: the same partitions always give the same proof.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evomask.data.partition import canonical, within_sum_of_squares
from evomask.errors import ParameterError
from evomask.kernels.groups import lower_bound as bound_kernels
from evomask.kernels.groups.lower_bound import SAFE, best_groups
from evomask.searches.partition.genome import MANY_NUMBERS, is_very_large, near_records
from evomask.searches.partition.operators import cheapest_within
from evomask.types import Floats, Labels, Points

if TYPE_CHECKING:
    from scipy.sparse import csr_array


BOUND_ROUNDS = 400
BOUND_PAIRS = 40_000_000
"""Largest number of pairs examined in all rounds of the fast bound."""

MANY, FEW_AXES = 50_000, 4
"""Number of records above which the fast bound uses only so many principal axes."""


def lower_bound(points: Points, k: int, labels: Labels) -> float:
    """Return a lower bound of the sum of squares of every partition into groups of k or more.

    Args:
        labels: a good partition; the better, the faster the bound converges.
    """
    if len(points) < 2 * k:
        return within_sum_of_squares(points, labels)
    if is_very_large(points):
        points = _project(points)
    count = max(8, 2 * k) if len(points) > MANY else max(20, 3 * k)
    near = near_records(points, count)
    rounds = max(1, min(BOUND_ROUNDS, BOUND_PAIRS // near.size))
    return bound_kernels.lower_bound(points, near, k, within_sum_of_squares(points, labels), rounds)


def _project(points: Points) -> Points:
    """Project on the main axes: no distance grows, and neighbours are found quickly."""
    _, axes = np.linalg.eigh(np.cov(points.T))
    count = FEW_AXES if len(points) > MANY else MANY_NUMBERS
    return np.ascontiguousarray(points @ axes[:, -count:])


MOST_RECORDS = 5_000
"""Largest number of records, limited by the memory for the distances of all pairs."""

ROUNDS = 250
"""Largest number of pricing rounds."""

STARTED_GROUPS = 200_000
"""Groups started per record and size in pricing; beyond, a weaker bound is used."""

CLOSED = 5e-4
"""Relative gap between bound and linear program below which the bound has converged."""

FIRST_BOX, WIDER, NARROWER = 0.5, 2.0, 0.6
"""Initial relative width of the box of prices, and its factors after a gain and without one."""

LEAST_MOVE = 0.2
"""Smallest price for the width of the box, as a share of the mean cost of a record."""

RESTRICTED = 1e-6
"""Marginal value of a bound of the box above which the box restricts the prices."""

VIOLATED, MOST_TRIPLES = 0.05, 300
"""Smallest violation of a cut on a triple, and largest number of cuts added at once."""

NODES = 200
"""Branch-and-bound nodes of the final integer selection."""

Group = tuple[int, ...]


@dataclass(frozen=True)
class Proof:
    """Result of column generation.

    Args:
        bound: lower bound of the sum of squares of all partitions.
        labels: the best partition known.
        sse: its sum of squares.
    """

    bound: float
    labels: Labels
    sse: float

    @property
    def gap(self) -> float:
        """Percentage by which the optimum may be below this partition, relative to the bound."""
        return 100.0 * (self.sse / self.bound - 1.0) if self.bound > 0 else 0.0


def proved(points: Points, k: int, known: Sequence[Labels]) -> Proof:
    """Return the bound for groups of k or more, and the best partition of the groups found.

    Args:
        known: good partitions; their groups are the first columns.
    """
    require_few(len(points))
    sums = [within_sum_of_squares(points, labels) for labels in known]
    best = int(np.argmin(sums))
    if k < 2 or len(points) < 2 * k or sums[best] == 0.0:
        return Proof(sums[best] if len(points) < 2 * k else 0.0, known[best], sums[best])
    program = _Program(points, k, sums[best])
    program.enter(group for labels in known for group in _groups_of(labels))
    program.prices = _first_prices(points, known[best])
    bound = _tighten_bound(program)
    labels = _best_selection(program, known[best])
    return Proof(SAFE * bound, labels, within_sum_of_squares(points, labels))


def require_few(n_records: int) -> None:
    """Raise an error if there are too many records for a proof."""
    if n_records > MOST_RECORDS:
        raise ParameterError(
            f"--prove supports at most {MOST_RECORDS:,} records, got {n_records:,}; "
            "leave it out, or use a sample"
        )


def _groups_of(labels: Labels) -> list[Group]:
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels))[:-1]
    return [tuple(group.tolist()) for group in np.split(order, ends)]


def _first_prices(points: Points, labels: Labels) -> Floats:
    """Cost of every record in a good partition."""
    prices = np.empty(len(points))
    for group in map(list, _groups_of(labels)):
        prices[group] = np.sum((points[group] - points[group].mean(axis=0)) ** 2, axis=1)
    return prices


class _Program:
    """The restricted linear program of the groups found so far, with its dual prices and cuts."""

    def __init__(self, points: Points, k: int, sse: float) -> None:
        norms = np.einsum("ij,ij->i", points, points)
        squares = norms[:, None] + norms[None, :] - 2.0 * points @ points.T
        self.apart = np.maximum(squares, 0.0)
        np.fill_diagonal(self.apart, 0.0)
        self.k, self.sse = k, sse
        self.costs: dict[Group, float] = {}
        self.triples: list[Group] = []
        self.prices = np.zeros(len(points))
        self.cut_prices = np.zeros(0)
        self.centre = self.prices
        self.bound = -np.inf
        self.box = FIRST_BOX
        self.is_restricted = False

    def enter(self, groups: Iterable[Group]) -> None:
        for group in groups:
            key = tuple(sorted(group))
            if key not in self.costs and self.k <= len(key) < 2 * self.k:
                self.costs[key] = float(self.apart[np.ix_(key, key)].sum()) / (2 * len(key))

    def price(self) -> bool:
        """Add groups with a negative reduced cost; return whether the bound has risen."""
        gains, groups = best_groups(
            self.apart,
            self.prices,
            self.k,
            np.array(self.triples).reshape(-1, 3),
            self.cut_prices,
            STARTED_GROUPS,
        )
        paid = gains.min(axis=1)
        bound = float(self.prices.sum() - self.cut_prices.sum() + paid.sum())
        worth = gains.ravel() < -1e-9 * self.sse / len(paid)
        found = groups[worth & (groups[:, 0] >= 0)]
        self.enter(tuple(row[row >= 0].tolist()) for row in found)
        has_risen = bound > self.bound
        if has_risen:
            self.bound, self.centre = bound, self.prices + paid
        return has_risen

    def solve(self) -> tuple[float, Floats]:
        """Update the prices within the box; return the value and the shares of the groups."""
        from scipy.optimize import linprog
        from scipy.sparse import hstack

        n, costs = len(self.prices), np.array(list(self.costs.values()))
        cover = self.cover()
        reach = self.box * np.maximum(self.centre, LEAST_MOVE * self.sse / n)
        limits = np.vstack(
            [
                np.column_stack([self.centre - reach, self.centre + reach]),
                np.tile([0.0, np.inf], (len(self.triples), 1)),
            ]
        )
        worth = np.concatenate([np.full(n, -1.0), np.ones(len(self.triples))])
        binding = np.flatnonzero(cover @ limits[:n, 1] > costs)
        rows = hstack([cover, -self.cut_incidence(cover)], format="csr")[binding]
        solution: Any = linprog(worth, rows, costs[binding], bounds=limits)  # type: ignore[call-overload]
        self.prices, self.cut_prices = solution.x[:n], solution.x[n:]
        marginals = solution.upper.marginals[:n], solution.lower.marginals[:n]
        self.is_restricted = bool(np.abs(marginals).max() > RESTRICTED)
        parts = np.zeros(len(costs))
        parts[binding] = -solution.ineqlin.marginals
        return -float(solution.fun), parts

    def cover(self) -> "csr_array":
        return _incidence(list(self.costs), len(self.prices))

    def cut_incidence(self, cover: "csr_array") -> "csr_array":
        """Return which groups (rows) contain two or more records of which triple (columns)."""
        from scipy.sparse import csr_array

        inside = csr_array(cover @ _incidence(self.triples, cover.shape[1]).T)
        inside.data = (inside.data >= 2.0).astype(np.float64)
        inside.eliminate_zeros()
        return inside

    def sharpen(self, parts: Floats) -> bool:
        """Add the most violated cuts on triples; return whether there were any."""
        selected = np.flatnonzero(parts > 1e-6)
        groups = list(self.costs)
        found = _violated_triples([groups[g] for g in selected], parts[selected])
        known = set(self.triples)
        new = [triple for triple in found if triple not in known][:MOST_TRIPLES]
        self.triples += new
        self.cut_prices = np.append(self.cut_prices, np.zeros(len(new)))
        self.box = FIRST_BOX
        return bool(new)


def _incidence(sets: Sequence[Group], n: int) -> "csr_array":
    from scipy.sparse import csr_array

    sizes = np.array([len(members) for members in sets], dtype=np.int64)
    columns = np.array([i for members in sets for i in members], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return csr_array((np.ones(len(columns)), columns, starts), shape=(len(sets), n))


def _violated_triples(groups: Sequence[Group], parts: Floats) -> list[Group]:
    """Triples violated by fractional groups, worst first."""
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
            triple: Group = tuple(sorted((h, i, j)))
            pairs = both + together[min(h, i), max(h, i)] + together[min(h, j), max(h, j)]
            excess[triple] = pairs - 2.0 * threes.get(triple, 0.0)
    worst = sorted((-value, triple) for triple, value in excess.items() if value > 1.0 + VIOLATED)
    return [triple for _, triple in worst]


def _tighten_bound(program: _Program) -> float:
    """Run rounds until the bound equals the value of the program and no cut is violated."""
    worth, parts = np.inf, np.zeros(0)
    for _ in range(ROUNDS):
        has_risen = program.price()
        if program.sse - program.bound <= CLOSED * program.sse:
            break
        is_settled = worth - program.bound <= CLOSED * program.sse
        is_free = program.box >= FIRST_BOX and not program.is_restricted
        if is_settled and is_free and not program.sharpen(parts):
            break
        program.box *= WIDER if has_risen or is_settled else NARROWER
        worth, parts = program.solve()
    return program.bound


def _best_selection(program: _Program, known: Labels) -> Labels:
    """Cheapest integer selection of the groups that can be in one, or the known partition."""
    groups, costs = list(program.costs), np.array(list(program.costs.values()))
    cover = program.cover()
    gap = program.sse - program.bound
    few = np.flatnonzero(costs - cover @ program.centre <= max(gap, 0.0) + 1e-9 * program.sse)
    selected = cheapest_within(costs[few], cover[few].T.tocsc(), program.sse, NODES)
    if selected is None:
        return known
    labels = np.empty(len(known), dtype=np.int64)
    for number, group in enumerate(few[selected]):
        labels[list(groups[group])] = number
    return canonical(labels)
