"""Going on with a run for longer than it was planned, or ending its search here."""

from dataclasses import replace

import msgspec

from evomask.errors import ParameterError
from evomask.runs.kept.journal import Journal
from evomask.runs.kept.plan import Plan

SEARCHING, GIVEN_UP = "searching", "given up"
"""Under these names the journal keeps how long is searched, and which turn was given up."""


def prolonged(plan: Plan, journal: Journal, seconds: float) -> Plan:
    """The plan of a run that is to search so many seconds from here on; the journal says so too.

    With 0 seconds the search is over: what was found is looked at closely and released.
    """
    before = plan.budget.seconds
    if before is None:
        raise ParameterError("the run is bound by a number of files; resume it without --seconds")
    searched = journal.seconds + seconds
    change = searched - float(journal.notes.get(SEARCHING, before))
    journal.note(SEARCHING, searched)
    journal.note(GIVEN_UP, -1)
    budget = replace(plan.budget, seconds=max(1.0, before + change))
    return msgspec.structs.replace(plan, budget=budget)
