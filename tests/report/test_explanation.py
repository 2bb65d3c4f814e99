"""Explanations of a search: shares that add up, a family that is true, sentences for a steward."""

import pytest

from evomask.engine.front import FrontPoint
from evomask.engine.state import Birth, EngineState
from evomask.evolution.state import Log
from evomask.masking.recipe import identity
from evomask.report.explanation import explain
from tests.engine.runs import context_for, mixed, run


@pytest.fixture(scope="module")
def context():
    return context_for(mixed(300), searches=("recipes",), samples=((200, 100),))


@pytest.fixture(scope="module")
def state(context):
    return run(context, 120)[-1]


def explained(context, state, point=None, times=()):
    return explain(context, state, times, point or state.front[-1])


def test_costs_and_points_of_the_searches_add_up(context, state):
    found = explained(context, state)
    assert sum(row.cost for row in found.searches) == pytest.approx(100.0, abs=0.05)
    assert sum(row.found for row in found.searches) == pytest.approx(100.0, abs=0.05)
    assert sum(row.points for row in found.searches) == len(state.front)
    assert sum(row.candidates for row in found.searches) == len(state.births)


def test_operators_share_what_the_main_search_cost(context, state):
    found = explained(context, state)
    (main,) = (row for row in found.searches if row.name == "recipes")
    assert sum(row.cost for row in found.operators) == pytest.approx(main.cost, abs=0.1)
    assert sum(row.candidates for row in found.operators) == main.candidates
    assert sum(row.points for row in found.operators) == main.points


def test_the_growth_ends_with_the_front(context, state):
    found = explained(context, state)
    last = found.growth[-1]
    assert (last.evaluations, last.points) == (state.evaluations, len(state.front))
    assert last.volume == pytest.approx(state.volume, abs=0.001)
    assert last.seconds is None


def test_every_parent_of_an_ancestor_is_an_ancestor(context, state):
    for point in state.front:
        found = explained(context, state, point)
        numbers = {one.number for one in found.ancestors}
        assert point.number in numbers
        assert {n for one in found.ancestors for n in one.parents} <= numbers


def test_there_are_three_sentences_for_every_point(context, state):
    for point in state.front:
        found = explained(context, state, point)
        assert len(found.sentences) == 3
        assert all(one[0].isupper() and one.endswith(".") for one in found.sentences)
        assert f"a loss of {point.loss:.1f} %" in found.sentences[2]


def line(context, *changes):
    """A state in which one recipe of the initial design was changed again and again."""
    root = identity(context.initial_recipes[0])
    births = [Birth(0, "design", "first", -1, -1, 40.0, 30.0, root)]
    births += [
        Birth(i, "recipes", name, i - 1, -1, loss, risk, f"r{i}")
        for i, (name, loss, risk) in enumerate(changes, 1)
    ]
    point = FrontPoint(len(changes), loss=21.0, risk=6.0, search="recipes", point=1)
    return EngineState(births=Log(births), front=(point,), candidates=Log([point]))


def test_the_line_names_what_was_done_and_what_gained_most(context):
    state = line(context, ("parameter", 39.0, 29.0), ("join", 20.0, 8.0), ("parameter", 21.0, 6.0))
    first, second, third = explained(context, state).sentences
    assert first.startswith("The masking began as one of the recipes that every search begins with")
    assert "3 changes of it survived among 4 candidates" in first
    assert second == (
        "On the way, a parameter was tuned twice and two groups of attributes were joined."
    )
    assert third.startswith(
        "Most was gained when two groups of attributes were joined: the loss went from 39.0 to "
        "20.0 % and the risk from 29.0 to 8.0 %"
    )


def test_a_line_without_a_gain_says_so(context):
    state = line(context, ("add", 45.0, 30.0))
    third = explained(context, state).sentences[2]
    assert third.startswith("No single change lowered the sum of loss and risk; on the whole file")


def test_seconds_are_told_only_where_a_clock_bound_the_run(context, state):
    times = tuple(0.5 * (i + 1) for i in range(len(state.rounds)))
    found = explained(context, state, times=times)
    assert found.growth[-1].seconds == times[-1]
