"""Individuals, tasks and outcomes: the values that the evolution loop exchanges."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from evomask.evolution.streams import draw_litter

G = TypeVar("G")

Fitness: TypeAlias = tuple[float, ...]
Cost: TypeAlias = Callable[[Fitness], float]
Key: TypeAlias = Callable[[Fitness], Any]


@dataclass(frozen=True, slots=True)
class Individual(Generic[G]):
    """A genome with its fitness and its ancestry.

    The serial number identifies the genome within a run, so the genome is not compared.

    Args:
        fitness: objectives to minimise; +infinity for a candidate that must not survive.
        serial: number of the task that made it.
        parents: serial numbers of the parents.
        born: generation of birth.
    """

    genome: G = field(compare=False)
    fitness: Fitness
    serial: int
    operator: str
    parents: tuple[int, ...]
    born: int


Population: TypeAlias = tuple[Individual[G], ...]


def lexicographic(fitness: Fitness) -> Fitness:
    """Sort key that compares fitnesses objective by objective."""
    return fitness


def first_objective(fitness: Fitness) -> float:
    """Return the first objective as the cost of a fitness."""
    return fitness[0]


def mean_objective(fitness: Fitness) -> float:
    """Return the mean of the objectives as the cost of a fitness."""
    return sum(fitness) / len(fitness)


def worst_objective(fitness: Fitness) -> float:
    """Return the largest objective as the cost of a fitness."""
    return max(fitness)


class ScoreRule(StrEnum):
    """How loss and risk are combined into one score."""

    MEAN = "mean"
    WORST = "worst"


COSTS: dict[ScoreRule, Cost] = {ScoreRule.MEAN: mean_objective, ScoreRule.WORST: worst_objective}


FIRST = "first"


@dataclass(frozen=True, slots=True)
class Task(Generic[G]):
    """Description of one child to be made.

    Args:
        operator: name of the operator, which the problem implements.
        parents: individuals that the operator may use; the child resembles the first most.
        rival: position in the population that the child competes for, if the scheme needs one;
            for the operator `first`, the number of the initial genome.
        litter: a random number that the children of one crossover share (`litter_stream`).
    """

    operator: str
    parents: tuple[Individual[G], ...] = ()
    rival: int | None = None
    litter: int = 0


@dataclass(frozen=True, slots=True)
class Outcome(Generic[G]):
    """Result of one task.

    Args:
        steps: elementary steps of a burst; they count as evaluations.
        counts: named counts to be summed per operator and generation.
    """

    genome: G
    fitness: Fitness
    steps: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)


Brood: TypeAlias = tuple[Task[G], ...]
Outcomes: TypeAlias = Sequence[Outcome[G]]


def crossover_tasks(
    operator: str,
    parents: tuple[Individual[G], Individual[G]],
    rng: np.random.Generator,
    rivals: tuple[int | None, int | None] = (None, None),
) -> Brood[G]:
    """Return the tasks of both children of a crossover: roles exchanged, crossing points shared."""
    litter = draw_litter(rng)
    return (
        Task(operator, parents, rivals[0], litter),
        Task(operator, parents[::-1], rivals[1], litter),
    )


def initial_tasks(count: int) -> Brood[G]:
    """Return the tasks of the initial genomes."""
    return tuple(Task(FIRST, (), slot) for slot in range(count))
