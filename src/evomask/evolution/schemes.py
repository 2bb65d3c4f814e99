"""The loop shapes of the papers, each a scheme of a few lines."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

import numpy as np

from evomask.evolution.archive import fitness_array
from evomask.evolution.brood import Brood, Outcomes, Task, twins
from evomask.evolution.dominance import dominated_strength
from evomask.evolution.individual import Cost, G, Key, Population, as_it_is, first
from evomask.evolution.replacement import Replace, duel, elitist, oust, plus
from evomask.evolution.selection import (
    Costs,
    costs_of,
    inverse,
    leaders,
    ranks_of,
    roulette,
    tournament,
    uniform,
)
from evomask.evolution.state import State, born
from evomask.evolution.variation import earned_rates, offspring_count, pick, still_useful

CROSS = "cross"
MUTATE = "mutate"


@dataclass(frozen=True)
class Unbred(Generic[G]):
    """Breeds nothing: the first genomes are all there is to try, and they are the population."""

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """An empty brood, which ends a run."""
        return ()

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """What was made from the tasks, whoever wrote them down."""
        return born(state, brood, outcomes)


@dataclass(frozen=True)
class Generational(Generic[G]):
    """A new population each generation, parents by roulette wheel; the best is never lost.

    Pairs are crossed with the given rate; the others go on to `mutate` one by one. Genes may
    mutate in both operators: that is the problem's.

    Args:
        gap: share of the population replaced in a generation.
        weigh: roulette weights from costs.
    """

    crossover_rate: float
    gap: float = 1.0
    weigh: Callable[[Costs], Costs] = inverse
    cost: Cost = first

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Pairs, crossed or not, until the brood is full."""
        size = offspring_count(len(state.population), self.gap)
        weights = self.weigh(costs_of(state.population, self.cost))
        brood: list[Task[G]] = []
        while len(brood) < size:
            parent, mate = (state.population[i] for i in roulette(weights, 2, rng))
            if rng.random() < self.crossover_rate:
                brood += twins(CROSS, (parent, mate), rng)
            else:
                brood += [Task(MUTATE, (parent,)), Task(MUTATE, (mate,))]
        return tuple(brood[:size])

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """The children, with the best so far among them."""
        return elitist(state, brood, outcomes, self.cost)


@dataclass(frozen=True)
class PlusSelection(Generic[G]):
    """A number of crossovers and of each mutation; the best of parents and children stay.

    Args:
        crossovers: each makes two children.
        mutations: how many children of each mutation operator.
        patience: where given, an operator whose children were all discarded so many generations
            running is not used any more (D-GOMM).
    """

    crossovers: int
    mutations: Mapping[str, int]
    patience: int | None = None
    keep: Replace[G] = plus

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """So many tasks of each operator as wanted; all are equally likely parents."""
        wanted = {CROSS: self.crossovers, **self.mutations}
        names = tuple(wanted)
        if self.patience is not None:
            names = still_useful(state.ledger, names, self.patience)
        brood: list[Task[G]] = []
        for name in names:
            for _ in range(wanted[name]):
                parent, mate = (state.population[i] for i in uniform(len(state.population), 2, rng))
                brood += (
                    twins(CROSS, (parent, mate), rng) if name == CROSS else [Task(name, (parent,))]
                )
        return tuple(brood)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """The best of all; on equal fitness the incumbent stays."""
        return self.keep(state, brood, outcomes)


