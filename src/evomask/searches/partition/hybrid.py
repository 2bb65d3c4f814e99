"""The hybrids of Martínez-Ballesté et al. (2007): a heuristic makes macrogroups, a search
refines each.

One-step: the heuristic forms groups of K records. Two-step: it forms groups of k, then groups of
K/k of their centroids; the groups of k are known to the search inside, so the result is never
worse than the heuristic alone (Lemma 1).
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evomask.arrays import Indices, Labels, Points
from evomask.data.partition import canonical, centroids, within_sum_of_squares
from evomask.errors import ParameterError
from evomask.evolution.brood import FIRST, Brood, Outcome, Outcomes, Task
from evomask.evolution.individual import Population
from evomask.evolution.state import State, born
from evomask.kernels.generator import seed_of
from evomask.kernels.groups.annealing import anneal
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.mdav import mdav
from evomask.kernels.groups.sums import padded
from evomask.searches.partition.genetic import MACROGROUPS, Rates, begun, continued
from evomask.searches.partition.genome import near_count, near_records
from evomask.searches.partition.problem import RECOMBINE, PartitionProblem
from evomask.searches.partition.recombination import best_of_components

Heuristic = Callable[[Points, int], Labels]

PARTS = 8
"""Tasks into which the macrogroups are divided."""

EXACT_RECORDS = 20
"""Macrogroups of at most so many records are solved exactly where nothing else is asked for."""

STEPS = 2_000
"""Annealing steps for each record of a macrogroup."""


NEAR = 50
"""Fewest near records of a macrogroup whose groups a record may join: mostly all of them."""


class Inner(StrEnum):
    """What refines a macrogroup: ``best`` is exact where possible, else memetic."""

    BEST = "best"
    GENETIC = "genetic"
    EXACT = "exact"
    MEMETIC = "memetic"


def one_step(points: Points, k: int, macro: int, heuristic: Heuristic = mdav) -> Labels:
    """Macrogroups of *macro* records or more."""
    if not k < macro:
        raise ParameterError(f"macro must be larger than k, got {macro} for k = {k}")
    return heuristic(points, min(macro, len(points)))


def two_step(
    points: Points, k: int, macro: int, heuristic: Heuristic = mdav
) -> tuple[Labels, Labels]:
    """Macrogroups, and the groups of k that they are made of."""
    if macro % k or not k < macro:
        raise ParameterError(f"macro must be a larger multiple of k, got {macro} for k = {k}")
    groups = heuristic(points, k)
    middles = centroids(points, groups)
    return heuristic(middles, min(macro // k, len(middles)))[groups], groups


def refined(
    points: Points,
    k: int,
    inner: Inner,
    rates: Rates,
    known: Labels | None,
    rng: np.random.Generator,
) -> Labels:
    """The best partition of a macrogroup that the inner search finds; never worse than *known*.

    Where nothing is known the search starts at random.
    """
    if len(points) < 2 * k:
        return np.zeros(len(points), dtype=np.int64)
    if inner is Inner.GENETIC:
        start = begun(points, k, rates, rng, known)
        return continued(points, k, rates, start, rates.epochs, rng).labels
    first = begun(points, k, rates, rng).labels if known is None else known
    annealed = _annealed(points, k, first, rng)
    if inner is Inner.EXACT or (inner is Inner.BEST and len(points) <= EXACT_RECORDS):
        return optimum(points, k, within_sum_of_squares(points, annealed))
    return annealed


def _annealed(points: Points, k: int, known: Labels, rng: np.random.Generator) -> Labels:
    """A few hot bursts and the better of them and what is known."""
    scale = within_sum_of_squares(points, known) / len(points)
    heat = scale * np.append(np.geomspace(10.0, 0.01, 99), 0.0)
    near, wide = near_records(points, max(NEAR, near_count(k))), padded(points)
    best = known
    for _ in range(3):
        steps = max(1, STEPS * len(points) // len(heat))
        labels = canonical(anneal(wide, near, known, k, heat, steps, seed_of(rng))[0])
        if within_sum_of_squares(points, labels) < within_sum_of_squares(points, best):
            best = labels
    return best


def refined_part(
    points: Points,
    k: int,
    macrogroups: Labels,
    groups: Labels,
    inner: Inner,
    rates: Rates,
    part: int,
    rng: np.random.Generator,
    *,
    informed: bool = True,
) -> Labels:
    """The groups with every macrogroup of one part refined, the others as they are.

    Args:
        informed: whether the search inside a macrogroup knows its groups.
    """
    labels = groups.copy()
    for number in range(part, int(macrogroups.max()) + 1, PARTS):
        records: Indices = np.flatnonzero(macrogroups == number)
        known = canonical(groups[records]) if informed else None
        inside = refined(points[records], k, inner, rates, known, rng)
        labels[records] = labels.max() + 1 + inside
    return canonical(labels)


@dataclass(frozen=True, eq=False)
class Hybrid(PartitionProblem):
    """A first genome refines some macrogroups; recombining all of them refines all.

    Args:
        macrogroups: number of each record's macrogroup.
        groups: the partition in which macrogroups are left that are not refined.
        informed: whether the search inside knows these groups.
    """

    macrogroups: Labels
    groups: Labels
    inner: Inner = Inner.BEST
    rates: Rates = MACROGROUPS
    informed: bool = True

    def work(self, task: Task[Labels], rng: np.random.Generator) -> Outcome[Labels]:
        """Refine one part of the macrogroups, or put the parts together."""
        if task.operator == FIRST:
            return self.outcome(
                refined_part(
                    self.points, self.k, self.macrogroups, self.groups, self.inner, self.rates,
                    task.rival or 0, rng, informed=self.informed,
                )
            )  # fmt: skip
        return self.outcome(
            best_of_components(self.points, [parent.genome for parent in task.parents])
        )


def inside_macrogroups(points: Points, macrogroups: Labels, k: int) -> Labels:
    """MDAV's groups of k inside each macrogroup: what an informed one-step hybrid starts from."""
    labels = np.empty(len(points), dtype=np.int64)
    count = 0
    for number in range(int(macrogroups.max()) + 1):
        records = np.flatnonzero(macrogroups == number)
        inside = mdav(points[records], k)
        labels[records] = count + inside
        count += int(inside.max()) + 1
    return labels


@dataclass(frozen=True)
class PartsJoined:
    """Refine all parts of the macrogroups, join them into one partition, and stop."""

    def propose(self, state: State[Labels], rng: np.random.Generator) -> Brood[Labels]:
        """The recombination of all parts, once."""
        return (Task(RECOMBINE, state.population),) if len(state.population) > 1 else ()

    def replace(
        self, state: State[Labels], brood: Brood[Labels], outcomes: Outcomes[Labels]
    ) -> Population[Labels]:
        """The partition in which all macrogroups are refined."""
        return born(state, brood, outcomes)
