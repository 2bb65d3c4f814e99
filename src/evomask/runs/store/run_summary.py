"""File names of a run folder; its plan, record and lock as plain data.

Modules that only list runs import this one: it loads no numerical library.
"""

import json
import tomllib
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from evomask.errors import RunError
from evomask.io.files import replace_text
from evomask.system import is_locked

PLAN, JOURNAL, FRONT = "plan.toml", "journal.jsonl", "front.parquet"
RECORD, PUBLIC_RECORD = "record.json", "record-public.json"
INTERNAL, PUBLIC = "report-internal.html", "report-public.html"
MASKED = "masked"
CHUNKS_PLAN = "plan.json"
LOCK = ".lock"


JsonObject: TypeAlias = dict[str, Any]

PLAN_DEFAULTS: JsonObject = {
    "search": "protect", "pick": "best", "input": {}, "budget": {}, "parameters": {}, "bounds": {}
}  # fmt: skip
"""Keys that every plan has, with default values."""


def read_plan(folder: Path) -> JsonObject:
    """Return the plan of a run as plain data, with defaults for missing keys."""
    try:
        plan = PLAN_DEFAULTS | tomllib.loads((folder / PLAN).read_text(encoding="utf-8"))
        if any(
            not isinstance(plan[name], type(default)) for name, default in PLAN_DEFAULTS.items()
        ):
            raise ValueError
        return {**plan, "input": {"path": "", **plan["input"]}}
    except (OSError, ValueError, RecursionError):
        raise RunError(f"the plan of {folder.name} cannot be read; start the run again") from None


def read_record(folder: Path) -> JsonObject:
    """Return the record of a release as plain data."""
    try:
        record: JsonObject = json.loads((folder / RECORD).read_bytes())
        return {**record, "chosen": record["points"]["chosen"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise RunError(f"the record of {folder.name} cannot be read; release again") from None


def is_running(folder: Path) -> bool:
    """Whether a process holds the lock of the run; never blocks."""
    return is_locked(folder / LOCK)


def write_note(path: Path, text: str) -> None:
    """Write a small text beside runs atomically, readable by its owner only."""
    replace_text(path, text)


def finite_json(value: Any) -> Any:  # noqa: ANN401
    """The value with None for every number that is not finite, for JSON."""
    if isinstance(value, Mapping):
        return {name: finite_json(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite_json(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value
