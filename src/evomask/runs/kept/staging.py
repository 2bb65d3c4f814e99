"""A release is put together aside and takes its place as one.

All files are written into a folder of their own first. Renaming that folder decides; then they
move to their places. Killed before, the old release stands; killed after, whoever opens the
run next completes the move. So the folder never keeps a mixture of two releases.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from evomask.errors import FileError
from evomask.io.files import OWNER_ALONE

STAGED, DECIDED, GONE = ".staged", ".decided", ".gone"
OWNER_FOLDER = 0o700


class Stage:
    """The place where the files of a release are put together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._gone: list[str] = []

    def write(self, name: str, content: bytes) -> None:
        """Put a file there that only its owner may read."""
        path = self.path(name)
        path.write_bytes(content)
        path.chmod(OWNER_ALONE)

    def path(self, name: str) -> Path:
        """Where a file will be put together; its folder is there."""
        path = self.folder / name
        path.parent.mkdir(mode=OWNER_FOLDER, parents=True, exist_ok=True)
        return path

    def drop(self, names: Iterable[str]) -> None:
        """Name files of the old release that the new one does not have."""
        self._gone += names

    @property
    def gone(self) -> tuple[str, ...]:
        """Files of the old release that the new one does not have."""
        return tuple(self._gone)

    def close(self) -> None:
        """See to it that everything is on the disk."""
        self.write(GONE, msgspec.json.encode(self._gone))
        for path in (*self.folder.rglob("*"), self.folder):
            _sync(path)


@contextmanager
def staged(folder: Path) -> Iterator[Stage]:
    """A stage to fill; when that went well, its files replace those in the folder of a run."""
    finish(folder)
    stage = Stage(folder / STAGED)
    try:
        stage.folder.mkdir(mode=OWNER_FOLDER)
        yield stage
        stage.close()
        stage.folder.rename(folder / DECIDED)
        _sync(folder)
    except OSError as error:
        raise FileError(
            f"{folder} cannot be written: {error.strerror or error}; what was there stays"
        ) from None
    finally:
        shutil.rmtree(stage.folder, ignore_errors=True)
    finish(folder)


def finish(folder: Path) -> None:
    """Complete a release that was decided on, and forget one that was not."""
    shutil.rmtree(folder / STAGED, ignore_errors=True)
    decided = folder / DECIDED
    if not decided.is_dir():
        return
    try:
        _move(decided, folder)
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}") from None


def _move(decided: Path, folder: Path) -> None:
    gone = _names_in(decided / GONE)
    for path in _files(decided):
        target = folder / path.relative_to(decided)
        if path.name != GONE:
            target.parent.mkdir(mode=OWNER_FOLDER, exist_ok=True)
            path.replace(target)
            _sync(target.parent)
    for name in gone:
        (folder / name).unlink(missing_ok=True)
    _sync(folder)
    shutil.rmtree(decided)


def _names_in(path: Path) -> list[str]:
    """Names of files that go; where they are not told, the last of them went before a kill."""
    if not path.exists():
        return []
    try:
        names = msgspec.json.decode(path.read_bytes(), type=list[str])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        names = [".."]
    if any(Path(name).is_absolute() or ".." in Path(name).parts for name in names):
        raise FileError(f"{path} was changed; take out {path.parent}, and release again")
    return names


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _sync(path: Path) -> None:
    if os.name == "posix" or path.is_file():
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
