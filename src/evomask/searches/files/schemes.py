"""Schemes of the files search: bursts of local search, and variants of the thesis' loop."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import mul
from typing import Generic

import numpy as np

from evomask.evolution.archive import Front
from evomask.evolution.individual import (
    FIRST,
    Brood,
    Cost,
    G,
    Individual,
    Outcomes,
    Population,
    Task,
    crossover_tasks,
)
from evomask.evolution.loop import Scheme
from evomask.evolution.selection import (
    costs_of,
    inverse,
    leaders,
    replace_if_no_worse,
    roulette,
    uniform,
)
from evomask.evolution.state import State, individuals_from

POLISH = "polish"
MIX = "mix"
BOTH = "both"

EVERY = 3
"""Every third burst is spent on the best files."""


@dataclass(frozen=True)
class Polishing(Generic[G]):
    """Bursts on the best and on all others in turn; a child replaces its parent if no worse.

    Args:
        turns: bursts per generation.
        leaders: number of the best files, one of which is improved in every third burst.
        mixing: probability that a burst may copy values from another file: a leader from any file,
            the others from a leader.
    """

    cost: Cost
    turns: int = 2
    leaders: int = 2
    mixing: float = 0.5

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
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
        return replace_if_no_worse(state, brood, outcomes, self.cost)


def _one_of(places: np.ndarray, rng: np.random.Generator) -> int:
    return int(places[uniform(len(places), 1, rng)[0]])


def _burst(population: Population[G], place: int, donor: int | None) -> Task[G]:
    if donor is None:
        return Task(POLISH, (population[place],), place)
    return Task(MIX, (population[place], population[donor]), place)


@dataclass(frozen=True)
class FrontPolishing(Generic[G]):
    """Bursts along the Pareto front; a child that is no worse in loss and risk replaces its parent.

    Each burst improves the individual that is best for a random weight of loss and risk, so the
    population stays spread along the front.
    """

    turns: int = 2
    mixing: float = 0.3

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        brood: list[Task[G]] = []
        for _ in range(self.turns):
            place, donor = (_best_for(state.population, rng.random()) for _ in range(2))
            mixed = donor != place and rng.random() < self.mixing
            brood.append(_burst(state.population, place, donor if mixed else None))
        return tuple(brood)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        survivors = list(state.population)
        for task, child in zip(brood, individuals_from(state, brood, outcomes), strict=True):
            place = task.rival or 0
            pairs = zip(child.fitness, survivors[place].fitness, strict=True)
            if all(new <= old for new, old in pairs):
                survivors[place] = child
        return tuple(survivors)


def _best_for(population: Population[G], balance: float) -> int:
    """Position of the individual that is best by the weighted maximum of loss and risk."""
    weights = balance, 1.0 - balance
    costs = costs_of(population, lambda fitness: max(map(mul, weights, fitness)))
    return int(leaders(costs, 1)[0])


@dataclass(frozen=True)
class CrossAndMutate(Generic[G]):
    """Crossover and mutation in one generation (figure 3.5); the problem applies their rates."""

    cost: Cost
    leaders: int = 2

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        costs = costs_of(state.population, self.cost)
        leader = _one_of(leaders(costs, self.leaders), rng)
        mate = int(roulette(inverse(costs), 1, rng)[0])
        parents = state.population[leader], state.population[mate]
        return crossover_tasks(BOTH, parents, rng, (leader, mate))

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        return replace_if_no_worse(state, brood, outcomes, self.cost)


@dataclass(frozen=True)
class WithoutBest(Generic[G]):
    """A scheme that starts without the best initial files, to test its robustness.

    Args:
        percent: share of the initial population to leave out.
    """

    scheme: Scheme[G]
    percent: float
    cost: Cost

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        return self.scheme.propose(self.started(state), rng)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        return self.scheme.replace(self.started(state), brood, outcomes)

    def started(self, state: State[G]) -> State[G]:
        if state.generation > 0:
            return state
        size = len(state.population)
        gone = set(leaders(costs_of(state.population, self.cost), round(size * self.percent / 100)))
        rest = tuple(individual for i, individual in enumerate(state.population) if i not in gone)
        return replace(state, population=rest)


@dataclass(frozen=True)
class BredFront(Front[G]):
    """A Pareto front without the initial files."""

    def updated(self, arrivals: Iterable[Individual[G]]) -> "BredFront[G]":
        bred = super().updated([arrival for arrival in arrivals if arrival.operator != FIRST])
        return BredFront(bred.members)
