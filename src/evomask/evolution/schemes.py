"""Evolution schemes of the papers: how each proposes tasks and replaces individuals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

import numpy as np

from evomask.evolution.archive import dominated_strength, fitness_array
from evomask.evolution.individual import (
    Brood,
    Cost,
    G,
    Key,
    Outcomes,
    Population,
    Task,
    crossover_tasks,
    first_objective,
    lexicographic,
)
from evomask.evolution.selection import (
    Costs,
    Replace,
    costs_of,
    elitist,
    inverse,
    leaders,
    plus,
    ranks_of,
    replace_if_better,
    replace_if_no_worse,
    roulette,
    tournament,
    uniform,
)
from evomask.evolution.state import State, individuals_from
from evomask.evolution.variation import (
    adaptive_rates,
    draw_operator,
    offspring_count,
    useful_operators,
)

if TYPE_CHECKING:
    from evomask.evolution.loop import Scheme

CROSS = "cross"
MUTATE = "mutate"


@dataclass(frozen=True)
class Unbred(Generic[G]):
    """Evaluate the initial genomes only; the genomes made last are the population."""

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        return ()

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        return individuals_from(state, brood, outcomes)


@dataclass(frozen=True)
class Generational(Generic[G]):
    """A new population each generation; parents by roulette wheel, the best is kept.

    A pair is crossed with the given rate; otherwise both are passed to the operator `mutate`.
    The problem may mutate genes in both operators.

    Args:
        gap: share of the population replaced in a generation.
        weigh: function from costs to roulette weights.
    """

    crossover_rate: float
    gap: float = 1.0
    weigh: Callable[[Costs], Costs] = inverse
    cost: Cost = first_objective

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        size = offspring_count(len(state.population), self.gap)
        weights = self.weigh(costs_of(state.population, self.cost))
        brood: list[Task[G]] = []
        while len(brood) < size:
            parent, mate = (state.population[i] for i in roulette(weights, 2, rng))
            if rng.random() < self.crossover_rate:
                brood += crossover_tasks(CROSS, (parent, mate), rng)
            else:
                brood += [Task(MUTATE, (parent,)), Task(MUTATE, (mate,))]
        return tuple(brood[:size])

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        return elitist(state, brood, outcomes, self.cost)


@dataclass(frozen=True)
class PlusSelection(Generic[G]):
    """Fixed numbers of crossovers and mutations; the best of parents and children survive.

    Args:
        crossovers: number of crossovers, each of which makes two children.
        mutations: number of children of each mutation operator.
        patience: if given, an operator all of whose children were discarded in so many
            consecutive generations is no longer used (D-GOMM).
        fallback: use all operators again once none is left; otherwise no child is made any more.
    """

    crossovers: int
    mutations: Mapping[str, int]
    patience: int | None = None
    keep: Replace[G] = plus
    fallback: bool = False

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        counts = {CROSS: self.crossovers, **self.mutations}
        names = tuple(counts)
        if self.patience is not None:
            useful = useful_operators(state.ledger, names, self.patience)
            names = useful or (names if self.fallback else ())
        brood: list[Task[G]] = []
        for name in names:
            for _ in range(counts[name]):
                parent, mate = (state.population[i] for i in uniform(len(state.population), 2, rng))
                brood += (
                    crossover_tasks(CROSS, (parent, mate), rng)
                    if name == CROSS
                    else [Task(name, (parent,))]
                )
        return tuple(brood)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        return self.keep(state, brood, outcomes)


@dataclass(frozen=True)
class AdaptiveSelection(Generic[G]):
    """As `PlusSelection`, but operators are drawn by the success of their recent children.

    Args:
        children: number of children in a generation; a crossover makes two of them.
        mutations: operators besides crossover.
    """

    children: int
    mutations: Sequence[str]
    keep: Replace[G] = plus

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        rates = adaptive_rates(state.ledger, (CROSS, *self.mutations))
        brood: list[Task[G]] = []
        while len(brood) < self.children:
            name = draw_operator(rates, rng)
            parent, mate = (state.population[i] for i in uniform(len(state.population), 2, rng))
            brood += (
                crossover_tasks(CROSS, (parent, mate), rng)
                if name == CROSS
                else [Task(name, (parent,))]
            )
        return tuple(brood[: self.children])

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        return self.keep(state, brood, outcomes)


@dataclass(frozen=True)
class MutateOrCross(Generic[G]):
    """One mutation or one crossover; a child replaces its own parent if it is no worse.

    Args:
        leaders: number of the best individuals from which the first parent of a crossover comes.
        turns: number of such choices in a generation; more than one keeps several workers busy.
    """

    mutation_rate: float = 0.5
    leaders: int = 2
    turns: int = 1
    weigh: Callable[[Costs], Costs] = inverse
    cost: Cost = first_objective

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
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
                brood += crossover_tasks(CROSS, parents, rng, (leader, drawn))
        return tuple(brood)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        return replace_if_no_worse(state, brood, outcomes, self.cost)


@dataclass(frozen=True)
class OneAgainstChild(Generic[G]):
    """A population of one, which a child replaces only if it is better.

    Args:
        rates: relative frequency of each operator.
        children: number of children in a generation; the best of those that are better survives.
    """

    rates: Mapping[str, float]
    children: int = 1
    by: Key = lexicographic

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        names = [draw_operator(self.rates, rng) for _ in range(self.children)]
        return tuple(Task(name, state.population, 0) for name in names)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        return replace_if_better(state, brood, outcomes, self.by)


@dataclass(frozen=True)
class WinnersAndLosers(Generic[G]):
    """Children of the better half of a random subset replace its worse half if better.

    Args:
        subset: size of the subset, rounded down to an even number.
    """

    subset: int
    crossover_rate: float = 0.5
    by: Key = lexicographic

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Return mutations or crossovers of the winners; the best competes with the worst loser."""
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
            brood += crossover_tasks(CROSS, pair, rng, (losers[i], losers[i + 1]))
        return tuple(brood)

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        return replace_if_better(state, brood, outcomes, self.by)


@dataclass(frozen=True)
class Archived(Unbred[G]):
    """Parents from population and archive by binary tournament; children are the population.

    The tournament compares `dominated_strength`. Ties are frequent; chance decides them, because
    otherwise the newest members of the archive would hardly ever be parents. The archive of the
    state keeps the result (PBG-EA: a `BoxedFront`).
    """

    crossover_rate: float = 0.8

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
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
                brood += crossover_tasks(CROSS, (parent, mate), rng)
            else:
                brood += [Task(MUTATE, (parent,)), Task(MUTATE, (mate,))]
        return (*brood, *(Task(MUTATE, (last,)) for last in chosen[len(brood) :]))


TRIES = 200
"""Maximum number of proposals to find tasks of a rarely used operator."""


@dataclass(frozen=True)
class Alone(Generic[G]):
    """A scheme reduced to the tasks of one operator, as many as all operators have together.

    It proposes nothing where the scheme does not use the operator.
    """

    scheme: "Scheme[G]"
    operator: str

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        brood = self.scheme.propose(state, rng)
        size = len(brood)
        chosen: list[Task[G]] = []
        for _ in range(TRIES):
            chosen += [task for task in brood if task.operator == self.operator]
            if len(chosen) >= size:
                break
            brood = self.scheme.propose(state, rng)
        return tuple(chosen[:size])

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        return self.scheme.replace(state, brood, outcomes)
