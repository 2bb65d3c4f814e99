"""The reason of a choice says which rule held, and a risk above it is noted."""

import pytest

from evomask.engine.front import Bounds, FrontPoint
from evomask.report.protection import choose_from_front


def front(*risks):
    return [
        FrontPoint(number=i, point=i + 1, search="recipes", loss=10.0 * (i + 1), risk=risk)
        for i, risk in enumerate(risks)
    ]


def test_the_reason_names_the_limits():
    choice = choose_from_front("suggested", front(30.0, 9.0))
    assert choice.candidate.risk == 9.0
    assert choice.reason == (
        "the suggested point: the smallest loss within the limits of a public release "
        "(risk at most 10 %, loss at most 40 %)"
    )


def test_the_reason_says_what_was_accepted():
    choice = choose_from_front("suggested", front(30.0, 24.3), Bounds(accept_risk=True))
    assert choice.candidate.risk == 24.3
    assert choice.reason.endswith("and a risk above 10 % was accepted")


@pytest.mark.parametrize("wish", ["balanced", "1", "max-risk=90"])
def test_a_point_can_be_looked_up_beyond_the_limits(wish):
    assert choose_from_front(wish, front(30.0, 24.3)).candidate.risk > 10


def test_a_limit_of_the_user_is_the_reason():
    choice = choose_from_front("suggested", front(30.0, 24.3), Bounds(risk=50.0))
    assert choice.reason == (
        "the suggested point: the smallest loss within a risk of at most 50 % and the limits of a "
        "public release (loss at most 40 %)"
    )
