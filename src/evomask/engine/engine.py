"""The main search: recipes of masking methods evolve, and other searches refine them.

Proposals are made ahead of the outcomes by a fixed number, the lag: proposal i depends on the
outcomes of all proposals before i minus lag. Workers take the next proposal as they become free,
and outcomes are merged in the order of the proposals. So results do not depend on the number of
workers, and none of them waits for a generation to end. Under a budget of evaluations nothing
reads the clock; under one of seconds, costs are measured and the run ends in time.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from evomask.engine.evaluation import EvaluationContext, Request, Timed
from evomask.engine.front import DEFAULT_RELEASE, RELEASE_TYPES
from evomask.engine.outcomes import Merger
from evomask.engine.proposals import Proposer
from evomask.engine.state import EngineState, share_used
from evomask.evolution.stopping import Budget
from evomask.execution.evaluator import GivenUpError, Pending, StreamingEvaluator

BLOCK = 8
"""Outcomes between two records of the progress."""

BLOCK_SECONDS = 0.5
"""Seconds after which the progress is recorded, under a budget of seconds."""

LAG, LEAST_LAG_SHARE = 64, 0.1
"""Proposals ahead of the outcomes, and the largest share of a budget of evaluations."""

FIRST_LAG = 4
"""Proposals ahead of the very first outcomes."""

OVERDUE = 1.0
"""Seconds after the end of the budget at which a task is aborted."""


class Clock(Protocol):
    """Time of a run; a resumed run continues it."""

    @property
    def elapsed(self) -> float:
        """Seconds used so far."""
        ...

    def tell(self, after: EngineState) -> None:
        """Record the end of a block."""
        ...

    def time_at(self, state: EngineState) -> float:
        """Seconds used when the last block of a state ended."""
        ...


def lag_for(budget: Budget) -> int:
    """Number of proposals ahead of the outcomes: few if only few evaluations are allowed."""
    if budget.evaluations is None:
        return LAG
    return max(1, min(LAG, int(LEAST_LAG_SHARE * budget.evaluations)))


@dataclass(frozen=True)
class Engine:
    """Searches for protected versions of one file.

    Args:
        work: evaluator that carries out tasks, *workers* in parallel.
        risk: largest risk that the user accepts, in percent.
    """

    context: EvaluationContext
    budget: Budget
    clock: Clock
    work: StreamingEvaluator[Request, Timed]
    workers: int = 1
    risk: float = RELEASE_TYPES[DEFAULT_RELEASE]

    @cached_property
    def proposer(self) -> Proposer:
        return Proposer(self.context, self.risk)

    @cached_property
    def _merger(self) -> Merger:
        return Merger(self.context, self.proposer, self.budget.seconds is not None)

    def states(self, state: EngineState) -> Iterator[EngineState]:
        """Yield the state after each block of outcomes, until the budget is used up."""
        waiting: deque[Pending[Timed]] = deque()
        for place, proposal in enumerate(state.pending, state.issued - len(state.pending)):
            waiting.append(self.work.submit(self.proposer.request(state, proposal), place))
        state = self._fill(state, waiting)
        block, began = 0, self.clock.elapsed
        while waiting and not self._is_over(state):
            try:
                timed = waiting.popleft().result(self._patience(state))
            except GivenUpError:
                break
            state = self._fill(self._merger.merge(state, timed), waiting)
            block += 1
            if self._ends_block(block, began):
                state = self._with_round(state)
                block, began = 0, self.clock.elapsed
                yield state
        if block:
            yield self._with_round(state)

    def used(self, state: EngineState) -> float:
        """Share of the budget that is used."""
        seconds = self.clock.elapsed if self.budget.seconds is not None else 0.0
        return share_used(self.budget, state, seconds)

    def can_continue(self, state: EngineState) -> bool:
        """Whether budget and proposals are left."""
        if state.front and self.used(state) >= 1.0:
            return False
        return bool(state.pending) or self.proposer.propose(state, self.used(state)) is not None

    def _with_round(self, state: EngineState) -> EngineState:
        state = state.with_round()
        self.clock.tell(state)
        return state

    def _ends_block(self, outcomes: int, began: float) -> bool:
        if self.budget.seconds is not None and self.clock.elapsed - began >= BLOCK_SECONDS:
            return True
        return outcomes >= BLOCK and (
            self.budget.seconds is None or self.clock.elapsed - began >= BLOCK_SECONDS / 2
        )

    def _fill(self, state: EngineState, waiting: deque[Pending[Timed]]) -> EngineState:
        """Propose until as many proposals are pending as the lag allows."""
        most = self.context.settings.lag
        while len(state.pending) < min(most, FIRST_LAG + state.evaluations) and (
            self._may_propose(state)
        ):
            after = self.proposer.propose(state, self._used_by_proposals(state), self._left)
            if after is None:
                return state
            request = self.proposer.request(after, after.pending[-1])
            waiting.append(self.work.submit(request, state.issued))
            state = after
        return state

    def _may_propose(self, state: EngineState) -> bool:
        """Whether the budget allows another proposal; until there is a front it always does."""
        if self._used_by_proposals(state) >= 1.0:
            return not state.front and not state.pending
        if self._left is None or not state.front:
            return True
        return sum(one.expected for one in state.pending) / self.workers < self._left

    def _used_by_proposals(self, state: EngineState) -> float:
        """Share of the budget that is used once all pending proposals are carried out."""
        if self.budget.evaluations is None:
            return self.used(state)
        return max(self.used(state), state.issued / self.budget.evaluations)

    @property
    def _left(self) -> float | None:
        """Seconds of the budget that are left."""
        if self.budget.seconds is None:
            return None
        return self.budget.seconds - self.clock.elapsed

    def _is_over(self, state: EngineState) -> bool:
        """Whether the seconds are used up and there is a front."""
        return self._left is not None and self._left <= 0.0 and bool(state.front)

    def _patience(self, state: EngineState) -> float | None:
        """Seconds after which a task is aborted, once there is a front."""
        if self._left is None or not state.front:
            return None
        return max(0.05, self._left + OVERDUE)
