"""The table of visited nodes: every node once, in the order a run first met it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from evomask.evolution.archive import BoxedFront
from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.individual import Fitness, Individual, Population
from evomask.evolution.loop import Scheme
from evomask.evolution.state import State
from evomask.searches.generalization.lattice import Levels


@dataclass(eq=False)
class Visited:
    """Nodes with their fitness, and the sides of the boxes they are archived in."""

    sides: tuple[float, ...] = (1.0,)
    nodes: dict[Levels, Fitness] = field(default_factory=dict)

    def archive_of(self, nodes: Mapping[Levels, Fitness]) -> list[Fitness]:
        """What a boxed front keeps of *nodes*: nodes met again would change nothing."""
        arrivals = [
            Individual(levels, fitness, serial, "", (), 0)
            for serial, (levels, fitness) in enumerate(nodes.items())
        ]
        return [m.fitness for m in BoxedFront[Levels](self.sides).updated(arrivals).members]


@dataclass(frozen=True)
class Noting:
    """A scheme that notes the nodes which pass through it."""

    scheme: Scheme[Levels]
    visited: Visited

    def propose(self, state: State[Levels], rng: np.random.Generator) -> Brood[Levels]:
        """As the scheme does."""
        for member in state.population:
            self.visited.nodes.setdefault(member.genome, member.fitness)
        return self.scheme.propose(state, rng)

    def replace(
        self, state: State[Levels], brood: Brood[Levels], outcomes: Outcomes[Levels]
    ) -> Population[Levels]:
        """As the scheme does."""
        for outcome in outcomes:
            self.visited.nodes.setdefault(outcome.genome, outcome.fitness)
        return self.scheme.replace(state, brood, outcomes)


class Nothing:
    """A scheme that tries nothing more."""

    def propose(self, state: State[Levels], rng: np.random.Generator) -> Brood[Levels]:
        """No tasks."""
        return ()

    def replace(
        self, state: State[Levels], brood: Brood[Levels], outcomes: Outcomes[Levels]
    ) -> Population[Levels]:
        """The population as it is."""
        return state.population
