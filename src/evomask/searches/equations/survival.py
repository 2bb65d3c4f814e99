"""Who stays among equations: of equally good ones, the shortest."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

from evomask.evolution.archive import Front
from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.individual import Cost, Individual, Population
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
