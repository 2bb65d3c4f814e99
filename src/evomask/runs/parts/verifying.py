"""Checking the written parts of a large file again: their hashes, and how many look alike."""

import json
from pathlib import Path

from evomask.errors import RunError
from evomask.io.parts import alike_in, hashes_of
from evomask.runs.kept.verifying import Finding, Verdict
from evomask.runs.parts.opening import PLAN
from evomask.runs.parts.steps import MASKED, WORK

DONE = "done.json"
"""What a finished job promises: the columns that look alike, how many records at least."""


def are_parts(folder: Path) -> bool:
    """Whether a folder holds the work on a file in parts."""
    return (folder / PLAN).is_file() and (folder / WORK).is_dir()


def verify_parts(folder: Path) -> Verdict:
    """Count everything again; nothing is written."""
    try:
        promised = json.loads((folder / DONE).read_text(encoding="utf-8"))
    except OSError:
        raise RunError(
            f"the work in {folder} is not finished; give the same command again to go on"
        ) from None
    known = [json.loads(p.read_bytes()) for p in sorted((folder / WORK).glob("mask-*.json"))]
    written = {Path(row["file"]).name: row["sha256"] for row in known}
    found = hashes_of(folder / MASKED)
    apart = sorted(name for name in {*written, *found} if written.get(name) != found.get(name))
    alike = alike_in(folder / MASKED, promised["names"])
    others = f"changed, missing or added: {', '.join(apart)}" if apart else "as they were written"
    return Verdict(
        folder,
        (
            Finding("parts", not apart, f"{len(written)} files, {others}"),
            Finding("records", alike.records == promised["records"], f"{alike.records:,}"),
            Finding("k", alike.least >= promised["k"], f"{alike.least} records look alike or more"),
        ),
    )
