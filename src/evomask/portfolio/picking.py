"""Choosing one of several masked files, by its number or by what is wished of loss and risk."""

import re
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

import numpy as np

from evomask.arrays import Points
from evomask.errors import ParameterError


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


def _plane(points: Sequence[Offer]) -> Points:
    if not all({"loss", "risk"} <= point.readings.keys() for point in points):
        raise ParameterError("this search has no loss and risk; pick best or a point by its number")
    return np.array([[point.readings["loss"], point.readings["risk"]] for point in points])


def _knee(plane: Points) -> int:
    """The point farthest below the line between the two ends, both axes scaled to 0 to 1."""
    spread = np.ptp(plane, axis=0)
    scaled = (plane - plane.min(axis=0)) / np.where(spread > 0, spread, 1.0)
    return int(np.argmin(scaled.sum(axis=1)))
