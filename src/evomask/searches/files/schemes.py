"""How masked files breed: bursts that polish and mix, and variants of the thesis' loop."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np

from evomask.evolution.archive import Front
from evomask.evolution.brood import FIRST, Brood, Outcomes, Task, twins
from evomask.evolution.individual import Cost, Fitness, G, Individual, Population
from evomask.evolution.loop import Scheme
from evomask.evolution.replacement import duel
from evomask.evolution.selection import costs_of, inverse, leaders, roulette, uniform
from evomask.evolution.state import State, born

POLISH = "polish"
MIX = "mix"
BOTH = "both"


@dataclass(frozen=True)
class Polishing(Generic[G]):
    """Bursts: in turn one of the best and any member; a child takes its parent's place if no worse.

    Args:
        turns: bursts in a generation.
        leaders: how many of the best are polished in every other burst.
        mixing: how often a burst may also take values from another file.
    """

    cost: Cost
    turns: int = 2
    leaders: int = 2
    mixing: float = 0.3

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """One of the best, anybody, and so on."""
        costs = costs_of(state.population, self.cost)
        best = leaders(costs, self.leaders)
        return tuple(self._task(state, costs, best, turn, rng) for turn in range(self.turns))

    def _task(
        self, state: State[G], costs: np.ndarray, best: np.ndarray, turn: int,
        rng: np.random.Generator,
    ) -> Task[G]:  # fmt: skip
        among = best if turn % 2 == 0 else np.arange(len(costs))
        place = int(among[uniform(len(among), 1, rng)[0]])
        donor = int(roulette(inverse(costs), 1, rng)[0])
        member = state.population[place]
        if donor == place or rng.random() >= self.mixing:
            return Task(POLISH, (member,), place)
        return Task(MIX, (member, state.population[donor]), place)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """Deterministic crowding."""
        return duel(state, brood, outcomes, self.cost)


@dataclass(frozen=True)
class FrontPolishing(Generic[G]):
    """Bursts on members that nobody dominates; a child that dominates its parent replaces it.

    Each member keeps its own balance of loss and risk, so the population stays spread.
    """

    turns: int = 2
    mixing: float = 0.3

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Members of the front that the population makes."""
        there = [
            i for i, m in enumerate(state.population) if not _is_dominated(m, state.population)
        ]
        brood: list[Task[G]] = []
        for place in rng.choice(there, self.turns):
            donor = int(rng.choice(there))
            member = state.population[place]
            if donor == place or rng.random() >= self.mixing:
                brood.append(Task(POLISH, (member,), int(place)))
            else:
                brood.append(Task(MIX, (member, state.population[donor]), int(place)))
        return tuple(brood)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """A child stays if it is no worse than its parent in loss and in risk."""
        survivors = list(state.population)
        for task, child in zip(brood, born(state, brood, outcomes), strict=True):
            place = task.rival or 0
            if _is_no_worse(child.fitness, survivors[place].fitness):
                survivors[place] = child
        return tuple(survivors)


def _is_dominated(member: Individual[G], population: Population[G]) -> bool:
    return any(
        other.fitness != member.fitness and _is_no_worse(other.fitness, member.fitness)
        for other in population
    )


def _is_no_worse(one: Fitness, other: Fitness) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))


@dataclass(frozen=True)
class CrossAndMutate(Generic[G]):
    """Crossover and mutation in one generation (figure 3.5); the problem draws by their rates."""

    cost: Cost
    leaders: int = 2

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Two children of one of the best and any other."""
        costs = costs_of(state.population, self.cost)
        one = int(leaders(costs, self.leaders)[uniform(min(self.leaders, len(costs)), 1, rng)[0]])
        other = int(roulette(inverse(costs), 1, rng)[0])
        parents = state.population[one], state.population[other]
        return twins(BOTH, parents, rng, (one, other))

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """Deterministic crowding."""
        return duel(state, brood, outcomes, self.cost)


@dataclass(frozen=True)
class WithoutBest(Generic[G]):
    """A scheme that begins without the best of the first population: is it robust?

    Args:
        percent: share of the first population that is left out.
    """

    scheme: Scheme[G]
    percent: float
    cost: Cost

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """As the scheme does."""
        return self.scheme.propose(self.started(state), rng)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """As the scheme does."""
        return self.scheme.replace(self.started(state), brood, outcomes)

    def started(self, state: State[G]) -> State[G]:
        """The state; before the first generation without its best."""
        if state.generation > 0:
            return state
        size = len(state.population)
        gone = set(leaders(costs_of(state.population, self.cost), round(size * self.percent / 100)))
        kept = tuple(m for i, m in enumerate(state.population) if i not in gone)
        return replace(state, population=kept)


@dataclass(frozen=True)
class BredFront(Front[G]):
    """A front of children alone; first files are not in it."""

    def updated(self, arrivals: Iterable[Individual[G]]) -> "BredFront[G]":
        """Each arrival that was bred."""
        bred = super().updated([one for one in arrivals if one.operator != FIRST])
        return BredFront(bred.members)

    def holding(self, members: Population[G]) -> "BredFront[G]":
        """These members."""
        return BredFront(members)
