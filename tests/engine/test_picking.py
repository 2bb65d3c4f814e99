import pytest

from evomask.engine.front import FrontPoint, pick, stable_reference, validate_pick
from evomask.errors import ParameterError

PLANE = [(0.0, 90.0), (5.0, 30.0), (10.0, 25.0), (60.0, 0.0)]


def points(plane=PLANE):
    return [
        FrontPoint(place + 9, loss=loss, risk=risk, search="toy", point=place)
        for place, (loss, risk) in enumerate(plane, 1)
    ]


@pytest.mark.parametrize(
    ("wish", "number"),
    [("best", 3), ("1", 1), ("4", 4), ("knee", 2), ("max-risk=26", 3), ("max-loss=5.5", 2)],
)
def test_a_point_is_picked_by_a_wish(wish, number):
    offered = points()
    assert pick(offered, wish, best=offered[2]).point == number


@pytest.mark.parametrize(
    "wish", ["", "worst", "-1", "0", "file", "file=x", "max-risk", "max-risk=low", "max-score=3"]
)
def test_a_wish_that_cannot_be_understood_is_refused(wish):
    with pytest.raises(ParameterError, match="pick must be"):
        validate_pick(wish)


def test_a_number_beyond_the_front_is_refused():
    with pytest.raises(ParameterError, match="no point 5; it has 1, 2, 3, 4"):
        pick(points(), "5", best=points()[0])


def test_a_file_keeps_its_number_and_is_picked_by_it():
    assert pick(points(), "file=12", best=points()[0]).point == 3
    with pytest.raises(ParameterError, match="no file 3; it has 10, 11, 12, 13"):
        pick(points(), "file=3", best=points()[0])


def test_a_number_that_an_earlier_version_gave_still_names_its_file():
    assert pick(points(), "12", best=points()[0]).point == 3


def test_a_number_that_is_kept_names_the_file_and_not_its_place():
    assert [stable_reference(wish, points()[1]) for wish in ("2", "12", "knee")] == [
        "file=11",
        "file=11",
        "knee",
    ]


def test_a_limit_that_no_point_meets_tells_the_smallest():
    with pytest.raises(ParameterError, match=r"no point has a risk of at most 2; .* 25\.00"):
        pick(points(PLANE[:3]), "max-risk=2", best=points()[0])


def test_one_point_is_its_own_knee():
    assert pick(points(PLANE[:1]), "knee", best=points()[0]).point == 1


def test_without_loss_and_risk_there_is_no_knee():
    lone = FrontPoint(0, search="toy", measures={"sse": 3.0})
    with pytest.raises(ParameterError, match="no loss and risk"):
        pick([lone], "knee", best=lone)
