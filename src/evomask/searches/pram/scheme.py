"""How matrices breed: towards the best score, and towards every other end of the front."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from evomask.arrays import Floats
from evomask.evolution.brood import Brood, Outcomes, Task
from evomask.evolution.individual import Cost, Fitness, Population
from evomask.evolution.replacement import plus, without_clones
from evomask.evolution.selection import leaders
from evomask.evolution.state import State

CLIMB, BLEND, SPREAD = "climb", "blend", "spread"

FINE = 1_000_000
"""Parts in which a direction is told to a task."""


def towards(direction: int, fitness: Fitness) -> float:
    """The larger of loss and risk, weighed: 0 looks at risk alone, FINE at loss alone."""
    weight = direction / FINE
    loss, risk = fitness
    return 2 * max(weight * loss, (1 - weight) * risk) + 0.001 * (loss + risk)


@dataclass(frozen=True)
class Climbers:
    """Climb from the good ones, blend some, and climb elsewhere along the front.

    Args:
        cost: what the population is after.
        climbs, blends, spreads: tasks of each kind in a generation.
    """

    cost: Cost
    climbs: int = 2
    blends: int = 2
    spreads: int = 4

    def propose(self, state: State[Floats], rng: np.random.Generator) -> Brood[Floats]:
        """Better individuals are parents more often; a direction starts from the best along it."""
        people = state.population
        costs = np.array([self.cost(individual.fitness) for individual in people])
        order = leaders(costs, len(people))

        def drawn() -> int:
            return int(order[int(len(order) * rng.random() ** 2)])

        climbs = [Task(CLIMB, (people[drawn()],)) for _ in range(self.climbs)]
        blends = [Task(BLEND, (people[drawn()], people[drawn()])) for _ in range(self.blends)]
        spreads = [
            self._spread(state, int(rng.integers(FINE // 20, FINE))) for _ in range(self.spreads)
        ]
        return (*climbs, *blends, *spreads)

    def _spread(self, state: State[Floats], direction: int) -> Task[Floats]:
        known = state.archive.members or state.population
        parent = min(
            known,
            key=lambda individual: (towards(direction, individual.fitness), individual.serial),
        )
        return Task(SPREAD, (parent,), litter=direction)

    def replace(
        self, state: State[Floats], brood: Brood[Floats], outcomes: Outcomes[Floats]
    ) -> Population[Floats]:
        """The best of parents and children; of clones one alone stays."""
        return without_clones(partial(plus, by=self.cost))(state, brood, outcomes)
