"""The portfolio at work: it goes from round to round, tells of each, and stops when asked to."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from evomask.errors import RunError
from evomask.evolution.stopping import Budget
from evomask.execution.evaluator import Evaluator, Evaluators, GivenUpError, Patient
from evomask.execution.local import InProcess, Local
from evomask.portfolio.front import DECIMALS, Candidate, usual
from evomask.portfolio.portfolio import Portfolio
from evomask.portfolio.requests import Request
from evomask.portfolio.sample import RATIO
from evomask.portfolio.state import PortfolioState, share_used, shares
from evomask.portfolio.worker import Maker
from evomask.record.recording import GRID
from evomask.record.words import in_words, simple_name
from evomask.runs.kept.deadline import Deadline, about, kept_for_the_end
from evomask.runs.kept.events import Events, Phase, PointNews, Tried, Turn
from evomask.runs.kept.journal import Journal
from evomask.runs.kept.prolonging import GIVEN_UP, SEARCHING
from evomask.runs.kept.stopping import StopRequest, interrupts_as_such

Keep = Callable[[PortfolioState], None]

OVERDUE, OVERDUE_SECONDS = 0.03, 1.0
"""Share of the budget, and seconds besides, by which a turn may be late before it is given up."""

COMPARED = 20
"""Points whose tables and models will have to be compared, as far as one can tell beforehand."""

MADE = 1.5
"""What making and measuring a file takes, where measuring the original takes 1."""

TRIED = 2.0
"""What trying a recipe on a sample takes, as a multiple of the sample's share of the records."""


@dataclass(frozen=True, eq=False)
class Exploration:
    """All that a portfolio needs around it to search one file.

    Args:
        budget: of the whole run; under one of seconds the search has a share of it.
        journal: keeps the time of every round; a resumed search takes it from there.
        stop: looked at after every round.
        compares: whether tables and models of all points are compared in the end.
    """

    maker: Maker
    budget: Budget
    journal: Journal
    events: Events
    stop: StopRequest
    evaluators: Evaluators = field(default_factory=Local)
    compares: bool = False

    def explore(self, state: PortfolioState, keep: Keep = lambda _: None) -> PortfolioState:
        """Go on from a state until the budget is used up or someone wants it to stop.

        Args:
            keep: gets every state.
        """
        self.events.begin(Phase.SEARCHING, self._outlook())
        now = state
        try:
            with interrupts_as_such(), self.evaluators(self.maker) as work:
                self.journal.start()
                portfolio, _ = self._portfolio(work), self.deadline
                if isinstance(work, Patient):
                    work.patience = lambda: self._patience(now)
                for after in portfolio.states(state) if not self._is_given_up(state) else ():
                    before, now = now, after
                    keep(now)
                    self._tell(before, now)
                    if (self.stop.is_asked and now.front) or self._is_given_up(now):
                        break
        except KeyboardInterrupt:
            if not now.front:
                raise
        except GivenUpError:
            self.journal.note(GIVEN_UP, now.generation + 1)
        if not now.front:
            reasons = "; ".join(f"{name}: {why}" for name, why in now.closed.items())
            raise RunError(f"no file could be made that fulfils what is required ({reasons})")
        return now

    def is_unfinished(self, state: PortfolioState) -> bool:
        """Whether there is something left to try, and a budget for it."""
        if self._is_given_up(state):
            return False
        return self._portfolio(InProcess(self.maker)).next_turn(state) is not None

    @cached_property
    def deadline(self) -> Deadline | None:
        """When all must be written, from the moment that this is asked first."""
        if self.budget.seconds is None:
            return None
        search = max(0.0, (self._limits.seconds or 0.0) - self.journal.seconds)
        ends = self.events.elapsed + search + self._ending
        return Deadline(lambda: self.events.elapsed, ends, self._measuring)

    def _patience(self, state: PortfolioState) -> float | None:
        """Seconds after which a turn is given up: there is a front, and its end is overdue."""
        if self.deadline is None or not state.front:
            return None
        late = OVERDUE * (self.budget.seconds or 0.0) + OVERDUE_SECONDS
        return max(0.1, self.deadline.ends - self._ending - self.events.elapsed + late)

    def _is_given_up(self, state: PortfolioState) -> bool:
        """Whether the turn after a state was given up when the time was over."""
        return self.journal.notes.get(GIVEN_UP) == state.generation + 1

    @property
    def _limits(self) -> Budget:
        """What the search may spend: what is left of the seconds but for what comes after it."""
        if self.budget.seconds is None:
            return self.budget
        left = self.budget.seconds - self._ending
        seconds = self.journal.decide(SEARCHING, lambda: max(0.0, left - self.events.elapsed))
        return replace(self.budget, seconds=seconds)

    @property
    def _ending(self) -> float:
        compared = COMPARED if self.compares else 0
        return kept_for_the_end(self.budget.seconds or 0.0, self._measuring, compared)

    @property
    def _measuring(self) -> float:
        """Seconds that measuring the original takes here."""
        return self.journal.decide("measuring", self._measured)

    def _measured(self) -> float:
        began = self.events.elapsed
        _ = self.maker.original
        return self.events.elapsed - began

    def _outlook(self) -> str:
        """About how many files there is time for."""
        if self.budget.seconds is None:
            return ""
        seconds = max(0.0, self.budget.seconds - self._ending - self.events.elapsed)
        files = self.evaluators.workers * seconds / max(1e-9, MADE * self._measuring)
        if self.maker.small is None:
            return f"searching for {seconds:.0f} s, {about(files)}"
        sample = len(self.maker.small.table)
        each = RATIO * TRIED * sample / len(self.maker.table)
        whole = files / (1.0 + each)
        trials = f"{about(RATIO * whole)} on a sample of {sample:,} records"
        return f"searching for {seconds:.0f} s, {trials} and {about(whole)} on the whole"

    def _portfolio(self, work: Evaluator[Request, Any]) -> Portfolio:
        return Portfolio(self.maker, self._limits, self.journal, work, self.evaluators.workers)

    def _seconds(self, state: PortfolioState) -> float:
        return self.journal.time_at(state)

    def _tell(self, before: PortfolioState, after: PortfolioState) -> None:
        if not after.front:
            return
        seconds = self._seconds(after)
        share = share_used(self._limits, after, seconds)
        new = len(after.candidates) - len(before.candidates)
        self.events.tell(
            Turn(
                after.generation,
                after.summary.member,
                len(after.candidates),
                share,
                seconds,
                max(0.0, seconds * (1.0 / max(share, 1e-9) - 1.0)),
                shares(after),
                usual(after.front).point,
                tuple(map(_news, after.front)) if after.front != before.front else None,
                tuple(map(_tried, after.candidates.last(new))),
                self.maker.original.risk if not before.rounds else None,
            )
        )


def _tried(candidate: Candidate) -> Tried:
    """A measured file in short, at the precision that people see."""
    simple = simple_name(candidate.making) if candidate.search == GRID else ""
    return Tried(round(candidate.loss, DECIMALS), round(candidate.risk, DECIMALS), simple)


def _news(candidate: Candidate) -> PointNews:
    return PointNews(
        candidate.point,
        candidate.search,
        in_words(candidate.making),
        candidate.loss,
        candidate.risk,
        candidate.making,
        candidate.number,
    )
