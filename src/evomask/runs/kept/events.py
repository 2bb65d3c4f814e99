"""What happens in a run, as plain data: told once, kept in its journal, shown by whoever watches.

A line of the journal that has the key ``event`` is one of these; a line for each round of the
search holds its clock besides (`journal`).
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import msgspec

from evomask.errors import EvomaskError, UnmetError
from evomask.masking.making import Making
from evomask.runs.kept.stopping import interrupts_as_such


class Phase(StrEnum):
    """What a run is doing."""

    LOADING = "loading"
    COMPILING = "compiling"
    SEARCHING = "searching"
    PROVING = "proving"
    AUDITING = "auditing"
    RELEASING = "releasing"


class Began(msgspec.Struct, frozen=True, tag="began", tag_field="event"):
    """A phase begins; *text* says what that means here, in a few words."""

    phase: Phase
    text: str = ""


class PointNews(msgspec.Struct, frozen=True):
    """A masked file on the front, and what made it, in words and as data.

    Args:
        point: its number on the front, from 1 by loss.
        file: its number in the order of making, which it keeps while the front changes; none in
            journals of earlier versions, where *point* is that number.
    """

    point: int
    search: str
    method: str
    loss: float
    risk: float
    making: Making = Making()
    file: int | None = None


class Tried(msgspec.Struct, frozen=True, array_like=True):
    """Loss and risk of a file that was measured; the method's name where it is a simple one."""

    loss: float
    risk: float
    simple: str = ""


class Turn(msgspec.Struct, frozen=True, tag="turn", tag_field="event"):
    """A member of the portfolio had its turn.

    Args:
        round: its number, from 0.
        files: how many files were measured so far.
        share: of the budget that is used, from 0 to 1.
        seconds: how long the search has taken.
        left: how many seconds it will take from here, judged by what was used so far.
        shares: the part of the effort that each member had, in percent.
        suggested: the number of the point that would be released now where nobody picks one.
        front: the points of the front by loss; none where they are those of the turn before.
        tried: the files that were measured in this turn.
        before: the risk of the original file, told with the first turn.
    """

    round: int
    member: str
    files: int
    share: float
    seconds: float
    left: float
    shares: dict[str, float]
    suggested: int
    front: tuple[PointNews, ...] | None = None
    tried: tuple[Tried, ...] = ()
    before: float | None = None


class Generation(msgspec.Struct, frozen=True):
    """A generation of a single search has ended; its line in the journal has no other event."""

    generation: int
    tasks: int
    evaluations: int
    best: float | None
    seconds: float


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
    """The run is over; *reason* says why where nothing was released."""

    how: Ending
    reason: str = ""
    point: int | None = None


Kept: TypeAlias = Began | Turn | Checked | Noted | Ended
Event: TypeAlias = Kept | Generation
Watch: TypeAlias = Callable[[Event], None]


class Keeper(Protocol):
    """Where events are written down."""

    def keep(self, entry: dict[str, Any]) -> None:
        """Write an event down as plain data."""
        ...


class Events:
    """Passes every event on to a journal and to whoever watches.

    What happens before a journal is there waits until one is given. How long each phase takes
    is kept besides.

    Args:
        now: seconds from any fixed point.
        began: when the run began by that clock; now where nobody says.
    """

    def __init__(
        self,
        watch: Watch | None = None,
        now: Callable[[], float] = time.monotonic,
        began: float | None = None,
    ) -> None:
        self._watch = watch
        self._now = now
        self._phases = [(Phase.LOADING, now() if began is None else began)]
        self._waiting: list[Kept] = []
        self._keeper: Keeper | None = None

    def kept_in(self, keeper: Keeper) -> None:
        """Write events down from now on, those that happened before first."""
        self._keeper = keeper
        for event in self._waiting:
            keeper.keep(msgspec.to_builtins(event))
        self._waiting.clear()

    def tell(self, event: Kept) -> None:
        """Write an event down and show it to whoever watches."""
        if self._keeper is None:
            self._waiting.append(event)
        else:
            self._keeper.keep(msgspec.to_builtins(event))
        self.show(event)

    def show(self, event: Event) -> None:
        """Show an event that the journal knows already."""
        if self._watch is not None:
            self._watch(event)

    def begin(self, phase: Phase, text: str = "") -> None:
        """Tell that a phase begins."""
        self.enter(phase)
        self.tell(Began(phase, text))

    def enter(self, phase: Phase) -> None:
        """Let the time from now on count for a phase, without telling anybody."""
        self._phases.append((phase, self._now()))

    @property
    def seconds(self) -> dict[str, float]:
        """How long each phase has taken so far, by its name."""
        ends = [*(began for _, began in self._phases[1:]), self._now()]
        spent: dict[str, float] = {}
        for (phase, began), ended in zip(self._phases, ends, strict=True):
            spent[phase] = spent.get(phase, 0.0) + ended - began
        return spent

    @property
    def elapsed(self) -> float:
        """How long the run has taken so far, but for compiling, which happens once."""
        return sum(took for phase, took in self.seconds.items() if phase != Phase.COMPILING)


@contextmanager
def telling_how_it_ends(events: Events) -> Iterator[None]:
    """Tell how it ends where it does not end well."""
    try:
        with interrupts_as_such():
            yield
    except UnmetError:
        raise
    except EvomaskError as error:
        events.tell(Ended(Ending.FAILED, str(error)))
        raise
    except KeyboardInterrupt:
        events.tell(Ended(Ending.STOPPED))
        raise


@contextmanager
def telling_what_is_unmet(events: Events, *, unfinished: bool) -> Iterator[None]:
    """Tell that a search ended as it should, but found nothing that is within the limits."""
    try:
        yield
    except UnmetError as error:
        events.tell(Ended(Ending.STOPPED if unfinished else Ending.FINISHED, str(error)))
        raise


def read_events(journal: Path) -> tuple[Event, ...]:
    """The events in a journal, in order; a line that a kill cut short is passed over."""
    try:
        lines = journal.read_bytes().splitlines()
    except OSError:
        return ()
    return tuple(event for line in lines if (event := event_in(line)) is not None)


def event_in(line: bytes) -> Event | None:
    """The event that a line tells of; a generation's line tells of one without naming it."""
    for kind in (Kept, Generation):
        try:
            event: Event = msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        return event
    return None
