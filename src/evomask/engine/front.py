"""Pareto front of masked files: points, bounds, and rules that choose one point."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, TypeVar

import numpy as np

from evomask.errors import ParameterError, UnmetError
from evomask.evolution.archive import hypervolume, non_dominated_ranks
from evomask.masking.provenance import Provenance
from evomask.measures.analyses.analyses import ERROR_NAMES
from evomask.measures.disclosure.risk import RiskAssessment
from evomask.types import Points

WORST_CASE = (100.0, 100.0)
"""Reference point of the hypervolume: largest loss and risk."""

DECIMALS = 2
"""Decimals of loss and risk that users see."""

ORIGINAL = -1
"""Number of the original file."""

TOLERANCE = 0.1
"""Percent of loss or risk that make no difference to a choice."""

DEFAULT_LOSS = 40.0
"""Largest loss of the suggested point, in percent, where no limit is set."""

RELEASE_TYPES = {"public": 10.0, "scientific": 20.0, "secure": 35.0}
"""Largest risk of the suggested point in percent, by who receives the file: anybody, researchers
under a contract, researchers in a safe room. Decision 0014 gives reasons."""

DEFAULT_RELEASE = "public"

DESIGN = "design"
"""Name of the initial design, as the search that found a point."""

T = TypeVar("T")


@dataclass(frozen=True)
class FrontPoint:
    """A masked file: its provenance, its measures in percent, and its place on the front.

    This is the only type for a point: the engine, single searches, events, records and reports
    all use it. `as_json` is its serializer.

    Args:
        number: identifies the file within a run, in the order of evaluation; it never changes.
        making: provenance of the file.
        loss, risk: infinite where a single search has other measures.
        search: ``design`` for the initial design, or the search that found it.
        member: search that decodes its genome.
        operator: operator that made it.
        serial: number among the individuals of its search.
        round: block of outcomes of the engine in which it was evaluated.
        parameters: those of the specialist.
        assessment: components of the risk, if it has any.
        objectives: of the user, by which points are compared too; by name.
        limited: objectives of the user that have a limit instead.
        errors: of the analyses to preserve, in percent: of each kind the largest, and of each
            analysis with a limit of its own.
        point: position on the front, from 1 in the order of loss; 0 for dominated files.
        individual: individual of a single search; None in `protect`.
        draw: random draw that is released, where masking is random.
        measures: all measures of a single search; None in `protect`.
    """

    number: int
    making: Provenance = field(default_factory=Provenance)
    loss: float = inf
    risk: float = inf
    search: str = DESIGN
    member: str = "recipes"
    operator: str = "first"
    serial: int = 0
    round: int = 0
    parameters: Mapping[str, object] = field(default_factory=dict, compare=False)
    assessment: RiskAssessment | None = field(default=None, compare=False)
    objectives: Mapping[str, float] = field(default_factory=dict, compare=False)
    limited: Mapping[str, float] = field(default_factory=dict, compare=False)
    errors: Mapping[str, float] = field(default_factory=dict, compare=False)
    point: int = field(default=0, compare=False)
    individual: Any = field(default=None, compare=False, repr=False)
    draw: int = field(default=0, compare=False)
    measures: Mapping[str, float] | None = field(default=None, compare=False)

    @property
    def file(self) -> int:
        """Number of the file, which stays the same while the front changes."""
        return self.number

    @property
    def worst(self) -> float:
        """The larger of loss and risk."""
        return max(self.loss, self.risk)

    @property
    def readings(self) -> Mapping[str, float]:
        """Measures by name, as rules and bounds use them."""
        if self.measures is not None:
            return {**self.measures, **self.errors}
        own = {**self.objectives, **self.limited, **self.errors}
        return {"loss": self.loss, "risk": self.risk, "score": self.worst, **own}

    @property
    def scenario_risks(self) -> Mapping[str, float]:
        """Risk in each scenario; empty where the risk has no scenarios."""
        return {one.name: one.risk for one in self.assessment.scenarios} if self.assessment else {}

    def excess(self, limits: Mapping[str, float]) -> float:
        """Largest excess of an error over its limit; infinite for an unknown error."""
        return max((self.errors.get(n, inf) - limit for n, limit in limits.items()), default=0.0)

    def broken(self, bounds: Mapping[str, float]) -> tuple[str, ...]:
        """Bounds that the point breaks, by reading; an unknown reading breaks its bound."""
        risks = {risk_reading(name): risk for name, risk in self.scenario_risks.items()}
        found = {**self.readings, **risks}
        if not risks.keys().isdisjoint(bounds):
            found["risk"] = max((r for n, r in risks.items() if n not in bounds), default=0.0)
        return tuple(name for name, limit in bounds.items() if found.get(name, inf) > limit)

    def as_json(self, **details: object) -> dict[str, object]:
        """Point, search, *details* and all measures, as commands and front files show them."""
        return {"point": self.point, "search": self.search, **details, **self.readings}


def front_of(
    points: Sequence[FrontPoint], limits: Mapping[str, float] | None = None
) -> tuple[FrontPoint, ...]:
    """Nondominated points in the order of loss.

    Loss and risk are compared at the precision shown, and objectives of the user as they are; of
    equal points the earliest is kept.

    Args:
        limits: of the errors of analyses. Points within them dominate all others (Deb, 2000);
            until there is one, the excess is an objective like loss and risk.
    """
    beyond = {point.number: max(0.0, point.excess(limits or {})) for point in points}
    if 0.0 in beyond.values():
        points = [point for point in points if beyond[point.number] == 0.0]
    distinct: dict[tuple[float, ...], FrontPoint] = {}
    for point in points:
        pair = (round(point.loss, DECIMALS), round(point.risk, DECIMALS))
        distinct.setdefault((*pair, *point.objectives.values(), beyond[point.number]), point)
    ranks = non_dominated_ranks(np.array(list(distinct)).reshape(len(distinct), -1))
    best = [point for point, rank in zip(distinct.values(), ranks, strict=True) if rank == 0]
    return numbered(sorted(best, key=lambda point: (point.loss, point.risk, point.number)))


def numbered(front: Iterable[FrontPoint]) -> tuple[FrontPoint, ...]:
    """Number the points of a front from 1; they are given in the order of loss."""
    return tuple(replace(point, point=place) for place, point in enumerate(front, 1))


def balanced(points: Sequence[FrontPoint]) -> FrontPoint:
    """Point with the least maximum of loss and risk; within `TOLERANCE`, the least sum."""
    return points[_balanced(plane(points))]


def volume_of(points: Sequence[FrontPoint]) -> float:
    """Hypervolume in percent of the loss-risk square (reference point 100, 100)."""
    return hypervolume(plane(points), WORST_CASE) / 100.0


def plane(points: Sequence[FrontPoint]) -> Points:
    """Loss and risk, one row per point."""
    return np.array([[point.loss, point.risk] for point in points]).reshape(-1, 2)


def spread(items: Sequence[T], count: int) -> list[T]:
    """Select *count* items, evenly from the first to the last."""
    if len(items) <= count:
        return list(items)
    places = np.linspace(0, len(items) - 1, count).round().astype(int)
    return [items[place] for place in places]


@dataclass(frozen=True)
class Bounds:
    """Upper bounds of the chosen point in percent; fields are named after their measures.

    Args:
        risk: holds in every scenario that *risk_in* does not name.
        risk_in: bounds of the risk in single scenarios.
        error_in: bounds of the errors of single analyses, by reading.
        release: one of `RELEASE_TYPES`, whose limits hold for measures without a bound; empty
            where points beyond the limits of the default type may be released.
        accept_risk, accept_loss: whether a point beyond these limits may be released.
    """

    risk: float | None = None
    loss: float | None = None
    table_error: float | None = None
    model_error: float | None = None
    indicator_error: float | None = None
    risk_in: Mapping[str, float] = field(default_factory=dict)
    error_in: Mapping[str, float] = field(default_factory=dict)
    release: str = ""
    accept_risk: bool = False
    accept_loss: bool = False

    def __post_init__(self) -> None:
        if self.release and self.release not in RELEASE_TYPES:
            raise ParameterError(
                f"release must be {', '.join(RELEASE_TYPES)}, got {self.release!r}"
            )
        for name, limit in self.given.items():
            if not 0 <= limit <= 100:
                option = name.replace("_", "-")
                raise ParameterError(f"max-{option} must lie in 0 to 100 percent, got {limit:g}")

    @property
    def given(self) -> dict[str, float]:
        """Bounds that are set, by measure; of a scenario under its `risk_reading`."""
        plain = {name: getattr(self, name) for name in ("risk", "loss", *ERROR_NAMES.values())}
        of_all = {name: limit for name, limit in plain.items() if limit is not None}
        in_scenarios = {risk_reading(name): limit for name, limit in self.risk_in.items()}
        return of_all | in_scenarios | dict(self.error_in)

    @property
    def of_errors(self) -> dict[str, float]:
        """Bounds of the errors of analyses, by name."""
        names = {*ERROR_NAMES.values(), *self.error_in}
        return {name: limit for name, limit in self.given.items() if name in names}

    def with_errors(self, limits: Mapping[str, float]) -> "Bounds":
        """These bounds, and limits of the errors of single analyses."""
        return replace(self, error_in={**self.error_in, **limits})

    @property
    def largest_risk(self) -> float | None:
        """The risk at which all bounds of risks are certainly met; None without any."""
        limits = [*self.risk_in.values(), *((self.risk,) if self.risk is not None else ())]
        return min(limits, default=None)

    @property
    def accepted(self) -> tuple[bool, bool]:
        """Whether a risk, and a loss, beyond the limits of the release type are accepted."""
        return self.accept_risk or not self.release, self.accept_loss or not self.release

    @property
    def most_risk(self) -> float:
        """Limit of the risk of the suggested point: its bound, or that of the release type.

        Bounds by scenario replace it.
        """
        if self.risk_in:
            return inf
        return RELEASE_TYPES[self.release or DEFAULT_RELEASE] if self.risk is None else self.risk

    @property
    def most_loss(self) -> float:
        """Limit of the loss of the suggested point: its bound, or the default."""
        return DEFAULT_LOSS if self.loss is None else self.loss

    def beyond(self, point: FrontPoint) -> dict[str, tuple[float, float]]:
        """Risk and loss of a point beyond their limits that nobody accepted, with the limits."""
        found = self.above(point).items()
        accepted = dict(zip(("risk", "loss"), self.accepted, strict=True))
        return {name: both for name, both in found if not accepted[name]}

    def above(self, point: FrontPoint) -> dict[str, tuple[float, float]]:
        """Risk and loss of a point beyond their limits, with the limits."""
        found = {"risk": (point.risk, self.most_risk), "loss": (point.loss, self.most_loss)}
        return {name: (value, limit) for name, (value, limit) in found.items() if value > limit}

    @property
    def in_words(self) -> str:
        """Limits of the suggested point in words."""
        own = f"{self}" if self.given else ""
        if self.loss is not None and self.largest_risk is not None:
            return own
        risk = "" if self.largest_risk is not None else f"risk at most {self.most_risk:g} %"
        loss = "" if self.loss is not None else f"loss at most {self.most_loss:g} %"
        kind = f"a {self.release or DEFAULT_RELEASE} release"
        typed = f"{kind} ({', '.join(filter(None, (risk, loss)))})"
        return f"{own} and the limits of {typed}" if own else f"the limits of {typed}"

    def readings(self, point: FrontPoint) -> dict[str, float]:
        """What a point has of each bounded measure; infinite where it is missing."""
        found = dict(point.readings)
        if self.risk_in:
            risks = point.scenario_risks
            others = (risk for name, risk in risks.items() if name not in self.risk_in)
            found["risk"] = max(others, default=0.0)
            found |= {risk_reading(name): risks.get(name, inf) for name in self.risk_in}
        return {name: found.get(name, inf) for name in self.given}

    def excess(self, point: FrontPoint) -> float:
        """Largest excess over a bound in percent; 0 within all, infinite for a missing measure."""
        given = self.given
        beyond = (value - given[name] for name, value in self.readings(point).items())
        return max(0.0, *beyond, 0.0)

    def __str__(self) -> str:
        """Bounds in words."""
        words = (f"{_title(name)} of at most {limit:g} %" for name, limit in self.given.items())
        return " and ".join(words)


def risk_reading(scenario: str) -> str:
    """Name of the risk in a scenario, among the measures that are bounded."""
    return f"risk in scenario {scenario}"


UNBOUNDED = Bounds()


def within(points: Sequence[FrontPoint], bounds: Bounds) -> tuple[FrontPoint, ...]:
    """Points within all bounds; if there are none, the error names the nearest."""
    allowed = tuple(point for point in points if bounds.excess(point) == 0.0)
    if allowed:
        return allowed
    nearest = min(points, key=bounds.excess)
    readings = bounds.readings(nearest)
    has = " and ".join(f"{_title(name)} of {value:.2f} %" for name, value in readings.items())
    raise UnmetError(
        f"no point has {bounds}; the nearest, point {nearest.point}, has {has}: "
        "raise the limit, search longer, or choose a point by its number"
    )


def _title(measure: str) -> str:
    """Name of a measure in words, with its article."""
    words = measure.replace("_", " ") if measure in ERROR_NAMES.values() else measure
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def validate_pick(rule: str) -> None:
    """Refuse an unknown rule for choosing a point, before a run is spent on it."""
    words = "best|suggested|balanced|knee|sum"
    if not re.fullmatch(rf"{words}|max-(risk|loss)=\d+(\.\d+)?|file=\d+|[1-9]\d*", rule):
        raise ParameterError(
            "pick must be suggested, balanced, knee, sum, max-risk=20, max-loss=10 or a point's "
            f"number from 1, got {rule!r}"
        )


def pick(points: Sequence[FrontPoint], rule: str, best: FrontPoint) -> FrontPoint:
    """Choose a point by its number or by a rule: the *best*, the knee, the best within a limit.

    ``file=12`` names a point by the number of its file. A number without a point is taken as the
    number of a file, as in earlier versions.
    """
    validate_pick(rule)
    measure, _, limit = rule.removeprefix("max-").partition("=")
    if rule in ("best", "suggested"):
        return best
    if rule in RULES:
        return points[RULES[rule](_measured_plane(points))]
    if measure in ("risk", "loss"):
        return _best_within(points, measure, float(limit), "loss" if measure == "risk" else "risk")
    return _by_number(points, int(limit or rule), is_file=bool(limit))


def stable_reference(rule: str, chosen: FrontPoint) -> str:
    """Replace a point's number by that of its file, which does not change with the front."""
    return f"file={chosen.file}" if rule.isdecimal() else rule


