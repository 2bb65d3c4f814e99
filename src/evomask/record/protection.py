"""A protection before anything of it is released: what was found, and what is known of it."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from evomask.data.table import Table
from evomask.measures.attacks.audit import Audit
from evomask.measures.keeping.keeping import Kept
from evomask.portfolio.front import (
    UNBOUNDED,
    USUAL_RISK,
    Bounds,
    Candidate,
    pick,
    suggested,
    within,
)
from evomask.portfolio.state import PortfolioState, shares
from evomask.portfolio.worker import Maker
from evomask.record.comparison import changed_again

SUGGESTED = (
    f"the suggested point: the smallest loss with a risk of at most {USUAL_RISK:g} %, or the "
    "smallest risk where no point has so little"
)

REASONS = {
    "best": SUGGESTED,
    "suggested": SUGGESTED,
    "balanced": "the balanced point: the larger of loss and risk is the smallest found, to a "
    "tenth of a percent",
    "knee": "the knee: beyond it, a little less of one costs much of the other",
    "sum": "loss and risk add up to the smallest sum found",
}
"""Why a wish chooses its point."""


@dataclass(frozen=True)
class Finding:
    """What is known of one point of the front besides its loss and risk.

    Args:
        measures: every measure that applies, by name.
        audit: privacy models and record risk; also attacks, where there was time for them.
        repaired: percent of the masked cells that were changed again to fulfil what is
            required and to obey the edit rules; none where nobody looked.
        file: the fingerprint of the masked file that all this was found of.
    """

    measures: dict[str, float]
    audit: Audit
    repaired: float | None = None
    file: str = ""

    @property
    def guarantees(self) -> dict[str, float]:
        """k, and l and t where there is a confidential attribute, as the file has them."""
        reached = {"k": self.audit.k, "l": self.audit.l, "t": self.audit.t}
        return {name: float(value) for name, value in reached.items() if value is not None}


def fingerprint(masked: Table) -> str:
    """A hash of all cells of a masked file, by which what was found of it is known to be its."""
    hashed = hashlib.sha256(masked.suppressed.tobytes())
    for name in masked.schema.names:
        hashed.update(name.encode())
        hashed.update("\0".join(masked.labels(name)).encode())
        hashed.update(masked[name].tobytes())
    return hashed.hexdigest()


@dataclass(frozen=True, eq=False)
class PointFile:
    """The masked file of a point, its records in the original's order.

    Args:
        repaired: percent of each attribute's cells that were changed again, after masking, to
            fulfil what is required.
    """

    masked: Table = field(repr=False)
    repaired: Mapping[str, float]


Files: TypeAlias = Callable[[int], PointFile]
"""The file of each point of a front, by its number."""


def point_file(maker: Maker, state: PortfolioState, number: int) -> PointFile:
    """Make the file of a point of the front again; the same whenever it is made."""
    (candidate,) = (point for point in state.front if point.number == number)
    before = maker.decoded(candidate.member, state.genomes[number])
    masked = maker.releasable(before)
    names = maker.table.schema.quasi_identifiers
    return PointFile(masked, changed_again(before, masked, names))


class Effort(NamedTuple):
    """What a member of the portfolio did.

    Args:
        seconds: how long its turns took.
        files: how many were made and measured on the whole file.
        bred: children.
        trials: files that were made and measured on the sample of a large file.
    """

    seconds: float = 0.0
    files: int = 0
    bred: int = 0
    trials: int = 0


@dataclass(frozen=True)
class Choice:
    """A point of the front to release, and why this one, in words."""

    candidate: Candidate
    reason: str


def choice_of(wish: str, state: PortfolioState, bounds: Bounds = UNBOUNDED) -> Choice:
    """The point of a run's front that a user wants within bounds, and why it is this one."""
    return choice_from(wish, state.front, bounds)


def choice_from(wish: str, front: Sequence[Candidate], bounds: Bounds = UNBOUNDED) -> Choice:
    """The point of a front that a user wants within bounds, and why it is this one."""
    allowed = within(front, bounds)
    return Choice(pick(allowed, wish, suggested(allowed, bounds)), reason_for(wish, bounds))


def reason_for(wish: str, bounds: Bounds = UNBOUNDED) -> str:
    """Why a point is chosen, in words."""
    least = {"risk": "loss", "loss": "risk"}
    bounded = [name for name in least if name in bounds.given]
    if wish in ("best", "suggested") and len(bounded) == 1:
        return f"the smallest {least[bounded[0]]} among points with {bounds}"
    if wish in ("best", "suggested") and bounded:
        wish = "balanced"
    among = f", among points with {bounds}" if bounds.given else ""
    return f"{_reason_without_bounds(wish)}{among}"


def _reason_without_bounds(wish: str) -> str:
    measure, _, limit = wish.removeprefix("max-").partition("=")
    if measure in ("risk", "loss"):
        other = "loss" if measure == "risk" else "risk"
        return f"the smallest {other} among points with a {measure} of at most {limit} %"
    return REASONS.get(wish, "the point that was named")


@dataclass(frozen=True, eq=False)
class Protection:
    """A finished search for protections of one file.

    Args:
        maker: where files are made; it knows the original, what is required and who took part.
        clocked: whether it was bound by time rather than by evaluations.
        state: the last one, with every candidate and the front.
        times: seconds used at the end of each round.
        files: makes the file of a point; whoever gives it may keep what it made.
        original: the original file as a candidate.
        findings: what is known of points besides loss and risk, by number; the original has -1.
        unfinished: whether it was stopped before its budget was used up.
        kept: statistics that must survive, where some were named.
        phases: seconds that each phase took, where the run was bound by time.
        baselines: what could be released instead, in words, where somebody asked for it; their
            files are gone.
    """

    maker: Maker = field(repr=False)
    clocked: bool
    state: PortfolioState = field(repr=False)
    times: tuple[float, ...]
    files: Files = field(repr=False)
    original: Candidate
    findings: Mapping[int, Finding]
    notes: tuple[str, ...] = ()
    unfinished: bool = False
    kept: Kept | None = field(default=None, repr=False)
    phases: Mapping[str, float] = field(default_factory=dict)
    baselines: Mapping[str, Candidate] = field(default_factory=dict)

    @property
    def front(self) -> tuple[Candidate, ...]:
        """The masked files that no other one beats in both loss and risk."""
        return self.state.front

    @property
    def table(self) -> Table:
        """The file that is protected."""
        return self.maker.table

    @property
    def seconds(self) -> float:
        """How long the search took."""
        return self.times[-1] if self.times else 0.0

    @property
    def shares(self) -> dict[str, float]:
        """The part of the effort that each member had, in percent."""
        if not self.clocked:
            return shares(self.state)
        return shares(self.state, dict(enumerate(self._took)))

    @property
    def efforts(self) -> dict[str, "Effort"]:
        """What each member of the portfolio did, and how long it took."""
        found: dict[str, Effort] = {}
        for row, seconds in zip(self.state.rounds, self._took, strict=True):
            before = found.get(row.member, Effort())
            found[row.member] = Effort(
                before.seconds + seconds,
                before.files + row.files,
                before.bred + row.bred,
                before.trials + row.trials,
            )
        return found

    @property
    def _took(self) -> list[float]:
        took: list[float] = np.diff(self.times, prepend=0.0).tolist()
        return took
