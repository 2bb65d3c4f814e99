"""Control of a running job: stop requests, interrupts and the deadline of a time budget.

The seconds of a budget cover loading, the search, and what follows it: evaluation of the front,
release and reports. The time after the search is estimated from the time it took to measure the
original, because both grow with the file.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from evomask.errors import RunError
from evomask.io.files import OWNER_ONLY

STOP = "stop"
"""File in a run folder whose presence requests a stop."""

POLL_SECONDS = 0.2
"""Seconds between two checks for that file."""


class StopRequest:
    """Stop request by a call or by a file in the run folder; a run checks it between rounds.

    Args:
        folder: of the run, if it has one.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._file = None if folder is None else folder / STOP
        self._asked = threading.Event()
        self._next_check = 0.0

    def ask(self) -> None:
        self._asked.set()

    @property
    def is_asked(self) -> bool:
        """Whether a stop was requested; the file is checked a few times a second at most."""
        now = time.monotonic()
        if self._file is not None and now >= self._next_check:
            self._next_check = now + POLL_SECONDS
            if self._file.exists():
                self.ask()
        return self._asked.is_set()

    def withdraw(self) -> None:
        self._asked.clear()
        if self._file is not None:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)


def request_stop(folder: Path) -> None:
    """Request that the run in a folder stops, whichever process runs it."""
    try:
        (folder / STOP).touch(mode=OWNER_ONLY)
    except OSError as error:
        raise RunError(f"{folder} cannot be written to: {error.strerror or error}") from None


class InterruptHandler:
    """Signal handler that raises `KeyboardInterrupt` and records that it did."""

    def __init__(self) -> None:
        self.happened = False

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        self.happened = True
        raise KeyboardInterrupt


@contextmanager
def unwrap_interrupts() -> Iterator[None]:
    """Raise the `KeyboardInterrupt` that caused a `SystemError`.

    Compiled code that is interrupted while it returns fails with a `SystemError`.
    """
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while isinstance(cause, SystemError):
            cause = cause.__cause__
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise


def interrupt_on_termination() -> InterruptHandler:
    """Handle SIGTERM like Ctrl-C: the run stops at once and saves its results.

    A process that ignores Ctrl-C continues to ignore it.
    """
    handler = InterruptHandler()
    signal.signal(signal.SIGTERM, handler)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, handler)
    return handler


LEAST_END_SHARE = 0.1
"""Least share of the seconds that is reserved for the time after the search."""

MOST_END_SHARE = 0.5
"""Largest share of the seconds that is reserved for it."""

EVALUATION_COST = 10.0
"""Time to evaluate one point in full, as a multiple of measuring the original."""

RELEASE_COST = 5.0
"""Time for release, offers and reports, and to compare the analyses of one point, likewise."""

REHEARSAL_SHARE, MOST_ATTACKS = 0.03, 0.2
"""Shares of the seconds: in which a sample of the original is attacked before the search, and that
are reserved for attacks on the chosen file at most."""

CHOICE_COST = 4.0
"""Time to evaluate the chosen point without attacks, likewise."""

REPORT_SECONDS = 1.5
"""Seconds to draw the charts of the reports, whatever the size of the file."""

UNKNOWN_COST = 5.0
"""Time for a kind of task that was not timed yet, likewise."""


def seconds_after_search(
    seconds: float, measuring: float, compared: int = 0, attacks: float = 0.0
) -> float:
    """Seconds of a budget that are reserved for the time after the search.

    Args:
        measuring: seconds that measuring the original took.
        compared: points whose analyses are compared with those of the original.
        attacks: seconds that attacks on one file take.
    """
    multiple = EVALUATION_COST + RELEASE_COST + RELEASE_COST * compared
    needed = measuring * multiple + REPORT_SECONDS + attacks
    return min(max(LEAST_END_SHARE * seconds, needed), MOST_END_SHARE * seconds)


@dataclass(frozen=True, eq=False)
class Deadline:
    """Time at which a run must be finished.

    Args:
        elapsed: seconds that the run has taken so far.
        ends: seconds after which everything must be written.
        measuring: seconds that measuring the original took.
        attacks: seconds reserved for attacks on the chosen file.
    """

    elapsed: Callable[[], float]
    ends: float
    measuring: float = 0.0
    attacks: float = 0.0
    _longest: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def left(self) -> float:
        """Seconds left, without those needed for release and reports."""
        return self.ends - self.elapsed() - RELEASE_COST * self.measuring - REPORT_SECONDS

    def allows(
        self, kind: str, guess: float = UNKNOWN_COST, beyond: float = 0.0, *, attacks: bool = False
    ) -> bool:
        """Return whether a task of a kind is expected to end in time, from earlier tasks.

        Args:
            guess: its cost if no task of that kind was timed, as a multiple of measuring.
            beyond: cost of what must still follow, as such a multiple.
            attacks: whether the attacks on the chosen file must still follow.
        """
        takes = self._longest.get(kind, guess * self.measuring)
        return takes + beyond * self.measuring + attacks * self.attacks <= self.left

    @contextmanager
    def timing(self, kind: str) -> Iterator[None]:
        """Record how long a task of a kind takes."""
        began = self.elapsed()
        yield
        self._longest[kind] = max(self._longest.get(kind, 0.0), self.elapsed() - began)
