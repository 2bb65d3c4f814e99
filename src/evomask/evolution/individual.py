"""Genome, fitness and where they came from."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, TypeAlias, TypeVar

G = TypeVar("G")

Fitness: TypeAlias = tuple[float, ...]
Cost: TypeAlias = Callable[[Fitness], float]
Key: TypeAlias = Callable[[Fitness], Any]


@dataclass(frozen=True, slots=True)
class Individual(Generic[G]):
    """A genome with its fitness and its birth certificate.

    Within a run the serial number names the genome, so two individuals are equal when all
    but the genome is.

    Args:
        fitness: smaller is better; +infinity for a candidate that must not survive.
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


def as_it_is(fitness: Fitness) -> Fitness:
    """Order by the first number; later ones break ties."""
    return fitness


def first(fitness: Fitness) -> float:
    """The first number of a fitness as its cost."""
    return fitness[0]


def mean(fitness: Fitness) -> float:
    """The mean of a fitness' numbers as its cost."""
    return sum(fitness) / len(fitness)


def worst(fitness: Fitness) -> float:
    """The largest of a fitness' numbers as its cost."""
    return max(fitness)


class Joined(StrEnum):
    """How loss and risk become one number."""

    MEAN = "mean"
    WORST = "worst"


COSTS: dict[Joined, Cost] = {Joined.MEAN: mean, Joined.WORST: worst}
