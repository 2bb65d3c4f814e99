"""The suggested point within the limits of a release type, and the three offers of a front."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evomask.engine.front import UNBOUNDED, Bounds, FrontPoint, balanced
from evomask.errors import UnmetError
from evomask.measures.analyses.analyses import MEAN_ERROR

HALF = 0.5
"""Part of the limit of the loss up to which the useful offer goes."""


class NotAcceptedError(UnmetError):
    """A point beyond a limit of the release type was named, and nobody accepted that.

    Args:
        beyond: measures beyond their limits, with value and limit in percent.
    """

    def __init__(self, point: FrontPoint, beyond: Mapping[str, tuple[float, float]]) -> None:
        self.point, self.beyond = point, dict(beyond)
        has = " and ".join(
            f"a {name} of {value:.1f} %, above the limit of {limit:g} %"
            for name, (value, limit) in beyond.items()
        )
        flags = " ".join(f"--accept-{name}" for name in beyond)
        super().__init__(
            f"point {point.point} has {has}; choose another point, or accept that with {flags}"
        )


@dataclass(frozen=True)
class Offers:
    """Three points of a front from little risk to little loss; several may be the same.

    Args:
        suggested: the point within all limits that is released by default; None where there is
            none.
    """

    careful: FrontPoint
    balanced: FrontPoint
    useful: FrontPoint
    suggested: FrontPoint | None

    @property
    def by_name(self) -> dict[str, FrontPoint]:
        return {"careful": self.careful, "balanced": self.balanced, "useful": self.useful}


def offers_of(points: Sequence[FrontPoint], bounds: Bounds = UNBOUNDED) -> Offers:
    """Summarize a front as three offers.

    *Balanced* is the suggested point. *Careful* is the least risk within the limit of the loss,
    *useful* the least risk within half of it. Where no point is within both limits, balanced is
    the least risk within the limit of the loss, and careful the least loss within the limit of the
    risk. Where no point is within one limit, the nearest to it.
    """
    useful_enough = [point for point in points if point.loss <= bounds.most_loss]
    chosen = _within_limits(points, bounds)
    if chosen:
        middle, careful = chosen, min(useful_enough, key=_by_risk)
    else:
        middle = min(useful_enough, key=_by_risk) if useful_enough else balanced(points)
        safe = [point for point in points if point.risk <= bounds.most_risk]
        careful = min(safe, key=_by_loss) if safe else min(points, key=_by_risk)
    limit = min(HALF * bounds.most_loss, middle.loss)
    useful = [point for point in points if point.loss <= limit]
    return Offers(
        careful, middle, min(useful, key=_by_risk) if useful else min(points, key=_by_loss), chosen
    )


def suggested(points: Sequence[FrontPoint], bounds: Bounds = UNBOUNDED) -> FrontPoint:
    """Point that is released by default: the least loss within all limits.

    With a limit of the user on the loss alone the least risk, with two limits of the user the
    balanced point. Where no point is within the limits of the release type, what was accepted
    decides: a higher loss alone, the careful offer, otherwise the balanced one.
    """
    found = _within_limits(points, bounds)
    if found:
        return found
    offers = offers_of(points, bounds)
    choice = offers.balanced if bounds.accepted[0] else offers.careful
    if bounds.beyond(choice):
        raise UnmetError(
            f"no point is within {bounds.in_words}; search longer, require less, or choose a "
            "point yourself"
        )
    return choice


def likely(points: Sequence[FrontPoint], bounds: Bounds = UNBOUNDED) -> FrontPoint:
    """The suggested point, or the balanced offer where none is suggested."""
    return offers_of(points, bounds).balanced


def check_accepted(point: FrontPoint, bounds: Bounds, rule: str = "") -> None:
    """Refuse a point beyond a limit of the release type that was not accepted.

    Args:
        rule: by which it was picked; ``max-risk=20`` names its own limit.
    """
    named = rule.removeprefix("max-").partition("=")[0]
    beyond = {name: both for name, both in bounds.beyond(point).items() if name != named}
    if beyond:
        raise NotAcceptedError(point, beyond)


def _within_limits(points: Sequence[FrontPoint], bounds: Bounds) -> FrontPoint | None:
    allowed = [
        point
        for point in points
        if point.risk <= bounds.most_risk
        and point.loss <= bounds.most_loss
        and bounds.excess(point) == 0.0
    ]
    if not allowed:
        return None
    if bounds.loss is None:
        return min(allowed, key=_by_loss)
    return min(allowed, key=_by_risk) if bounds.largest_risk is None else balanced(allowed)


def _by_loss(point: FrontPoint) -> tuple[float, float, int]:
    return point.loss + point.objectives.get(MEAN_ERROR, 0.0), point.risk, point.number


def _by_risk(point: FrontPoint) -> tuple[float, float, int]:
    return point.risk, point.loss, point.number
