"""The nearest record that obeys rules: projection, rounding, and at last a small program.

The rules are linear, so without rounding the nearest record is a projection, found by Dykstra's
algorithm for many records at once. Then free attributes are rounded and one attribute of each
equation takes what is left of it; where that breaks another rule every way of rounding up or down
is tried. What is left is a mixed integer program of a few variables, one record at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Flags, Floats, Points
from evomask.data.rules.domains import Domain
from evomask.data.rules.edits import EditRules

MOST_SWEEPS = 300
MOST_ROUNDED = 8
"""Attributes whose roundings are all tried: 2 to this power."""
_SETTLED = 1e-10
_ROOM = 1e-6


@dataclass(frozen=True, eq=False)
class Nearby:
    """Some rules, and the attributes that may move to obey them.

    Args:
        spreads: the unit in which a change of each attribute is measured.
    """

    rules: EditRules
    domains: tuple[Domain, ...]
    spreads: Floats
    movable: Flags

    def mended(self, values: Points) -> Points:
        """The records with all rules obeyed; one that cannot obey them is left as it is."""
        if not len(self.rules):
            return values
        todo = np.flatnonzero(self.rules.broken(values).any(axis=1))
        if not len(todo):
            return values
        after = values.copy()
        after[todo] = self._obeying(values[todo])
        return after

    def _obeying(self, values: Points) -> Points:
        relaxed = self.projected(values)
        settled = self._settled(values, relaxed, {})
        good = self._allowed(settled)
        left = np.flatnonzero(~good)
        if len(left):
            settled[left], good[left] = self._best_rounding(values[left], relaxed[left])
        for record in np.flatnonzero(~good):
            settled[record] = self._programmed(values[record])
        return settled

    def projected(self, values: Points) -> Points:
        """The nearest records that obey the rules inside the domains' ranges, not rounded.

        Each record is done when a sweep over all rules does not move it any more.
        """
        nearest = values.copy()
        todo, now = np.arange(len(values)), values
        owed = np.zeros((len(self.rules) + 1, *values.shape))
        for _ in range(MOST_SWEEPS):
            after = self._swept(now, owed)
            moved = np.nanmax(np.abs(after - now) / self.spreads, axis=1, initial=0.0) > _SETTLED
            nearest[todo] = after
            todo, now, owed = todo[moved], after[moved], owed[:, moved]
            if not len(todo):
                break
        return nearest

    def _swept(self, now: Points, owed: NDArray[np.float64]) -> Points:
        """One turn of Dykstra's algorithm; what each rule took away before is in *owed*."""
        applies = self.rules.applies(now)
        for row in range(len(self.rules)):
            wanted = now + owed[row]
            now = self._within(wanted, row, applies[:, row])
            owed[row] = wanted - now
        wanted = now + owed[-1]
        now = np.clip(wanted, *self._ranges)
        owed[-1] = wanted - now
        return now

    @cached_property
    def _ranges(self) -> tuple[Floats, Floats]:
        low = np.where(self.movable, [d.low for d in self.domains], -np.inf)
        return low, np.where(self.movable, [d.high for d in self.domains], np.inf)

    def _within(self, values: Points, row: int, applies: Flags) -> Points:
        """The nearest records that obey one rule."""
        weights = self.rules.weights[row]
        columns = np.flatnonzero(weights)
        sums = (values[:, columns] * weights[columns]).sum(axis=1)
        excess = sums - np.clip(sums, self.rules.low[row], self.rules.high[row])
        step = np.where(self.movable, self.spreads**2, 0.0)[columns] * weights[columns]
        after = values.copy()
        share = np.where(applies, excess, 0.0) / (weights[columns] @ step)
        after[:, columns] -= share[:, None] * step
        return after

    @cached_property
    def pivots(self) -> tuple[tuple[int, int], ...]:
        """For each equation the attribute that takes what the others leave, in working order.

        It stands in no equation before, so that these still hold.
        """
        pivots: list[tuple[int, int]] = []
        touched = np.zeros(len(self.movable), dtype=bool)
        for row in np.flatnonzero(self.rules.low == self.rules.high):
            unit = np.abs(self.rules.weights[row]) == 1
            free = np.flatnonzero(unit & self.movable & ~touched).tolist()
            if free:
                pivots.append((int(row), min(free, key=self._reluctance)))
            touched |= self.rules.involved[row]
        return tuple(pivots)

    def _reluctance(self, column: int) -> tuple[bool, float, int]:
        """Who takes what is left: numbers before categories, then fine steps, then few rules."""
        domain = self.domains[column]
        n_rules = int(self.rules.involved[:, column].sum())
        return domain.listed is not None, domain.step, n_rules

    def _settled(self, values: Points, relaxed: Points, up: dict[int, bool]) -> Points:
        """Released values near the relaxed ones: nearest, or down and up where that is said."""
        settled = values.copy()
        for j in np.flatnonzero(self.movable):
            domain = self.domains[j]
            way = {None: domain.nearest, False: domain.below, True: domain.above}[up.get(int(j))]
            settled[:, j] = way(relaxed[:, j])
        for row, column in self.pivots:
            settled[:, column] = self._left_over(settled, row, column)
        return settled

    def _left_over(self, values: Points, row: int, column: int) -> Floats:
        weights = self.rules.weights[row].copy()
        weight, weights[column] = weights[column], 0.0
        others = np.flatnonzero(weights)
        sums = (values[:, others] * weights[others]).sum(axis=1)
        rest = self.domains[column].rounded((self.rules.low[row] - sums) / weight)
        return np.where(np.isnan(rest) | np.isnan(values[:, column]), values[:, column], rest)

    def _allowed(self, values: Points) -> Flags:
        columns = np.flatnonzero(self.movable)
        inside = np.column_stack([self.domains[j].holds(values[:, j]) for j in columns])
        obeying = ~self.rules.broken(values)
        return np.asarray(np.hstack([inside, obeying]).all(axis=1))

    def _best_rounding(self, values: Points, relaxed: Points) -> tuple[Points, Flags]:
        """Of all roundings up and down the nearest allowed one, and who has one."""
        best = values.copy()
        least = np.full(len(values), np.inf)
        for up in self._roundings():
            tried = self._settled(values, relaxed, up)
            cost = np.nansum(((tried - values) / self.spreads) ** 2, axis=1)
            better = self._allowed(tried) & (cost < least)
            best[better], least[better] = tried[better], cost[better]
        return best, np.isfinite(least)

    def _roundings(self) -> Iterator[dict[int, bool]]:
        pivots = {column for _, column in self.pivots}
        involved = self.movable & self.rules.involved.any(axis=0)
        free = [j for j in np.flatnonzero(involved).tolist() if j not in pivots]
        free = [j for j in free if self.domains[j].step > 0 or self.domains[j].listed is not None]
        if len(free) <= MOST_ROUNDED:
            for ways in product((False, True), repeat=len(free)):
                yield dict(zip(free, ways, strict=True))

    def _programmed(self, values: Floats) -> Floats:
        """One record by a mixed integer program; as it is where that has no solution."""
        known = np.flatnonzero(self.movable & ~np.isnan(values))
        rows = np.flatnonzero(self.rules.applies(values[None, :])[0])
        still = np.where(np.isnan(values) | self.movable, 0.0, values)
        fixed = self.rules.weights[rows] @ still
        solution = _least_change(
            values[known] / self.spreads[known],
            self.rules.weights[np.ix_(rows, known)] * self.spreads[known],
            self.rules.low[rows] - fixed,
            self.rules.high[rows] - fixed,
            [_scaled(self.domains[j], self.spreads[j]) for j in known],
        )
        if solution is None:
            return values
        relaxed = values.copy()
        relaxed[known] = solution * self.spreads[known]
        settled = self._settled(values[None, :], relaxed[None, :], {})
        return settled[0] if self._allowed(settled)[0] else values