@dataclass(frozen=True)
class AdaptiveSelection(Generic[G]):
    """As `PlusSelection`, but operators are drawn by how many of their children are let in.

    Args:
        children: how many in a generation; a crossover makes two of them.
        mutations: the operators besides crossover.
    """

    children: int
    mutations: Sequence[str]
    keep: Replace[G] = plus

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Operators by their rates; all are equally likely parents."""
        rates = earned_rates(state.ledger, (CROSS, *self.mutations))
        brood: list[Task[G]] = []
        while len(brood) < self.children:
            name = pick(rates, rng)
            parent, mate = (state.population[i] for i in uniform(len(state.population), 2, rng))
            brood += twins(CROSS, (parent, mate), rng) if name == CROSS else [Task(name, (parent,))]
        return tuple(brood[: self.children])

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """The best of all; on equal fitness the incumbent stays."""
        return self.keep(state, brood, outcomes)


@dataclass(frozen=True)
class MutateOrCross(Generic[G]):
    """Either one mutation or one crossover; a child takes its own parent's place if no worse.

    Args:
        leaders: how many of the best may be the first parent of a crossover.
        turns: how many such choices make a generation; more than one feeds several workers.
    """

    mutation_rate: float = 0.5
    leaders: int = 2
    turns: int = 1
    weigh: Callable[[Costs], Costs] = inverse
    cost: Cost = first

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Parents by roulette wheel, the first of a crossover among the leaders."""
        costs = costs_of(state.population, self.cost)
        weights, best = self.weigh(costs), leaders(costs, self.leaders)
        brood: list[Task[G]] = []
        for _ in range(self.turns):
            drawn = int(roulette(weights, 1, rng)[0])
            if rng.random() < self.mutation_rate:
                brood.append(Task(MUTATE, (state.population[drawn],), drawn))
            else:
                leader = int(best[roulette(weights[best], 1, rng)[0]])
                parents = state.population[leader], state.population[drawn]
                brood += twins(CROSS, parents, rng, (leader, drawn))
        return tuple(brood)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """Deterministic crowding: a child takes its rival's place if it is no worse."""
        return duel(state, brood, outcomes, self.cost)


@dataclass(frozen=True)
class OneAgainstChild(Generic[G]):
    """A population of one; its child replaces it only if it is better.

    Args:
        rates: how often each operator is used.
        children: how many are tried in a generation; the best of the better ones stays.
    """

    rates: Mapping[str, float]
    children: int = 1
    by: Key = as_it_is

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """One operator, drawn by its rate, for each child."""
        names = [pick(self.rates, rng) for _ in range(self.children)]
        return tuple(Task(name, state.population, 0) for name in names)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """The child where it is better than its parent, who stays otherwise."""
        return oust(state, brood, outcomes, self.by)


@dataclass(frozen=True)
class WinnersAndLosers(Generic[G]):
    """A random subset; its better half breeds, children replace its losers if they are better.

    Args:
        subset: how many individuals; an odd one, and in crossing an odd winner, stays aside.
    """

    subset: int
    crossover_rate: float = 0.5
    by: Key = as_it_is

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Winners are all mutated or crossed in pairs; the best meets the worst loser."""
        chosen = rng.choice(len(state.population), self.subset // 2 * 2, replace=False)
        ranks = ranks_of((state.population[i] for i in chosen), self.by)
        ordered = [int(i) for i in chosen[leaders(ranks, len(chosen))]]
        winners = [state.population[i] for i in ordered[: len(ordered) // 2]]
        losers = ordered[: len(winners) - 1 : -1]
        if len(winners) < 2 or rng.random() >= self.crossover_rate:
            return tuple(
                Task(MUTATE, (winner,), loser)
                for winner, loser in zip(winners, losers, strict=True)
            )
        brood: list[Task[G]] = []
        for i in range(0, len(winners) - 1, 2):
            pair = winners[i], winners[i + 1]
            brood += twins(CROSS, pair, rng, (losers[i], losers[i + 1]))
        return tuple(brood)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """Losers go where a child is better."""
        return oust(state, brood, outcomes, self.by)


@dataclass(frozen=True)
class Archived(Generic[G]):
    """Parents from population and archive by binary tournament; children are the population.

    The tournament's cost is how much the individuals that dominate one dominate themselves. Ties
    are the rule there; were they decided by place, the newest of the archive would hardly ever
    breed, so chance decides. What is found is kept by the state's archive (PBG-EA: a `BoxedFront`).
    """

    crossover_rate: float = 0.8

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Selected individuals in pairs; an odd one passes unpaired."""
        size = len(state.population)
        living = {individual.serial for individual in state.population}
        archived = (
            individual for individual in state.archive.members if individual.serial not in living
        )
        everyone = (*state.population, *archived)
        strength = dominated_strength(fitness_array(everyone)) + rng.random(len(everyone))
        chosen = [everyone[i] for i in tournament(strength, 2, size, rng)]
        brood: list[Task[G]] = []
        for parent, mate in zip(chosen[::2], chosen[1::2], strict=False):
            if rng.random() < self.crossover_rate:
                brood += twins(CROSS, (parent, mate), rng)
            else:
                brood += [Task(MUTATE, (parent,)), Task(MUTATE, (mate,))]
        return (*brood, *(Task(MUTATE, (last,)) for last in chosen[len(brood) :]))

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """The children alone; what was good before is in the archive."""
        return born(state, brood, outcomes)
