"""What is asked of the main job, how far it is, and all that came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from evomask.data.schema import Schema
from evomask.data.table import Table
from evomask.evolution.stopping import Budget
from evomask.io.tables import Written
from evomask.masking.guarantees.requirement import NOTHING, Requirement
from evomask.measures.attacks.audit import Audit
from evomask.portfolio.candidate import Candidate, balanced
from evomask.portfolio.state import PortfolioState, Round
from evomask.portfolio.worker import Workshop
from evomask.record.comparison import changed_again
from evomask.runs.inputs import Input
from evomask.runs.plan import Plan
from evomask.searches.search import RELEASED_DRAW

SECONDS = 120.0
"""How long is searched where nobody says."""


@dataclass(frozen=True)
class ProtectJob:
    """What to protect, and what is asked of the result.

    Args:
        folder: where all that is made goes; it must be new or empty.
        seconds: how long to search and audit; two minutes where no limit is given.
        seed: drawn from the system when absent, and kept in the folder only.
        evaluations: how many files to try, tasks counting by their cost; repeatable to the byte.
        searches: who takes part; all that apply where none is named.
        pick: which point of the front is released.
    """

    source: Input
    folder: Path
    requirement: Requirement = NOTHING
    profile: str = "strict"
    seconds: float | None = None
    seed: int | None = None
    evaluations: int | None = None
    searches: tuple[str, ...] = ()
    pick: str = "balanced"

    @property
    def budget(self) -> Budget:
        """What may be spent."""
        unlimited = self.seconds is None and self.evaluations is None
        return Budget(None, self.evaluations, SECONDS if unlimited else self.seconds)


@dataclass(frozen=True)
class Progress:
    """How far the search is.

    Args:
        used: the share of the budget, from 0 to 1.
        shares: the part of the effort that each member had, in percent.
    """

    state: PortfolioState
    used: float
    seconds: float
    shares: Mapping[str, float]

    @property
    def tried(self) -> int:
        """How many files were measured."""
        return len(self.state.candidates)

    @property
    def best(self) -> Candidate:
        """The balanced point so far."""
        return balanced(self.state.front)


class OperatorTally(NamedTuple):
    """What one operator of one member brought about.

    Args:
        children: how many it made.
        entered: how many of them stayed in their population.
        improved: how many were better than their parents.
        files: how many became files that were measured.
        on_front: how many of those are on the front.
    """

    member: str
    operator: str
    children: int
    entered: int
    improved: int
    files: int
    on_front: int


@dataclass(frozen=True)
class Found:
    """What is known of one point of the front besides its loss and risk.

    Args:
        measures: every measure that applies, by name.
        audit: privacy models and record risk; also attacks, where there was time for them.
        repaired: percent of the masked cells that were changed again to fulfil what is
            required and to obey the edit rules; none where nobody looked.
    """

    measures: dict[str, float]
    audit: Audit
    repaired: float | None = None

    @property
    def guarantees(self) -> dict[str, float]:
        """k, and l and t where there is a confidential attribute, as the file has them."""
        reached = {"k": self.audit.k, "l": self.audit.l, "t": self.audit.t}
        return {name: float(value) for name, value in reached.items() if value is not None}


@dataclass(frozen=True, eq=False)
class Protected:
    """All that came of a job, and what a report needs.

    Args:
        original: the original file as a candidate; its number is -1.
        candidates: every file that was measured.
        front: what nothing else beats, by loss.
        reason: why the chosen point was chosen, in words.
        found: what is known of points of the front besides, by number; the original has -1.
        history: one row a round.
        times: seconds used at the end of each round.
        shares: the part of the effort that each member had, in percent.
        closed: why members had no more turns, by name.
        interrupted: whether it was stopped before its budget was used up.
        sha256: of the data file; empty where there is none.
        plan: none where nothing is kept.
        genomes: what the front's files are made of.
        made: files that were made again already, by number.
        repaired: percent of their cells that were changed to fulfil what is required, by
            attribute.
    """

    job: ProtectJob
    schema: Schema
    seed: int
    records: int
    original: Candidate
    candidates: tuple[Candidate, ...]
    front: tuple[Candidate, ...]
    chosen: Candidate
    reason: str
    written: Written
    seconds: float
    notes: tuple[str, ...]
    history: tuple[Round, ...]
    times: tuple[float, ...]
    shares: Mapping[str, float]
    operators: tuple[OperatorTally, ...]
    closed: Mapping[str, str]
    shop: Workshop = field(repr=False)
    genomes: Mapping[int, Any] = field(repr=False)
    found: Mapping[int, Found] = field(default_factory=dict)
    sha256: str = ""
    interrupted: bool = False
    plan: Plan | None = None
    made: dict[int, Table] = field(repr=False, default_factory=dict)
    repaired: dict[int, dict[str, float]] = field(repr=False, default_factory=dict)

    @property
    def measures(self) -> Mapping[str, float]:
        """Every measure of the chosen file, by name."""
        return self.found[self.chosen.number].measures

    @property
    def components(self) -> dict[int, Mapping[str, float]]:
        """Every measure by name, for each point of which they are known."""
        return {number: found.measures for number, found in self.found.items()}

    @property
    def audits(self) -> dict[int, Audit]:
        """Audits by point; attacks are in those for which there was time."""
        return {number: found.audit for number, found in self.found.items()}

    @property
    def guarantees(self) -> dict[int, dict[str, float]]:
        """k, l and t as each point's file has them."""
        return {number: found.guarantees for number, found in self.found.items()}

    @property
    def table(self) -> Table:
        """The original file."""
        return self.shop.table

    def masked(self, number: int) -> Table:
        """The file of a point of the front, its records in the original's order."""
        if number not in self.made:
            (one,) = (one for one in self.front if one.number == number)
            problem: Any = self.shop.setup(one.member).problem
            before = problem.decode(self.genomes[number], RELEASED_DRAW)
            self.made[number] = self.shop.releasable(before)
            names = self.schema.quasi_identifiers
            self.repaired[number] = changed_again(before, self.made[number], names)
        return self.made[number]
