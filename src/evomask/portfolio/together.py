"""Several turns side by side: what they ask for at the same time is carried out together.

A turn is written as if it were alone: it asks, waits for the outcomes, goes on. Here each has a
thread of its own, but only one of them runs at any time and in a fixed order; all that they wait
for is handed to the evaluator at once. So many workers have something to do, and what comes out
depends on neither their number nor their pace.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from evomask.execution.evaluator import Evaluator
from evomask.portfolio.front import front_of
from evomask.portfolio.requests import Adopt, Breed, Make, Numbered, Request, Try
from evomask.portfolio.state import PortfolioState, Work, noted

R = TypeVar("R")
T = TypeVar("T")
Asked = tuple[Sequence[Request], int]

LENGTHS: Mapping[type, float] = {Make: 1.0, Adopt: 0.5, Try: 0.5}
"""How long other tasks take, where measuring a file takes 1."""

Turning = Callable[[Evaluator[Request, Any]], tuple[PortfolioState, Work]]
"""A turn that can be had once somebody carries out its tasks."""


class _Turn(Thread):
    """A turn that waits whenever it asks for something."""

    def __init__(self, turn: Callable[[Evaluator[Request, Any]], Any]) -> None:
        super().__init__(daemon=True)
        self._turn = turn
        self._asked: SimpleQueue[Asked | None] = SimpleQueue()
        self._answers: SimpleQueue[list[Any] | BaseException] = SimpleQueue()
        self.asks: Asked | None = None
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Go through the turn; called by the thread itself."""
        try:
            self.result = self._turn(self._ask)
        except BaseException as error:  # noqa: BLE001 (raised again by whoever waits)
            self.error = error
        self._asked.put(None)

    def _ask(self, tasks: Sequence[Request], first: int) -> list[Any]:
        self._asked.put((tasks, first))
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def begin(self) -> None:
        """Start, and wait until it asks or ends."""
        self.start()
        self.asks = self._asked.get()

    def answer(self, outcomes: list[Any] | BaseException) -> None:
        """Let it go on with what it asked for, until it asks again or ends."""
        self._answers.put(outcomes)
        self.asks = self._asked.get()


def together(
    turns: Iterable[Callable[[Evaluator[Request, Any]], R]], work: Evaluator[Request, Any]
) -> list[R]:
    """What each turn comes to, in their order; an error of one is raised once all have ended."""
    running = [_Turn(turn) for turn in turns]
    for turn in running:
        turn.begin()
    while asking := [turn for turn in running if turn.asks is not None]:
        _answer(asking, work)
    for turn in running:
        if turn.error is not None:
            raise turn.error
    return [turn.result for turn in running]


def _answer(asking: Sequence[_Turn], work: Evaluator[Request, Any]) -> None:
    """Carry out what all of them ask for; where that fails, all of them end."""
    asked = [turn.asks or ((), 0) for turn in asking]
    numbered = [Numbered(t, n) for tasks, first in asked for n, t in enumerate(tasks, first)]
    try:
        outcomes = list(work(numbered, first=0))
    except BaseException as error:
        for turn in asking:
            while turn.asks is not None:
                turn.answer(error)
        raise
    for turn, (tasks, _) in zip(asking, asked, strict=True):
        own, outcomes = outcomes[: len(tasks)], outcomes[len(tasks) :]
        turn.answer(own)


def asking(tasks: Sequence[Request]) -> Callable[[Evaluator[Request, Any]], Sequence[Any]]:
    """A turn that asks for these tasks and is done; it comes to their outcomes."""
    return lambda work: work(tasks, first=0)


def longest_first(
    work: Evaluator[Request, Any], lengths: Mapping[str, float]
) -> Evaluator[Request, Any]:
    """The same evaluator, given the longest tasks first, so that nobody waits for one at the end.

    Outcomes come back in the order of the tasks.

    Args:
        lengths: for each member how long breeding a child takes, where measuring a file takes 1.
    """

    def ordered(tasks: Sequence[Request], first: int) -> list[Any]:
        places = sorted(range(len(tasks)), key=lambda i: -_length(tasks[i], lengths))
        numbered = [Numbered(tasks[i], first + i) for i in places]
        found = dict(zip(places, work(numbered, first=0), strict=True))
        return [found[i] for i in range(len(tasks))]

    return ordered


def _length(task: Request, lengths: Mapping[str, float]) -> float:
    if isinstance(task, Numbered):
        return _length(task.task, lengths)
    return lengths[task.member] if isinstance(task, Breed) else LENGTHS[type(task)]


def side_by_side(
    before: PortfolioState, turns: Mapping[str, Turning], work: Evaluator[Request, Any]
) -> Iterator[PortfolioState]:
    """The state after the turn of each member; all of them begin at the same state."""
    state = before
    for name, (after, done) in zip(turns, together(turns.values(), work), strict=True):
        volume = state.volume
        state = noted(joined(before, state, after, name), name, done, volume)
        yield state


def joined(
    before: PortfolioState, state: PortfolioState, after: PortfolioState, name: str
) -> PortfolioState:
    """A state with what a turn of one member found that began at an earlier state.

    Args:
        before: where the turn began.
        after: where it led on its own.
    """
    if state is before:
        return after
    shift, at = len(state.candidates) - len(before.candidates), state.generation + 1
    new = list(after.candidates)[len(before.candidates) :]
    found = {c.number: replace(c, number=c.number + shift, round=at) for c in new}
    ahead = [found[number] for number in after.genomes if number in found]
    front = front_of(sorted((*state.front, *ahead), key=lambda candidate: candidate.number))
    genomes = {found[n].number: genome for n, genome in after.genomes.items() if n in found}
    known = {**state.genomes, **genomes}
    return replace(
        state,
        members=_own(state.members, after.members, name),
        measured=_own(state.measured, after.measured, name),
        candidates=state.candidates.plus(list(found.values())),
        front=front,
        genomes={candidate.number: known[candidate.number] for candidate in front},
        closed=_own(state.closed, after.closed, name),
        adopted=_own(state.adopted, after.adopted, name),
        tried=_own(state.tried, after.tried, name),
    )


def _own(all_of: Mapping[str, T], after: Mapping[str, T], name: str) -> dict[str, T]:
    """What is known by member, with what became of one of them."""
    return {**all_of, **({name: after[name]} if name in after else {})}
