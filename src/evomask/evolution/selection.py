"""Parent selection and survivor replacement."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace as replace_fields
from math import inf, isfinite
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evomask.errors import ParameterError
from evomask.evolution.individual import (
    Brood,
    Cost,
    G,
    Individual,
    Key,
    Outcome,
    Outcomes,
    Population,
    first_objective,
    lexicographic,
)
from evomask.evolution.state import State, individuals_from

Costs = NDArray[np.float64]
Places = NDArray[np.intp]


def costs_of(individuals: Iterable[Individual[G]], cost: Cost = first_objective) -> Costs:
    """Return the cost of each individual."""
    return np.array([cost(individual.fitness) for individual in individuals], dtype=np.float64)


def ranks_of(individuals: Iterable[Individual[G]], by: Key) -> Places:
    """Return the rank of each individual in the order *by*; ties share the lowest rank."""
    keys = [by(individual.fitness) for individual in individuals]
    position = {key: place for place, key in reversed(list(enumerate(sorted(keys))))}
    return np.array([position[key] for key in keys], dtype=np.intp)


def inverse(costs: Costs) -> Costs:
    """Return roulette weights 1 / (cost + 1); an infinite cost has weight 0."""
    return 1.0 / (costs + 1.0)


def roulette(weights: Costs, count: int, rng: np.random.Generator) -> Places:
    """Draw positions in proportion to weights, with replacement (equation 2.2 of the thesis).

    If all weights are zero, all positions are equally likely.
    """
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ParameterError("weights of a roulette wheel must be finite and not negative")
    total = weights.sum()
    if total == 0:
        return uniform(len(weights), count, rng)
    edges = np.cumsum(weights) / total
    edges[-1] = 1.0
    return np.searchsorted(edges, rng.random(count), side="right")


def tournament(costs: Costs | Places, size: int, count: int, rng: np.random.Generator) -> Places:
    """Return winners of tournaments among *size* different individuals; ties: lowest position."""
    if not 1 <= size <= len(costs):
        raise ParameterError(
            f"a tournament needs 1 to {len(costs)} individuals of the population, got {size}"
        )
    drawn = [np.sort(rng.choice(len(costs), size, replace=False)) for _ in range(count)]
    return np.array([places[np.argmin(costs[places])] for places in drawn], dtype=np.intp)


def uniform(size: int, count: int, rng: np.random.Generator) -> Places:
    """Draw positions uniformly, with replacement."""
    return rng.integers(size, size=count)


def leaders(costs: Costs | Places, size: int) -> Places:
    """Return the *size* best positions, best first; the lowest position wins a tie."""
    return np.argsort(costs, kind="stable")[:size]


Replace: TypeAlias = Callable[[State[G], Brood[G], Outcomes[G]], Population[G]]


def replace_if_no_worse(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], by: Key = lexicographic
) -> Population[G]:
    """Deterministic crowding: a child replaces its rival if it is no worse."""
    return _compete(state, brood, outcomes, lambda child, rival: by(child) <= by(rival))


def replace_if_better(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], by: Key = lexicographic
) -> Population[G]:
    """A child replaces its rival only if it is better."""
    return _compete(state, brood, outcomes, lambda child, rival: by(child) < by(rival))


def _compete(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], wins: Callable[..., bool]
) -> Population[G]:
    survivors = list(state.population)
    for task, child in zip(brood, individuals_from(state, brood, outcomes), strict=True):
        if _is_viable(child) and wins(child.fitness, survivors[_place(task.rival)].fitness):
            survivors[_place(task.rival)] = child
    return tuple(survivors)


def _place(rival: int | None) -> int:
    if rival is None:
        raise TypeError("this replacement needs a rival for every task")
    return rival


def plus(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], by: Key = lexicographic
) -> Population[G]:
    """Keep the best of parents and children; on equal fitness the older one stays."""
    everyone = (*state.population, *individuals_from(state, brood, outcomes))
    return tuple(_sort(everyone, by)[: len(state.population)])


def overlap(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], by: Key = lexicographic
) -> Population[G]:
    """Replace the worst individuals by the children; all of them if there are as many children.

    A child that must not survive is ignored.
    """
    children = [child for child in individuals_from(state, brood, outcomes) if _is_viable(child)]
    size = len(state.population)
    incumbents = _sort(state.population, by)[: max(0, size - len(children))]
    return (*incumbents, *_sort(children, by)[:size])


def elitist(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], by: Key = lexicographic
) -> Population[G]:
    """As `overlap`, but the best individual stays if no child is as good."""
    survivors = _sort(overlap(state, brood, outcomes, by), by)
    best = min(state.population, key=lambda individual: by(individual.fitness))
    if by(best.fitness) < by(survivors[0].fitness):
        return (best, *survivors[:-1])
    return tuple(survivors)


def without_clones(
    replace: Replace[G], identify: Callable[[G], Hashable] | None = None
) -> Replace[G]:
    """Return a replacement that rejects clones of individuals and of earlier children.

    Args:
        identify: key by which two genomes are equal; by default the genome itself, or its bytes
            if it is an array.
    """
    name = identify or _content

    def policy(state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        seen = {name(individual.genome) for individual in state.population}
        judged: list[Outcome[G]] = []
        for outcome in outcomes:
            content = name(outcome.genome)
            rejected = replace_fields(outcome, fitness=(inf,) * len(outcome.fitness))
            judged.append(rejected if content in seen else outcome)
            seen.add(content)
        return replace(state, brood, judged)

    return policy


def _content(genome: object) -> Hashable:
    as_bytes = getattr(genome, "tobytes", None)
    return as_bytes() if as_bytes else genome


def _is_viable(child: Individual[G]) -> bool:
    return all(isfinite(value) for value in child.fitness)


def _sort(individuals: "Population[G] | list[Individual[G]]", by: Key) -> list[Individual[G]]:
    return sorted(individuals, key=lambda individual: by(individual.fitness))
