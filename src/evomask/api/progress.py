"""Progress of a search, as the callback of `protect` receives it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from evomask.runs.store.journal import Event
    from evomask.runs.store.run_control import StopRequest


class FrontPoint(NamedTuple):
    """A point of the Pareto front: its number, loss and risk in percent, and how it was made.

    Args:
        search: search that found it; ``given`` for what the search started from.
        method: its masking steps in words.
    """

    point: int
    loss: float
    risk: float
    search: str
    method: str


@dataclass(frozen=True)
class Progress:
    """Progress of a search after a block of candidates.

    Args:
        evaluations: candidates evaluated so far, on samples or whole.
        seconds: duration of the search so far.
        share: share of the budget that is used, from 0 to 1.
        front: points of the Pareto front by loss.
        suggested: number of the point that would be chosen now.
    """

    evaluations: int
    seconds: float
    share: float
    front: tuple[FrontPoint, ...]
    suggested: int

    @property
    def best(self) -> FrontPoint:
        """The point that would be chosen now."""
        return next(point for point in self.front if point.point == self.suggested)


class ProgressReporter:
    """Turns events of a run into calls of a user's function, and its False into a stop request."""

    def __init__(self, callback: Callable[[Progress], object], stop: "StopRequest") -> None:
        self._callback, self._stop = callback, stop
        self._front: tuple[FrontPoint, ...] = ()

    def __call__(self, event: "Event") -> None:
        """Call the function if candidates were evaluated."""
        from evomask.runs.store.journal import RoundFinished

        if not isinstance(event, RoundFinished):
            return
        if event.front is not None:
            self._front = tuple(
                FrontPoint(one.point, one.loss, one.risk, one.search, one.method)
                for one in event.front
            )
        progress = Progress(event.files, event.seconds, event.share, self._front, event.suggested)
        if self._callback(progress) is False:
            self._stop.ask()
