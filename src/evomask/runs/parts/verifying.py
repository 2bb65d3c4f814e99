"""Checking the written parts of a large file again: log, hashes, identifiers, who looks alike."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from evomask.errors import FileError, RunError
from evomask.io.parts import alike_in, columns_in
from evomask.runs.kept.log import changed_files, last_entry, read_lines
from evomask.runs.kept.signing import read_key
from evomask.runs.kept.store import refuse_links
from evomask.runs.kept.verifying import Finding, Verdict, log_finding, signature_finding
from evomask.runs.parts.closing import DONE, ROUNDING, Done, spread_of
from evomask.runs.parts.steps import MASKED


def verify_parts(folder: Path, key: Path | None = None) -> Verdict:
    """Count everything again; nothing is written."""
    refuse_links(folder)
    secret = None if key is None else read_key(key)
    if not (folder / DONE).is_file() or not read_lines(folder):
        raise RunError(
            f"the work in {folder} is not finished; give the same command again to go on"
        )
    counted = _counted(folder, done_in(folder))
    findings = (log_finding(folder), _parts(folder), *counted, signature_finding(folder, secret))
    return Verdict(folder, findings)


def done_in(folder: Path) -> Done:
    """What the finished parts of a folder are to fulfil."""
    try:
        return msgspec.json.decode((folder / DONE).read_bytes(), type=Done)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        raise RunError(f"{folder / DONE} was changed; mask the file again") from None


def _parts(folder: Path) -> Finding:
    entry = last_entry(folder)
    named = set() if entry is None else set(entry.files)
    there = {f"{MASKED}/{path.name}" for path in (folder / MASKED).iterdir()}
    apart = sorted({*changed_files(folder), *(there - named)})
    others = f"changed, missing or added: {', '.join(apart)}" if apart else "as they were written"
    return Finding("parts", not apart, f"{len(there)} files, {others}")


def _counted(folder: Path, done: Done) -> Iterator[Finding]:
    try:
        alike, columns = alike_in(folder / MASKED, done.names), columns_in(folder / MASKED)
    except FileError:
        yield Finding("records", holds=False, text="cannot be read")
        return
    left = sorted(columns & set(done.absent))
    yield Finding("records", alike.records == done.records, f"{alike.records:,}")
    yield Finding("k", alike.least >= done.k, f"{alike.least} records look alike or more")
    for own in done.confidential:
        fewest, far = spread_of(folder, done.names, own)
        holds = fewest >= own.l and far <= own.t + ROUNDING
        yield Finding(f"l, t of {own.name}", holds, f"l = {fewest}, t = {far:.4f}")
    yield Finding("identifiers", not left, f"released: {', '.join(left)}" if left else "none")