def _scaled(domain: Domain, unit: float) -> Domain:
    return Domain(domain.low / unit, domain.high / unit, domain.step / unit)


def _least_change(
    start: Floats, weights: Points, low: Floats, high: Floats, domains: Sequence[Domain]
) -> Floats | None:
    """The numbers of the domains nearest to *start*, by the sum of changes, within limits.

    Each number is a whole multiple of its step, if it has one; beside it stands its change.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    n = len(start)
    stepped = np.array([domain.step > 0 for domain in domains])
    units = np.array([domain.step or 1.0 for domain in domains])
    ends = np.array([(domain.low, domain.high) for domain in domains]).T / units
    ends += np.array([[-_ROOM], [_ROOM]]) * stepped
    steps, change = np.diag(units), np.eye(n)
    solved: Any = milp(
        np.repeat([0.0, 1.0], n),
        integrality=np.concatenate([stepped, np.zeros(n)]),
        bounds=Bounds(np.append(ends[0], np.zeros(n)), np.append(ends[1], np.full(n, np.inf))),
        constraints=[
            LinearConstraint(np.hstack([weights * units, np.zeros_like(weights)]), low, high),
            LinearConstraint(np.hstack([-steps, change]), -start, np.inf),
            LinearConstraint(np.hstack([steps, change]), start, np.inf),
        ],
    )
    if solved.x is None:
        return None
    numbers: Floats = solved.x[:n] * units
    return numbers


def can_hold(rules: EditRules, domains: Sequence[Domain]) -> bool:
    """Whether any numbers inside the ranges of their domains obey all rules."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    solved: Any = milp(
        np.zeros(len(domains)),
        bounds=Bounds([d.low for d in domains], [d.high for d in domains]),
        constraints=LinearConstraint(rules.weights, rules.low, rules.high),
    )
    return solved.x is not None
