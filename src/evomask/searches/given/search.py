"""Masked versions of the records that were made elsewhere, such as a colleague's file.

They are enforced and measured like every other candidate, and searches that start from masked files
continue from them; the search itself breeds nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.table import Table
from evomask.errors import RunError
from evomask.evolution.individual import Outcome, Task
from evomask.evolution.loop import Setup
from evomask.evolution.schemes import Unbred
from evomask.evolution.stopping import Budget
from evomask.masking.method import About
from evomask.masking.provenance import Provenance, Step
from evomask.searches.base import MaskingProblem, Search, SearchContext, SearchInput, Variants
from evomask.searches.catalogue import GIVEN


@dataclass(frozen=True, eq=False)
class GivenFiles(MaskingProblem):
    """Masked versions of a table; a genome is the number of one of them."""

    original: Table
    files: tuple[Table, ...]

    def work(self, task: Task[int], rng: np.random.Generator) -> Outcome[int]:
        """Return the number of a file."""
        return Outcome(int(task.rival or 0), (0.0,))

    def decode(self, genome: int, draw: int) -> Table:
        if genome >= len(self.files):
            raise RunError("a masked file that the search started from is missing; restore it")
        return self.files[genome]

    def making(self, genome: int) -> Provenance:
        names = self.original.schema.quasi_identifiers
        return Provenance((Step(GIVEN, {}, names),), search=GIVEN)

    def pack(self, genome: int) -> Mapping[str, NDArray[Any]]:
        return {self.packed_as: np.array([genome])}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> int:
        return int(arrays[self.packed_as][0])


@dataclass(frozen=True)
class Parameters:
    """Given files have no parameters."""


class GivenSearch(Search):
    """Recipes and masked files that the user gave to start from."""

    name = GIVEN
    parameters = Parameters
    budget = Budget(generations=1)
    about = About(
        name=GIVEN,
        title="a given masked file",
        steward="a masked file that was given",
        public="Values were changed before, in a way that is not described here.",
        together=True,
    )
    cost = 0.0
    keeps_strata = True

    @staticmethod
    def variants(_source: SearchInput) -> Variants:
        return {}

    @staticmethod
    def setup(table: Table, _parameters: Parameters, context: SearchContext) -> Setup[int]:
        return Setup(GivenFiles(table, context.given), Unbred(), 0)
