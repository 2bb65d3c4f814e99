"""A release on disk: hash-chained log, signature, atomic staging, order of the records.

Each line of the log names every file of the release by its hash and holds the hash of the line
before, so a changed line breaks the chain and a changed file no longer matches the last line. The
signature is over the last line.

Files are written into a staging folder first. Renaming that folder commits the release; then they
move to their places. After a kill before the commit, the old release stands; after a kill later,
the next process that opens the run completes the move. The folder never mixes two releases.
"""

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from evomask.errors import FileError, RunError
from evomask.io.dialects import Dialect
from evomask.io.files import OWNER_ONLY, sync
from evomask.io.readback import ReleaseSpec
from evomask.runs.store.run_summary import PLAN
from evomask.runs.store.signature import read_key, sign
from evomask.system import SYSTEM
from evomask.types import Indices

LOG = "log.jsonl"
NO_PREVIOUS = "0" * 64
RELEASE_ACTIONS = ("released", "chose")
"""Actions that write a released file."""


class LogEntry(msgspec.Struct, frozen=True):
    """A line of the log.

    Args:
        did: released, chose or reported.
        point: number on the front of the released point.
        files: hash of every file of the release and of its inputs.
        user: account on this machine; the record names who decided.
        edited: files that were edited by hand and used nevertheless.
        before: hash of the previous line.
        file: number of the point in the order of creation; None in logs of earlier versions, where
            *point* is that number.
    """

    did: str
    point: int
    files: dict[str, str]
    user: str
    at: str
    before: str = NO_PREVIOUS
    file: int | None = None
    edited: tuple[str, ...] = ()


class PointId(NamedTuple):
    """A point by its number on the front and by its number in the order of creation."""

    point: int
    file: int | None


def append_entry(folder: Path, did: str, point: PointId, files: Mapping[str, str]) -> bytes:
    """Return the log of a folder with a new line."""
    lines = read_lines(folder)
    before = digest(lines[-1]) if lines else NO_PREVIOUS
    now = datetime.now(UTC).isoformat(timespec="seconds")
    edited = tuple(name for name in changed_files(folder) if name == PLAN)
    entry = LogEntry(
        did=did,
        point=point.point,
        files=dict(sorted(files.items())),
        user=user_name(),
        at=now,
        before=before,
        file=point.file,
        edited=edited,
    )
    return b"".join(line + b"\n" for line in (*lines, msgspec.json.encode(entry)))


def read_lines(folder: Path) -> list[bytes]:
    """Return the lines of a log; an empty list if there is no log."""
    try:
        return (folder / LOG).read_bytes().splitlines()
    except OSError:
        return []


def last_entry(folder: Path) -> LogEntry | None:
    """Return the last entry of a log, or None."""
    lines = read_lines(folder)
    return _entry(lines[-1]) if lines else None


def released_files(folder: Path) -> tuple[int, ...]:
    """Numbers of the candidates released from a folder so far, in order."""
    entries = [entry for entry in map(_entry, read_lines(folder)) if entry is not None]
    released = [entry for entry in entries if entry.did in RELEASE_ACTIONS]
    return tuple(entry.point if entry.file is None else entry.file for entry in released)


def broken_line(lines: Iterable[bytes]) -> int | None:
    """First line, counted from 1, whose hash of the line before is wrong."""
    before = NO_PREVIOUS
    for number, line in enumerate(lines, start=1):
        entry = _entry(line)
        if entry is None or entry.before != before:
            return number
        before = digest(line)
    return None


def changed_files(folder: Path) -> tuple[str, ...]:
    """Files that differ from the last line of the log, or are missing."""
    entry = last_entry(folder)
    named = {} if entry is None else entry.files
    return tuple(name for name, known in named.items() if file_hash(folder / name) != known)


def check_changes(folder: Path, *, edited_plan: bool) -> tuple[str, ...]:
    """Files changed since the release; a changed plan raises unless *edited_plan*."""
    changed = changed_files(folder)
    if PLAN in changed and not edited_plan:
        raise RunError(
            f"{folder / PLAN} is not as it was released; restore the old one, "
            "or use it with --edited-plan, which the record and the log state"
        )
    return changed


def edited_lines(lines: Iterable[bytes]) -> tuple[int, ...]:
    """Lines, counted from 1, whose release used files edited by hand."""
    entries = enumerate(map(_entry, lines), start=1)
    return tuple(number for number, entry in entries if entry is not None and entry.edited)


def change_note(name: str) -> str:
    """A note about a file that differs from the last line of the log."""
    return f"{name} was changed or removed since the release, not by evomask"


def file_hash(path: Path) -> str:
    """Hash of a file; empty if it is missing or not a regular file."""
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def digest(content: bytes) -> str:
    """SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def user_name() -> str:
    """Name of the current account, or its number if it has no name."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError, AttributeError):
        return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "")


