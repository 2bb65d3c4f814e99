"""Who stays among equations: of equally good ones, the shortest; and when to begin anew."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

import numpy as np

from evomask.evolution.archive import Front
from evomask.evolution.brood import FIRST, Brood, Outcomes, Task
from evomask.evolution.individual import Cost, Individual, Population
from evomask.evolution.loop import Scheme
from evomask.evolution.state import State, born
from evomask.searches.equations.genome import Equation

Member = Individual[Equation]


@dataclass(frozen=True)
class ShortestFront:
    """Everyone whom nobody dominates; of equal fitnesses the shortest equation stays."""

    members: Population[Equation] = ()

    def updated(self, arrivals: Iterable[Member]) -> "ShortestFront":
        """Each arrival enters unless somebody is as good everywhere and no longer."""
        front = Front(self.members)
        for arrival in arrivals:
            longer = {m.serial for m in front.members if _is_shorter_twin(arrival, m)}
            if longer:
                front = Front(tuple(m for m in front.members if m.serial not in longer))
            front = front.updated([arrival])
        return ShortestFront(front.members)

    def holding(self, members: Population[Equation]) -> "ShortestFront":
        """These members."""
        return ShortestFront(members)


def _is_shorter_twin(one: Member, other: Member) -> bool:
    return one.fitness == other.fitness and len(one.genome) < len(other.genome)


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
        different: dict[tuple[float, ...], Member] = {}
        clones: list[Member] = []
        for member in sorted(everyone, key=self._rank):
            if member.fitness in different or not all(map(isfinite, member.fitness)):
                clones.append(member)
            else:
                different[member.fitness] = member
        return tuple([*different.values(), *clones][: len(state.population)])

    def _rank(self, member: Member) -> tuple[float, int, int]:
        length = len(member.genome)
        return self.cost(member.fitness) + self.price * length, length, member.serial


@dataclass(frozen=True)
class Restarting:
    """Another scheme, begun anew with other equations when its population improves no more.

    What was found is kept by the archive.

    Args:
        patience: generations for which the best member of the population may stay the same.
    """

    scheme: Scheme[Equation]
    patience: int
    cost: Cost

    def propose(self, state: State[Equation], rng: np.random.Generator) -> Brood[Equation]:
        """First equations that were not there yet, or what the scheme proposes."""
        best = min(state.population, key=lambda member: self.cost(member.fitness))
        if state.generation - best.born < self.patience:
            return self.scheme.propose(state, rng)
        return tuple(Task(FIRST, (), state.tasks + i) for i in range(len(state.population)))

    def replace(
        self, state: State[Equation], brood: Brood[Equation], outcomes: Outcomes[Equation]
    ) -> Population[Equation]:
        """First equations take all places."""
        if brood[0].operator == FIRST:
            return born(state, brood, outcomes)
        return self.scheme.replace(state, brood, outcomes)
