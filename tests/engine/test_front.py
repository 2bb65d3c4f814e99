import numpy as np
import pytest

from evomask.engine.front import (
    Bounds,
    FrontPoint,
    balanced,
    front_of,
    pick,
    validate_pick,
    volume_of,
    within,
)
from evomask.engine.offers import suggested
from evomask.errors import ParameterError, UnmetError
from evomask.masking.provenance import Provenance
from evomask.measures.disclosure.risk import (
    Attacker,
    AttackerSuccess,
    RiskAssessment,
    ScenarioRisk,
)


def candidates(*pairs):
    return [FrontPoint(i, Provenance(), loss, risk) for i, (loss, risk) in enumerate(pairs)]


def numbers(front):
    return [one.number for one in front]


def test_the_front_is_what_nothing_beats_by_loss():
    assert numbers(front_of(candidates((5, 5), (1, 9), (6, 6), (9, 1)))) == [1, 0, 3]


def test_what_looks_the_same_appears_once_and_the_earliest_stays():
    assert numbers(front_of(candidates((5.001, 5), (5.0, 5.0)))) == [0]


def test_what_is_beaten_at_the_precision_shown_is_left_out():
    assert numbers(front_of(candidates((5.0, 5.0), (4.999, 6.0)))) == [0]


def test_a_front_can_grow_by_parts():
    rng = np.random.default_rng(3)
    everyone = candidates(*rng.uniform(0, 100, (200, 2)).tolist())
    grown = ()
    for start in range(0, 200, 7):
        grown = front_of(sorted((*grown, *everyone[start : start + 7]), key=lambda c: c.number))
    assert grown == front_of(everyone)


def test_the_balanced_point_has_the_smallest_larger_part():
    assert balanced(candidates((40, 10), (25, 24), (10, 30))).number == 1


def test_a_trifle_of_loss_is_not_paid_for_with_much_risk():
    assert balanced(candidates((28.31, 9.77), (28.32, 6.30), (28.50, 1.0))).number == 1


def test_every_word_picks_by_its_own_rule():
    front = candidates((0, 60), (20, 35), (30, 29), (42, 12))
    best = front[0]
    found = {word: pick(front, word, best).number for word in ("suggested", "balanced", "sum")}
    assert found == {"suggested": 0, "balanced": 2, "sum": 3}
    assert pick(front, "balanced", best) is balanced(front)


def test_a_wish_that_nobody_knows_is_refused_with_all_words():
    for wish in ("suggested", "balanced", "knee", "sum", "max-risk=20", "max-loss=7.5", "12"):
        validate_pick(wish)
    with pytest.raises(ParameterError, match="suggested, balanced, knee, sum"):
        validate_pick("fair")


def test_the_volume_is_the_share_of_the_plane_that_is_beaten():
    assert volume_of(candidates((0, 50), (50, 0))) == pytest.approx(75.0)
    assert volume_of([]) == 0.0


def with_scenarios(*rows):
    """Points with a loss and the risks in the scenarios register and colleague."""
    found = []
    for number, (loss, register, colleague) in enumerate(rows):
        risks = {"register": register, "colleague": colleague}
        scenarios = tuple(
            ScenarioRisk(name=name, reidentification=success(name, risk))
            for name, risk in risks.items()
        )
        worst = max(scenarios, key=lambda one: one.risk)
        assessment = RiskAssessment(
            reidentification=worst.reidentification,
            attribute_disclosure=None,
            confidential=None,
            people=100,
            records=100,
            scenarios=scenarios,
        )
        found.append(FrontPoint(number, Provenance(), loss, worst.risk, assessment=assessment))
    return found


def success(name, percent):
    return AttackerSuccess(percent=percent, error=0.0, attacker=Attacker.NEAREST, scenario=name)


ROWS = ((5, 30, 4), (10, 9, 12), (15, 4, 9), (20, 4.5, 3))


def chosen(bounds):
    allowed = within(with_scenarios(*ROWS), bounds)
    return suggested(allowed, bounds).number


@pytest.mark.parametrize(
    ("bounds", "number"),
    [
        (Bounds(risk_in={"register": 5, "colleague": 10}), 2),
        (Bounds(risk_in={"register": 5, "colleague": 5}), 3),
        (Bounds(risk_in={"colleague": 5}), 0),
        (Bounds(risk=10), 2),
        (Bounds(risk=4, risk_in={"register": 40}), 0),
        (Bounds(risk=12, risk_in={"register": 9}), 1),
    ],
)
def test_the_suggested_point_respects_the_limits_of_each_scenario(bounds, number):
    assert chosen(bounds) == number


def test_where_no_point_respects_the_limits_the_nearest_is_named_with_its_risks():
    bounds = Bounds(risk_in={"register": 5, "colleague": 2})
    with pytest.raises(
        UnmetError,
        match="no point has a risk in scenario register of at most 5 % and a risk in scenario "
        r"colleague of at most 2 %; the nearest, point 0, has .* register of 4.50 % .* of 3.00 %",
    ):
        within(with_scenarios(*ROWS), bounds)


def test_the_search_aims_at_the_smallest_limit():
    assert Bounds(risk=8, risk_in={"register": 5}).largest_risk == 5
    assert Bounds(loss=3).largest_risk is None
