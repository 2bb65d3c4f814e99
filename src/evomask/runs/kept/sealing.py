"""Closing a release: every file is hashed into a new line of the log, which a key may sign."""

from dataclasses import dataclass
from pathlib import Path

from evomask.io.dialects import Dialect
from evomask.io.written import Promise
from evomask.runs.kept import names
from evomask.runs.kept.log import LOG, Named, appended, file_hash, last_entry
from evomask.runs.kept.signing import SIGNATURE, read_key, signed
from evomask.runs.kept.staging import Stage

MASKED, ORDER, PROMISE = names.MASKED, "order.npy", "promise.json"
STATES = "state-*.npz"


@dataclass(frozen=True)
class Promised:
    """What a released file is to fulfil, and how it is written, to check it again later."""

    promise: Promise
    dialect: Dialect | None = None


def seal(stage: Stage, folder: Path, did: str, point: Named, key: Path | None = None) -> None:
    """Write the log, and a signature where a key is given; files that stay are named once more."""
    new = {
        str(path.relative_to(stage.folder).as_posix()): file_hash(path)
        for path in stage.folder.rglob("*")
        if path.is_file()
    }
    files = {**_staying(folder, stage.gone), **_newest_state(folder), **new}
    log = appended(folder, did, point, files)
    stage.write(LOG, log)
    if key is None:
        stage.drop([SIGNATURE])
    else:
        stage.write(SIGNATURE, signed(log.splitlines()[-1], read_key(key)))


def _staying(folder: Path, gone: tuple[str, ...]) -> dict[str, str]:
    """Files of the release before that are there still."""
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
