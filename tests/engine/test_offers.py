"""The suggested point lies within all limits, and three offers summarize a front."""

from dataclasses import replace

import numpy as np
import pytest

from evomask.engine.front import RELEASE_TYPES, Bounds, FrontPoint, front_of, within
from evomask.engine.offers import NotAcceptedError, check_accepted, likely, offers_of, suggested
from evomask.errors import ParameterError, UnmetError
from evomask.masking.provenance import Provenance

PUBLIC = Bounds(release="public")


def front(*pairs):
    points = [FrontPoint(i, Provenance(), loss, risk) for i, (loss, risk) in enumerate(pairs)]
    return front_of(points)


ADULT = front((16.9, 37.6), (30.8, 23.2), (36.4, 18.7), (68.0, 11.3), (78.8, 0.02))
"""A front whose only points of little risk have lost nearly everything."""


def chosen(points, **limits):
    bounds = Bounds(**({"release": "public"} | limits))
    return suggested(within(points, bounds), bounds).number


def test_the_least_loss_within_both_limits_is_suggested():
    assert chosen(front((5, 40), (30, 10), (31, 9), (60, 2))) == 1


def test_a_point_that_lost_nearly_everything_is_not_suggested():
    with pytest.raises(UnmetError, match=r"limits of a public release \(risk at most 10 %, loss"):
        chosen(ADULT)


def test_who_receives_the_file_sets_the_limit_of_the_risk():
    assert chosen(ADULT, release="scientific") == 2
    assert chosen(ADULT, release="secure") == 1
    with pytest.raises(ParameterError, match="public, scientific, secure, got 'private'"):
        Bounds(release="private")


def test_a_limit_of_the_user_replaces_that_of_the_release():
    assert chosen(ADULT, risk=25) == 1
    assert chosen(ADULT, loss=70, risk=12) == 3
    with pytest.raises(UnmetError, match="a risk of at most 12 % and the limits of a public"):
        chosen(ADULT, risk=12)


def test_what_was_accepted_decides_where_no_point_is_within_both_limits():
    assert chosen(ADULT, accept_loss=True) == 4
    assert chosen(ADULT, accept_risk=True) == 2
    assert chosen(front((5, 9), (20, 1)), accept_loss=True, accept_risk=True) == 0


def test_accepting_one_measure_does_not_accept_the_other():
    with pytest.raises(UnmetError):
        chosen(front((70, 60), (80, 50)), accept_risk=True)
    assert chosen(front((70, 60), (80, 50)), accept_risk=True, accept_loss=True) == 0


def test_without_a_type_of_release_there_is_always_a_suggestion():
    assert chosen(ADULT, release="") == 2


def numbers(points, **limits):
    found = offers_of(points, Bounds(**limits))
    return found.careful.number, found.balanced.number, found.useful.number


def test_offers_of_a_front_without_a_good_point():
    assert numbers(ADULT) == (4, 2, 0)
    assert offers_of(ADULT).suggested is None


def test_offers_around_a_suggested_point():
    assert numbers(front((5, 40), (18, 25), (30, 10), (38, 1), (60, 0.1))) == (3, 2, 1)


def test_offers_go_from_little_risk_to_little_loss_on_any_front():
    rng = np.random.default_rng(5)
    for _ in range(200):
        points = front(*rng.uniform(0, 100, (12, 2)).tolist())
        kind = rng.choice(list(RELEASE_TYPES))
        offers = offers_of(points, Bounds(release=kind))
        row = offers.careful, offers.balanced, offers.useful
        assert sorted(row, key=lambda point: point.loss, reverse=True) == list(row)
        within_both = [p for p in points if p.risk <= RELEASE_TYPES[kind] and p.loss <= 40]
        assert (offers.suggested is None) is (not within_both)
        if within_both:
            assert offers.suggested == likely(points, Bounds(release=kind)) == within_both[0]


def test_a_named_point_beyond_a_limit_must_be_accepted():
    with pytest.raises(NotAcceptedError, match="--accept-loss") as refused:
        check_accepted(ADULT[4], PUBLIC)
    assert refused.value.beyond == {"loss": (78.8, 40.0)}
    check_accepted(ADULT[4], Bounds())
    check_accepted(ADULT[4], replace(PUBLIC, accept_loss=True))
    check_accepted(ADULT[4], replace(PUBLIC, loss=80.0))
    with pytest.raises(NotAcceptedError, match=r"a risk of 18\.7 %, above the limit of 10 %"):
        check_accepted(ADULT[2], replace(PUBLIC, accept_loss=True))


def test_a_rule_with_its_own_limit_accepts_it():
    check_accepted(ADULT[2], PUBLIC, "max-risk=20")
    with pytest.raises(NotAcceptedError):
        check_accepted(ADULT[2], PUBLIC, "max-loss=40")
