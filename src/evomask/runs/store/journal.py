"""The journal of a run: events, clock and decisions, and readers that follow it as it grows.

A line of the journal that has the key ``event`` is an event; a line for each generation of the
search holds the clock. Lines with ``note`` are decisions that a resumed run must repeat, and are
written twice.

Every line ends with a checksum. A damaged line is passed over: what it held is lost, and no more.
"""

import json
import os
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from errno import ENOSPC
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import msgspec

from evomask.errors import EvomaskError, RunError, UnmetError
from evomask.io.files import open_private, sync
from evomask.masking.provenance import Provenance
from evomask.report.record import OfferNote
from evomask.runs.store.run_control import unwrap_interrupts
from evomask.runs.store.run_summary import JOURNAL


class Phase(StrEnum):
    """Phase of a run."""

    LOADING = "loading"
    COMPILING = "compiling"
    SEARCHING = "searching"
    PROVING = "proving"
    AUDITING = "auditing"
    RELEASING = "releasing"


class PhaseStarted(msgspec.Struct, frozen=True, tag="began", tag_field="event"):
    """A phase starts; *text* describes it in a few words."""

    phase: Phase
    text: str = ""


class PointUpdate(msgspec.Struct, frozen=True):
    """A point of the front, with its provenance in words and as data.

    Args:
        point: its number on the front, from 1 by loss.
        file: its number in the order of creation, which does not change with the front; None in
            journals of earlier versions, where *point* is that number.
        parts: components of the risk in percent of people.
        scenario: the scenario that determines the risk.
    """

    point: int
    search: str
    method: str
    loss: float
    risk: float
    making: Provenance = Provenance()
    file: int | None = None
    parts: dict[str, float] = {}
    scenario: str = ""


class CandidateScore(msgspec.Struct, frozen=True, array_like=True):
    """Loss and risk of a measured candidate; *simple* names a simple method."""

    loss: float
    risk: float
    simple: str = ""


class RoundFinished(msgspec.Struct, frozen=True, tag="turn", tag_field="event"):
    """The search evaluated a block of candidates.

    Args:
        round: number of the block, from 0.
        member: search that has found most points of the front.
        files: candidates evaluated so far, at any fidelity.
        share: share of the budget that is used, from 0 to 1.
        seconds: duration of the search so far.
        left: estimated seconds until its end.
        shares: share of the effort of each search, in percent.
        suggested: number of the point that would be released by default.
        front: points of the front by loss; None if it did not change in this round.
        tried: the candidates measured in this round.
        before: the risk of the original file, given with the first round.
    """

    round: int
    member: str
    files: int
    share: float
    seconds: float
    left: float
    shares: dict[str, float]
    suggested: int
    front: tuple[PointUpdate, ...] | None = None
    tried: tuple[CandidateScore, ...] = ()
    before: float | None = None


class GenerationFinished(msgspec.Struct, frozen=True):
    """A generation of a single search ended; its line has no ``event`` key."""

    generation: int
    tasks: int
    evaluations: int
    best: float | None
    seconds: float


class PointChecked(msgspec.Struct, frozen=True, tag="checked", tag_field="event"):
    """A point of the front was evaluated in full."""

    point: int
    done: int
    of: int


class NoteAdded(msgspec.Struct, frozen=True, tag="noted", tag_field="event"):
    """A note for the user."""

    text: str


class RunOutcome(StrEnum):
    """Outcome of a run."""

    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


class RunEnded(msgspec.Struct, frozen=True, tag="ended", tag_field="event"):
    """The run ended; *reason* explains why nothing was released, and *offers* what could be."""

    how: RunOutcome
    reason: str = ""
    point: int | None = None
    offers: tuple[OfferNote, ...] = ()


JournalEvent: TypeAlias = PhaseStarted | RoundFinished | PointChecked | NoteAdded | RunEnded
Event: TypeAlias = JournalEvent | GenerationFinished
EventCallback: TypeAlias = Callable[[Event], None]


