"""Points beyond the front of loss and risk, for limits by scenario."""

from evomask.engine.front import Bounds, numbered
from evomask.engine.state import Candidate, EngineState, Log
from evomask.report.protection import choose_point, with_best_within, with_files
from tests.engine.test_front import with_scenarios

ROWS = ((5, 9, 9), (8, 4, 9.5), (9, 3, 9.8), (20, 2, 1))
"""Loss, and the risk in the scenarios register and colleague; the second and third are beaten."""

LIMITS = Bounds(risk_in={"register": 4.5, "colleague": 10.0})


def state(live=(0, 1, 2, 3)):
    points = with_scenarios(*ROWS)
    front = numbered([points[0], points[3]])
    candidates = {n: Candidate(n, "recipes", None, "design", "first") for n in live}
    return EngineState(front=front, candidates=Log(points), live=candidates)


def files(state):
    return [(point.point, point.number) for point in state.front]


def test_a_beaten_file_with_less_risk_in_one_scenario_is_found_by_limits_by_scenario():
    assert choose_point("suggested", state(), LIMITS).candidate.number == 3
    more = with_best_within(state(), LIMITS)
    assert files(more) == [(1, 0), (2, 1), (3, 3)]
    assert choose_point("suggested", more, LIMITS).candidate.number == 1


def test_a_file_that_cannot_be_made_any_more_is_not_offered():
    assert files(with_best_within(state(live=(0, 2, 3)), LIMITS)) == [(1, 0), (2, 2), (3, 3)]
    assert files(with_best_within(state(live=(0, 3)), LIMITS)) == [(1, 0), (2, 3)]


def test_one_limit_for_all_scenarios_needs_the_front_alone():
    assert with_best_within(state(), Bounds(risk=9.9)) == state()


def test_limits_that_nothing_meets_change_nothing():
    assert with_best_within(state(), Bounds(risk_in={"register": 1.0})) == state()


def test_files_of_an_earlier_release_stay_on_the_front():
    assert files(with_files(state(), [2, 3, 77])) == [(1, 0), (2, 2), (3, 3)]
