"""Closing work on parts: what was written is counted, and every file is hashed into the log."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from evomask.errors import RunError
from evomask.io.files import replace_file
from evomask.io.parts import Alike, alike_in, columns_in, hashes_of
from evomask.runs.kept.log import LOG, Named, appended, file_hash
from evomask.runs.kept.signing import SIGNATURE, read_key, signed
from evomask.runs.parts.opening import PLAN, Opened
from evomask.runs.parts.steps import MASKED, WORK

DONE = "done.json"
"""What a finished job promises of its parts."""

LAST = "mask-"
"""How results of the last step are called; all others only helped on the way."""


ONLY = Named(1, 0)
"""There is one file to release, so it is point 1."""


@dataclass(frozen=True)
class Promised:
    """What is promised of parts.

    Args:
        names: the columns in which records look alike.
        k: how many of them at least.
        key: file of the key that signs the work.
    """

    names: tuple[str, ...]
    k: int
    key: Path | None = None


class Done(msgspec.Struct, frozen=True):
    """What finished parts are to fulfil, to count it again later.

    Args:
        absent: identifiers, which no part has.
    """

    names: tuple[str, ...]
    k: int
    records: int
    absent: tuple[str, ...] = ()


def closed(file: Opened, promised: Promised) -> Alike:
    """Count what was written; what helped on the way goes once it is as it must be."""
    folder = file.folder
    alike = alike_in(folder / MASKED, promised.names)
    if alike.least < promised.k:
        raise RunError(
            f"{folder / MASKED} has a class of {alike.least} records where {promised.k} were asked "
            "for; this is a defect, please report it"
        )
    if left := columns_in(folder / MASKED) & set(file.dropped):
        raise RunError(f"{folder / MASKED} holds {min(left)!r}; this is a defect, please report it")
    done = Done(promised.names, alike.least, alike.records, file.dropped)
    _write(folder / DONE, msgspec.json.encode(done))
    _seal(folder, promised.key)
    for path in (folder / WORK).iterdir():
        if not path.name.startswith(LAST):
            path.unlink(missing_ok=True)
    return alike


def _seal(folder: Path, key: Path | None) -> None:
    """A new line of the log names every file by its hash; a key signs it."""
    files = {f"{MASKED}/{name}": found for name, found in hashes_of(folder / MASKED).items()}
    files |= {name: file_hash(folder / name) for name in (PLAN, DONE)}
    log = appended(folder, "released", ONLY, files)
    _write(folder / LOG, log)
    if key is None:
        (folder / SIGNATURE).unlink(missing_ok=True)
    else:
        _write(folder / SIGNATURE, signed(log.splitlines()[-1], read_key(key)))


def _write(path: Path, content: bytes) -> None:
    replace_file(path, lambda file: file.write(content))
