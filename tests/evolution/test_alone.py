import numpy as np
import pytest

from evomask.evolution.individual import FIRST, Outcome
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.schemes import Alone, PlusSelection
from evomask.evolution.stopping import either, evaluations, generations, idle
from evomask.execution.local import InProcess


class Drift:
    """Numbers that fall or rise by a little."""

    def work(self, task, rng):
        start = 10.0 if task.operator == FIRST else task.parents[0].genome
        value = start + rng.normal()
        return Outcome(value, (value,))

    def pack(self, genome):
        return {"value": np.array(genome)}

    def unpack(self, arrays):
        return float(arrays["value"])


def run(scheme, until):
    work = InProcess(Worker(Drift(), 1))
    return evolve(begin(6, work), scheme, work, seed=1, until=either(until, idle))


@pytest.mark.parametrize("operator", ["cross", "up", "down"])
def test_one_operator_makes_as_many_children_as_all_together(operator):
    state = run(Alone(PlusSelection(2, {"up": 3, "down": 1}), operator), generations(3))
    assert set(state.ledger.births) == {FIRST, operator}
    assert [row.children for row in state.ledger.births[operator]] == [8, 8, 8]


def test_a_run_ends_when_the_operator_is_set_aside():
    scheme = Alone(PlusSelection(0, {"up": 1, "down": 1}, patience=1), "up")
    assert run(scheme, evaluations(10**6)).evaluations < 10**6


def test_an_operator_that_the_scheme_does_not_know_makes_no_child():
    assert run(Alone(PlusSelection(1, {"up": 1}), "sideways"), generations(9)).tasks == 6
