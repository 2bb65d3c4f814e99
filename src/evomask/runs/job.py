"""What is asked of the main job."""

from dataclasses import dataclass, replace
from pathlib import Path

from evomask.evolution.stopping import Budget
from evomask.masking.guarantees.requirement import NOTHING, Requirement, requirement_of
from evomask.runs.inputs import Input

SECONDS = 120.0
"""How long is searched where nobody says."""

FOR_AUDIT = 0.1
"""Share of the seconds that is kept for the audit."""


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


def required(text: str) -> Requirement:
    """What is asked of every released file, as a user writes it: ``k=5,l=2,t=0.3``."""
    return requirement_of(text)


def for_search(budget: Budget) -> Budget:
    """The budget without what is kept for the audit."""
    if budget.seconds is None:
        return budget
    return replace(budget, seconds=budget.seconds * (1.0 - FOR_AUDIT))


def for_audit(budget: Budget, used: float) -> float | None:
    """Seconds that are left for the audit; none where no clock runs."""
    return None if budget.seconds is None else max(0.0, budget.seconds - used)
