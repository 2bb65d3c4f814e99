"""Verification of a release: log, files, guarantees, reports, original, signature."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import msgspec

from evomask.errors import EvomaskError, RunError
from evomask.io.readback import ReleaseSpec, ScenarioSpec, failed_checks, read_back
from evomask.report.public_record import MATRIX_POLICIES, build_public_record
from evomask.report.record import RECORD, ReleaseRecord, encode_record
from evomask.runs.release import load_record, report_parts
from evomask.runs.store.journal import Phase, PhaseStarted, damaged_lines, read_events
from evomask.runs.store.release import (
    COMMITTED,
    PROMISE,
    SIGNATURE,
    PromiseFile,
    broken_line,
    changed_files,
    edited_lines,
    file_hash,
    read_lines,
)
from evomask.runs.store.run_folder import Plan, RunFolder, check_input, decode_plan, refuse_links
from evomask.runs.store.run_summary import JOURNAL, MASKED, PLAN, PUBLIC_RECORD
from evomask.runs.store.signature import has_signature, read_key


@dataclass(frozen=True)
class CheckResult:
    """Result of one check.

    Args:
        holds: whether it passed; None if it could not be made.
    """

    check: str
    holds: bool | None
    text: str


@dataclass(frozen=True)
class Verification:
    """Results of all checks of a release."""

    folder: Path
    findings: tuple[CheckResult, ...]

    @property
    def holds(self) -> bool:
        return all(finding.holds is not False for finding in self.findings)


@dataclass(frozen=True)
class _Release:
    folder: Path
    record: ReleaseRecord
    promised: PromiseFile
    plan: Plan
    key: Path | None

    @property
    def masked(self) -> Path:
        return self.folder / MASKED / self.record.output.name


def verify(folder: Path, key: Path | None = None) -> Verification:
    """Verify the release in a run folder; writes nothing.

    A committed release that a kill interrupted is completed first.
    """
    if not (folder / PLAN).is_file():
        raise RunError(f"{folder} holds no run; give the folder of one")
    secret = None if key is None else read_key(key)
    with _lock_if_writable(folder):
        load_record(folder)
        if not read_lines(folder):
            raise RunError(
                f"{folder} has no log: it was released by an earlier version; release again with "
                f"`evomask choose {folder}`"
            )
        release = _Release(
            folder,
            load_record(folder),
            _read_promise(folder),
            decode_plan(_read_bytes(folder / PLAN)),
            key,
        )
        checks = _log, _files, _journal, _output, _guarantees, _reports, _original
        findings = [_run_check(check, release) for check in checks]
        return Verification(folder, (*findings, check_signature(folder, secret)))


def _lock_if_writable(folder: Path) -> AbstractContextManager[None]:
    """The lock of a run; a folder that is not writable, such as an archive, needs none."""
    if os.access(folder, os.W_OK):
        return RunFolder(folder).locked()
    refuse_links(folder)
    if (folder / COMMITTED).exists():
        raise RunError(
            f"{folder} holds an incomplete release; verify it in a writable folder, so that it "
            f"can be completed"
        )
    return nullcontext()


def _read_promise(folder: Path) -> PromiseFile:
    try:
        return msgspec.json.decode(_read_bytes(folder / PROMISE), type=PromiseFile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise RunError(f"{PROMISE} in {folder} was changed; release again") from None


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror or error}") from None


def _run_check(check: Callable[[_Release], CheckResult], release: _Release) -> CheckResult:
    """Result of a check; a check that raises counts as failed."""
    try:
        return check(release)
    except EvomaskError as error:
        return CheckResult(check.__name__.strip("_"), holds=False, text=str(error))


def _log(release: _Release) -> CheckResult:
    return check_log(release.folder)


def check_log(folder: Path) -> CheckResult:
    """Check that every line of a log follows from the one before."""
    lines = read_lines(folder)
    wrong = broken_line(lines)
    text = f"{len(lines)} lines, hash chain intact{_edited_note(lines)}"
    broken = f"line {wrong} does not match the hash of the line before: the log was changed"
    return CheckResult("log", wrong is None, broken if wrong else text)


def _edited_note(lines: list[bytes]) -> str:
    edited = ", ".join(map(str, edited_lines(lines)))
    return f"; {PLAN} was edited by hand before line {edited} and accepted" if edited else ""


def _files(release: _Release) -> CheckResult:
    changed = changed_files(release.folder)
    text = f"changed since the release: {', '.join(changed)}" if changed else "all as released"
    return CheckResult("files", not changed, text)


def _journal(release: _Release) -> CheckResult:
    """Check that every line of the journal has its checksum, and that it reaches the release."""
    path = release.folder / JOURNAL
    if not path.exists():
        return CheckResult("journal", holds=None, text="there is none")
    lines = _read_bytes(path).split(b"\n")[:-1]
    damaged = damaged_lines(lines)
    numbers = ", ".join(map(str, damaged))
    text = f"damaged lines: {numbers}" if damaged else f"{len(lines)} lines, all whole"
    began = (event for event in read_events(path) if isinstance(event, PhaseStarted))
    if not any(event.phase is Phase.RELEASING for event in began):
        return CheckResult("journal", holds=False, text=f"{text}, cut off before the release")
    return CheckResult("journal", not damaged, text)


def _output(release: _Release) -> CheckResult:
    same = file_hash(release.masked) == release.record.output.sha256
    text = f"{release.masked} is {'' if same else 'not '}the one that {RECORD} describes"
    return CheckResult("file", same, text)


def _guarantees(release: _Release) -> CheckResult:
    if not release.masked.is_file():
        return CheckResult("guarantees", holds=False, text=f"there is no {release.masked}")
    promise, record = release.promised.promise, release.record
    try:
        found = read_back(release.masked, promise, release.promised.dialect, is_foreign=True)
    except Exception:  # noqa: BLE001 - whatever stands in a file that is not ours
        return CheckResult("guarantees", holds=False, text=f"{release.masked} cannot be read")
    wrong = [*failed_checks(found, promise), *_contradictions(promise, record)]
    required = ", ".join(f"{name} = {value:g}" for name, value in record.required.items())
    reached = f"k = {found.k}" + (f", l = {found.l}, t = {found.t:.3f}" if found.l else "")
    text = f"{found.records} records, {reached} in the file; required: {required or 'nothing'}"
    return CheckResult("guarantees", not wrong, "; ".join(wrong) or text)


def _contradictions(promise: ReleaseSpec, record: ReleaseRecord) -> Iterator[str]:
    """Differences between the guarantees in the record and those that were checked."""
    noted = record.checked.scenarios if record.checked else ()
    if [one.name for one in noted] != [one.name for one in promise.scenarios]:
        yield f"{RECORD} and {PROMISE} name other scenarios"
        return
    required = [one.required for one in noted] or [record.required]
    parts: tuple[ReleaseSpec | ScenarioSpec, ...] = promise.scenarios or (promise,)
    for one, wanted in zip(parts, required, strict=True):
        promised = {"k": float(one.k), "l": float(one.l), "t": one.t}
        for name, value in wanted.items():
            if promised[name] < value if name != "t" else promised[name] > value:
                yield f"{RECORD} requires {name} = {value:g} and {PROMISE} does not"
    roles = {a.name for a in record.attributes if a.role == "quasi-identifier"}
    if roles != set(promise.quasi_identifiers):
        yield f"{RECORD} and {PROMISE} name other quasi-identifiers"
    if set(record.dropped) != set(promise.absent):
        yield f"{RECORD} and {PROMISE} name other identifiers"


def _reports(release: _Release) -> CheckResult:
    """Check that both reports and the public record follow from the record."""
    public = _read_bytes(release.folder / PUBLIC_RECORD)
    fitting = [
        t
        for t in MATRIX_POLICIES
        if encode_record(build_public_record(release.record, t)) == public
    ]
    parts = report_parts(release.record, fitting[0] if fitting else "plain")
    wrong = [name for name, made in parts.items() if _read_bytes(release.folder / name) != made]
    if not wrong:
        return CheckResult("reports", holds=True, text="identical to those made from the record")
    return CheckResult("reports", holds=False, text=f"not made from {RECORD}: {', '.join(wrong)}")


def _original(release: _Release) -> CheckResult:
    if not release.plan.input.path.is_file():
        return CheckResult(
            "original", holds=None, text="no longer there; its hash is in the record"
        )
    check_input(release.plan)
    return CheckResult("original", holds=True, text="data, schema and hierarchies are unchanged")


def check_signature(folder: Path, key: bytes | None) -> CheckResult:
    """Check that the last line of a log is signed with this key."""
    path = folder / SIGNATURE
    if not path.is_file():
        missing = "a key was given, and there is no signature" if key else "none"
        return CheckResult("signature", None if key is None else False, missing)
    if key is None:
        return CheckResult("signature", None, "there is one; check it with --key-file")
    right = has_signature(read_lines(folder)[-1], path.read_bytes(), key)
    text = "made with this key" if right else "not made with this key, or of another release"
    return CheckResult("signature", right, text)
