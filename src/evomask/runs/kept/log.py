"""Who chose, reported and released what, line by line; each line holds the hash of the one before.

A line names every file of the release by its hash. A line that is changed or taken out breaks the
chain, and a file that is changed no longer is the one that the last line names.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from evomask.errors import RunError
from evomask.runs.kept.names import PLAN

LOG = "log.jsonl"
NOTHING_BEFORE = "0" * 64
RELEASES = ("released", "chose")
"""What was done when a file was written."""


class Entry(msgspec.Struct, frozen=True):
    """What somebody did.

    Args:
        did: released, chose or reported.
        point: the number on the front of the point that is released now.
        files: the hash of every file of the release, and of what it rests on.
        user: the account on this machine; who decided is said in the record.
        edited: files that somebody had changed by hand, and that were used all the same.
        before: hash of the line before.
        file: the number of the point's file in the order of making; none in logs of earlier
            versions, where *point* is that number.
    """

    did: str
    point: int
    files: dict[str, str]
    user: str
    at: str
    before: str = NOTHING_BEFORE
    file: int | None = None
    edited: tuple[str, ...] = ()


class Named(NamedTuple):
    """A point by its number on the front, and by that of its file."""

    point: int
    file: int | None


def appended(folder: Path, did: str, point: Named, files: Mapping[str, str]) -> bytes:
    """The log of a folder with one line more."""
    lines = read_lines(folder)
    before = digest(lines[-1]) if lines else NOTHING_BEFORE
    now = datetime.now(UTC).isoformat(timespec="seconds")
    edited = tuple(name for name in changed_files(folder) if name == PLAN)
    entry = Entry(
        did, point.point, dict(sorted(files.items())), user_name(), now, before, point.file, edited
    )
    return b"".join(line + b"\n" for line in (*lines, msgspec.json.encode(entry)))


def read_lines(folder: Path) -> list[bytes]:
    """The lines of a log; none where there is no log."""
    try:
        return (folder / LOG).read_bytes().splitlines()
    except OSError:
        return []


def last_entry(folder: Path) -> Entry | None:
    """What was done last; nothing where the log does not tell."""
    lines = read_lines(folder)
    return _entry(lines[-1]) if lines else None


def released_files(folder: Path) -> tuple[int, ...]:
    """The files that were released from a folder so far, in their order, by number."""
    entries = [entry for entry in map(_entry, read_lines(folder)) if entry is not None]
    released = [entry for entry in entries if entry.did in RELEASES]
    return tuple(entry.point if entry.file is None else entry.file for entry in released)


def broken_line(lines: Iterable[bytes]) -> int | None:
    """The first line, counted from 1, that does not follow from the one before."""
    before = NOTHING_BEFORE
    for number, line in enumerate(lines, start=1):
        entry = _entry(line)
        if entry is None or entry.before != before:
            return number
        before = digest(line)
    return None


def changed_files(folder: Path) -> tuple[str, ...]:
    """Files that are not those of the last line: changed by other means, or gone."""
    entry = last_entry(folder)
    named = {} if entry is None else entry.files
    return tuple(name for name, known in named.items() if file_hash(folder / name) != known)


def changes_since(folder: Path, *, edited_plan: bool) -> tuple[str, ...]:
    """Files that others changed since the release; a plan among them is refused unless asked."""
    changed = changed_files(folder)
    if PLAN in changed and not edited_plan:
        raise RunError(
            f"{folder / PLAN} is not as it was released; put the old one back, "
            "or use it as it is with --edited-plan, which the record and the log say"
        )
    return changed


def edited_lines(lines: Iterable[bytes]) -> tuple[int, ...]:
    """Lines, counted from 1, that rest on files changed by hand, as who did it was told."""
    entries = enumerate(map(_entry, lines), start=1)
    return tuple(number for number, entry in entries if entry is not None and entry.edited)


def changed_in_words(name: str) -> str:
    """A note on a file that is not the one of the last line."""
    return f"{name} is not as it was released: it was changed by other means, or is gone"


def file_hash(path: Path) -> str:
    """The hash of a file; empty where there is none, or something else, such as a device."""
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def digest(content: bytes) -> str:
    """The hash of some bytes."""
    return hashlib.sha256(content).hexdigest()


def user_name() -> str:
    """The account that runs this; its number where the system has no name for it."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError, AttributeError):
        return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "")


def _entry(line: bytes) -> Entry | None:
    try:
        return msgspec.json.decode(line, type=Entry)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
