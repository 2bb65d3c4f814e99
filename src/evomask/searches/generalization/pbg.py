"""PBG-EA as the paper words it: two random nodes meet, and chance decides between equals."""

from dataclasses import dataclass

import numpy as np

from evomask.evolution.archive import fitness_array
from evomask.evolution.brood import Brood, Outcomes, Task, twins
from evomask.evolution.dominance import dominated_strength
from evomask.evolution.individual import Population
from evomask.evolution.schemes import CROSS, MUTATE
from evomask.evolution.selection import tournament
from evomask.evolution.state import State, born
from evomask.searches.generalization.lattice import Levels


@dataclass(frozen=True)
class PbgEa:
    """Algorithm 2: parents from population and archive by binary tournament.

    Most nodes there dominate each other in nothing, so ties are the rule; were they decided by
    position, the newest of the archive would hardly ever breed.
    """

    crossover_rate: float = 0.8

    def propose(self, state: State[Levels], rng: np.random.Generator) -> Brood[Levels]:
        """Selected nodes in pairs; an odd one passes unpaired."""
        everyone = tuple(
            {m.serial: m for m in (*state.population, *state.archive.members)}.values()
        )
        strength = dominated_strength(fitness_array(everyone)) + rng.random(len(everyone))
        size = len(state.population)
        chosen = [everyone[i] for i in tournament(strength, 2, size, rng)]
        brood: list[Task[Levels]] = []
        for pair in zip(chosen[::2], chosen[1::2], strict=False):
            crossed = rng.random() < self.crossover_rate
            brood += twins(CROSS, pair, rng) if crossed else [Task(MUTATE, (one,)) for one in pair]
        return (*brood, *(Task(MUTATE, (last,)) for last in chosen[len(brood) :]))

    def replace(
        self, state: State[Levels], brood: Brood[Levels], outcomes: Outcomes[Levels]
    ) -> Population[Levels]:
        """The children."""
        return born(state, brood, outcomes)