def _by_number(points: Sequence[FrontPoint], number: int, *, is_file: bool) -> FrontPoint:
    by_point = {} if is_file else {point.point: point for point in points}
    found = {point.file: point for point in points} | by_point
    if number not in found:
        what = "file" if is_file else "point"
        numbers = ", ".join(str(getattr(point, what)) for point in points)
        raise ParameterError(f"the front has no {what} {number}; it has {numbers}")
    return found[number]


def _best_within(
    points: Sequence[FrontPoint], measure: str, limit: float, other: str
) -> FrontPoint:
    _measured_plane(points)
    allowed = [point for point in points if point.readings[measure] <= limit]
    if not allowed:
        least = min(point.readings[measure] for point in points)
        raise UnmetError(
            f"no point has a {measure} of at most {limit:g}; the smallest is {least:.2f}"
        )
    return min(allowed, key=lambda point: point.readings[other])


def _measured_plane(points: Sequence[FrontPoint]) -> Points:
    if not all({"loss", "risk"} <= point.readings.keys() for point in points):
        raise ParameterError("this search has no loss and risk; pick best or a point by its number")
    return plane(points)


def _knee(plane: Points) -> int:
    """Point farthest below the line between both ends, with both axes scaled to 0 to 1."""
    ranges = np.ptp(plane, axis=0)
    scaled = (plane - plane.min(axis=0)) / np.where(ranges > 0, ranges, 1.0)
    return int(np.argmin(scaled.sum(axis=1)))


def _least_sum(plane: Points) -> int:
    return int(np.argmin(plane.sum(axis=1)))


def _balanced(plane: Points) -> int:
    worst = plane.max(axis=1)
    sums = np.where(worst <= worst.min() + TOLERANCE, plane.sum(axis=1), np.inf)
    return int(np.lexsort((plane[:, 0], sums))[0])


RULES: Mapping[str, Callable[[Points], int]] = {
    "balanced": _balanced,
    "knee": _knee,
    "sum": _least_sum,
}
"""Rules that choose by loss and risk alone; they return the position of the point."""
