"""A finished search before release: front, evaluated points, choice of a point."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evomask.data.table import Table
from evomask.engine.evaluation import EvaluationContext
from evomask.engine.front import (
    UNBOUNDED,
    Bounds,
    FrontPoint,
    numbered,
    pick,
    within,
)
from evomask.engine.offers import suggested
from evomask.engine.state import Effort, EngineState, shares
from evomask.masking.missing import keep_missing
from evomask.measures.analyses.analyses import MEAN_ERROR, PreparedAnalyses
from evomask.measures.attacks.audit import Audit
from evomask.report.record import OfferNote
from evomask.types import Flags

PICK_REASONS = {
    "balanced": "the balanced point: the larger of loss and risk is the smallest found, to a "
    "tenth of a percent",
    "knee": "the knee: beyond it, a little less of one costs much of the other",
    "sum": "loss and risk add up to the smallest sum found",
}
"""Why each rule picks its point."""


@dataclass(frozen=True)
class PointEvaluation:
    """Evaluation of one point of the front beyond its loss and risk.

    Args:
        measures: all measures that apply, by name.
        audit: privacy models and record risk, and attacks if there was time for them.
        repaired: percent of the masked cells that enforcement changed; None if not counted.
        file: fingerprint of the evaluated masked file.
    """

    measures: dict[str, float]
    audit: Audit
    repaired: float | None = None
    file: str = ""

    @property
    def guarantees(self) -> dict[str, float]:
        """k, and l and t if there is a confidential attribute, as measured."""
        reached = {"k": self.audit.k, "l": self.audit.l, "t": self.audit.t}
        return {name: float(value) for name, value in reached.items() if value is not None}


def fingerprint(masked: Table) -> str:
    """Hash of all cells of a masked file, which identifies its evaluation."""
    hashed = hashlib.sha256(masked.suppressed.tobytes())
    for name in masked.schema.names:
        hashed.update(name.encode())
        hashed.update("\0".join(masked.labels(name)).encode())
        hashed.update(masked[name].tobytes())
    return hashed.hexdigest()


@dataclass(frozen=True, eq=False)
class MaskedPoint:
    """The masked file of a point, its records in the original's order.

    Args:
        repaired: percent of each attribute's cells that enforcement changed.
    """

    masked: Table = field(repr=False)
    repaired: Mapping[str, float]


PointLoader: TypeAlias = Callable[[int], MaskedPoint]
"""Returns the file of a point of a front, by its number."""


def point_file(maker: EvaluationContext, state: EngineState, number: int) -> MaskedPoint:
    """Create the file of a point of the front again; the result is deterministic."""
    (candidate,) = (point for point in state.front if point.number == number)
    before = keep_missing(maker.table, maker.decoded(candidate.member, state.genomes[number]))
    masked = maker.releasable(before)
    names = maker.table.schema.quasi_identifiers
    return MaskedPoint(masked, repaired_shares(before, masked, names))


def repaired_shares(before: Table, after: Table, names: Iterable[str]) -> dict[str, float]:
    """Percent of each attribute's cells that differ between two masked versions."""
    return {name: percent_of(_cells_differ(before, after, name)) for name in names}


def _cells_differ(before: Table, after: Table, name: str) -> Flags:
    if not (before.is_recoded(name) or after.is_recoded(name)):
        return changed_values(before, after, name)
    unlike: Flags = _cell_texts(before, name) != _cell_texts(after, name)
    return unlike


def _cell_texts(table: Table, name: str) -> NDArray[np.str_]:
    if not (table.is_recoded(name) or table.attribute(name).is_categorical):
        return table.values(name).astype(np.str_)
    written: NDArray[np.str_] = np.array(table.labels(name), dtype=np.str_)[table[name]]
    return written


def percent_of(flags: Flags) -> float:
    """Percentage of set flags, to two decimals."""
    return round(100.0 * float(flags.mean()), 2) if len(flags) else 0.0


def changed_values(before: Table, after: Table, name: str) -> Flags:
    """Cells that stand for a single value other than the original one."""
    value = before[name]
    masked = after.recoding(name).low[after[name]] if after.is_recoded(name) else after[name]
    both_missing = (value != value) & (masked != masked)  # noqa: PLR0124
    different: Flags = (value != masked) & ~both_missing
    return different


def with_files(state: EngineState, files: Iterable[int]) -> EngineState:
    """Return the state with further files on its front; those that cannot be made are left out."""
    numbers = {*files} - {point.number for point in state.front}
    more = [p for p in state.candidates if p.number in numbers and p.number in state.live]
    if not more:
        return state
    front = sorted((*state.front, *more), key=lambda point: (point.loss, point.risk, point.number))
    return replace(state, front=numbered(front))


