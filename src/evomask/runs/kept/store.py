"""A run on disk: plan, journal, snapshots, front. A killed run resumes from here.

The folder is readable by its owner alone, because states hold records.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Generic, Protocol, TypeVar

from evomask.errors import RunError
from evomask.evolution.checkpoint import Codec, read_state, write_state
from evomask.io.files import check_name, replace_file
from evomask.io.fronts import front_as_parquet
from evomask.runs.kept import names
from evomask.runs.kept.glance import is_worked_on
from evomask.runs.kept.journal import Journal
from evomask.runs.kept.plan import Plan, decode_plan, encode_plan
from evomask.runs.kept.rows import Row
from evomask.runs.kept.staging import finish

PLAN, JOURNAL, FRONT = names.PLAN, names.JOURNAL, names.FRONT
KEPT_SNAPSHOTS = 2

LOOKS = (0.02, 0.05, 0.1, 0.2)
"""Seconds to wait for a lock that is held, until it is given up: somebody may only look at it."""


class Kept(Protocol):
    """A state that snapshots are taken of."""

    @property
    def generation(self) -> int:
        """How many turns of the loop lie behind it, from 0."""
        ...

    @property
    def evaluations(self) -> int:
        """What was spent to get there."""
        ...


S = TypeVar("S", bound=Kept)


class BusyError(RunError):
    """Another process works on a run."""


def refuse_links(folder: Path) -> None:
    """Refuse a folder that is a link or holds one: what is written there would go elsewhere."""
    if folder.is_symlink():
        raise RunError(f"{folder} is a link; give the folder that it leads to")
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            raise RunError(f"{path} is a link, and the folder of a run holds none; take it out")


class Store:
    """The folder of one run.

    What a state is, one of a single search or of a portfolio, is the codec's to know.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def create(cls, folder: Path, plan: Plan) -> "Store":
        """A new folder with a plan in it."""
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
        """Refuse a folder that holds something, or that could not be made."""
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
        """Write the plan, in the place of an earlier one."""
        content = encode_plan(plan)
        replace_file(self.folder / PLAN, lambda file: file.write(content))

    def plan(self) -> Plan:
        """The plan of the run."""
        if not os.path.lexists(self.folder / PLAN):
            raise RunError(f"{self.folder} holds no run; give the folder of one")
        refuse_links(self.folder)
        try:
            return decode_plan((self.folder / PLAN).read_bytes())
        except OSError:
            raise RunError(f"{self.folder} holds no run; give the folder of one") from None

    def journal(self) -> Journal:
        """The journal, ready for the next line."""
        return Journal(self.folder / JOURNAL)

    def save_state(self, state: S, codec: Codec[S]) -> None:
        """Take a snapshot; older ones than the last few go."""
        path = self.folder / f"state-{state.generation:012d}.npz"
        replace_file(path, lambda file: write_state(file, state, codec))
        for old in self.snapshot_files()[KEPT_SNAPSHOTS:]:
            old.unlink()

    def newest_state(self, codec: Codec[S]) -> S | None:
        """The newest whole snapshot, if there is one."""
        for path in self.snapshot_files():
            try:
                with path.open("rb") as file:
                    return read_state(file, codec)
            except (OSError, RunError):
                continue
        return None

    def save_front(self, rows: Sequence[Row]) -> None:
        """Write the points of the front, a row each."""
        content = front_as_parquet(rows)
        replace_file(self.folder / FRONT, lambda file: file.write(content))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from working on the same run.

        A release that was decided on before a kill is completed first.
        """
        try:
            import fcntl
        except ImportError:  # not a POSIX system: nobody is kept out
            finish(self.folder)
            yield
            return
        refuse_links(self.folder)
        with self._lock() as lock:
            for wait in LOOKS:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError:
                    time.sleep(wait)
            else:
                raise BusyError(f"another process works on {self.folder}; wait for it")
            finish(self.folder)
            yield

    def _lock(self) -> IO[bytes]:
        """The file that whoever works on the run holds; it is never behind a link."""
        try:
            handle = os.open(
                self.folder / names.LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600
            )
        except OSError as error:
            raise RunError(
                f"{self.folder} cannot be worked on: {error.strerror or error}"
            ) from None
        return os.fdopen(handle, "r+b")

    @property
    def is_busy(self) -> bool:
        """Whether a process works on the run now."""
        return is_worked_on(self.folder)

    def snapshot_files(self) -> list[Path]:
        """The snapshots there are, the newest first."""
        return sorted(self.folder.glob("state-*.npz"), reverse=True)


TIME_FOR_SNAPSHOTS = 0.05
"""The largest share of the time that taking snapshots may have."""

LONGEST_WAIT = 30.0
"""Seconds after which a snapshot is wanted in any case."""


class Snapshots(Generic[S]):
    """Takes a snapshot every so many evaluations, or every half minute.

    It waits while snapshots would take more than a twentieth of the time.

    Args:
        every: evaluations between two; with 0 every state that is offered is wanted.
        since: evaluations that the run began with.
    """

    def __init__(
        self,
        store: Store,
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
        """Take one if it is wanted and there is time for it."""
        started = self._now()
        enough = state.evaluations - self._saved >= self._every
        if (enough or started - self._ended >= LONGEST_WAIT) and started >= self._not_before:
            self.take(state)

    def take(self, state: S) -> None:
        """Take one; what the journal tells of the state is on the disk before."""
        started = self._now()
        self._journal.sync()
        self._store.save_state(state, self._codec)
        self._saved, self._ended = state.evaluations, self._now()
        self._not_before = self._ended + (self._ended - started) / TIME_FOR_SNAPSHOTS
