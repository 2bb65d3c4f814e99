"""More time for a run, or an end of its search: the journal and the plan say so."""

import pytest

from evomask.errors import ParameterError
from evomask.evolution.stopping import Budget
from evomask.runs.kept.journal import Journal
from evomask.runs.kept.prolonging import GIVEN_UP, SEARCHING, prolonged


def test_seconds_are_added_from_here_on(plan_of):
    plan, journal = plan_of(budget=Budget(seconds=100.0)), Journal()
    journal.note(SEARCHING, 80.0)
    journal.note(GIVEN_UP, 7)
    longer = prolonged(plan, journal, 30.0)
    assert journal.notes[SEARCHING] == 30.0
    assert journal.notes[GIVEN_UP] == -1
    assert longer.budget.seconds == 50.0


def test_a_number_of_files_cannot_be_given_more_seconds(plan_of):
    with pytest.raises(ParameterError, match="number of files"):
        prolonged(plan_of(budget=Budget(evaluations=10)), Journal(), 30.0)
