import pytest

from evomask.errors import ParameterError
from evomask.evolution.state import Log, State, Summary
from evomask.evolution.stopping import (
    Budget,
    either,
    equal_means,
    evaluations,
    generations,
    not_before,
    seconds,
    stalled,
    target,
)


def state_of(bests=(), means=(), **fields):
    means = means or bests
    since = [bests.index(best) for best in bests]
    rows = [
        Summary(g, 0, 0, b, s, m)
        for g, (b, s, m) in enumerate(zip(bests, since, means, strict=True))
    ]
    return State(history=Log(rows), generation=fields.pop("generation", len(rows) - 1), **fields)


@pytest.mark.parametrize(("generation", "stops"), [(9, False), (10, True)])
def test_generations(generation, stops):
    assert generations(10)(State(generation=generation)) is stops


@pytest.mark.parametrize(("done", "stops"), [(99, False), (100, True), (101, True)])
def test_evaluations(done, stops):
    assert evaluations(100)(State(evaluations=done)) is stops


def test_seconds_are_read_from_the_clock_that_is_passed():
    clock = iter([1.0, 2.5])
    stop = seconds(2.0, lambda: next(clock))
    assert [stop(State()), stop(State())] == [False, True]


@pytest.mark.parametrize(("bests", "stops"), [([5, 4, 4, 4], False), ([5, 4, 4, 4, 4], True)])
def test_stalled_counts_generations_without_a_better_best(bests, stops):
    assert stalled(3)(state_of(bests)) is stops


@pytest.mark.parametrize(("best", "stops"), [(3.1, False), (3.0, True)])
def test_target(best, stops):
    assert target(3.0)(state_of([best])) is stops


@pytest.mark.parametrize(
    ("means", "stops"), [([5, 4], False), ([5, 4, 4], True), ([4], False), ([4, 4, 3], False)]
)
def test_equal_means_of_two_successive_populations(means, stops):
    assert equal_means(1)(state_of([1] * len(means), means)) is stops


def test_equal_means_may_have_to_last():
    assert not equal_means(2)(state_of([1, 1], [4, 4]))
    assert equal_means(2)(state_of([1, 1, 1], [4, 4, 4]))


@pytest.mark.parametrize(
    ("earlier", "state"),
    [
        ({"stalled": 2}, state_of([5, 4, 4, 4], [9, 8, 7, 6])),
        ({"equal_means": 1}, state_of([5, 4, 3], [9, 8, 8])),
        ({"target": 3.0}, state_of([5, 4, 3], [9, 8, 7])),
    ],
)
def test_a_budget_can_end_early(earlier, state):
    assert Budget(generations=100, **earlier).until(lambda _: 0.0)(state)
    assert not Budget(generations=100).until(lambda _: 0.0)(state)


def test_what_ends_a_run_early_is_no_limit_by_itself():
    with pytest.raises(ParameterError, match="give generations, evaluations or seconds"):
        Budget(stalled=3)
    with pytest.raises(ParameterError, match="stalled must be at least 1"):
        Budget(generations=3, stalled=0)


@pytest.mark.parametrize("generation", [10, 3])
def test_either_stops_when_one_does(generation):
    stop = either(generations(10), evaluations(50))
    assert stop(State(generation=generation, evaluations=60))


def test_either_goes_on_while_none_does():
    assert not either(generations(10), evaluations(50))(State())


@pytest.mark.parametrize(("generation", "stops"), [(0, False), (1, True)])
def test_not_before_waits_for_its_generation(generation, stops):
    assert not_before(1, lambda _: True)(State(generation=generation)) is stops


def test_not_before_asks_its_criterion():
    assert not not_before(1, lambda _: False)(State(generation=5))
