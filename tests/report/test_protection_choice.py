"""The reason of a choice says which rule held, and a risk above it is noted."""

import pytest

from evomask.engine.front import Bounds, FrontPoint
from evomask.report.protection import choose_from_front


def front(*risks):
    return [
        FrontPoint(number=i, point=i + 1, search="recipes", loss=10.0 * (i + 1), risk=risk)
        for i, risk in enumerate(risks)
    ]


def test_a_risk_within_the_rule_is_no_note():
    choice = choose_from_front("suggested", front(30.0, 9.0))
    assert choice.candidate.risk == 9.0
    assert choice.reason.endswith("the smallest loss with a risk of at most 10 %")
    assert choice.notes == ()


def test_a_risk_above_the_rule_is_noted():
    choice = choose_from_front("suggested", front(30.0, 24.3))
    assert choice.candidate.risk == 24.3
    assert "because no point has one of at most 10 %" in choice.reason
    assert "24.3 %, was released" in choice.notes[0]


@pytest.mark.parametrize("wish", ["balanced", "1", "max-risk=90"])
def test_a_choice_of_the_user_is_no_note(wish):
    assert choose_from_front(wish, front(30.0, 24.3)).notes == ()


def test_a_limit_of_the_user_is_no_note():
    assert choose_from_front("suggested", front(30.0, 24.3), Bounds(risk=50.0)).notes == ()
