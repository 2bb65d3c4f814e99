"""The points a run offers, and choosing one of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from evomask.errors import ParameterError
from evomask.evolution.individual import Individual
from evomask.evolution.setup import Setup
from evomask.evolution.state import State
from evomask.searches.search import RELEASED_DRAW, MaskingProblem


class Offer(Protocol):
    """A masked file that can be picked, by its number or by what was measured."""

    @property
    def point(self) -> int:
        """Its number on the front."""
        ...

    @property
    def readings(self) -> Mapping[str, float]:
        """Its measures by name."""
        ...


O = TypeVar("O", bound=Offer)  # noqa: E741


@dataclass(frozen=True)
class Point:
    """One masked file on offer: who made it, and its measures.

    Args:
        draw: where masking is random, the number of the draw that is released and measured.
    """

    point: int
    search: str
    individual: Individual[Any]
    draw: int
    readings: Mapping[str, float]

    def as_json(self) -> dict[str, object]:
        """What users see of it."""
        return {"point": self.point, "search": self.search, **self.readings}


def front_of(state: State[Any], setup: Setup[Any], search: str) -> tuple[Point, ...]:
    """The archive's members as points, in the order of their fitness; without any, the best."""
    members = state.archive.members or (best_of(state, setup),)
    ordered = sorted(members, key=lambda member: (member.fitness, member.serial))
    return tuple(point_of(member, setup, search, i) for i, member in enumerate(ordered))


def best_of(state: State[Any], setup: Setup[Any]) -> Individual[Any]:
    """The individual of the smallest cost; the earliest of equals."""
    everyone = (*state.archive.members, *state.population)
    return min(everyone, key=lambda member: (setup.cost(member.fitness), member.serial))


def point_of(member: Individual[Any], setup: Setup[Any], search: str, number: int) -> Point:
    """An individual as a point, measured in full."""
    problem: MaskingProblem = setup.problem  # type: ignore[assignment]
    readings = problem.read(member.genome, RELEASED_DRAW)
    numbers = {name: float(value) for name, value in readings.items()}
    return Point(number, search, member, RELEASED_DRAW, numbers)


def check_wish(wish: str) -> None:
    """Refuse a wish for a point that cannot be understood, before a run is spent on it."""
    if not re.fullmatch(r"best|balanced|knee|max-(risk|loss)=\d+(\.\d+)?|\d+", wish):
        raise ParameterError(
            "pick must be balanced, knee, max-risk=20, max-loss=10 or a point's number, "
            f"got {wish!r}"
        )


def pick(points: Sequence[O], wish: str, best: O) -> O:
    """A point by its number, or by a wish: the best, the knee, the best within a limit."""
    check_wish(wish)
    measure, _, limit = wish.removeprefix("max-").partition("=")
    if wish in ("best", "balanced"):
        return best
    if wish == "knee":
        return points[_knee(_plane(points))]
    if limit:
        return _within(points, measure, float(limit), "loss" if measure == "risk" else "risk")
    return _numbered(points, int(wish))


def _numbered(points: Sequence[O], number: int) -> O:
    found = [point for point in points if point.point == number]
    if not found:
        numbers = ", ".join(str(point.point) for point in points)
        raise ParameterError(f"the front has no point {number}; it has {numbers}")
    return found[0]


def _within(points: Sequence[O], measure: str, limit: float, other: str) -> O:
    _plane(points)
    allowed = [point for point in points if point.readings[measure] <= limit]
    if not allowed:
        least = min(point.readings[measure] for point in points)
        raise ParameterError(
            f"no point has a {measure} of at most {limit:g}; the smallest is {least:.2f}"
        )
    return min(allowed, key=lambda point: point.readings[other])


def _plane(points: Sequence[Offer]) -> np.ndarray:
    if not all({"loss", "risk"} <= point.readings.keys() for point in points):
        raise ParameterError("this search has no loss and risk; pick best or a point by its number")
    return np.array([[point.readings["loss"], point.readings["risk"]] for point in points])


def _knee(plane: np.ndarray) -> int:
    """The point farthest below the line between the two ends, both axes scaled to 0 to 1."""
    spread = np.ptp(plane, axis=0)
    scaled = (plane - plane.min(axis=0)) / np.where(spread > 0, spread, 1.0)
    return int(np.argmin(scaled.sum(axis=1)))
