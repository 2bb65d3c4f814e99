"""A run at a glance: its plan and record as plain data, whether somebody works on it, notes on it.

For those who show many runs and compute nothing: what computes is not imported.
"""

import json
import os
import tomllib
from pathlib import Path
from typing import Any, TypeAlias

from evomask.errors import RunError
from evomask.io.files import replace_text
from evomask.runs.kept.names import LOCK, PLAN, RECORD

Plain: TypeAlias = dict[str, Any]

USUAL: Plain = {
    "search": "portfolio", "pick": "best", "input": {}, "budget": {}, "parameters": {}, "bounds": {}
}  # fmt: skip
"""What a plan says at least."""


def plan_in(folder: Path) -> Plain:
    """The plan of a run as plain data, whole: what it leaves out is empty."""
    try:
        plan = USUAL | tomllib.loads((folder / PLAN).read_text(encoding="utf-8"))
        if any(not isinstance(plan[name], type(usual)) for name, usual in USUAL.items()):
            raise ValueError
        return {**plan, "input": {"path": "", **plan["input"]}}
    except (OSError, ValueError, RecursionError):
        raise RunError(f"the plan of {folder.name} cannot be read; start the run again") from None


def record_in(folder: Path) -> Plain:
    """The record of a release as plain data."""
    try:
        record: Plain = json.loads((folder / RECORD).read_bytes())
        return {**record, "chosen": record["points"]["chosen"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise RunError(f"the record of {folder.name} cannot be read; release again") from None


def is_worked_on(folder: Path) -> bool:
    """Whether a process works on the run now; nobody is kept waiting by the look."""
    try:
        import fcntl
    except ImportError:  # not a POSIX system: nobody is kept out
        return False
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(handle)
    return False


def keep_note(path: Path, text: str) -> None:
    """Keep a small text beside runs: whole or not at all, for its owner alone."""
    replace_text(path, text)