def with_best_within(state: EngineState, bounds: Bounds) -> EngineState:
    """Add the least loss within bounds of the risk by scenario to the front, if it is missing.

    The front compares loss and the largest risk; a file that it beats may have less risk in one
    scenario.
    """
    within_all = [p for p in state.candidates if p.number in state.live and not bounds.excess(p)]
    if not bounds.risk_in or not within_all:
        return state
    best = min(within_all, key=lambda point: (point.loss, point.risk, point.number))
    if any(point.loss <= best.loss and not bounds.excess(point) for point in state.front):
        return state
    return with_files(state, [best.number])


@dataclass(frozen=True)
class Choice:
    """A point of the front to release, and the reason in words."""

    candidate: FrontPoint
    reason: str


def choose_point(wish: str, state: EngineState, bounds: Bounds = UNBOUNDED) -> Choice:
    """Choose a point of a run's front within bounds, with the reason."""
    return choose_from_front(wish, state.front, bounds)


def choose_from_front(wish: str, front: Sequence[FrontPoint], bounds: Bounds = UNBOUNDED) -> Choice:
    """Choose a point of a front within bounds, with the reason."""
    allowed = within(front, bounds)
    if wish in SUGGESTIONS:
        chosen = suggested(allowed, bounds)
        return Choice(chosen, f"the suggested point: {_suggestion(chosen, bounds)}")
    return Choice(pick(allowed, wish, allowed[0]), reason_for(wish, bounds))


SUGGESTIONS = ("best", "suggested")


def _suggestion(chosen: FrontPoint, bounds: Bounds) -> str:
    """Why a point is suggested."""
    beyond = bounds.above(chosen)
    if beyond:
        more = " and ".join(f"a {name} above {limit:g} %" for name, (_, limit) in beyond.items())
        return f"no point is within {bounds.in_words}, and {more} was accepted"
    if bounds.loss is None:
        least = "loss" if MEAN_ERROR not in chosen.objectives else "sum of loss and analysis error"
        return f"the smallest {least} within {bounds.in_words}"
    both = bounds.largest_risk is not None
    return f"{'the balanced point' if both else 'the smallest risk'} within {bounds.in_words}"


def is_by_number(rule: str) -> bool:
    """Whether a rule names a point or a file, which limits do not exclude."""
    return re.fullmatch(r"(file=)?\d+", rule) is not None


def reason_for(wish: str, bounds: Bounds = UNBOUNDED) -> str:
    """Why a rule picks its point, in words."""
    among = f", among points with {bounds}" if bounds.given else ""
    return f"{_reason_without_bounds(wish)}{among}"


def _reason_without_bounds(wish: str) -> str:
    measure, _, limit = wish.removeprefix("max-").partition("=")
    if measure in ("risk", "loss"):
        other = "loss" if measure == "risk" else "risk"
        return f"the smallest {other} among points with a {measure} of at most {limit} %"
    return PICK_REASONS.get(wish, "the point that was named")


@dataclass(frozen=True, eq=False)
class Protection:
    """A finished search for protected versions of one file.

    Args:
        maker: evaluation context: original, requirements and searches.
        clocked: whether it was bound by time rather than by evaluations.
        state: the last state, with every candidate and the front.
        times: seconds used at the end of each block of outcomes.
        files: creates the file of a point; may cache it.
        original: the original file as a candidate.
        findings: evaluations of points by number; the original has -1.
        unfinished: whether it was stopped before its budget was used up.
        kept: preserved analyses, if any were named.
        phases: seconds of each phase, if the run was bound by time.
        baselines: alternative releases by description, if requested; their files are not stored.
        offers: the front as three offers.
    """

    maker: EvaluationContext = field(repr=False)
    clocked: bool
    state: EngineState = field(repr=False)
    times: tuple[float, ...]
    files: PointLoader = field(repr=False)
    original: FrontPoint
    findings: Mapping[int, PointEvaluation]
    notes: tuple[str, ...] = ()
    unfinished: bool = False
    kept: PreparedAnalyses | None = field(default=None, repr=False)
    phases: Mapping[str, float] = field(default_factory=dict)
    baselines: Mapping[str, FrontPoint] = field(default_factory=dict)
    offers: tuple[OfferNote, ...] = ()

    @property
    def front(self) -> tuple[FrontPoint, ...]:
        """Candidates that no other one beats in both loss and risk."""
        return self.state.front

    @property
    def table(self) -> Table:
        return self.maker.table

    @property
    def seconds(self) -> float:
        return self.times[-1] if self.times else 0.0

    @property
    def shares(self) -> dict[str, float]:
        """Share of the effort of each search, in percent."""
        return shares(self.state)

    @property
    def efforts(self) -> Mapping[str, Effort]:
        """Effort of each search; costs are seconds if the run was bound by time."""
        return self.state.efforts
