"""A search that had too little time says so, and no other does."""

import numpy as np
import pytest

from evomask.engine.state import note_on_budget
from evomask.evolution.archive import Front
from evomask.evolution.individual import Individual
from evomask.evolution.loop import Setup
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget
from evomask.runs.search import note_on_progress, perform
from tests.engine.runs import context_for, people, run, table_of


class Breeding:
    """A scheme that still has something to try, or has not."""

    def __init__(self, brood):
        self.brood = brood

    def propose(self, state, rng):
        assert isinstance(rng, np.random.Generator)
        return self.brood


def told(generation, born, brood=("something",)):
    best = Individual(None, (1.0,), 3, "mutate" if born else "first", (), born)
    state = State((best,), Front(), generation, tasks=8)
    return note_on_progress(state, Setup(None, Breeding(brood), 8), best, 7)


def test_a_budget_that_the_first_maskings_used_up_is_told():
    (note,) = told(generation=0, born=0)
    assert note == "the first 8 candidates used up the budget: nothing evolved; raise it"


def test_generations_that_brought_nothing_better_are_told():
    (note,) = told(generation=12, born=0)
    assert note.startswith("12 generations found nothing better")


@pytest.mark.parametrize(("born", "brood"), [(3, ("something",)), (0, ())])
def test_nothing_is_told_where_a_child_is_best_or_nothing_is_left_to_try(born, brood):
    assert told(generation=5, born=born, brood=brood) == ()


@pytest.mark.parametrize(("generations", "told"), [(0, True), (60, False)])
def test_a_run_notes_whether_it_had_time(plan_of, generations, told):
    notes = perform(plan_of(Budget(generations=generations), seed=1)).notes
    assert any("used up the budget" in note for note in notes) == told


def test_searches_that_did_nothing_are_named():
    state = run(context_for(table_of(people()), searches=["recipes"]), 4)[-1]
    (note,) = note_on_budget(state, ["design", "partition"])
    assert "too small for partition" in note
    assert note_on_budget(state.with_closed("partition", "it cannot"), ["partition"]) == ()
