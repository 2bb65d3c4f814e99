"""More time for a run, or an end of its search: the journal and the plan say so."""

import pytest

from evomask.errors import ParameterError
from evomask.evolution.stopping import Budget
from evomask.runs.store.journal import Journal
from evomask.runs.store.run_folder import SEARCH_SECONDS, extend_budget


def test_seconds_are_added_from_here_on(plan_of):
    plan, journal = plan_of(budget=Budget(seconds=100.0)), Journal()
    journal.note(SEARCH_SECONDS, 80.0)
    longer = extend_budget(plan, journal, 30.0)
    assert journal.notes[SEARCH_SECONDS] == 30.0
    assert longer.budget.seconds == 50.0


def test_a_number_of_files_cannot_be_given_more_seconds(plan_of):
    with pytest.raises(ParameterError, match="number of files"):
        extend_budget(plan_of(budget=Budget(evaluations=10)), Journal(), 30.0)
