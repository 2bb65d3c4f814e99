"""Following a run by its journal: read as it grows, kept in short, whichever process writes it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evomask.runs.kept.events import (
    Began,
    Checked,
    Ended,
    Event,
    Noted,
    PointNews,
    Tried,
    Turn,
    event_in,
)
from evomask.runs.kept.names import JOURNAL

MOST_SIMPLE = 5
"""Simple methods that are told of for comparison."""

MOST_NOTES = 40


@dataclass
class Course:
    """How a run has gone so far.

    Args:
        phase: what it does now, with *text* in a few words.
        share: of the budget that is used, from 0 to 1.
        left: seconds of searching that are left.
        files: how many were measured.
        front: the points of the front, by loss.
        suggested: the number of the point that is on offer now.
        shares: the part of the effort that each member had, in percent.
        before: the risk of the original file.
        best: files measured and the best score by then, wherever it fell.
        checked: how many points were looked at closely, and of how many.
        returns: how often the last rounds were gone over once more, so that *tried* became shorter.
        ended: how the run ended, unless it goes on.
    """

    phase: str = ""
    text: str = ""
    member: str = ""
    share: float = 0.0
    seconds: float = 0.0
    left: float = 0.0
    files: int = 0
    front: tuple[PointNews, ...] = ()
    suggested: int | None = None
    shares: dict[str, float] = field(default_factory=dict)
    before: float | None = None
    best: list[tuple[int, float]] = field(default_factory=list)
    checked: tuple[int, int] = (0, 0)
    notes: list[str] = field(default_factory=list)
    ended: Ended | None = None
    tried: list[Tried] = field(default_factory=list)
    returns: int = 0
    _begins: list[int] = field(default_factory=list, repr=False)

    def take(self, event: Event) -> None:
        """Take in what happened next."""
        if isinstance(event, Ended):
            self.ended = event
            return
        self.ended = None
        if isinstance(event, Began):
            self.phase, self.text, self.checked = event.phase.value, event.text, (0, 0)
        elif isinstance(event, Turn):
            self._turn(event)
        elif isinstance(event, Checked):
            self.checked = event.done, event.of
        elif isinstance(event, Noted) and event.text not in self.notes:
            self.notes = [*self.notes, event.text][-MOST_NOTES:]

    def _turn(self, turn: Turn) -> None:
        self._go_back_to(turn.round)
        self._begins.append(len(self.tried))
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
        """A run that is taken up again may go over its last rounds once more."""
        if number < len(self._begins):
            del self.tried[self._begins[number] :]
            del self._begins[number:]
            self.returns += 1

    @property
    def simple(self) -> dict[str, Tried]:
        """The best file of each simple method, the best methods of all."""
        best: dict[str, Tried] = {}
        for file in self.tried:
            if file.simple and _worst(file) < _worst(best.get(file.simple)):
                best[file.simple] = file
        names = sorted(best, key=lambda name: (_worst(best[name]), name))
        return {name: best[name] for name in names[:MOST_SIMPLE]}


def _worst(file: Tried | None) -> float:
    return 101.0 if file is None else max(file.loss, file.risk)


class Follower:
    """Reads the journal of a run from where it stopped reading before."""

    def __init__(self, folder: Path) -> None:
        self._journal = folder / JOURNAL
        self._read = 0
        self.course = Course()

    def look(self) -> bool:
        """Take in what was written since the last look; whether there was something."""
        try:
            with self._journal.open("rb") as file:
                file.seek(0, 2)
                if file.tell() < self._read:
                    self._read, self.course = 0, Course()
                file.seek(self._read)
                text = file.read()
        except OSError:
            return False
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        for event in _events(whole.splitlines()):
            self.course.take(event)
        return bool(whole)


def _events(lines: Sequence[bytes]) -> list[Event]:
    return [event for line in lines if (event := event_in(line)) is not None]
