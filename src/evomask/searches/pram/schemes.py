"""Scheme of the pram search: bursts towards the best score and along the front."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from evomask.evolution.individual import Brood, Cost, Fitness, Outcomes, Population, Task
from evomask.evolution.selection import leaders, plus, without_clones
from evomask.evolution.state import State
from evomask.types import Floats

CLIMB, BLEND, SPREAD = "climb", "blend", "spread"

DIRECTIONS = 1_000_000
"""Number of directions along the front, as tasks encode them."""


def weighted_cost(direction: int, fitness: Fitness) -> float:
    """Return the weighted maximum of loss and risk: from risk only (0) to loss only (FINE)."""
    weight = direction / DIRECTIONS
    loss, risk = fitness
    return 2 * max(weight * loss, (1 - weight) * risk) + 0.001 * (loss + risk)


@dataclass(frozen=True)
class Climbers:
    """Annealing of good individuals, of blends, and along the front.

    Args:
        cost: score that the population minimises.
        climbs, blends, spreads: tasks of each kind per generation.
    """

    cost: Cost
    climbs: int = 2
    blends: int = 2
    spreads: int = 4

    def propose(self, state: State[Floats], rng: np.random.Generator) -> Brood[Floats]:
        """Return the tasks; better individuals are parents more often."""
        population = state.population
        costs = np.array([self.cost(individual.fitness) for individual in population])
        order = leaders(costs, len(population))

        def drawn() -> int:
            return int(order[int(len(order) * rng.random() ** 2)])

        climbs = [Task(CLIMB, (population[drawn()],)) for _ in range(self.climbs)]
        blends = [
            Task(BLEND, (population[drawn()], population[drawn()])) for _ in range(self.blends)
        ]
        spreads = [
            self._spread(state, int(rng.integers(DIRECTIONS // 20, DIRECTIONS)))
            for _ in range(self.spreads)
        ]
        return (*climbs, *blends, *spreads)

    def _spread(self, state: State[Floats], direction: int) -> Task[Floats]:
        known = state.archive.members or state.population
        parent = min(
            known,
            key=lambda individual: (
                weighted_cost(direction, individual.fitness),
                individual.serial,
            ),
        )
        return Task(SPREAD, (parent,), litter=direction)

    def replace(
        self, state: State[Floats], brood: Brood[Floats], outcomes: Outcomes[Floats]
    ) -> Population[Floats]:
        return without_clones(partial(plus, by=self.cost))(state, brood, outcomes)