class EventDispatcher:
    """Passes every event to a journal and to a callback, and times the phases.

    Events that occur before a journal is attached are buffered.

    Args:
        now: seconds from any fixed point.
        began: start of the run by that clock; by default now.
    """

    def __init__(
        self,
        watch: EventCallback | None = None,
        now: Callable[[], float] = time.monotonic,
        began: float | None = None,
    ) -> None:
        self._watch = watch
        self._now = now
        self._phases = [(Phase.LOADING, now() if began is None else began)]
        self._waiting: list[JournalEvent] = []
        self._journal: Journal | None = None

    def kept_in(self, journal: "Journal") -> None:
        """Attach a journal; buffered events are written first."""
        self._journal = journal
        for event in self._waiting:
            journal.keep(msgspec.to_builtins(event))
        self._waiting.clear()

    def tell(self, event: JournalEvent) -> None:
        """Write an event to the journal and pass it to the callback."""
        if self._journal is None:
            self._waiting.append(event)
        else:
            self._journal.keep(msgspec.to_builtins(event))
        self.show(event)

    def show(self, event: Event) -> None:
        """Pass an event that is already in the journal to the callback."""
        if self._watch is not None:
            self._watch(event)

    def begin(self, phase: Phase, text: str = "") -> None:
        self.enter(phase)
        self.tell(PhaseStarted(phase, text))

    def enter(self, phase: Phase) -> None:
        """Attribute the time from now on to a phase, without an event."""
        self._phases.append((phase, self._now()))

    @property
    def seconds(self) -> dict[str, float]:
        ends = [*(began for _, began in self._phases[1:]), self._now()]
        spent: dict[str, float] = {}
        for (phase, began), ended in zip(self._phases, ends, strict=True):
            spent[phase] = spent.get(phase, 0.0) + ended - began
        return spent

    @property
    def elapsed(self) -> float:
        """Seconds that the run has taken, without the one-time compilation."""
        return sum(took for phase, took in self.seconds.items() if phase != Phase.COMPILING)


@contextmanager
def record_outcome(events: EventDispatcher) -> Iterator[None]:
    """Record in the journal that a run failed or was stopped."""
    try:
        with unwrap_interrupts():
            yield
    except UnmetError:
        raise
    except EvomaskError as error:
        events.tell(RunEnded(RunOutcome.FAILED, str(error)))
        raise
    except KeyboardInterrupt:
        events.tell(RunEnded(RunOutcome.STOPPED))
        raise


CHECKSUM, LENGTH = re.compile(rb',"sum":"([0-9a-f]{8})"}'), 18
"""Pattern and length of the checksum at the end of a line."""


def seal_line(entry: bytes) -> bytes:
    """Add the checksum to the JSON object of a line."""
    return entry[:-1] + b',"sum":"%08x"}' % zlib.crc32(entry)


def damaged_lines(lines: Sequence[bytes]) -> tuple[int, ...]:
    """Numbers of the lines, from 1, that do not have their checksum.

    Lines before the first one with a checksum are of an earlier version, and not damaged.
    """
    found = [CHECKSUM.fullmatch(line[-LENGTH:]) for line in lines]
    first = next((place for place, mark in enumerate(found) if mark), len(found))
    return tuple(
        number
        for number, (line, mark) in enumerate(zip(lines, found, strict=True), 1)
        if number > first
        and (mark is None or int(mark[1], 16) != zlib.crc32(line[:-LENGTH] + b"}"))
    )


def whole_lines(lines: Sequence[bytes]) -> list[bytes]:
    """The lines that are not damaged."""
    damaged = set(damaged_lines(lines))
    return [line for number, line in enumerate(lines, 1) if number not in damaged]


def read_events(journal: Path) -> tuple[Event, ...]:
    """Return the events of a journal in order; a partial last line is skipped."""
    try:
        lines = journal.read_bytes().split(b"\n")
    except OSError:
        return ()
    return _decode_events(lines)


def _decode_events(lines: Sequence[bytes]) -> tuple[Event, ...]:
    events = map(decode_event, whole_lines(lines))
    return tuple(event for event in events if event is not None)


