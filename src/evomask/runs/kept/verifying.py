"""Checking a release again: the files, what they promise, the reports, the log, the signature."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import msgspec

from evomask.errors import EvomaskError, RunError
from evomask.io.written import Promise, read_back, shortcomings
from evomask.record.public import TELLINGS, public_part
from evomask.record.record import RECORD, ReleaseRecord, encode_record
from evomask.runs.kept.log import broken_line, changed_files, edited_lines, file_hash, read_lines
from evomask.runs.kept.plan import Plan, check_input, decode_plan
from evomask.runs.kept.sealing import MASKED, PROMISE, Promised
from evomask.runs.kept.signing import SIGNATURE, is_signed_by, read_key
from evomask.runs.kept.staging import DECIDED
from evomask.runs.kept.store import PLAN, Store, refuse_links
from evomask.runs.report import PUBLIC_RECORD, load_record, report_parts


@dataclass(frozen=True)
class Finding:
    """What one check found.

    Args:
        holds: whether it is as it should be; none where it could not be checked.
    """

    check: str
    holds: bool | None
    text: str


@dataclass(frozen=True)
class Verdict:
    """What all checks of a release found."""

    folder: Path
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether no check failed."""
        return all(finding.holds is not False for finding in self.findings)


@dataclass(frozen=True)
class _Kept:
    """The release in a folder."""

    folder: Path
    record: ReleaseRecord
    promised: Promised
    plan: Plan
    key: Path | None

    @property
    def masked(self) -> Path:
        """Where the released file is."""
        return self.folder / MASKED / self.record.output.name


def verify(folder: Path, key: Path | None = None) -> Verdict:
    """Check the release in the folder of a run again; nothing is written.

    A release that was decided on before a kill is completed first.
    """
    if not (folder / PLAN).is_file():
        raise RunError(f"{folder} holds no run; give the folder of one")
    secret = None if key is None else read_key(key)
    with _undisturbed(folder):
        load_record(folder)
        if not read_lines(folder):
            raise RunError(
                f"{folder} has no log: it was released by an earlier version; release again with "
                f"`evomask choose {folder}`"
            )
        kept = _Kept(
            folder, load_record(folder), _promised(folder), decode_plan(_bytes(folder / PLAN)), key
        )
        checks = _log, _files, _output, _guarantees, _reports, _original
        findings = [_checked(check, kept) for check in checks]
        return Verdict(folder, (*findings, signature_finding(folder, secret)))


def _undisturbed(folder: Path) -> AbstractContextManager[None]:
    """The lock of a run; a folder that cannot be written to, such as an archive, needs none."""
    if os.access(folder, os.W_OK):
        return Store(folder).locked()
    refuse_links(folder)
    if (folder / DECIDED).exists():
        raise RunError(f"{folder} holds a release half moved; verify it where it can be completed")
    return nullcontext()


def _promised(folder: Path) -> Promised:
    try:
        return msgspec.json.decode(_bytes(folder / PROMISE), type=Promised)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise RunError(f"{PROMISE} in {folder} was changed; release again") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}") from None


def _checked(check: Callable[[_Kept], Finding], kept: _Kept) -> Finding:
    """What a check finds; that it cannot be made is a finding too."""
    try:
        return check(kept)
    except EvomaskError as error:
        return Finding(check.__name__.strip("_"), holds=False, text=str(error))


def _log(kept: _Kept) -> Finding:
    return log_finding(kept.folder)


def log_finding(folder: Path) -> Finding:
    """Whether every line of a log follows from the one before."""
    lines = read_lines(folder)
    wrong = broken_line(lines)
    text = f"{len(lines)} lines, each following from the one before{_by_hand(lines)}"
    broken = f"line {wrong} does not follow from the one before: the log was changed"
    return Finding("log", wrong is None, broken if wrong else text)


def _by_hand(lines: list[bytes]) -> str:
    edited = ", ".join(map(str, edited_lines(lines)))
    return (
        f"; changed by hand before line {edited}, and used all the same: {PLAN}" if edited else ""
    )


def _files(kept: _Kept) -> Finding:
    changed = changed_files(kept.folder)
    text = f"not as they were released: {', '.join(changed)}" if changed else "all as released"
    return Finding("files", not changed, text)


def _output(kept: _Kept) -> Finding:
    same = file_hash(kept.masked) == kept.record.output.sha256
    text = f"{kept.masked} is {'' if same else 'not '}the one that {RECORD} speaks of"
    return Finding("file", same, text)


def _guarantees(kept: _Kept) -> Finding:
    if not kept.masked.is_file():
        return Finding("guarantees", holds=False, text=f"there is no {kept.masked}")
    promise, record = kept.promised.promise, kept.record
    try:
        found = read_back(kept.masked, promise, kept.promised.dialect)
    except Exception:  # noqa: BLE001 - whatever stands in a file that is not ours
        return Finding("guarantees", holds=False, text=f"{kept.masked} cannot be read")
    wrong = [*shortcomings(found, promise), *_misquoted(promise, record)]
    asked = ", ".join(f"{name} = {value:g}" for name, value in record.required.items())
    reached = f"k = {found.k}" + (f", l = {found.l}, t = {found.t:.3f}" if found.l else "")
    text = f"{found.records} records, {reached} in the file; required: {asked or 'nothing'}"
    return Finding("guarantees", not wrong, "; ".join(wrong) or text)


def _misquoted(promise: Promise, record: ReleaseRecord) -> Iterator[str]:
    """Where the record tells of another promise than the one that was checked."""
    kept = {"k": float(promise.k), "l": float(promise.l), "t": promise.t}
    for name, value in record.required.items():
        if kept[name] < value if name != "t" else kept[name] > value:
            yield f"{RECORD} requires {name} = {value:g} and {PROMISE} does not"
    roles = {a.name for a in record.attributes if a.role == "quasi-identifier"}
    if roles != set(promise.quasi_identifiers):
        yield f"{RECORD} and {PROMISE} name other quasi-identifiers"
    if set(record.dropped) != set(promise.absent):
        yield f"{RECORD} and {PROMISE} name other identifiers"


def _reports(kept: _Kept) -> Finding:
    """Whether both reports and the public record are those that the record makes."""
    public = _bytes(kept.folder / PUBLIC_RECORD)
    fitting = [t for t in TELLINGS if encode_record(public_part(kept.record, t)) == public]
    parts = report_parts(kept.record, fitting[0] if fitting else "plain")
    wrong = [name for name, made in parts.items() if _bytes(kept.folder / name) != made]
    if not wrong:
        return Finding("reports", holds=True, text="made from the record, to the byte")
    return Finding("reports", holds=False, text=f"not made from {RECORD}: {', '.join(wrong)}")


def _original(kept: _Kept) -> Finding:
    if not kept.plan.input.path.is_file():
        return Finding("original", holds=None, text="not there any more; its hash is in the record")
    check_input(kept.plan)
    return Finding("original", holds=True, text="and all that it was read with are unchanged")


def signature_finding(folder: Path, key: bytes | None) -> Finding:
    """Whether the last line of a log is signed, and by this key."""
    path = folder / SIGNATURE
    if not path.is_file():
        told = "there is none, and a key was given" if key else "none"
        return Finding("signature", None if key is None else False, told)
    if key is None:
        return Finding("signature", None, "there is one; check it with --key-file")
    right = is_signed_by(read_lines(folder)[-1], path.read_bytes(), key)
    text = "made with this key" if right else "not made with this key, or of another release"
    return Finding("signature", right, text)
