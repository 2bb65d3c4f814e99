"""The search for masked files in the catalogue: what is required of them, and edit rules."""

from typing import Any

from evomask.data.table import Table
from evomask.evolution.setup import Setup, Surroundings
from evomask.evolution.stopping import Budget
from evomask.runs.requirements import Requirement, requirement_of
from evomask.runs.rules import Guarantees
from evomask.searches.files.search import Kept, Parameters, put_together
from evomask.searches.files.steps import Guarantee


class FilesSearch:
    """Change masked files cell by cell; the files themselves evolve."""

    name = "files"
    parameters = Parameters
    budget = Budget(seconds=60.0)

    def setup(self, table: Table, parameters: Parameters, around: Surroundings) -> Setup[Any]:
        """First files from every method that fits, and a way to better ones."""
        kept = kept_by(table, requirement_of(parameters.require))
        return put_together(table, parameters, around, kept)


def kept_by(table: Table, requirement: Requirement) -> Kept:
    """What every masked version of a table must keep: a requirement and its edit rules."""
    guarantees = Guarantees.of(table, requirement)
    asks = requirement.asks_anything or bool(len(guarantees.mender.rules))
    may_join = requirement.l == 1 and requirement.t == 1
    return Kept(guarantees if asks else None, Guarantee(requirement.k, may_join))


FILES = FilesSearch()
