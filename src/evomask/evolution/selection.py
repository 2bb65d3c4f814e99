"""Choosing parents: arrays of costs in, places in the population out."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from evomask.errors import ParameterError
from evomask.evolution.individual import Cost, G, Individual, Key, first

Costs = NDArray[np.float64]
Places = NDArray[np.intp]


def costs_of(individuals: Iterable[Individual[G]], cost: Cost = first) -> Costs:
    """The cost of each individual's fitness, in the order of the population."""
    return np.array([cost(individual.fitness) for individual in individuals], dtype=np.float64)


def ranks_of(individuals: Iterable[Individual[G]], by: Key) -> Places:
    """The place of each individual in the order *by*; equals share the lowest."""
    keys = [by(individual.fitness) for individual in individuals]
    position = {key: place for place, key in reversed(list(enumerate(sorted(keys))))}
    return np.array([position[key] for key in keys], dtype=np.intp)


def inverse(costs: Costs) -> Costs:
    """Roulette weights 1 / (cost + 1); an infinite cost weighs nothing."""
    return 1.0 / (costs + 1.0)


def roulette(weights: Costs, count: int, rng: np.random.Generator) -> Places:
    """Places drawn in proportion to their weights (equation 2.2 of the thesis), with return.

    Weights that are all zero mean no preference.
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
    """Winners of tournaments among *size* different individuals; the lowest place wins a tie."""
    if not 1 <= size <= len(costs):
        raise ParameterError(
            f"a tournament needs 1 to {len(costs)} individuals of the population, got {size}"
        )
    drawn = [np.sort(rng.choice(len(costs), size, replace=False)) for _ in range(count)]
    return np.array([places[np.argmin(costs[places])] for places in drawn], dtype=np.intp)


def uniform(size: int, count: int, rng: np.random.Generator) -> Places:
    """Places drawn without preference, with return, from a population of that size."""
    return rng.integers(size, size=count)


def leaders(costs: Costs | Places, size: int) -> Places:
    """The *size* best places, best first; the lowest place wins a tie."""
    return np.argsort(costs, kind="stable")[:size]
