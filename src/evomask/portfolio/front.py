"""Protected files on offer: how each was made, its loss and risk, and the front of them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf
from typing import Protocol, TypeVar

import numpy as np

from evomask.arrays import Points
from evomask.errors import ParameterError, UnmetError
from evomask.evolution.dominance import hypervolume, non_dominated_ranks
from evomask.masking.making import Making
from evomask.measures.judging.risk import Judged

WORST_CASE = (100.0, 100.0)
"""Loss and risk that no file exceeds: the corner that hypervolumes are measured from."""

DECIMALS = 2
"""Places after the point that people see of loss and risk."""

ORIGINAL = -1
"""The number of the original file among the candidates."""

TRIFLE = 0.1
"""Percent of loss or risk that make no difference to a choice."""

T = TypeVar("T")

USUAL_RISK = 10.0
"""The risk, in percent, that is sought where nobody sets a limit: one person in ten."""


@dataclass(frozen=True)
class Candidate:
    """One protected file: how it was made, and its loss and risk in percent.

    Args:
        number: its name in a run, in the order of making; it never changes.
        making: how it was made.
        search: what found it: ``grid`` or a search of the catalogue.
        member: which member of the portfolio that was.
        operator: what made it there.
        serial: its number among what the member made.
        round: in which round of the portfolio it was measured.
        parameters: those of the member.
        judged: the parts of the risk, where it has any.
        errors: of the tables and models that must survive, in percent, where they were measured.
        point: its number on the front, from 1 by loss; 0 beside the front.
    """

    number: int
    making: Making
    loss: float
    risk: float
    search: str = "grid"
    member: str = "grid"
    operator: str = "first"
    serial: int = 0
    round: int = 0
    parameters: Mapping[str, object] = field(default_factory=dict, compare=False)
    judged: Judged | None = field(default=None, compare=False)
    errors: Mapping[str, float] = field(default_factory=dict, compare=False)
    point: int = field(default=0, compare=False)

    @property
    def file(self) -> int:
        """The number that it keeps while the front changes."""
        return self.number

    @property
    def worst(self) -> float:
        """The larger of loss and risk."""
        return max(self.loss, self.risk)

    @property
    def readings(self) -> Mapping[str, float]:
        """What it can be picked by."""
        return {"loss": self.loss, "risk": self.risk, "score": self.worst, **self.errors}


def front_of(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """What nothing else beats in both loss and risk, by loss.

    Of those that look the same at the precision shown, the earliest appears; what is beaten
    at that precision does not.
    """
    seen: dict[tuple[float, float], Candidate] = {}
    for candidate in candidates:
        seen.setdefault(
            (round(candidate.loss, DECIMALS), round(candidate.risk, DECIMALS)), candidate
        )
    ranks = non_dominated_ranks(np.array(list(seen)).reshape(-1, 2))
    best = [candidate for candidate, rank in zip(seen.values(), ranks, strict=True) if rank == 0]
    return numbered(
        sorted(best, key=lambda candidate: (candidate.loss, candidate.risk, candidate.number))
    )


def numbered(front: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The points of a front, which come by loss, with their numbers from 1."""
    return tuple(replace(candidate, point=place) for place, candidate in enumerate(front, 1))


def balanced(candidates: Sequence[Candidate]) -> Candidate:
    """The one whose larger part is smallest; of those as good but for a trifle, the best in sum.

    So nobody pays much risk for a hundredth of a percent of loss.
    """
    return candidates[_balanced(plane(candidates))]


def usual(candidates: Sequence[Candidate]) -> Candidate:
    """The point on offer where nobody says what is wanted: the least loss at the usual risk.

    Where every point has more risk than that, the one with the least; decisions/0014 tells how
    outside judges found this rule the best.
    """
    allowed = [candidate for candidate in candidates if candidate.risk <= USUAL_RISK]
    if not allowed:
        return min(candidates, key=lambda candidate: (candidate.risk, candidate.loss))
    return min(allowed, key=lambda candidate: (candidate.loss, candidate.risk, candidate.number))


def volume_of(candidates: Sequence[Candidate]) -> float:
    """The share, in percent, of all pairs of loss and risk that the candidates beat."""
    return hypervolume(plane(candidates), WORST_CASE) / 100.0


def plane(candidates: Sequence[Candidate]) -> Points:
    """Loss and risk, a row for each."""
    return np.array([[candidate.loss, candidate.risk] for candidate in candidates]).reshape(-1, 2)


def spread(items: Sequence[T], count: int) -> list[T]:
    """So many of them, evenly from first to last."""
    if len(items) <= count:
        return list(items)
    places = np.linspace(0, len(items) - 1, count).round().astype(int)
    return [items[place] for place in places]


class Offer(Protocol):
    """A masked file that can be picked, by its number or by what was measured."""

    @property
    def point(self) -> int:
        """Its number on the front, from 1 by loss."""
        ...

    @property
    def file(self) -> int:
        """The number that it keeps while the front changes."""
        ...

    @property
    def readings(self) -> Mapping[str, float]:
        """Its measures by name."""
        ...


O = TypeVar("O", bound=Offer)  # noqa: E741


