"""A run on disk: plan, journal, snapshots, front. A killed run resumes from here.

The folder is readable by its owner alone, because states hold records.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from evomask.errors import RunError
from evomask.evolution.archive import Archive
from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.checkpoint import Arrays, arrays_as_bytes, load, save, write_whole
from evomask.evolution.loop import Observer
from evomask.evolution.state import State
from evomask.io.fronts import front_as_parquet
from evomask.runs.front import Point
from evomask.runs.journal import Journal
from evomask.runs.plan import Plan, decode_plan, encode_plan

PLAN, JOURNAL, FRONT = "plan.toml", "journal.jsonl", "front.parquet"
KEPT_SNAPSHOTS = 2
TIME_FOR_SNAPSHOTS = 0.05
LONGEST_WAIT = 30.0


class Store:
    """The folder of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def create(cls, folder: Path, plan: Plan) -> "Store":
        """A new folder with a plan in it."""
        if folder.exists() and (not folder.is_dir() or any(folder.glob("[!.]*"))):
            raise RunError(
                f"{folder} is not empty; go on with `evomask resume {folder}` "
                "if it holds a run, or choose another folder"
            )
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        store = cls(folder)
        store.save_plan(plan)
        return store

    def save_plan(self, plan: Plan) -> None:
        """Write the plan."""
        write_whole(self.folder / PLAN, lambda file: file.write(encode_plan(plan)))

    def plan(self) -> Plan:
        """The plan of the run."""
        try:
            return decode_plan((self.folder / PLAN).read_bytes())
        except OSError:
            raise RunError(f"{self.folder} holds no run; give the folder of one") from None

    def journal(self) -> Journal:
        """The journal, ready for the next line."""
        return Journal(self.folder / JOURNAL)

    def save_state(self, state: State[Any], pack: Callable[[Any], Arrays]) -> None:
        """Take a snapshot; older ones than the last few go."""
        save(self.folder / f"state-{state.generation:012d}.npz", state, pack)
        for old in self.snapshot_files()[KEPT_SNAPSHOTS:]:
            old.unlink()

    def newest_state(
        self, unpack: Callable[[Arrays], Any], archive: Archive[Any]
    ) -> State[Any] | None:
        """The newest whole snapshot, if there is one."""
        for path in self.snapshot_files():
            try:
                return load(path, unpack, archive)
            except RunError:
                continue
        return None

    def snapshots(
        self, every: int, pack: Callable[[Any], Arrays], journal: Journal
    ) -> Observer[Any]:
        """An observer that takes a snapshot every so many evaluations, or every half minute.

        It waits when snapshots would take more than a twentieth of the time. Which ones there
        are changes nothing in the results.
        """
        saved, not_before, ended = 0, 0.0, time.monotonic()

        def take(before: State[Any], _: Brood[Any], __: Outcomes[Any], after: State[Any]) -> None:
            nonlocal saved, not_before, ended
            saved = saved or before.evaluations
            started = time.monotonic()
            wanted = after.evaluations - saved >= every or started - ended >= LONGEST_WAIT
            if wanted and started >= not_before:
                journal.sync()
                self.save_state(after, pack)
                saved, ended = after.evaluations, time.monotonic()
                not_before = ended + (ended - started) / TIME_FOR_SNAPSHOTS

        return take

    def save_front(
        self, points: Sequence[Point], plan: Plan, pack: Callable[[Any], Arrays]
    ) -> None:
        """Write the points with all that is needed to make their files again."""
        rows = [_row(point, plan, pack) for point in points]
        write_whole(self.folder / FRONT, lambda file: file.write(front_as_parquet(rows)))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from working on the same run."""
        try:
            import fcntl
        except ImportError:  # not a POSIX system: nobody is kept out
            yield
            return
        with (self.folder / ".lock").open("w", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise RunError(f"another process works on {self.folder}; wait for it") from None
            yield

    @property
    def is_busy(self) -> bool:
        """Whether a process works on the run now."""
        try:
            with self.locked():
                return False
        except RunError:
            return True

    def snapshot_files(self) -> list[Path]:
        """The snapshots there are, the newest first."""
        return sorted(self.folder.glob("state-*.npz"), reverse=True)


def _row(point: Point, plan: Plan, pack: Callable[[Any], Arrays]) -> dict[str, object]:
    member = point.individual
    return {
        **point.as_json(),
        "operator": member.operator,
        "parameters": json.dumps(plan.parameters, sort_keys=True),
        "serial": member.serial,
        "born": member.born,
        "draw": point.draw,
        "recipe": arrays_as_bytes(pack(member.genome)),
    }
