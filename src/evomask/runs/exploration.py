"""The engine within the budget of a run: events, snapshots, stop requests and the deadline."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from evomask.engine.engine import Engine
from evomask.engine.evaluation import EvaluationContext, Request, Timed
from evomask.engine.front import (
    DECIMALS,
    DESIGN,
    UNBOUNDED,
    Bounds,
    FrontPoint,
)
from evomask.engine.offers import likely
from evomask.engine.state import EngineState, share_used, shares
from evomask.errors import RunError
from evomask.evolution.stopping import Budget
from evomask.execution.evaluator import Evaluators, StreamingEvaluator
from evomask.execution.local import InProcess, Local
from evomask.report.describe import describe_provenance, risk_parts, simple_name
from evomask.runs.front_evaluation import Rehearsal
from evomask.runs.store.journal import (
    CandidateScore,
    EventDispatcher,
    Journal,
    Phase,
    PointUpdate,
    RoundFinished,
)
from evomask.runs.store.run_control import (
    MOST_ATTACKS,
    REHEARSAL_SHARE,
    Deadline,
    StopRequest,
    seconds_after_search,
    unwrap_interrupts,
)
from evomask.runs.store.run_folder import (
    SEARCH_SECONDS,
)

COMPARED = 20
"""Expected number of points whose analyses are compared in the end."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Exploration:
    """Runs the engine within a budget, with events, snapshots and stop requests.

    Args:
        budget: of the whole run; under a budget of seconds the search has a share of it.
        bounds: limits of the released point, at which the search aims.
        journal: clock of the search; a resumed search continues it.
        stop: checked after every block of outcomes.
        compares: whether analyses of all points are compared in the end.
    """

    context: EvaluationContext
    budget: Budget
    journal: Journal
    events: EventDispatcher
    stop: StopRequest
    bounds: Bounds = UNBOUNDED
    evaluators: Evaluators = field(default_factory=Local)
    compares: bool = False
    _rehearsals: list[Rehearsal] = field(default_factory=list, init=False)
    _ended: list[bool] = field(default_factory=list, init=False)

    def explore(
        self, state: EngineState, keep: Callable[[EngineState], None] = lambda _: None
    ) -> EngineState:
        """Continue from a state until the budget is used up or a stop is requested.

        Args:
            keep: callback with every state.
        """
        self.events.begin(Phase.SEARCHING, self._outlook())
        now = state
        try:
            with (
                unwrap_interrupts(),
                self.evaluators(self.context) as work,
                self.context.compile_others(),
            ):
                self.journal.start()
                engine, _ = self._engine(work), self.deadline
                for after in engine.states(state):
                    before, now = now, after
                    keep(now)
                    self._report(before, now)
                    if self.stop.is_asked and now.front:
                        break
                else:
                    self._ended.append(True)
        except KeyboardInterrupt:
            if not now.front:
                raise
        if not now.front:
            reasons = "; ".join(list(now.refusals)[:MOST_REASONS])
            raise RunError(f"no candidate meets the requirement ({reasons})")
        return now

    def is_unfinished(self, state: EngineState) -> bool:
        """Whether candidates and budget are left; a search that ended by itself leaves none."""
        return not self._ended and self._engine(InProcess(self.context)).can_continue(state)

    @cached_property
    def deadline(self) -> Deadline | None:
        """Time limit for the whole run, fixed when this is read first."""
        if self.budget.seconds is None:
            return None
        search = max(0.0, (self._limits.seconds or 0.0) - self.journal.seconds)
        ends = self.events.elapsed + search + self._reserve
        measuring, attacks = self._evaluation_seconds, self._attack_seconds
        known = dict(self._rehearsed.seconds) if self._rehearsed else {}
        return Deadline(lambda: self.events.elapsed, ends, measuring, attacks, known)

    @property
    def _limits(self) -> Budget:
        """Budget of the search: the seconds without the reserve for what follows."""
        if self.budget.seconds is None:
            return self.budget
        left = self.budget.seconds - self._reserve
        seconds = self.journal.decide(SEARCH_SECONDS, lambda: max(0.0, left - self.events.elapsed))
        return replace(self.budget, seconds=seconds)

    @property
    def _reserve(self) -> float:
        """Seconds reserved for the evaluation of the front and the release."""
        compared = COMPARED if self.compares else 0
        return seconds_after_search(
            self.budget.seconds or 0.0, self._evaluation_seconds, compared, self._attack_seconds
        )

    @property
    def _attack_seconds(self) -> float:
        """Seconds that attacks on one file take, measured on the original before the search."""

        def measure() -> float:
            most = REHEARSAL_SHARE * (self.budget.seconds or 0.0)
            self._rehearsals.append(
                Rehearsal.of(self.context.table, lambda: self.events.elapsed, most)
            )
            return min(self._rehearsals[0].total, MOST_ATTACKS * (self.budget.seconds or 0.0))

        return self.journal.decide("attacks", measure)

    @property
    def _rehearsed(self) -> Rehearsal | None:
        return next(iter(self._rehearsals), None)

    @property
    def _evaluation_seconds(self) -> float:
        """Seconds of the evaluation of the original, measured once."""

        def measure() -> float:
            began = self.events.elapsed
            _ = self.context.original
            return self.events.elapsed - began

        return self.journal.decide("measuring", measure)

    def _outlook(self) -> str:
        """Time of the search and fidelities, in words."""
        sizes = [f"{one.records:,}" for one in self.context.fidelities]
        on = f"candidates on {' and '.join(sizes[:-1])} of {sizes[-1]} records, the best on all"
        what = on if len(sizes) > 1 else f"candidates on all {sizes[-1]} records"
        if self.budget.seconds is None:
            return what
        seconds = max(0.0, self.budget.seconds - self._reserve - self.events.elapsed)
        return f"searching for {seconds:.0f} s: {what}"

    def _engine(self, work: StreamingEvaluator[Request, Timed]) -> Engine:
        limit = self.bounds.largest_risk
        risk = self.bounds.most_risk if limit is None else limit
        workers = self.evaluators.workers
        return Engine(self.context, self._limits, self.journal, work, workers, risk)

    def _report(self, before: EngineState, after: EngineState) -> None:
        """Publish the progress after a block of outcomes."""
        if not after.front:
            return
        seconds = self.journal.time_at(after)
        share = share_used(self._limits, after, seconds)
        new = len(after.candidates) - len(before.candidates)
        is_new_front = after.front != before.front
        found = Counter(point.search for point in after.front)
        self.events.tell(
            RoundFinished(
                round=after.generation,
                member=max(found, key=lambda name: (found[name], name)),
                files=after.trials + len(after.candidates),
                share=share,
                seconds=seconds,
                left=max(0.0, seconds * (1.0 / max(share, 1e-9) - 1.0)),
                shares=shares(after),
                suggested=likely(after.front, self.bounds).point,
                front=tuple(map(_news, after.front)) if is_new_front else None,
                tried=tuple(map(_tried, after.candidates.last(new) if new else ())),
                before=self.context.original.risk if not before.front else None,
            )
        )


MOST_REASONS = 3
"""Reasons that are named where no candidate could be made."""


def _tried(point: FrontPoint) -> CandidateScore:
    simple = simple_name(point.making) if point.search == DESIGN else ""
    return CandidateScore(round(point.loss, DECIMALS), round(point.risk, DECIMALS), simple)


def _news(point: FrontPoint) -> PointUpdate:
    return PointUpdate(
        point=point.point,
        search=point.search,
        method=describe_provenance(point.making),
        loss=point.loss,
        risk=point.risk,
        making=point.making,
        file=point.number,
        parts={name: part.percent for name, part in risk_parts(point).items()},
        scenario=point.assessment.worst.scenario if point.assessment else "",
    )
