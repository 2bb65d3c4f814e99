"""The folder of a run (plan, journal, snapshots, front, lock), and the list of runs in a folder.

The folder is readable by its owner only, because snapshots hold records. A killed run resumes from
it.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Generic, Protocol, TypeVar

from evomask.errors import EvomaskError, RunError
from evomask.evolution.checkpoint import Codec, read_state, write_state
from evomask.io.files import check_name, replace_file
from evomask.io.tables import rows_as_parquet
from evomask.runs.store import run_summary
from evomask.runs.store.front_rows import Row
from evomask.runs.store.journal import Event, Journal, RoundFinished, RunEnded, read_events
from evomask.runs.store.plan import Plan, decode_plan, encode_plan
from evomask.runs.store.release import complete_release
from evomask.runs.store.run_control import request_stop
from evomask.runs.store.run_summary import is_running

MOST_SNAPSHOTS = 2

LOCK_WAITS = (0.02, 0.05, 0.1, 0.2)
"""Seconds to wait between attempts to take a lock that another process holds."""


class SnapshotState(Protocol):
    """State of a search of which snapshots are taken."""

    @property
    def generation(self) -> int: ...

    @property
    def evaluations(self) -> int: ...


S = TypeVar("S", bound=SnapshotState)


class BusyError(RunError):
    """Another process is running in the folder."""


def refuse_links(folder: Path) -> None:
    """Raise if a folder is a symbolic link or holds one, as files would go elsewhere."""
    if folder.is_symlink():
        raise RunError(f"{folder} is a link; give the folder that it leads to")
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            raise RunError(f"{path} is a link, and the folder of a run holds none; take it out")


class RunFolder:
    """The folder of one run.

    The codec decides the type of its states: of a single search, or of a portfolio.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def create(cls, folder: Path, plan: Plan) -> "RunFolder":
        """Create a folder that holds a plan."""
        cls.check_new(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)
        except OSError as error:
            raise RunError(f"{folder} cannot be made: {error.strerror or error}") from None
        store = cls(folder)
        with store.locked():
            cls.check_new(folder)
            store.save_plan(plan)
        return store

    @staticmethod
    def check_new(folder: Path) -> None:
        """Raise if a folder is not empty or cannot be created."""
        check_name(folder)
        if folder.exists() and (not folder.is_dir() or any(folder.glob("[!.]*"))):
            raise RunError(
                f"{folder} is not empty; go on with `evomask resume {folder}` "
                "if it holds a run, or choose another folder"
            )
        refuse_links(folder)
        above = next((place for place in folder.absolute().parents if place.exists()), folder)
        if not above.is_dir() or not os.access(above, os.W_OK):
            raise RunError(f"{folder} cannot be made: {above} is no folder that can be written to")

    def save_plan(self, plan: Plan) -> None:
        content = encode_plan(plan)
        replace_file(self.folder / run_summary.PLAN, lambda file: file.write(content))

    def plan(self) -> Plan:
        if not os.path.lexists(self.folder / run_summary.PLAN):
            raise RunError(f"{self.folder} holds no run; give a run folder")
        refuse_links(self.folder)
        try:
            return decode_plan((self.folder / run_summary.PLAN).read_bytes())
        except OSError:
            raise RunError(f"{self.folder} holds no run; give a run folder") from None

    def journal(self) -> Journal:
        return Journal(self.folder / run_summary.JOURNAL)

    def save_state(self, state: S, codec: Codec[S]) -> None:
        """Write a snapshot and delete all but the most recent ones."""
        path = self.folder / f"state-{state.generation:012d}.npz"
        replace_file(path, lambda file: write_state(file, state, codec))
        for old in self.snapshot_files()[MOST_SNAPSHOTS:]:
            old.unlink()

    def newest_state(self, codec: Codec[S]) -> S | None:
        """Return the most recent complete snapshot, if there is one."""
        for path in self.snapshot_files():
            try:
                with path.open("rb") as file:
                    return read_state(file, codec)
            except (OSError, RunError):
                continue
        return None

    def save_front(self, rows: Sequence[Row]) -> None:
        content = rows_as_parquet(rows)
        replace_file(self.folder / run_summary.FRONT, lambda file: file.write(content))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the run; complete a committed release that a kill interrupted."""
        try:
            import fcntl
        except ImportError:  # not a POSIX system: there are no locks
            complete_release(self.folder)
            yield
            return
        refuse_links(self.folder)
        with self._lock() as lock:
            for wait in LOCK_WAITS:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError:
                    time.sleep(wait)
            else:
                raise BusyError(f"another process works on {self.folder}; wait for it")
            complete_release(self.folder)
            yield

    def _lock(self) -> IO[bytes]:
        """Open the lock file; symbolic links are not followed."""
        try:
            handle = os.open(
                self.folder / run_summary.LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600
            )
        except OSError as error:
            raise RunError(f"{self.folder} cannot be locked: {error.strerror or error}") from None
        return os.fdopen(handle, "r+b")

    @property
    def is_busy(self) -> bool:
        return is_running(self.folder)

    def snapshot_files(self) -> list[Path]:
        return sorted(self.folder.glob("state-*.npz"), reverse=True)


SNAPSHOT_TIME_SHARE = 0.05
"""Largest share of the time that snapshots may take."""

MOST_SECONDS_BETWEEN = 30.0
"""Seconds after which a snapshot is due in any case."""


class SnapshotWriter(Generic[S]):
    """Takes a snapshot after a number of evaluations, or every half minute.

    It waits while snapshots would take more than a twentieth of the time.

    Args:
        every: evaluations between two snapshots; with 0 every offered state is due.
        since: evaluations at the start of the run.
    """

    def __init__(
        self,
        store: RunFolder,
        codec: Codec[S],
        journal: Journal,
        *,
        every: int = 0,
        since: int = 0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._codec, self._journal = store, codec, journal
        self._every, self._saved, self._now = every, since, now
        self._ended, self._not_before = now(), now()

    def offer(self, state: S) -> None:
        """Take a snapshot if one is due."""
        started = self._now()
        enough = state.evaluations - self._saved >= self._every
        if (
            enough or started - self._ended >= MOST_SECONDS_BETWEEN
        ) and started >= self._not_before:
            self.take(state)

    def take(self, state: S) -> None:
        """Take a snapshot, after the journal is on disk."""
        started = self._now()
        self._journal.sync()
        self._store.save_state(state, self._codec)
        self._saved, self._ended = state.evaluations, self._now()
        self._not_before = self._ended + (self._ended - started) / SNAPSHOT_TIME_SHARE


class RunStatus(StrEnum):
    """Status of a run."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"
    BROKEN_OFF = "broken off"


