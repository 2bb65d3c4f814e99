"""Who stays: small functions of a state, its brood and the outcomes."""

from collections.abc import Callable, Hashable
from dataclasses import replace as changed
from math import inf, isfinite
from typing import TypeAlias

from evomask.evolution.brood import Brood, Outcome, Outcomes
from evomask.evolution.individual import G, Individual, Key, Population, as_it_is
from evomask.evolution.state import State, born

Replace: TypeAlias = Callable[[State[G], Brood[G], Outcomes[G]], Population[G]]


def duel(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], by: Key = as_it_is
) -> Population[G]:
    """Deterministic crowding: a child takes its rival's place if it is no worse."""
    return _challenge(state, brood, outcomes, lambda child, rival: by(child) <= by(rival))


def oust(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], by: Key = as_it_is
) -> Population[G]:
    """Winners and losers: a child takes its rival's place only if it is better."""
    return _challenge(state, brood, outcomes, lambda child, rival: by(child) < by(rival))


def _challenge(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], wins: Callable[..., bool]
) -> Population[G]:
    survivors = list(state.population)
    for task, child in zip(brood, born(state, brood, outcomes), strict=True):
        if _may_live(child) and wins(child.fitness, survivors[_place(task.rival)].fitness):
            survivors[_place(task.rival)] = child
    return tuple(survivors)


def _place(rival: int | None) -> int:
    if rival is None:
        raise TypeError("this replacement needs a rival for every task")
    return rival


def plus(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], by: Key = as_it_is
) -> Population[G]:
    """The best of parents and children together; on equal fitness the incumbent stays."""
    everyone = (*state.population, *born(state, brood, outcomes))
    return tuple(_ordered(everyone, by)[: len(state.population)])


def overlap(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], by: Key = as_it_is
) -> Population[G]:
    """Children take the places of the worst; as many children as individuals replace them all.

    A child that must not survive leaves its place to the best individual without one.
    """
    children = [child for child in born(state, brood, outcomes) if _may_live(child)]
    size = len(state.population)
    kept = _ordered(state.population, by)[: max(0, size - len(children))]
    return (*kept, *_ordered(children, by)[:size])


def elitist(
    state: State[G], brood: Brood[G], outcomes: Outcomes[G], by: Key = as_it_is
) -> Population[G]:
    """As `overlap`, but the best individual stays where no child is as good."""
    survivors = _ordered(overlap(state, brood, outcomes, by), by)
    best = min(state.population, key=lambda individual: by(individual.fitness))
    if by(best.fitness) < by(survivors[0].fitness):
        return (best, *survivors[:-1])
    return tuple(survivors)


def without_clones(
    replace: Replace[G], identify: Callable[[G], Hashable] | None = None
) -> Replace[G]:
    """The no-duplicates policy: *replace*, with clones of the living or of earlier children dead.

    Args:
        identify: what makes two genomes the same; by default the genome itself, as bytes
            where it is an array.
    """
    name = identify or _content

    def policy(state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        seen = {name(individual.genome) for individual in state.population}
        judged: list[Outcome[G]] = []
        for outcome in outcomes:
            content = name(outcome.genome)
            judged.append(_stillborn(outcome) if content in seen else outcome)
            seen.add(content)
        return replace(state, brood, judged)

    return policy


def _content(genome: object) -> Hashable:
    as_bytes = getattr(genome, "tobytes", None)
    return as_bytes() if as_bytes else genome


def _stillborn(outcome: Outcome[G]) -> Outcome[G]:
    return changed(outcome, fitness=(inf,) * len(outcome.fitness))


def _may_live(child: Individual[G]) -> bool:
    return all(isfinite(value) for value in child.fitness)


def _ordered(individuals: "Population[G] | list[Individual[G]]", by: Key) -> list[Individual[G]]:
    return sorted(individuals, key=lambda individual: by(individual.fitness))
