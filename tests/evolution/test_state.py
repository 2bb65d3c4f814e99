from math import inf

from hypothesis import given
from hypothesis import strategies as st

from evomask.evolution.archive import Best
from evomask.evolution.individual import Outcome, Task, mean_objective, worst_objective
from evomask.evolution.state import Log, State, individuals_from


def turned(state, costs, steps=0):
    brood = tuple(Task("first") for _ in costs)
    outcomes = [Outcome(None, (float(cost), 0.0), steps) for cost in costs]
    return state.advanced(brood, outcomes, individuals_from(state, brood, outcomes))


def test_the_first_population_is_generation_zero():
    assert turned(State(), [1]).generation == 0


def test_serial_numbers_go_on_from_generation_to_generation():
    state = turned(turned(State(), [1, 2]), [3, 4])
    assert [member.serial for member in state.population] == [2, 3]


def test_evaluations_are_tasks_plus_the_steps_of_bursts():
    state = turned(State(), [1, 2], steps=100)
    assert (state.tasks, state.evaluations) == (2, 202)


def test_the_best_is_the_best_so_far_and_its_generation():
    state = turned(turned(turned(State(), [5]), [3]), [4])
    assert (state.summary.best, state.summary.since) == (3.0, 1)


def test_the_mean_leaves_infinite_costs_out():
    assert turned(State(), [2, inf, 4]).summary.mean == 3.0


def test_the_mean_of_nobody_is_infinite():
    assert turned(State(), [inf]).summary.mean == inf


def test_advancing_leaves_the_state_as_it_was():
    state = turned(State(), [5])
    turned(state, [3])
    assert (state.generation, len(state.history), len(state.ledger.births["first"])) == (0, 1, 1)


def test_the_archive_sees_every_child():
    state = turned(turned(State(archive=Best()), [5]), [9])
    assert [member.fitness[0] for member in state.archive.members] == [5.0]


def test_a_second_future_of_the_same_state_is_independent_of_the_first():
    state = turned(State(), [5])
    one, other = turned(state, [3]), turned(state, [4])
    assert [state.summary.best for state in (one, other)] == [3.0, 4.0]


def test_costs_of_a_fitness():
    assert (mean_objective((2.0, 4.0)), worst_objective((2.0, 4.0))) == (3.0, 4.0)


@given(st.lists(st.integers()), st.lists(st.integers()), st.lists(st.integers()))
def test_longer_logs_do_not_disturb_one_another(rows, some, others):
    log = Log(rows)
    one, other = log.plus(some), log.plus(others)
    assert [list(log), list(one), list(other)] == [rows, rows + some, rows + others]


def test_the_last_rows_of_a_log():
    assert Log([1, 2, 3]).plus([4]).last(2) == [3, 4]
