"""The individuals a run must never lose, kept apart from its population."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import isfinite
from typing import Generic, Protocol, TypeVar

import numpy as np

from evomask.errors import ParameterError
from evomask.evolution.dominance import Points, dominators
from evomask.evolution.individual import G, Individual, Key, Population, as_it_is

A = TypeVar("A")


class Archive(Protocol[G]):
    """Immutable; an individual with an infinite fitness never enters."""

    @property
    def members(self) -> Population[G]:
        """The individuals that are kept now."""
        ...

    def updated(self: A, arrivals: Iterable[Individual[G]]) -> A:
        """The archive after *arrivals*, in their order."""
        ...

    def holding(self: A, members: Population[G]) -> A:
        """An archive of this kind with exactly these individuals, as a checkpoint saved them."""
        ...


@dataclass(frozen=True)
class Nothing(Generic[G]):
    """Keeps nobody: for schemes whose population keeps its best."""

    members: Population[G] = ()

    def updated(self, arrivals: Iterable[Individual[G]]) -> "Nothing[G]":
        """The same archive: whoever arrives is not kept."""
        return self

    def holding(self, members: Population[G]) -> "Nothing[G]":
        """An archive of the same kind, which will take in nobody else."""
        return replace(self, members=members)


@dataclass(frozen=True)
class Best(Generic[G]):
    """The *size* best so far, the best in front; the earlier one wins a tie."""

    size: int = 1
    by: Key = as_it_is
    members: Population[G] = ()

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ParameterError(f"size of an archive must be at least 1, got {self.size}")

    def updated(self, arrivals: Iterable[Individual[G]]) -> "Best[G]":
        """The best of those kept and those arriving, best first."""
        ordered = sorted((*self.members, *_possible(arrivals)), key=lambda i: self.by(i.fitness))
        return replace(self, members=tuple(ordered[: self.size]))

    def holding(self, members: Population[G]) -> "Best[G]":
        """An archive of exactly these individuals, for this size and order."""
        return replace(self, members=members)


@dataclass(frozen=True)
class Front(Generic[G]):
    """Everyone whom nobody dominates; of equal fitnesses the earliest stays."""

    members: Population[G] = ()

    def updated(self, arrivals: Iterable[Individual[G]]) -> "Front[G]":
        """Each arrival enters unless somebody is as good everywhere; whom it dominates leaves."""
        members = self.members
        points = fitness_array(members)
        for arrival in _possible(arrivals):
            point = np.asarray(arrival.fitness, dtype=np.float64)
            if members and (points <= point).all(axis=1).any():
                continue
            stay = _kept(members, dominators(-points, -point)) if members else ()
            members = (*stay, arrival)
            points = fitness_array(members)
        return self if members is self.members else Front(members)

    def holding(self, members: Population[G]) -> "Front[G]":
        """A front of exactly these individuals, as a checkpoint saved them."""
        return Front(members)


@dataclass(frozen=True)
class BoxedFront(Generic[G]):
    """A front that keeps one individual per box of a grid, and only boxes no other box dominates.

    Algorithm 1 of the PBG-EA paper, turned round because everything is minimised here: a
    fitness that is minus a quality index falls into the paper's box.

    Args:
        sides: the length of a box along each number of the fitness.
    """

    sides: tuple[float, ...]
    members: Population[G] = ()

    def __post_init__(self) -> None:
        if not self.sides or min(self.sides) <= 0:
            raise ParameterError(f"sides of boxes must be positive, got {self.sides}")

    def boxes(self, points: Points) -> Points:
        """The box of the grid in which each point lies, as whole numbers."""
        return np.floor(points / np.asarray(self.sides, dtype=np.float64))

    def updated(self, arrivals: Iterable[Individual[G]]) -> "BoxedFront[G]":
        """Each arrival drives out whom it box-dominates, and enters if nobody holds it off."""
        members = self.members
        for arrival in _possible(arrivals):
            members = self._with(members, arrival)
        return self if members is self.members else replace(self, members=members)

    def _with(self, members: Population[G], arrival: Individual[G]) -> Population[G]:
        point = np.asarray(arrival.fitness, dtype=np.float64)[None, :]
        if not members:
            return (arrival,)
        points = fitness_array(members)
        box, boxes = self.boxes(point), self.boxes(points)
        same_box = (boxes == box).all(axis=1)
        beaten = np.where(same_box, dominators(-points, -point), dominators(-boxes, -box))
        held_off = dominators(boxes, box) | (same_box & ~beaten)
        if held_off.any():
            return members
        return (*_kept(members, beaten), arrival)

    def holding(self, members: Population[G]) -> "BoxedFront[G]":
        """A front of exactly these individuals, with boxes of the same sides."""
        return replace(self, members=members)


def fitness_array(individuals: Iterable[Individual[G]]) -> Points:
    """The fitnesses of individuals, one row each."""
    return np.array([individual.fitness for individual in individuals], dtype=np.float64)


def _kept(individuals: Population[G], leaving: Iterable[bool | np.bool_]) -> Population[G]:
    return tuple(
        individual for individual, leaves in zip(individuals, leaving, strict=True) if not leaves
    )


def _possible(arrivals: Iterable[Individual[G]]) -> list[Individual[G]]:
    return [arrival for arrival in arrivals if all(isfinite(value) for value in arrival.fitness)]
