"""Points of the front and candidates as events of a run."""

from evomask.engine.front import DECIMALS, DESIGN, FrontPoint
from evomask.report.describe import describe_provenance, risk_parts, simple_name
from evomask.runs.store.journal import CandidateScore, PointUpdate


def candidate_score(point: FrontPoint) -> CandidateScore:
    """Loss and risk of a candidate as shown, and its name if it is a simple method."""
    simple = simple_name(point.making) if point.search == DESIGN else ""
    return CandidateScore(round(point.loss, DECIMALS), round(point.risk, DECIMALS), simple)


def point_update(point: FrontPoint) -> PointUpdate:
    """A point of the front, as events have it."""
    return PointUpdate(
        point=point.point,
        search=point.search,
        method=describe_provenance(point.making),
        loss=point.loss,
        risk=point.risk,
        making=point.making,
        file=point.number,
        parts={name: part.percent for name, part in risk_parts(point).items()},
        scenario=point.assessment.worst.scenario if point.assessment else "",
    )
