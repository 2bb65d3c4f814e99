"""What happens in a run, as plain data: told once, kept in its journal, shown by whoever watches.

A line of the journal that has the key ``event`` is one of these; a line for each round of the
search holds its clock besides (`journal`).
"""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import msgspec


class Phase(StrEnum):
    """What a run is doing."""

    LOADING = "loading"
    COMPILING = "compiling"
    SEARCHING = "searching"
    AUDITING = "auditing"
    RELEASING = "releasing"


class Began(msgspec.Struct, frozen=True, tag="began", tag_field="event"):
    """A phase begins; *text* says what that means here, in a few words."""

    phase: Phase
    text: str = ""


class PointNews(msgspec.Struct, frozen=True):
    """A masked file on the front, and what made it."""

    point: int
    search: str
    method: str
    loss: float
    risk: float


class Turn(msgspec.Struct, frozen=True, tag="turn", tag_field="event"):
    """A member of the portfolio had its turn.

    Args:
        round: its number, from 0.
        files: how many files were measured so far.
        share: of the budget that is used, from 0 to 1.
        seconds: how long the search has taken.
        left: how many seconds it will take from here, judged by what was used so far.
        shares: the part of the effort that each member had, in percent.
        balanced: the number of the balanced point.
        front: the points of the front by loss; none where they are those of the turn before.
    """

    round: int
    member: str
    files: int
    share: float
    seconds: float
    left: float
    shares: dict[str, float]
    balanced: int
    front: tuple[PointNews, ...] | None = None


class Checked(msgspec.Struct, frozen=True, tag="checked", tag_field="event"):
    """A point was looked at more closely than the search did."""

    point: int
    done: int
    of: int


class Noted(msgspec.Struct, frozen=True, tag="noted", tag_field="event"):
    """Something that a user should know."""

    text: str


class Ending(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


class Ended(msgspec.Struct, frozen=True, tag="ended", tag_field="event"):
    """The run is over; *reason* says why where it failed."""

    how: Ending
    reason: str = ""
    point: int | None = None


Event: TypeAlias = Began | Turn | Checked | Noted | Ended
Watch: TypeAlias = Callable[[Event], None]


class Keeper(Protocol):
    """Where events are written down."""

    def keep(self, entry: dict[str, Any]) -> None:
        """Write one down."""
        ...


class Events:
    """Passes every event on to a journal and to whoever watches.

    What happens before a journal is there waits until one is given.
    """

    def __init__(self, watch: Watch | None = None) -> None:
        self._watch = watch
        self._waiting: list[Event] = []
        self._keeper: Keeper | None = None

    def kept_in(self, keeper: Keeper) -> None:
        """Write events down from now on, those that happened before first."""
        self._keeper = keeper
        for event in self._waiting:
            keeper.keep(msgspec.to_builtins(event))
        self._waiting.clear()

    def tell(self, event: Event) -> None:
        """Something happens now."""
        if self._keeper is None:
            self._waiting.append(event)
        else:
            self._keeper.keep(msgspec.to_builtins(event))
        if self._watch is not None:
            self._watch(event)

    def begin(self, phase: Phase, text: str = "") -> None:
        """A phase begins."""
        self.tell(Began(phase, text))


def read_events(journal: Path) -> tuple[Event, ...]:
    """The events in a journal, in order; a line that a kill cut short is passed over."""
    try:
        lines = journal.read_bytes().splitlines()
    except OSError:
        return ()
    return tuple(event for line in lines if (event := _event(line)) is not None)


def _event(line: bytes) -> Event | None:
    try:
        event: Event = msgspec.json.decode(line, type=Event)
    except msgspec.DecodeError:
        return None
    return event