@dataclass(frozen=True)
class RunSummary:
    """Summary of a run.

    Args:
        search: ``portfolio``, or the name of a single search.
        file: name of the protected file.
        share: share of the budget that is used, from 0 to 1.
        points: number of points on the front.
        released: number of the released point, if any.
        reason: why it failed, if it did.
    """

    name: str
    folder: Path
    search: str
    file: str
    standing: RunStatus
    share: float = 0.0
    seconds: float = 0.0
    points: int = 0
    released: int | None = None
    reason: str = ""


class RunList:
    """The runs in a folder, each in a folder of its own; other folders are skipped."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __iter__(self) -> Iterator[RunSummary]:
        for path in sorted(self._folder.glob(f"*/{run_summary.PLAN}")):
            try:
                yield _summarize(path.parent)
            except EvomaskError:
                continue

    def find(self, name: str) -> RunSummary:
        return _summarize(self._home(name))

    def events(self, name: str) -> tuple[Event, ...]:
        return read_events(self._home(name) / run_summary.JOURNAL)

    def stop(self, name: str) -> None:
        """Request a stop: the run finishes its round and saves its results."""
        folder = self._home(name)
        if not RunFolder(folder).is_busy:
            raise RunError(f"{name} is not running; there is nothing to stop")
        request_stop(folder)

    def _home(self, name: str) -> Path:
        folder = self._folder / name
        if folder.parent != self._folder or not (folder / run_summary.PLAN).is_file():
            raise RunError(f"there is no run {name!r} in {self._folder}; check the name")
        return folder


def _summarize(folder: Path) -> RunSummary:
    store = RunFolder(folder)
    plan, events = store.plan(), read_events(folder / run_summary.JOURNAL)
    end = events[-1] if events and isinstance(events[-1], RunEnded) else None
    turns = [event for event in events if isinstance(event, RoundFinished)]
    fronts = [turn.front for turn in turns if turn.front is not None]
    return RunSummary(
        folder.name,
        folder,
        plan.search,
        plan.input.path.name,
        _status(store, end),
        turns[-1].share if turns else 0.0,
        turns[-1].seconds if turns else 0.0,
        len(fronts[-1]) if fronts else 0,
        end.point if end else None,
        end.reason if end else "",
    )


def _status(store: RunFolder, end: RunEnded | None) -> RunStatus:
    if store.is_busy:
        return RunStatus.RUNNING
    return RunStatus.BROKEN_OFF if end is None else RunStatus(end.how.value)
