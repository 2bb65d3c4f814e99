"""The operator study on a run small enough to follow by hand."""

from math import inf

import pytest

from evomask.evolution.individual import Outcome, Task
from evomask.evolution.state import State, gain, individuals_from
from evomask_papers.operator_statistics import (
    Efficacy,
    Efficiency,
    efficacy,
    efficiency,
    lifetime,
    mean_counts,
    utilization,
)


def turned(state, tasks, costs, keep):
    """One generation; *keep* names the serials of the next population."""
    outcomes = [Outcome(None, (float(cost),), counts={"groups": 4}) for cost in costs]
    everyone = {i.serial: i for i in (*state.population, *individuals_from(state, tasks, outcomes))}
    return state.advanced(tasks, outcomes, tuple(everyone[serial] for serial in keep))


@pytest.fixture
def run():
    """Two founders (0: 10, 1: 20); generation 1 makes 2, 3 and 4; generation 2 makes 5."""
    state = turned(State(), (Task("first", (), 0), Task("first", (), 1)), [10, 20], [0, 1])
    a, b = state.population
    brood = (Task("mutate", (a,)), Task("mutate", (a,)), Task("cross", (a, b)))
    state = turned(state, brood, [8, 20, 15], [0, 2])
    child = state.population[1]
    return turned(state, (Task("mutate", (child,)),), [4], [2, 5])


def test_utilization_counts_children_discarded_without_becoming_a_parent(run):
    assert utilization(run) == {"first": {0: 0}, "mutate": {1: 1, 2: 1}, "cross": {1: 1}}


def test_lifetime_is_the_mean_number_of_generations_lived(run):
    assert lifetime(run) == {"first": {0: 1.5}, "mutate": {1: 0.5, 2: 0.0}, "cross": {1: 0.0}}


def test_efficacy_compares_with_the_mean_cost_of_the_parents(run):
    assert efficacy(run)["mutate"] == {1: Efficacy(1, 1, 0), 2: Efficacy(1, 0, 0)}


def test_a_child_that_costs_what_its_parents_cost_counts_as_a_clone(run):
    assert efficacy(run)["cross"] == {1: Efficacy(0, 0, 1)}


def test_efficiency_is_formula_4_3_in_percent(run):
    assert efficiency(run)["mutate"][1] == Efficiency(20.0, -50.0, 20.0, -50.0)


def test_efficiency_of_an_operator_that_only_clones_is_nothing(run):
    assert efficiency(run)["cross"][1] == Efficiency(0.0, 0.0, 0.0, 0.0)


def test_counts_of_the_search_are_averaged_over_children(run):
    assert mean_counts(run, "groups")["mutate"] == {1: 4.0, 2: 4.0}


@pytest.mark.parametrize("ratio", [0.25, 0.5, 1.0, 2.0, 8.0])
def test_gain_is_formula_4_3(ratio):
    expected = (1 - ratio) * 100 if ratio <= 1 else (1 / ratio - 1) * 100
    assert gain(ratio * 12, 12) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("child", "parents", "expected"), [(inf, 1, -100), (1, inf, 100), (inf, inf, 0), (0, 0, 0)]
)
def test_gain_with_infinite_costs_and_zeros(child, parents, expected):
    assert gain(child, parents) == expected


def test_the_ledger_knows_who_entered_the_population(run):
    assert [row.entered for row in run.ledger.births["mutate"]] == [1, 1]


def test_only_the_living_are_remembered_as_parents(run):
    assert run.ledger.used == {2}
