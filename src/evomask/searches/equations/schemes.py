"""Schemes and archive of the equations search: of equally good equations the shortest survives."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

import numpy as np

from evomask.evolution.archive import Front
from evomask.evolution.individual import (
    FIRST,
    Brood,
    Cost,
    Fitness,
    Individual,
    Outcomes,
    Population,
    Task,
)
from evomask.evolution.loop import Scheme
from evomask.evolution.state import State, individuals_from
from evomask.masking.randomization.equations import Equation

SPREAD = "spread"
"""Operator that climbs towards a point of the front instead of the best score."""

DIRECTIONS = 1_000
"""Number of directions along the front, as tasks encode them."""

MARGIN = 50
"""Smallest distance of a direction from weighing loss or risk alone."""


def weighted_cost(direction: int, fitness: Fitness) -> float:
    """Return the weighted maximum of loss and risk; *direction* is the weight of the loss."""
    share = direction / DIRECTIONS
    loss, risk = fitness
    return max(share * loss, (1 - share) * risk)


@dataclass(frozen=True)
class ShortestFront:
    """The Pareto front; of equal fitnesses the shortest equation is kept."""

    members: Population[Equation] = ()

    def updated(self, arrivals: Iterable[Individual[Equation]]) -> "ShortestFront":
        front = Front(self.members)
        for arrival in arrivals:
            longer = {
                individual.serial
                for individual in front.members
                if _is_shorter_clone(arrival, individual)
            }
            if longer:
                front = Front(
                    tuple(
                        individual
                        for individual in front.members
                        if individual.serial not in longer
                    )
                )
            front = front.updated([arrival])
        return ShortestFront(front.members)

    def holding(self, members: Population[Equation]) -> "ShortestFront":
        return ShortestFront(members)


def _is_shorter_clone(individual: Individual[Equation], other: Individual[Equation]) -> bool:
    return individual.fitness == other.fitness and len(individual.genome) < len(other.genome)


@dataclass(frozen=True)
class Parsimonious:
    """Replacement: the best of parents and children, one for each fitness.

    Args:
        cost: score of a fitness.
        price: penalty of each symbol of an equation.
    """

    cost: Cost
    price: float = 0.0

    def __call__(
        self, state: State[Equation], brood: Brood[Equation], outcomes: Outcomes[Equation]
    ) -> Population[Equation]:
        """Return the next population; clones only fill places that would remain empty."""
        everyone = (*state.population, *individuals_from(state, brood, outcomes))
        different: dict[Fitness, Individual[Equation]] = {}
        others: list[Individual[Equation]] = []
        for individual in sorted(everyone, key=self._rank):
            if individual.fitness in different or not all(map(isfinite, individual.fitness)):
                others.append(individual)
            else:
                different[individual.fitness] = individual
        return tuple([*different.values(), *others][: len(state.population)])

    def _rank(self, individual: Individual[Equation]) -> tuple[float, int, int]:
        length = len(individual.genome)
        return self.cost(individual.fitness) + self.price * length, length, individual.serial


@dataclass(frozen=True)
class Restarting:
    """Another scheme with climbs along the front and restarts when it stagnates.

    The archive keeps the results.

    Args:
        patience: generations without a new best individual after which the population restarts.
        spreads: children per generation that climb in a random direction, each from the member of
            the archive that is best in that direction.
    """

    scheme: Scheme[Equation]
    patience: int
    spreads: int
    cost: Cost

    def propose(self, state: State[Equation], rng: np.random.Generator) -> Brood[Equation]:
        best = min(state.population, key=lambda individual: self.cost(individual.fitness))
        if state.generation - best.born >= self.patience:
            return tuple(Task(FIRST, (), state.tasks + i) for i in range(len(state.population)))
        directions = rng.integers(MARGIN, DIRECTIONS - MARGIN, self.spreads).tolist()
        spreads = (_spread(state, direction) for direction in directions)
        return (*self.scheme.propose(state, rng), *spreads)

    def replace(
        self, state: State[Equation], brood: Brood[Equation], outcomes: Outcomes[Equation]
    ) -> Population[Equation]:
        if brood[0].operator == FIRST:
            return individuals_from(state, brood, outcomes)
        return self.scheme.replace(state, brood, outcomes)


def _spread(state: State[Equation], direction: int) -> Task[Equation]:
    known = state.archive.members or state.population
    parent = min(
        known,
        key=lambda individual: (weighted_cost(direction, individual.fitness), individual.serial),
    )
    return Task(SPREAD, (parent,), litter=direction)
