import pytest

from evomask.evolution.log import Log
from evomask.evolution.state import State, Summary
from evomask.evolution.stopping import (
    either,
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
