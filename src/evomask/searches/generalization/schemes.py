"""Schemes that keep every node they met in the population, so that a state knows what was read."""

from dataclasses import dataclass, replace

import numpy as np

from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.individual import Population
from evomask.evolution.loop import Scheme
from evomask.evolution.state import State
from evomask.searches.generalization.lattice import Levels


@dataclass(frozen=True)
class Remembering:
    """A scheme that breeds from the last individuals; before them stand all nodes met earlier.

    Args:
        living: how many individuals the scheme itself has as its population.
    """

    scheme: Scheme[Levels]
    living: int

    def propose(self, state: State[Levels], rng: np.random.Generator) -> Brood[Levels]:
        """What the scheme breeds from the individuals of its own population."""
        return self.scheme.propose(self._alive(state), rng)

    def replace(
        self, state: State[Levels], brood: Brood[Levels], outcomes: Outcomes[Levels]
    ) -> Population[Levels]:
        """One individual for each node met before, then the scheme's population."""
        alive = self.scheme.replace(self._alive(state), brood, outcomes)
        again = {individual.genome for individual in alive}
        before = {
            individual.genome: individual
            for individual in state.population
            if individual.genome not in again
        }
        return (*before.values(), *alive)

    def _alive(self, state: State[Levels]) -> State[Levels]:
        return replace(state, population=state.population[-self.living :])
