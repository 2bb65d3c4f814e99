"""Evaluation of front points beyond loss and risk: measures, privacy models, held-out attacks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path

import msgspec
import numpy as np

from evomask.data.schema import UNITS, Role
from evomask.data.table import Table
from evomask.engine.evaluation import EvaluationContext
from evomask.engine.front import ORIGINAL, FrontPoint
from evomask.engine.specialists import left_out
from evomask.engine.state import EngineState, note_on_budget
from evomask.evolution.stopping import Budget
from evomask.measures.analyses.analyses import PreparedAnalyses
from evomask.measures.attacks.audit import audit
from evomask.measures.catalogue import applicable_measures
from evomask.measures.disclosure.risk import RiskAssessment
from evomask.measures.loss.similarity import subgroups
from evomask.measures.measure import Measure
from evomask.measures.targets import SEARCH_TARGETS
from evomask.report.describe import complete_provenance, synthesis_notes
from evomask.report.protection import (
    Choice,
    MaskedPoint,
    PointEvaluation,
    PointLoader,
    Protection,
    fingerprint,
    point_file,
)
from evomask.runs.start import note_on_start
from evomask.runs.store.journal import EventDispatcher, Phase, PointChecked
from evomask.runs.store.preserved_analyses import comparison_note
from evomask.runs.store.run_control import CHOICE_COST, Deadline
from evomask.searches.base import SearchInput

FINDINGS = "findings.json"
SLOW = ("prl-one-to-one",)
FEW = 1000
"""Records above which slow measures are omitted."""

ATTACKED = 2
"""Number of points that are attacked without a time budget, including the chosen one."""

MOST_SUPPRESSED = 0.5
"""Share of suppressed cells of an attribute from which on a note says so."""

MOST_GROUPS = 3
"""Notes on groups of records that lose far more than all others."""

JUDGED, POINT = "judging", "looking closely"
LONG = {"prl": 8.0, "rsrl": 2.0, "inference": 0.5, "dbrl": 0.4, "dld": 0.4, "id": 0.3}
"""Duration of measures that may be omitted, relative to the evaluation of the original."""

MOST_REFINED = 8
"""Largest number of points whose risk is assessed again until the choice is stable."""


@dataclass(eq=False)
class Rehearsal:
    """Attacks on a sample of the original before a search: how long those on one file take.

    Args:
        most: seconds after which no further attack begins.
        scale: records of the file for each record of the sample.
        seconds: of one attack of each kind; *total* of all.
    """

    elapsed: Callable[[], float]
    most: float
    scale: float = 1.0
    seconds: dict[str, float] = field(default_factory=dict)
    total: float = 0.0

    @classmethod
    def of(cls, original: Table, elapsed: Callable[[], float], most: float) -> "Rehearsal":
        """Attack a sample of the original while the seconds last; times are of the whole file."""
        size = min(len(original), REHEARSED)
        sample = original.take(np.linspace(0, len(original) - 1, size).astype(np.int64))
        done = cls(elapsed, most, len(original) / max(1, size))
        audit(sample, sample, in_order=True, clock=done)
        return done

    def allows(self, _kind: str) -> bool:
        return self.total / self.scale < self.most

    @contextmanager
    def timing(self, kind: str) -> Iterator[None]:
        began = self.elapsed()
        yield
        took = (self.elapsed() - began) * self.scale
        self.seconds[kind] = max(self.seconds.get(kind, 0.0), took)
        self.total += took


REHEARSED = 1_000
"""Records of the sample that is attacked before the search."""


def findings(
    points: Sequence[FrontPoint],
    original: Table,
    files: PointLoader,
    known: Mapping[int, PointEvaluation],
    deadline: Deadline | None,
    *,
    attack: bool = True,
    each: Callable[[int], None] = lambda _: None,
    unmasked: Mapping[str, float] | None = None,
) -> dict[int, PointEvaluation]:
    """Evaluate points, the first in any case, the others while time allows.

    Args:
        points: the most important first.
        files: makes the file of a point.
        known: earlier findings, by number of the point.
        deadline: time limit; without one all points are evaluated.
        attack: whether points are attacked, without a deadline only the first few; where they are
            not, the search was stopped, and only the first point is evaluated.
        each: callback with the number of each point that was evaluated.
        unmasked: success of attacks on the original, as far as known.
    """
    found = {ORIGINAL: PointEvaluation({}, audit(original, clock=deadline))}
    examiner = _Examiner(original, deadline, dict(unmasked or {}))
    for place, point in enumerate(points):
        is_late = place > 0 and not (attack and (deadline is None or deadline.allows(POINT)))
        is_attacked = attack and not is_late and (place < ATTACKED or deadline is not None)
        before = known.get(point.number)
        if before and place == 0 and before.file != fingerprint(files(point.number).masked):
            before = None
        if before and (before.audit.attacks or not is_attacked):
            found[point.number] = before
        elif not is_late:
            found[point.number] = examiner.examine(files(point.number), attack=is_attacked)
            each(point.number)
    return found


def read_findings(folder: Path) -> dict[int, PointEvaluation]:
    """Load the findings of a run folder; empty where they cannot be read."""
    try:
        return msgspec.json.decode(
            (folder / FINDINGS).read_bytes(), type=dict[int, PointEvaluation]
        )
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def encode_findings(found: Mapping[int, PointEvaluation]) -> bytes:
    """Encode findings as JSON."""
    return msgspec.json.encode(dict(found))


@dataclass(frozen=True, eq=False)
class _Examiner:
    """Evaluates single files while time allows.

    Args:
        unmasked: success of attacks on the original, by name.
    """

    original: Table
    deadline: Deadline | None
    unmasked: dict[str, float] = field(default_factory=dict)

    def examine(self, file: MaskedPoint, *, attack: bool) -> PointEvaluation:
        """Compute measures and privacy models, and attack the file; long measures come last."""
        with self.deadline.timing(POINT) if self.deadline else nullcontext():
            values = dict(self._measures(file, long=False))
            found = audit(
                file.masked,
                self.original if attack else None,
                in_order=True,
                unmasked=self.unmasked,
                clock=self.deadline,
            )
            values |= self._measures(file, long=True)
        values = {name: values[name] for name in measures_of(self.original) if name in values}
        shares = file.repaired.values()
        repaired = sum(shares) / len(shares)
        return PointEvaluation(values, replace(found, notes=()), repaired, fingerprint(file.masked))

    def _measures(self, file: MaskedPoint, *, long: bool) -> Iterator[tuple[str, float]]:
        for name, measure in measures_of(self.original).items():
            if (name in LONG) is not long:
                continue
            if self.deadline is None or not long:
                yield name, measure.against(self.original)(file.masked)
            elif self.deadline.allows(name, LONG[name]):
                with self.deadline.timing(name):
                    yield name, measure.against(self.original)(file.masked)


def measures_of(original: Table) -> dict[str, Measure]:
    """Measures that describe a masked file, by name."""
    measures = applicable_measures(
        original.schema, original.schema.quasi_identifiers, len(original)
    )
    few = len(original) <= FEW
    return {name: measure for name, measure in measures.items() if few or name not in SLOW}


def skipped(
    points: Sequence[FrontPoint], found: Mapping[int, PointEvaluation], table: Table
) -> str:
    """Return a sentence on evaluations omitted for lack of time; empty if there were none.

    Args:
        points: the chosen one first.
    """
    chosen = found[points[0].number]
    attacks = chosen.audit.skipped
    measures = [name for name in measures_of(table) if name not in chosen.measures]
    others = sum(
        not (point.number in found and found[point.number].audit.attacks) for point in points[1:]
    )
    parts = [
        f"attacks on the chosen file ({', '.join(attacks)})" if attacks else "",
        f"measures of it ({', '.join(measures)})" if measures else "",
        f"attacks on {others} of the {len(points) - 1} other points" if others else "",
    ]
    parts = [part for part in parts if part]
    if not parts:
        return ""
    start = NOT_ATTACKED if attacks and not chosen.audit.attacks else ""
    return f"{start}there was not enough time for {' and '.join(parts)}; increase the time budget"


NOT_ATTACKED = "the released file was not attacked, so do not call it safe: "


@dataclass(frozen=True)
class SearchOutcome:
    """Result of a search: its last state, and the time at the end of each round.

    Args:
        unfinished: whether candidates and budget are left.
        deadline: time limit for everything that follows; None where no clock runs.
        unmasked: success of attacks on the original, as far as known.
    """

    state: EngineState
    times: tuple[float, ...]
    unfinished: bool = False
    deadline: Deadline | None = None
    unmasked: Mapping[str, float] = field(default_factory=dict)


def refine_chosen_risk(
    context: EvaluationContext,
    outcome: SearchOutcome,
    choose: Callable[[EngineState], Choice],
) -> tuple[SearchOutcome, Choice]:
    """Assess the risk of the chosen point on more targets, and choose again until it is stable.

    The sample of targets of the search may underestimate the risk of the point that it selects.
    """
    state, deadline = outcome.state, outcome.deadline
    choice = choose(state)
    for _ in range(MOST_REFINED):
        if deadline is not None and not deadline.allows(JUDGED, beyond=CHOICE_COST, attacks=True):
            break
        point = choice.candidate
        if point.assessment is None or point.assessment.people > SEARCH_TARGETS:
            break
        with deadline.timing(JUDGED) if deadline else nullcontext():
            masked = point_file(context, state, point.number).masked
            twin = context.twin(point.member, state.genomes[point.number], masked)
            assessment = context.assess_risk(masked, twin)
        if assessment is None:
            break
        refined = replace(point, risk=assessment.risk, assessment=assessment)
        front = tuple(refined if p.number == point.number else p for p in state.front)
        state = replace(state, front=front)
        choice = choose(state)
    return replace(outcome, state=state), choice


def evaluate_front(
    context: EvaluationContext,
    budget: Budget,
    outcome: SearchOutcome,
    chosen: FrontPoint,
    known: Mapping[int, PointEvaluation],
    events: EventDispatcher,
    statistics: PreparedAnalyses | None = None,
) -> Protection:
    """Evaluate every point of the front (measures, privacy models, held-out attacks) in time.

    The chosen point is the first. After a search that was stopped no point is attacked, because
    its budget is not used up.
    """
    state = outcome.state
    files = cache(partial(point_file, context, state))
    others = sorted((p for p in state.front if p != chosen), key=lambda point: point.worst)
    points = [chosen, *others]
    events.begin(Phase.AUDITING, f"evaluating {len(points)} points of the front")
    done: list[int] = []

    def each(number: int) -> None:
        done.append(number)
        events.tell(PointChecked(number, len(done), len(points)))

    results = findings(
        points,
        context.table,
        files,
        known,
        outcome.deadline,
        attack=not outcome.unfinished,
        each=each,
        unmasked=outcome.unmasked,
    )
    front = tuple(completed(point, context, state, results) for point in state.front)
    names = context.table.schema.quasi_identifiers
    masked = files(chosen.number).masked
    groups = subgroups(context.table, masked, names)[:MOST_GROUPS]
    notes = (
        *_notes(context, state),
        *synthesis_notes(chosen.making, context.table.schema),
        *_lost_attributes(context.table, masked),
        *(group.sentence for group in groups),
    )
    if outcome.deadline and not outcome.unfinished:
        notes = (*notes, skipped(points, results, context.table))
    if statistics:
        notes = (*notes, comparison_note(front))
    return Protection(
        maker=context,
        clocked=budget.seconds is not None,
        state=replace(state, front=front),
        times=outcome.times,
        files=files,
        original=_original(context, chosen.errors, outcome.deadline),
        findings=results,
        notes=tuple(filter(None, notes)),
        unfinished=outcome.unfinished,
        kept=statistics,
    )


def unevaluated(context: EvaluationContext, budget: Budget, outcome: SearchOutcome) -> Protection:
    """Return a finished search of which nothing is released, without evaluations of its points."""
    return Protection(
        maker=context,
        clocked=budget.seconds is not None,
        state=outcome.state,
        times=outcome.times,
        files=cache(partial(point_file, context, outcome.state)),
        original=_original(context, (), outcome.deadline),
        findings={},
        notes=_notes(context, outcome.state),
        unfinished=outcome.unfinished,
    )


def _lost_attributes(original: Table, masked: Table) -> tuple[str, ...]:
    """Warn of attributes most cells of which are suppressed in a file."""
    before, size = original.suppressed_cells(), max(1, int(np.count_nonzero(~masked.suppressed)))
    shares = {
        name: (count - before.get(name, 0)) / size
        for name, count in masked.suppressed_cells().items()
    }
    return tuple(
        f"{name} is suppressed in {100 * share:.0f} % of the records; if it matters, choose "
        f"another point, or limit the error of an analysis that needs it (--keep-table {name})"
        for name, share in shares.items()
        if share > MOST_SUPPRESSED
    )


def completed(
    point: FrontPoint,
    context: EvaluationContext,
    state: EngineState,
    results: Mapping[int, PointEvaluation],
) -> FrontPoint:
    """Return a point with its complete provenance, and what enforcement changed if known."""
    finding = results.get(point.number)
    repaired = finding.repaired if finding else None
    return complete_provenance(point, state, repaired, context.settings.requirement)


def _original(
    context: EvaluationContext, errors: Iterable[str], deadline: Deadline | None
) -> FrontPoint:
    """The original as a point; its risk is assessed on more targets if time allows."""
    before = context.original
    assessment = before.assessment
    if deadline is None or deadline.allows(JUDGED, 1.0):
        rest = context.rest_of(context.table)
        assessment = context.assess_risk(context.table, rest) or before.assessment
    risk = assessment.risk if assessment else before.risk
    return unmasked_point(before.loss, risk, assessment, dict.fromkeys(errors, 0.0))


def unmasked_point(
    loss: float,
    risk: float,
    assessment: RiskAssessment | None,
    errors: Mapping[str, float] | None = None,
) -> FrontPoint:
    """Return a point for comparison that no search found: the original or a baseline."""
    return FrontPoint(
        number=ORIGINAL,
        loss=loss,
        risk=risk,
        search="",
        member="",
        operator="",
        assessment=assessment,
        errors=errors or {},
    )


def _notes(context: EvaluationContext, state: EngineState) -> tuple[str, ...]:
    """Notes for the user on what was left out or generated."""
    table, settings = context.table, context.settings
    hidden = table.schema.with_role(Role.IDENTIFIER, *UNITS)
    identifiers = [name for name in hidden if not table.schema[name].is_replaced]
    generated = [name for name in context.hierarchies if not table.schema[name].hierarchy]
    notes = [f"identifiers left out: {', '.join(identifiers)}"] if identifiers else []
    notes += context.guarantees.notes
    notes += left_out(
        SearchInput(table, settings.requirement, settings.profile, context.hierarchies)
    )
    notes += note_on_start(state)
    if state.refused:
        notes.append(f"{state.refused} candidates could not be made or repaired and were left out")
    searches = dict.fromkeys(one.search for one in settings.members.values())
    notes += note_on_budget(state, tuple(searches))
    if generated:
        names = f"{', '.join(generated[:8])}{' and others' if len(generated) > 8 else ''}"
        notes.append(
            f"automatic hierarchies were built for {names}; better ones can be named in the schema"
        )
    if state.trials:
        notes.append(
            f"{state.trials} candidates were evaluated on samples of "
            f"{' and '.join(f'{one.records:,}' for one in context.fidelities[:-1])} records, the "
            f"{len(state.candidates)} most promising ones on the whole file"
        )
    return tuple(notes)