@dataclass(frozen=True)
class Bounds:
    """Percent that a suggested point may have at most; what is left out has no bound.

    A field is called as the reading it bounds.
    """

    risk: float | None = None
    loss: float | None = None
    table_error: float | None = None
    model_error: float | None = None

    def __post_init__(self) -> None:
        for name, limit in self.given.items():
            if not 0 <= limit <= 100:
                option = name.replace("_", "-")
                raise ParameterError(f"max-{option} must lie in 0 to 100 percent, got {limit:g}")

    @property
    def given(self) -> dict[str, float]:
        """The bounds that were set, by reading."""
        return {name: limit for name, limit in asdict(self).items() if limit is not None}

    def excess(self, point: Offer) -> float:
        """By how many percent the reading that is worst off exceeds its bound; 0 within all.

        What was not read keeps no bound.
        """
        beyond = (point.readings.get(name, inf) - limit for name, limit in self.given.items())
        return max(0.0, *beyond, 0.0)

    def __str__(self) -> str:
        """The bounds in words."""
        words = (f"a {_called(name)} of at most {limit:g} %" for name, limit in self.given.items())
        return " and ".join(words)


UNBOUNDED = Bounds()


def within(points: Sequence[O], bounds: Bounds) -> tuple[O, ...]:
    """The points within all bounds; where there is none, how near the best comes is said."""
    allowed = tuple(point for point in points if bounds.excess(point) == 0.0)
    if allowed:
        return allowed
    nearest = min(points, key=bounds.excess)
    has = " and ".join(f"a {_called(n)} of {nearest.readings[n]:.2f} %" for n in bounds.given)
    raise UnmetError(
        f"no point has {bounds}; the nearest, point {nearest.point}, has {has}: "
        "raise the limit, search longer, or choose a point by its number"
    )


def suggested(points: Sequence[Candidate], bounds: Bounds = UNBOUNDED) -> Candidate:
    """The point on offer where nobody names one.

    With a bound on risk alone the least loss, with one on loss alone the least risk, with both
    the balanced point; else the least loss at the usual risk.
    """
    if bounds.risk is not None and bounds.loss is None:
        return min(points, key=lambda point: (point.loss, point.risk, point.number))
    if bounds.loss is not None and bounds.risk is None:
        return min(points, key=lambda point: (point.risk, point.loss, point.number))
    return usual(points) if bounds.risk is None else balanced(points)


def _called(reading: str) -> str:
    return reading.replace("_", " ")


def check_wish(wish: str) -> None:
    """Refuse a wish for a point that cannot be understood, before a run is spent on it."""
    words = "best|suggested|balanced|knee|sum"
    if not re.fullmatch(rf"{words}|max-(risk|loss)=\d+(\.\d+)?|file=\d+|[1-9]\d*", wish):
        raise ParameterError(
            "pick must be suggested, balanced, knee, sum, max-risk=20, max-loss=10 or a point's "
            f"number from 1, got {wish!r}"
        )


def pick(points: Sequence[O], wish: str, best: O) -> O:
    """A point by its number, or by a wish: the *best*, the knee, the best within a limit.

    ``file=12`` is the point whose file has that number in the order of making; so is a number
    that is no point's, because earlier versions named points so.
    """
    check_wish(wish)
    measure, _, limit = wish.removeprefix("max-").partition("=")
    if wish in ("best", "suggested"):
        return best
    if wish in PLACES:
        return points[PLACES[wish](_plane(points))]
    if measure in ("risk", "loss"):
        return _within(points, measure, float(limit), "loss" if measure == "risk" else "risk")
    return _named(points, int(limit or wish), is_file=bool(limit))


def lasting(wish: str, chosen: Offer) -> str:
    """The wish as it still names the same file when the front has changed."""
    return f"file={chosen.file}" if wish.isdecimal() else wish


def _named(points: Sequence[O], number: int, *, is_file: bool) -> O:
    by_point = {} if is_file else {point.point: point for point in points}
    found = {point.file: point for point in points} | by_point
    if number not in found:
        what = "file" if is_file else "point"
        numbers = ", ".join(str(getattr(point, what)) for point in points)
        raise ParameterError(f"the front has no {what} {number}; it has {numbers}")
    return found[number]


def _within(points: Sequence[O], measure: str, limit: float, other: str) -> O:
    _plane(points)
    allowed = [point for point in points if point.readings[measure] <= limit]
    if not allowed:
        least = min(point.readings[measure] for point in points)
        raise UnmetError(
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


def _smallest_sum(plane: Points) -> int:
    """The point whose loss and risk add up to least."""
    return int(np.argmin(plane.sum(axis=1)))


def _balanced(plane: Points) -> int:
    """The place of the balanced point."""
    worst = plane.max(axis=1)
    sums = np.where(worst <= worst.min() + TRIFLE, plane.sum(axis=1), np.inf)
    return int(np.lexsort((plane[:, 0], sums))[0])


PLACES: Mapping[str, Callable[[Points], int]] = {
    "balanced": _balanced,
    "knee": _knee,
    "sum": _smallest_sum,
}
"""Rules that choose by loss and risk alone: where the point stands among all."""