def decode_event(line: bytes) -> Event | None:
    """Decode the event in a line; None if the line holds none."""
    for kind in (JournalEvent, GenerationFinished):
        try:
            event: Event = msgspec.json.decode(line, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        return event
    return None


LONGEST_RUN, MOST_GENERATIONS = 1e12, 10**8
"""More seconds and generations than any run has."""

MOST_NAMED = 5
"""Damaged lines that a note names."""


class RunState(Protocol):
    """State of a search that advances from generation to generation."""

    @property
    def generation(self) -> int: ...

    @property
    def evaluations(self) -> int: ...

    @property
    def summary(self) -> Any:  # noqa: ANN401
        """Named tuple of the numbers that describe the last generation."""
        ...


class Journal:
    """Journal of a run, in memory and, if a path is given, in a file.

    The clock is read once per generation and written before a decision uses it. A resumed run
    repeats generations that are in the journal: it takes their times and decisions from there, and
    the clock continues where it stopped.

    Args:
        now: seconds from any fixed point.
    """

    def __init__(self, path: Path | None = None, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._times: list[float] = []
        self._notes: dict[str, Any] = {}
        self._damage: list[str] = []
        self._has_gaps = False
        self._path = path
        if path is not None and path.exists():
            _cut_partial_line(path)
            self._read(path)
        self._origin = now() - self.seconds

    @property
    def seconds(self) -> float:
        """Time used until the last generation in the journal."""
        return self._times[-1] if self._times else 0.0

    def start(self) -> None:
        """Start the clock: called before the first evaluation."""
        self._origin = self._now() - self.seconds

    @property
    def elapsed(self) -> float:
        """Time used until now."""
        return self._now() - self._origin

    def time_at(self, state: RunState) -> float:
        """Time used when the state was reached."""
        return self._times[state.generation]

    def took(self, generation: int) -> float:
        """Duration of one generation."""
        return self._times[generation] - (self._times[generation - 1] if generation else 0.0)

    @property
    def times(self) -> tuple[float, ...]:
        return tuple(self._times)

    @property
    def damage(self) -> tuple[str, ...]:
        """What is wrong with the file, in words; empty if it is whole."""
        return tuple(self._damage)

    def require(self, state: RunState) -> None:
        """Complete the times up to a state whose generations the file has lost."""
        if state.generation >= len(self._times):
            self._damage.append(
                f"the journal ends before generation {state.generation} of the snapshot: the time "
                "that was used since is not counted"
            )
            self._fill(state.generation + 1)

    def _fill(self, count: int) -> None:
        """Continue lost times by the last one that is known."""
        self._times += [self.seconds] * (count - len(self._times))

    def tell(self, after: RunState) -> None:
        """Write a line for a new generation; a repeated one only sets the clock."""
        if after.generation < len(self._times):
            self.start()
            return
        self._times.append(self._now() - self._origin)
        self.keep({**after.summary._asdict(), "seconds": self.seconds})

    def decide(self, name: str, compute: Callable[[], float]) -> float:
        """Return a number decided by the clock: computed once, then read from the journal."""
        if name not in self._notes:
            self.note(name, compute())
        value: float = self._notes[name]
        return value

    def note(self, name: str, value: object) -> None:
        """Write a value that a resumed run needs."""
        self._notes[name] = value
        for _ in range(2):  # one of them may be damaged
            self.keep({"note": name, "value": value})
        self.sync()

    @property
    def notes(self) -> Mapping[str, Any]:
        return dict(self._notes)

    def noted(self, name: str) -> Any:  # noqa: ANN401
        """Return a noted value; a complete journal has it."""
        if name not in self._notes:
            raise RunError("the journal of this run is missing or incomplete; start the run again")
        return self._notes[name]

    def sync(self) -> None:
        if self._path is not None:
            with _raise_run_error(self._path):
                sync(self._path)

    def keep(self, entry: dict[str, Any]) -> None:
        """Append a line."""
        if self._path is not None:
            plain = msgspec.json.encode(entry, enc_hook=lambda number: number.item())
            line = seal_line(plain) + b"\n"
            with (
                _raise_run_error(self._path),
                open(self._path, "ab", buffering=0, opener=open_private) as file,
            ):
                before = file.tell()
                if file.write(line) < len(line):
                    file.truncate(before)
                    raise OSError(ENOSPC, os.strerror(ENOSPC))

    def _read(self, path: Path) -> None:
        with _raise_run_error(path):
            lines = path.read_bytes().split(b"\n")[:-1]
        damaged = set(damaged_lines(lines))
        for number, line in enumerate(lines, 1):
            try:
                if number not in damaged:
                    self._take(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                damaged.add(number)
        if damaged:
            numbers = ", ".join(map(str, sorted(damaged)[:MOST_NAMED]))
            self._damage.append(
                f"damaged lines of {path.name} were passed over ({numbers}"
                f"{', …' if len(damaged) > MOST_NAMED else ''})"
            )
        elif self._has_gaps:
            self._damage.append(f"{path.name} lacks generations, whose time is not counted")

    def _take(self, entry: dict[str, Any]) -> None:
        if "note" in entry:
            self._notes[entry["note"]] = entry["value"]
        elif "event" not in entry:
            seconds, number = entry["seconds"], entry.get("generation", len(self._times))
            if not isinstance(seconds, int | float) or not 0 <= seconds < LONGEST_RUN:
                raise ValueError("no time")
            if not isinstance(number, int) or not len(self._times) <= number < MOST_GENERATIONS:
                raise ValueError("no generation")
            self._has_gaps |= number > len(self._times)
            self._fill(number)
            self._times.append(seconds)


@contextmanager
def _raise_run_error(path: Path) -> Iterator[None]:
    """Convert an `OSError` of the journal into a `RunError` that says how to continue."""
    try:
        yield
    except OSError as error:
        raise RunError(
            f"{path} cannot be used: {error.strerror or error}; correct that, then continue with "
            f"`evomask resume {path.parent}`"
        ) from None


def _cut_partial_line(path: Path) -> None:
    """Remove a last line that a killed process left incomplete."""
    with _raise_run_error(path), path.open("r+b") as file:
        file.truncate(file.read().rfind(b"\n") + 1)


MOST_SIMPLE = 5
"""Simple methods that are reported for comparison."""

MOST_NOTES = 40


@dataclass
class RunProgress:
    """Progress of a run, accumulated from its events.

    Args:
        phase: the current phase, described by *text*.
        share: share of the budget that is used, from 0 to 1.
        left: estimated seconds until the search ends.
        files: candidates measured.
        front: points of the front, by loss.
        suggested: number of the point that would be released by default.
        shares: share of the effort of each search, in percent.
        before: the risk of the original file.
        best: candidates measured and best score by then, at each improvement.
        checked: points evaluated in full, and how many there are.
        returns: how often a resumed run repeated rounds, so that *tried* became shorter.
        ended: outcome of the run; None while it runs.
    """

    phase: str = ""
    text: str = ""
    member: str = ""
    share: float = 0.0
    seconds: float = 0.0
    left: float = 0.0
    files: int = 0
    front: tuple[PointUpdate, ...] = ()
    suggested: int | None = None
    shares: dict[str, float] = field(default_factory=dict)
    before: float | None = None
    best: list[tuple[int, float]] = field(default_factory=list)
    checked: tuple[int, int] = (0, 0)
    notes: list[str] = field(default_factory=list)
    ended: RunEnded | None = None
    tried: list[CandidateScore] = field(default_factory=list)
    returns: int = 0
    _starts: list[int] = field(default_factory=list, repr=False)

    def take(self, event: Event) -> None:
        if isinstance(event, RunEnded):
            self.ended = event
            return
        self.ended = None
        if isinstance(event, PhaseStarted):
            self.phase, self.text, self.checked = event.phase.value, event.text, (0, 0)
        elif isinstance(event, RoundFinished):
            self._turn(event)
        elif isinstance(event, PointChecked):
            self.checked = event.done, event.of
        elif isinstance(event, NoteAdded) and event.text not in self.notes:
            self.notes = [*self.notes, event.text][-MOST_NOTES:]

    def _turn(self, turn: RoundFinished) -> None:
        self._go_back_to(turn.round)
        self._starts.append(len(self.tried))
        self.tried.extend(turn.tried)
        self.member, self.files, self.share = turn.member, turn.files, turn.share
        self.seconds, self.left, self.shares = turn.seconds, turn.left, turn.shares
        self.suggested = turn.suggested
        self.before = self.before if turn.before is None else turn.before
        self.front = self.front if turn.front is None else turn.front
        best = min((max(point.loss, point.risk) for point in self.front), default=100.0)
        if not self.best or best < self.best[-1][1]:
            self.best.append((turn.files, best))

    def _go_back_to(self, number: int) -> None:
        """Drop rounds that a resumed run repeats."""
        if number < len(self._starts):
            del self.tried[self._starts[number] :]
            del self._starts[number:]
            self.returns += 1

    @property
    def simple(self) -> dict[str, CandidateScore]:
        """The best candidate of each simple method, for the best methods."""
        best: dict[str, CandidateScore] = {}
        for file in self.tried:
            if file.simple and _larger_part(file) < _larger_part(best.get(file.simple)):
                best[file.simple] = file
        names = sorted(best, key=lambda name: (_larger_part(best[name]), name))
        return {name: best[name] for name in names[:MOST_SIMPLE]}


def _larger_part(file: CandidateScore | None) -> float:
    return 101.0 if file is None else max(file.loss, file.risk)


class JournalFollower:
    """Reads the journal of a run from where it stopped before."""

    def __init__(self, folder: Path) -> None:
        self._journal = folder / JOURNAL
        self._read = 0
        self.course = RunProgress()

    def look(self) -> bool:
        """Read new lines; return whether there were any."""
        try:
            with self._journal.open("rb") as file:
                file.seek(0, 2)
                if file.tell() < self._read:
                    self._read, self.course = 0, RunProgress()
                file.seek(self._read)
                text = file.read()
        except OSError:
            return False
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        for event in _decode_events(whole.split(b"\n")[:-1]):
            self.course.take(event)
        return bool(whole)
