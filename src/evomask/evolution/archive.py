"""Pareto dominance, hypervolume, and archives of the best individuals of a run."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from evomask.errors import ParameterError
from evomask.evolution.individual import G, Individual, Key, Population, lexicographic

Points = NDArray[np.float64]


def dominates(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether *a* Pareto-dominates *b*: nowhere larger and somewhere smaller."""
    return all(x <= y for x, y in zip(a, b, strict=True)) and tuple(a) != tuple(b)


def dominators(points: Points, point: Points) -> NDArray[np.bool_]:
    """Flag those of *points* that dominate *point*."""
    return np.logical_and((points <= point).all(axis=1), (points < point).any(axis=1))


def non_dominated_ranks(points: Points) -> NDArray[np.intp]:
    """Return the non-domination rank of each point: 0 on the Pareto front, 1 behind it, and so on.

    In lexicographic order only earlier points can dominate a later one, and the fronts that
    dominate it come first, so its front is found by bisection (Zhang et al., 2015).
    Memory is O(n); time O(n² m) at worst, usually far less; O(n log n) for two objectives.
    """
    if points.ndim == 2 and points.shape[1] == 2:
        return _ranks_in_plane(points)
    ranks = np.empty(len(points), dtype=np.intp)
    fronts: list[list[int]] = []
    for place in np.lexsort(points.T[::-1]):
        low, high = 0, len(fronts)
        while low < high:
            middle = (low + high) // 2
            # the newest individuals of a front lie closest, so they come first in the search
            if dominators(points[fronts[middle]], points[place]).any():
                low = middle + 1
            else:
                high = middle
        if low == len(fronts):
            fronts.append([])
        fronts[low].append(int(place))
        ranks[place] = low
    return ranks


def _ranks_in_plane(points: Points) -> NDArray[np.intp]:
    """Non-domination ranks for two objectives.

    In lexicographic order a point is dominated by a front if the least second objective of that
    front is no larger, and those least values increase from front to front.
    """
    ranks = np.empty(len(points), dtype=np.intp)
    least: list[float] = []
    before: tuple[float, float] | None = None
    rank = 0
    for place in np.lexsort((points[:, 1], points[:, 0])).tolist():
        x, y = points[place].tolist()
        if (x, y) != before:
            before, rank = (x, y), bisect_right(least, y)
            least[rank : rank + 1] = [y]
        ranks[place] = rank
    return ranks


def dominated_strength(points: Points) -> NDArray[np.int64]:
    """Return the raw fitness of SPEA2, as PBG-EA uses it: 0 for a non-dominated point.

    The sum, over a point's dominators, of the numbers of points that each of them dominates.
    O(n²) time and memory.
    """
    over = (points[:, None, :] <= points[None, :, :]).all(axis=2)
    over &= (points[:, None, :] < points[None, :, :]).any(axis=2)
    strength: NDArray[np.int64] = over.sum(axis=1) @ over.astype(np.int64)
    return strength


def hypervolume(points: Points, reference: Sequence[float]) -> float:
    """Return the volume between *points* and the *reference* point; for few points.

    Points that do not lie below the reference are ignored. Computed by slices along the last
    objective.
    """
    limit = np.asarray(reference, dtype=np.float64)
    inside = points[(points < limit).all(axis=1)]
    return _volume(inside, limit) if len(inside) else 0.0


def _volume(points: Points, limit: Points) -> float:
    if len(limit) == 1:
        return float(limit[0] - points[:, 0].min())
    ordered = points[np.argsort(points[:, -1], kind="stable")]
    if len(limit) == 2:
        reached = limit[0] - np.minimum.accumulate(ordered[:, 0])
        return float(reached @ np.diff(np.append(ordered[:, 1], limit[1])))
    heights = np.diff(np.append(ordered[:, -1], limit[-1]))
    return sum(
        float(height) * _volume(ordered[: i + 1, :-1], limit[:-1])
        for i, height in enumerate(heights)
        if height > 0
    )


A = TypeVar("A")


class Archive(Protocol[G]):
    """An immutable collection of individuals; one with an infinite fitness never enters."""

    @property
    def members(self) -> Population[G]:
        """The individuals in the archive."""
        ...

    def updated(self: A, arrivals: Iterable[Individual[G]]) -> A:
        """Return the archive after offering it *arrivals* in their order."""
        ...

    def holding(self: A, members: Population[G]) -> A:
        """Return an archive of this kind with exactly these members."""
        ...


class Members(Generic[G]):
    """Base of the archives, which are frozen dataclasses with a field ``members``."""

    def holding(self: A, members: Population[G]) -> A:
        return replace(self, members=members)  # type: ignore[type-var]


@dataclass(frozen=True)
class Nothing(Members[G]):
    """An archive that stays empty, for schemes whose population retains its best individuals."""

    members: Population[G] = ()

    def updated(self, arrivals: Iterable[Individual[G]]) -> "Nothing[G]":
        return self


@dataclass(frozen=True)
class Best(Members[G]):
    """The *size* best individuals so far, best first; the earlier one wins a tie."""

    size: int = 1
    by: Key = lexicographic
    members: Population[G] = ()

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ParameterError(f"size of an archive must be at least 1, got {self.size}")

    def updated(self, arrivals: Iterable[Individual[G]]) -> "Best[G]":
        ordered = sorted((*self.members, *_possible(arrivals)), key=lambda i: self.by(i.fitness))
        return replace(self, members=tuple(ordered[: self.size]))


@dataclass(frozen=True)
class Front(Members[G]):
    """The Pareto front: all non-dominated individuals; of equal fitnesses the earliest stays."""

    members: Population[G] = ()

    def updated(self, arrivals: Iterable[Individual[G]]) -> "Front[G]":
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


@dataclass(frozen=True)
class BoxedFront(Members[G]):
    """A Pareto front with one individual per box of a grid, in non-dominated boxes only.

    Algorithm 1 of the PBG-EA paper with the signs changed, because all objectives are minimised
    here: a fitness that is minus a quality index falls into the box of the paper.

    Args:
        sides: length of a box along each objective.
    """

    sides: tuple[float, ...]
    members: Population[G] = ()

    def __post_init__(self) -> None:
        if not self.sides or min(self.sides) <= 0:
            raise ParameterError(f"sides of boxes must be positive, got {self.sides}")

    def boxes(self, points: Points) -> Points:
        return np.floor(points / np.asarray(self.sides, dtype=np.float64))

    def updated(self, arrivals: Iterable[Individual[G]]) -> "BoxedFront[G]":
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


def fitness_array(individuals: Iterable[Individual[G]]) -> Points:
    """Return the fitnesses of individuals, one row each."""
    return np.array([individual.fitness for individual in individuals], dtype=np.float64)


def _kept(individuals: Population[G], leaving: Iterable[bool | np.bool_]) -> Population[G]:
    return tuple(
        individual for individual, leaves in zip(individuals, leaving, strict=True) if not leaves
    )


def _possible(arrivals: Iterable[Individual[G]]) -> list[Individual[G]]:
    return [arrival for arrival in arrivals if all(isfinite(value) for value in arrival.fitness)]
