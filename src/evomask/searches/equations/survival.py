"""How equations breed and who stays: of equally good ones the shortest."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

import numpy as np

from evomask.evolution.archive import Front
from evomask.evolution.brood import FIRST, Brood, Outcomes, Task
from evomask.evolution.individual import Cost, Fitness, Individual, Population
from evomask.evolution.loop import Scheme
from evomask.evolution.state import State, born
from evomask.masking.randomization.equations import Equation

SPREAD = "spread"
"""The operator that climbs towards a point of the front instead of the best score."""

FINE = 1_000
"""Parts in which a direction is told to a task."""

NEAREST = 50
"""The direction next to looking at loss or at risk alone."""


def along(direction: int, fitness: Fitness) -> float:
    """The larger of loss and risk, weighed: small directions look at risk, large ones at loss."""
    share = direction / FINE
    loss, risk = fitness
    return max(share * loss, (1 - share) * risk)


@dataclass(frozen=True)
class ShortestFront:
    """Everyone whom nobody dominates; of equal fitnesses the shortest equation stays."""

    members: Population[Equation] = ()

    def updated(self, arrivals: Iterable[Individual[Equation]]) -> "ShortestFront":
        """Each arrival enters unless an individual is as good everywhere and no longer."""
        front = Front(self.members)
        for arrival in arrivals:
            longer = {
                individual.serial
                for individual in front.members
                if _is_shorter_twin(arrival, individual)
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
        """A front of exactly these individuals, as a checkpoint saved them."""
        return ShortestFront(members)


def _is_shorter_twin(individual: Individual[Equation], other: Individual[Equation]) -> bool:
    return individual.fitness == other.fitness and len(individual.genome) < len(other.genome)


@dataclass(frozen=True)
class Parsimonious:
    """The best of parents and children stay, one for each fitness.

    Args:
        cost: one number of a fitness.
        price: what each symbol of an equation adds to its cost.
    """

    cost: Cost
    price: float = 0.0

    def __call__(
        self, state: State[Equation], brood: Brood[Equation], outcomes: Outcomes[Equation]
    ) -> Population[Equation]:
        """Clones come back only where there are too few others."""
        everyone = (*state.population, *born(state, brood, outcomes))
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
class Restless:
    """Another scheme that also looks along the front, and begins anew when it improves no more.

    What was found is kept by the archive.

    Args:
        patience: generations for which the best individual of the population may stay the same.
        spreads: children a generation that climb in a random direction, from whoever of the
            archive is the best in it.
    """

    scheme: Scheme[Equation]
    patience: int
    spreads: int
    cost: Cost

    def propose(self, state: State[Equation], rng: np.random.Generator) -> Brood[Equation]:
        """First equations that were not there yet, or what the scheme proposes and spreads."""
        best = min(state.population, key=lambda individual: self.cost(individual.fitness))
        if state.generation - best.born >= self.patience:
            return tuple(Task(FIRST, (), state.tasks + i) for i in range(len(state.population)))
        directions = rng.integers(NEAREST, FINE - NEAREST, self.spreads).tolist()
        spreads = (_spread(state, direction) for direction in directions)
        return (*self.scheme.propose(state, rng), *spreads)

    def replace(
        self, state: State[Equation], brood: Brood[Equation], outcomes: Outcomes[Equation]
    ) -> Population[Equation]:
        """New first equations take the places of all; otherwise the scheme decides."""
        if brood[0].operator == FIRST:
            return born(state, brood, outcomes)
        return self.scheme.replace(state, brood, outcomes)


def _spread(state: State[Equation], direction: int) -> Task[Equation]:
    known = state.archive.members or state.population
    parent = min(
        known, key=lambda individual: (along(direction, individual.fitness), individual.serial)
    )
    return Task(SPREAD, (parent,), litter=direction)
