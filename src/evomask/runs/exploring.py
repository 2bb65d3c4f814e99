"""The portfolio at work: it goes from round to round, tells of each, and stops when asked to."""

from collections.abc import Callable
from dataclasses import dataclass, field

from evomask.errors import RunError
from evomask.evolution.stopping import Budget
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local
from evomask.portfolio.front import Candidate, usual
from evomask.portfolio.portfolio import Portfolio
from evomask.portfolio.state import PortfolioState, share_used, shares
from evomask.portfolio.worker import Maker
from evomask.record.words import in_words
from evomask.runs.kept.events import Events, Phase, PointNews, Turn
from evomask.runs.kept.journal import Journal
from evomask.runs.kept.stopping import StopRequest

Keep = Callable[[PortfolioState], None]


@dataclass(frozen=True, eq=False)
class Exploration:
    """All that a portfolio needs around it to search one file.

    Args:
        journal: keeps the time of every round; a resumed search takes it from there.
        stop: looked at after every round.
    """

    maker: Maker
    budget: Budget
    journal: Journal
    events: Events
    stop: StopRequest
    evaluators: Evaluators = field(default_factory=Local)

    def explore(self, state: PortfolioState, keep: Keep = lambda _: None) -> PortfolioState:
        """Go on from a state until the budget is used up or someone wants it to stop.

        Args:
            keep: gets every state.
        """
        self.events.begin(Phase.SEARCHING)
        now = state
        try:
            with self.evaluators(self.maker) as work:
                self.journal.start()
                portfolio = Portfolio(
                    self.maker, self.budget, self.journal, work, self.evaluators.workers
                )
                for after in portfolio.states(state):
                    before, now = now, after
                    keep(now)
                    self._tell(before, now)
                    if self.stop.is_asked and now.front:
                        break
        except KeyboardInterrupt:
            if not now.front:
                raise
        if not now.front:
            reasons = "; ".join(f"{name}: {why}" for name, why in now.closed.items())
            raise RunError(f"no file could be made that fulfils what is required ({reasons})")
        return now

    def is_unfinished(self, state: PortfolioState) -> bool:
        """Whether there is something left to try, and a budget for it."""
        some_left = len(state.closed) < len(self.maker.settings.members)
        return some_left and share_used(self.budget, state, self._seconds(state)) < 1.0

    def _seconds(self, state: PortfolioState) -> float:
        return self.journal.time_at(state)

    def _tell(self, before: PortfolioState, after: PortfolioState) -> None:
        if not after.front:
            return
        seconds = self._seconds(after)
        share = share_used(self.budget, after, seconds)
        self.events.tell(
            Turn(
                after.generation,
                after.summary.member,
                len(after.candidates),
                share,
                seconds,
                max(0.0, seconds * (1.0 / max(share, 1e-9) - 1.0)),
                shares(after),
                usual(after.front).number,
                tuple(map(_news, after.front)) if after.front != before.front else None,
            )
        )


def _news(candidate: Candidate) -> PointNews:
    return PointNews(
        candidate.number,
        candidate.search,
        in_words(candidate.making),
        candidate.loss,
        candidate.risk,
        candidate.making,
    )
