"""The runs kept in a folder: which there are, how each stands, what it told, and stopping one."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from evomask.errors import EvomaskError, RunError
from evomask.runs.kept.events import Ended, Event, Turn, read_events
from evomask.runs.kept.stopping import ask_to_stop
from evomask.runs.kept.store import JOURNAL, PLAN, Store


class Standing(StrEnum):
    """How a run stands."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"
    BROKEN_OFF = "broken off"


@dataclass(frozen=True)
class RunSummary:
    """A run in short.

    Args:
        search: ``portfolio`` for the main job, else the name of the search.
        file: the name of the protected file.
        share: of the budget that is used, from 0 to 1.
        points: how many masked files are on the front.
        released: the number of the point that was released, if any was.
        reason: why it failed, where it did.
    """

    name: str
    folder: Path
    search: str
    file: str
    standing: Standing
    share: float = 0.0
    seconds: float = 0.0
    points: int = 0
    released: int | None = None
    reason: str = ""


class Runs:
    """The runs in a folder, each a folder of its own; what is no run is passed over."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __iter__(self) -> Iterator[RunSummary]:
        """Every run in short, by name."""
        for path in sorted(self._folder.glob(f"*/{PLAN}")):
            try:
                yield _summary(path.parent)
            except EvomaskError:
                continue

    def find(self, name: str) -> RunSummary:
        """The run of that name."""
        return _summary(self._home(name))

    def events(self, name: str) -> tuple[Event, ...]:
        """What a run told so far."""
        return read_events(self._home(name) / JOURNAL)

    def stop(self, name: str) -> None:
        """Ask a run to stop; it ends its turn and keeps what it found."""
        folder = self._home(name)
        if not Store(folder).is_busy:
            raise RunError(f"{name} is not running; there is nothing to stop")
        ask_to_stop(folder)

    def _home(self, name: str) -> Path:
        folder = self._folder / name
        if folder.parent != self._folder or not (folder / PLAN).is_file():
            raise RunError(f"there is no run {name!r} in {self._folder}; check the name")
        return folder


def _summary(folder: Path) -> RunSummary:
    store = Store(folder)
    plan, events = store.plan(), read_events(folder / JOURNAL)
    end = events[-1] if events and isinstance(events[-1], Ended) else None
    turns = [event for event in events if isinstance(event, Turn)]
    fronts = [turn.front for turn in turns if turn.front is not None]
    return RunSummary(
        folder.name,
        folder,
        plan.search,
        plan.input.path.name,
        _standing(store, end),
        turns[-1].share if turns else 0.0,
        turns[-1].seconds if turns else 0.0,
        len(fronts[-1]) if fronts else 0,
        end.point if end else None,
        end.reason if end else "",
    )


def _standing(store: Store, end: Ended | None) -> Standing:
    if store.is_busy:
        return Standing.RUNNING
    return Standing.BROKEN_OFF if end is None else Standing(end.how.value)
