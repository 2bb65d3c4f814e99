"""Objectives of users beside loss and risk: on the front, or as limits."""

import numpy as np
import pytest

import evomask
from evomask.io.datasets import survey

QUASI = ("age", "sex", "income")


def tall(frame):
    """Ninth decile of income: neither loss nor risk looks at it by itself."""
    return float(frame["income"].quantile(0.9))


def shift(original, masked):
    """How far the ninth decile of income moved, in percent."""
    return abs(tall(masked) - tall(original)) / tall(original) * 100


@pytest.fixture(scope="module")
def people():
    return survey(300).select("age", "sex", "education", "income", "health")


def protect(people, **more):
    usual = {"evaluations": 40, "seed": 2**60, "searches": ["recipes"], "require": "k=3"}
    return evomask.protect(people, quasi=QUASI, **(usual | more))


@pytest.fixture(scope="module")
def result(people):
    return protect(people, objectives={"shift": shift})


def test_every_whole_file_was_given_to_the_function(people, result):
    for point in result.protection.front:
        masked = result.masked(point.point, shuffled=False)
        assert point.objectives["shift"] == pytest.approx(shift(people, masked))
    assert result.front["shift"].to_list() == [
        point.objectives["shift"] for point in result.protection.front
    ]


def test_no_point_is_beaten_in_all_three(result):
    rows = np.array(
        [(p.loss, p.risk, p.objectives["shift"]) for p in result.protection.state.candidates]
    ).round(2)
    front = np.array([(p.loss, p.risk, p.objectives["shift"]) for p in result.protection.front])
    for row in front.round(2):
        beats = (rows <= row).all(axis=1) & (rows < row).any(axis=1)
        assert not beats.any()


def test_a_third_objective_keeps_points_that_two_would_not(people, result):
    plain = [(p.loss, p.risk) for p in result.protection.front]
    beaten = [
        one for one in plain if any(o[0] <= one[0] and o[1] <= one[1] and o != one for o in plain)
    ]
    assert beaten


def test_a_limit_keeps_candidates_off_the_front(people):
    result = protect(people, objectives={"shift": (shift, 1.0)})
    assert all(p.limited["shift"] <= 1.0 for p in result.protection.state.candidates)
    assert result.protection.state.refused > 0


def test_the_same_with_worker_processes(people, result):
    again = protect(people, objectives={"shift": shift}, workers=2)
    assert again.front.equals(result.front)


@pytest.mark.parametrize(
    ("objectives", "sentence"),
    [
        ({"loss": shift}, "an objective cannot be called 'loss'"),
        ({"shift": 3}, "the objective 'shift' must be a function"),
        ({"shift": lambda a, b: float("nan")}, "the objective 'shift' gave nan for a candidate"),
    ],
)
def test_what_is_no_objective_is_refused(people, objectives, sentence):
    with pytest.raises(evomask.EvomaskError, match=sentence):
        protect(people, objectives=objectives, evaluations=6)