def _entry(line: bytes) -> LogEntry | None:
    try:
        return msgspec.json.decode(line, type=LogEntry)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


SIGNATURE = "signature.json"

STAGING, COMMITTED, REMOVED = ".staged", ".decided", ".gone"
OWNER_FOLDER = 0o700


class StagingFolder:
    """The folder in which the files of a release are prepared."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._gone: list[str] = []

    def write(self, name: str, content: bytes) -> None:
        """Write a file that only its owner can read."""
        path = self.path(name)
        path.write_bytes(content)
        path.chmod(OWNER_ONLY)

    def path(self, name: str) -> Path:
        """Path of a file in the folder; its parent is created."""
        path = self.folder / name
        path.parent.mkdir(mode=OWNER_FOLDER, parents=True, exist_ok=True)
        return path

    def drop(self, names: Iterable[str]) -> None:
        """Mark files of the old release for removal."""
        self._gone += names

    @property
    def gone(self) -> tuple[str, ...]:
        return tuple(self._gone)

    def close(self) -> None:
        """Write everything to disk."""
        self.write(REMOVED, msgspec.json.encode(self._gone))
        for path in (*self.folder.rglob("*"), self.folder):
            sync(path)


@contextmanager
def stage_release(folder: Path) -> Iterator[StagingFolder]:
    """A staging folder to fill; on success its files replace those of the run folder."""
    complete_release(folder)
    stage = StagingFolder(folder / STAGING)
    try:
        stage.folder.mkdir(mode=OWNER_FOLDER)
        yield stage
        stage.close()
        stage.folder.rename(folder / COMMITTED)
        sync(folder)
    except OSError as error:
        raise FileError(
            f"{folder} cannot be written: {error.strerror or error}; what was there stays"
        ) from None
    finally:
        shutil.rmtree(stage.folder, ignore_errors=True)
    complete_release(folder)


def complete_release(folder: Path) -> None:
    """Complete a committed release, and discard one that was not committed."""
    shutil.rmtree(folder / STAGING, ignore_errors=True)
    decided = folder / COMMITTED
    if not decided.is_dir():
        return
    try:
        _move(decided, folder)
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}") from None


def _move(decided: Path, folder: Path) -> None:
    gone = _removed_names(decided / REMOVED)
    for path in sorted(path for path in decided.rglob("*") if path.is_file()):
        target = folder / path.relative_to(decided)
        if path.name != REMOVED:
            target.parent.mkdir(mode=OWNER_FOLDER, exist_ok=True)
            SYSTEM.replace(path, target)
            sync(target.parent)
    for name in gone:
        (folder / name).unlink(missing_ok=True)
    sync(folder)
    shutil.rmtree(decided)


def _removed_names(path: Path) -> list[str]:
    """Names of files to remove; none if they were removed before a kill."""
    if not path.exists():
        return []
    try:
        names = msgspec.json.decode(path.read_bytes(), type=list[str])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        names = [".."]
    if any(Path(name).is_absolute() or ".." in Path(name).parts for name in names):
        raise FileError(f"{path} was changed; remove {path.parent}, and release again")
    return names


ORDER, PROMISE = "order.npy", "promise.json"
STATES = "state-*.npz"


@dataclass(frozen=True)
class PromiseFile:
    """Guarantees of a released file, and its dialect, to check it again later."""

    promise: ReleaseSpec
    dialect: Dialect | None = None


def write_manifest(
    stage: StagingFolder, folder: Path, did: str, point: PointId, key: Path | None = None
) -> None:
    """Write the log, and a signature if a key is given; unchanged files are listed again."""
    new = {
        str(path.relative_to(stage.folder).as_posix()): file_hash(path)
        for path in stage.folder.rglob("*")
        if path.is_file()
    }
    files = {**_unchanged_files(folder, stage.gone), **_newest_state(folder), **new}
    log = append_entry(folder, did, point, files)
    stage.write(LOG, log)
    if key is None:
        stage.drop([SIGNATURE])
    else:
        stage.write(SIGNATURE, sign(log.splitlines()[-1], read_key(key)))


def _unchanged_files(folder: Path, gone: tuple[str, ...]) -> dict[str, str]:
    entry = last_entry(folder)
    named = () if entry is None else entry.files
    return {
        name: file_hash(folder / name)
        for name in named
        if name not in gone and (folder / name).is_file()
    }


def _newest_state(folder: Path) -> dict[str, str]:
    newest = sorted(folder.glob(STATES))[-1:]
    return {path.name: file_hash(path) for path in newest}


def draw_order(records: int) -> Indices:
    """Draw a random order in which records, or nodes of a graph, are released.

    It comes from the operating system and not from a seed, so it cannot be reconstructed by trying
    seeds; every release has its own order, so two releases cannot be aligned.
    """
    return np.random.default_rng(secrets.randbits(256)).permutation(records)
