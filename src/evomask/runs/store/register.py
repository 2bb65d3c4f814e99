"""A register of releases: what was released when, to whom, under which recipe, and withdrawn.

It is one text file (TOML) in a folder of runs, or one that several projects share. Entries are only
appended. Each holds the hash of the one before, so a changed or removed entry breaks the chain, and
may be signed; a signature covers all entries before it through the chain.
"""

import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from evomask.errors import FileError, ParameterError, RunError
from evomask.io.files import read_regular_file
from evomask.report.record import RECORD, ReleaseRecord, decode_record
from evomask.runs.store.release import (
    NO_PREVIOUS,
    changed_files,
    digest,
    file_hash,
    read_lines,
    user_name,
)
from evomask.runs.store.run_summary import MASKED
from evomask.runs.store.signature import Signature, is_signature, make_signature

REGISTER = "releases.toml"
HEAD = """\
# A register of releases. Entries are appended by `evomask register`; each holds the hash of the one
# before: do not edit it. Check it with `evomask register check`.
"""
RELEASED, WITHDRAWN = "released", "withdrawn"


class Entry(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One entry of a register.

    Args:
        number: from 1.
        did: released or withdrawn.
        release: name of the run folder; of a withdrawal, the number of the release.
        project: that released it.
        to: recipients.
        original, recipe, masked: SHA-256 of these files; no recipe where there is none.
        required: what the file fulfils.
        loss, risk: of the file, in percent.
        log: hash of the last line of the log of the release.
        reason: of a withdrawal.
        by: account on the machine.
        before: hash of the entry before.
        signature: of this entry without it.
    """

    number: int
    did: str
    at: str
    by: str
    before: str
    release: str = ""
    withdraws: int = 0
    project: str = ""
    to: str = ""
    reason: str = ""
    original: str = ""
    recipe: str = ""
    masked: str = ""
    records: int = 0
    required: str = ""
    loss: float | None = None
    risk: float | None = None
    log: str = ""
    signature: Signature | None = None

    @property
    def content(self) -> bytes:
        """What is signed: the entry without its signature."""
        return encode(msgspec.structs.replace(self, signature=None))


def encode(entry: Entry) -> bytes:
    """Text of an entry in a register."""
    plain = {n: v for n, v in msgspec.to_builtins(entry).items() if v is not None}
    return tomli_w.dumps({"entries": [plain]}).encode()


class _File(msgspec.Struct, forbid_unknown_fields=True):
    entries: list[Entry] = []


def read_register(path: Path) -> list[Entry]:
    """Entries of a register; none if there is no file yet."""
    try:
        content = tomllib.loads(read_regular_file(path).decode())
        return msgspec.convert(content, _File).entries
    except FileNotFoundError:
        return []
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ValueError, msgspec.ValidationError, RecursionError):
        raise RunError(
            f"{path} is no register, or was damaged; restore it from a copy, its entries are lost"
        ) from None


def register_path(path: Path) -> Path:
    """The file of a register, given itself or by its folder."""
    return path / REGISTER if path.is_dir() else path


def add_release(path: Path, folder: Path, *, to: str, project: str, key: bytes | None) -> Entry:
    """Append the release in a run folder to a register.

    A release that was changed, or that is in the register already, is refused.
    """
    try:
        record = decode_record((folder / RECORD).read_bytes())
    except OSError:
        raise RunError(f"{folder} holds no release; give the folder of a finished run") from None
    if changed := changed_files(folder):
        raise RunError(
            f"{folder} is not as it was released ({changed[0]} differs); run `evomask verify`, and "
            "release again"
        )
    lines = read_lines(folder)
    if not lines:
        raise RunError(f"{folder} has no log; release again with `evomask choose {folder}`")
    masked = file_hash(folder / MASKED / record.output.name)
    fields: dict[str, Any] = {
        "release": folder.resolve().name,
        "project": project,
        "to": to,
        "original": record.input.sha256,
        "recipe": file_hash(folder / "recipe.toml"),
        "masked": masked,
        "records": record.output.records,
        "required": _required(record),
        "loss": round(record.chosen.loss, 4),
        "risk": round(record.chosen.risk, 4),
        "log": digest(lines[-1]),
    }
    with _locked(path):
        known = read_register(path)
        gone = {one.withdraws for one in known}
        same = [one for one in known if one.masked == masked and one.number not in gone]
        if any(one.to == to for one in same):
            raise RunError(
                f"this file is entry {same[0].number} of {path} already, to the same recipients"
            )
        return _append(path, known, RELEASED, fields, key)


def withdraw_release(path: Path, number: int, *, reason: str, key: bytes | None) -> Entry:
    """Append the withdrawal of an entry to a register; who has the file has it still."""
    with _locked(path):
        known = read_register(path)
        found = [one for one in known if one.number == number and one.did == RELEASED]
        if not found:
            raise ParameterError(
                f"{path} has no release {number}; `evomask register show` lists it"
            )
        if any(one.withdraws == number for one in known):
            raise ParameterError(f"release {number} of {path} was withdrawn already")
        fields = {"withdraws": number, "release": found[0].release, "reason": reason}
        return _append(path, known, WITHDRAWN, fields, key)


def _required(record: ReleaseRecord) -> str:
    parts = [f"{name}={value:g}" for name, value in record.required.items()]
    for one in record.scenarios:
        parts += [f"{one.name}: {name}={value:g}" for name, value in one.required.items()]
    return ", ".join(parts)


def _append(
    path: Path, known: list[Entry], did: str, fields: dict[str, Any], key: bytes | None
) -> Entry:
    if broken := broken_entry(known):
        raise RunError(f"entry {broken} of {path} was changed; restore it before anything is added")
    before = digest(encode(known[-1])) if known else NO_PREVIOUS
    at = datetime.now(UTC).isoformat(timespec="seconds")
    entry = Entry(len(known) + 1, did, at, user_name(), before, **fields)
    if key is not None:
        entry = msgspec.structs.replace(entry, signature=make_signature(entry.content, key))
    try:
        with path.open("ab") as file:
            file.write((b"" if known else HEAD.encode()) + b"\n" + encode(entry))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}") from None
    return entry


def broken_entry(entries: list[Entry]) -> int | None:
    """The first entry, counted from 1, that does not follow from the one before."""
    before = NO_PREVIOUS
    for number, entry in enumerate(entries, 1):
        if entry.number != number or entry.before != before:
            return number
        before = digest(encode(entry))
    return None


def invalid_signatures(entries: list[Entry], key: bytes) -> list[int]:
    """Numbers of entries whose signature is missing or is not by this key."""
    return [
        one.number
        for one in entries
        if one.signature is None or not is_signature(one.signature, one.content, key)
    ]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a register, so that two processes do not append at once."""
    lock = path.with_name(f".{path.name}.lock")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise FileError(f"{lock} cannot be written: {error.strerror or error}") from None
    try:
        with suppress(ImportError):  # not a POSIX system: there are no locks
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def check_register(path: Path, key: bytes | None) -> tuple[str, bool]:
    """Say whether the chain of a register and its signatures hold."""
    entries = read_register(path)
    if not entries:
        return f"{path} has no entries", False
    if broken := broken_entry(entries):
        return f"entry {broken} of {path} was changed, or one before it was removed", False
    if key is None:
        signed = sum(one.signature is not None for one in entries)
        return f"{len(entries)} entries, chain intact, {signed} signed (not checked)", True
    if wrong := invalid_signatures(entries, key):
        numbers = ", ".join(map(str, wrong))
        return f"entries of {path} without a signature by this key: {numbers}", False
    return f"{len(entries)} entries, chain intact, all signed by this key", True


def rows_of(entries: list[Entry]) -> list[dict[str, Any]]:
    """One row for each release, with its withdrawal."""
    gone = {one.withdraws: one for one in entries if one.did == WITHDRAWN}
    names = ("number", "at", "release", "project", "to", "original", "recipe", "masked", "records",
             "required", "loss", "risk")  # fmt: skip
    return [
        {name: getattr(one, name) for name in names}
        | {
            "withdrawn": gone[one.number].at if one.number in gone else "",
            "reason": gone[one.number].reason if one.number in gone else "",
        }
        for one in entries
        if one.did == RELEASED
    ]
