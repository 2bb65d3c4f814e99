"""The three offers of a front in words: what intruders find, and who notices the masking."""

from evomask.engine.front import Bounds, FrontPoint
from evomask.engine.offers import offers_of
from evomask.measures.loss.loss import LossReading
from evomask.report.build import loss_note, risk_note, scenarios_of
from evomask.report.loss_parts import largest_pairs, relations_sentence
from evomask.report.protection import Protection
from evomask.report.record import OfferNote
from evomask.report.scenarios import scenario_views


def offer_notes(protection: Protection, bounds: Bounds) -> tuple[OfferNote, ...]:
    """Describe the careful, the balanced and the useful offer of a front."""
    offers = offers_of(protection.front, bounds)
    sentences = {
        point.number: tuple(filter(None, (_risk(protection, point), _loss(protection, point))))
        for point in offers.by_name.values()
    }
    return tuple(
        OfferNote(
            name=name,
            point=point.point,
            file=point.number,
            loss=point.loss,
            risk=point.risk,
            scenarios=dict(point.scenario_risks),
            sentences=sentences[point.number],
            beyond={measure: limit for measure, (_, limit) in bounds.above(point).items()},
            suggested=offers.suggested is not None and point.number == offers.suggested.number,
        )
        for name, point in offers.by_name.items()
    )


def _risk(protection: Protection, point: FrontPoint) -> str:
    """What the strongest intruder achieves; empty where the risk has no scenarios."""
    original = protection.original.assessment
    if point.assessment is None:
        return ""
    scenarios = scenarios_of(protection.table)
    after, before = (
        risk_note(point.assessment, scenarios),
        risk_note(original) if original else None,
    )
    views = scenario_views(before, after)
    return next((view.sentence for view in views if view.is_largest), "")


def _loss(protection: Protection, point: FrontPoint) -> str:
    """Which analyses notice the masking; empty where the loss has no parts."""
    loss = protection.maker.loss
    if not isinstance(loss, LossReading):
        return ""
    parts = loss_note(loss.assess(protection.files(point.number).masked))
    return relations_sentence(largest_pairs(parts))
