"""What is to be tried next, and what comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias

import numpy as np

from evomask.evolution.individual import Fitness, G, Individual
from evomask.evolution.streams import draw_litter

FIRST = "first"


@dataclass(frozen=True, slots=True)
class Task(Generic[G]):
    """One child to be made.

    Args:
        operator: its name; the problem knows the function.
        parents: the individuals it may use, the one it resembles most in front.
        rival: the place in the population the child competes for, where a scheme needs one;
            for the operator `first`, the number of the first genome wanted.
        litter: a number that the children of one crossover share (`litter_stream`).
    """

    operator: str
    parents: tuple[Individual[G], ...] = ()
    rival: int | None = None
    litter: int = 0


@dataclass(frozen=True, slots=True)
class Outcome(Generic[G]):
    """What a worker hands back for one task.

    Args:
        steps: elementary steps of a burst; they count as evaluations.
        counts: named counts a search wants summed per operator and generation.
    """

    genome: G
    fitness: Fitness
    steps: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)


Brood: TypeAlias = tuple[Task[G], ...]
Outcomes: TypeAlias = Sequence[Outcome[G]]


def twins(
    operator: str,
    parents: tuple[Individual[G], Individual[G]],
    rng: np.random.Generator,
    rivals: tuple[int | None, int | None] = (None, None),
) -> Brood[G]:
    """Both children of one crossover: the parents change roles, the crossing points are shared."""
    litter = draw_litter(rng)
    return (
        Task(operator, parents, rivals[0], litter),
        Task(operator, parents[::-1], rivals[1], litter),
    )


def founders(count: int) -> Brood[G]:
    """The first brood: one task for each of the first genomes."""
    return tuple(Task(FIRST, (), slot) for slot in range(count))
