"""How masked files breed: bursts that polish and mix, and variants of the thesis' loop."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import mul
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

EVERY = 3
"""Of so many bursts one is for the best files."""


@dataclass(frozen=True)
class Polishing(Generic[G]):
    """Bursts on the best and on all others in turn; a child takes its parent's place if no worse.

    Args:
        turns: bursts in a generation.
        leaders: how many of the best are polished in every third burst.
        mixing: how often a burst may also take values from another file: a leader from any,
            the others from a leader.
    """

    cost: Cost
    turns: int = 2
    leaders: int = 2
    mixing: float = 0.5

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """A leader, two others as they stand in line, and so on."""
        costs = costs_of(state.population, self.cost)
        best = leaders(costs, self.leaders)
        brood: list[Task[G]] = []
        for number in range(state.generation * self.turns, (state.generation + 1) * self.turns):
            if number % EVERY == 0:
                place, donor = _one_of(best, rng), int(roulette(inverse(costs), 1, rng)[0])
            else:
                place, donor = (number - number // EVERY - 1) % len(costs), _one_of(best, rng)
            mixed = donor != place and rng.random() < self.mixing
            brood.append(_burst(state.population, place, donor if mixed else None))
        return tuple(brood)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """Deterministic crowding: a child takes its parent's place if it is no worse."""
        return duel(state, brood, outcomes, self.cost)


def _one_of(places: np.ndarray, rng: np.random.Generator) -> int:
    return int(places[uniform(len(places), 1, rng)[0]])


def _burst(population: Population[G], place: int, donor: int | None) -> Task[G]:
    """A burst on one individual, which may take over values of another one."""
    if donor is None:
        return Task(POLISH, (population[place],), place)
    return Task(MIX, (population[place], population[donor]), place)


@dataclass(frozen=True)
class FrontPolishing(Generic[G]):
    """Bursts on the best for a random balance; a child no worse in anything replaces its parent.

    Each individual keeps its own balance of loss and risk, so the population stays spread.
    """

    turns: int = 2
    mixing: float = 0.3

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """For each burst two balances of loss and risk: one finds the file, one its donor."""
        brood: list[Task[G]] = []
        for _ in range(self.turns):
            place, donor = (_best_for(state.population, rng.random()) for _ in range(2))
            mixed = donor != place and rng.random() < self.mixing
            brood.append(_burst(state.population, place, donor if mixed else None))
        return tuple(brood)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """A child stays if it is no worse than its parent in loss and in risk."""
        survivors = list(state.population)
        for task, child in zip(brood, born(state, brood, outcomes), strict=True):
            place = task.rival or 0
            if _is_no_worse(child.fitness, survivors[place].fitness):
                survivors[place] = child
        return tuple(survivors)


def _best_for(population: Population[G], balance: float) -> int:
    """Place of the individual whose larger part is smallest; *balance* weighs the first part."""
    weights = balance, 1.0 - balance
    costs = costs_of(population, lambda fitness: max(map(mul, weights, fitness)))
    return int(leaders(costs, 1)[0])


def _is_no_worse(fitness: Fitness, other: Fitness) -> bool:
    return all(a <= b for a, b in zip(fitness, other, strict=True))


@dataclass(frozen=True)
class CrossAndMutate(Generic[G]):
    """Crossover and mutation in one generation (figure 3.5); the problem draws by their rates."""

    cost: Cost
    leaders: int = 2

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Two children of one of the best and any other."""
        costs = costs_of(state.population, self.cost)
        leader = _one_of(leaders(costs, self.leaders), rng)
        mate = int(roulette(inverse(costs), 1, rng)[0])
        parents = state.population[leader], state.population[mate]
        return twins(BOTH, parents, rng, (leader, mate))

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """Deterministic crowding: each child takes its own parent's place if it is no worse."""
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
        """What the scheme proposes to a population that lost its best."""
        return self.scheme.propose(self.started(state), rng)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """Who stays according to the scheme, the best of the first population being gone."""
        return self.scheme.replace(self.started(state), brood, outcomes)

    def started(self, state: State[G]) -> State[G]:
        """The state; before the first generation without its best."""
        if state.generation > 0:
            return state
        size = len(state.population)
        gone = set(leaders(costs_of(state.population, self.cost), round(size * self.percent / 100)))
        kept = tuple(individual for i, individual in enumerate(state.population) if i not in gone)
        return replace(state, population=kept)


@dataclass(frozen=True)
class BredFront(Front[G]):
    """A front of children alone; first files are not in it."""

    def updated(self, arrivals: Iterable[Individual[G]]) -> "BredFront[G]":
        """The front after those arrivals that were bred; first files stay outside."""
        bred = super().updated([arrival for arrival in arrivals if arrival.operator != FIRST])
        return BredFront(bred.members)

    def holding(self, members: Population[G]) -> "BredFront[G]":
        """A front of exactly these individuals, as a checkpoint saved them."""
        return BredFront(members)
