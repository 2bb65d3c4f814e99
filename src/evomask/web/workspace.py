"""Data files of the served folder: uploads, each stored under an opaque id."""

import json
import os
import re
import secrets
import shutil
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from evomask.errors import FileError
from evomask.runs.options import readable_endings
from evomask.runs.store.run_summary import write_note

if TYPE_CHECKING:
    from evomask.runs.onboarding.preview import FileOverview
    from evomask.runs.onboarding.schemas import SchemaEditor

ABOUT = "about.json"
FILE_ID = re.compile(r"[0-9a-f]{16}")
SURVEY = "the bundled survey"
MAX_CACHED = 2
"""Number of tables in the cache, least recently used ones first to go."""


class MissingError(FileError):
    """A requested file, run or point does not exist."""


@dataclass(frozen=True)
class DataFile:
    """A data file.

    Args:
        id: opaque id.
        name: name of the uploaded file, without its path.
        path: location of the records.
        brought: time of the upload in seconds since 1970; 0 for files in the folder itself.
    """

    id: str
    name: str
    path: Path
    size: int
    brought: float


class Workspace:
    """The data files of a folder; each has a folder for its schema, hierarchies and risk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = folder / ".files"
        self._overviews: OrderedDict[str, tuple[object, FileOverview]] = OrderedDict()
        self._lock = Lock()
        try:
            if not folder.exists():
                folder.parent.mkdir(parents=True, exist_ok=True)
                folder.mkdir(mode=0o700, exist_ok=True)
            self._files.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise FileError(f"{folder} cannot be made: {error.strerror or error}") from None

    def __iter__(self) -> Iterator[DataFile]:
        """Uploaded files, newest first, then files in the folder itself."""
        found = [_read_about(p) for p in self._files.iterdir() if FILE_ID.fullmatch(p.name)]
        uploads = sorted((f for f in found if f is not None), key=lambda f: (-f.brought, f.name))
        yield from uploads
        known = {file.id for file in uploads}
        for path in sorted(self.folder.iterdir()):
            if path.is_file() and _ending(path.name) and not path.is_symlink():
                number = sha256(path.name.encode()).hexdigest()[:16]
                if number not in known:
                    yield DataFile(number, path.name, path, path.stat().st_size, 0.0)

    def find(self, number: str) -> DataFile:
        """Return the file with an id."""
        for file in self:
            if file.id == number:
                return file
        raise MissingError("there is no such file; it may have been removed")

    def folder_of(self, file: DataFile) -> Path:
        """Return the folder with schema and results of a file."""
        home = self._files / file.id
        if not (home / ABOUT).exists():
            home.mkdir(mode=0o700, exist_ok=True)
            _write_about(home, replace(file, brought=time.time()))
        return home

    async def add_upload(self, name: str, content: AsyncIterator[bytes]) -> DataFile:
        """Store an upload chunk by chunk; its name is only displayed, never used as a path."""
        shown, ending = _display_name(name), _ending(name)
        if not ending:
            known = ", ".join(readable_endings())
            raise FileError(f"{shown} has no known format; upload one of {known}")
        number = secrets.token_hex(8)
        home = self._files / number
        home.mkdir(mode=0o700)
        path, size = home / f"data{ending}", 0
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                async for chunk in content:
                    size += out.write(chunk)
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        if not size:
            shutil.rmtree(home, ignore_errors=True)
            raise FileError(f"{shown} is empty; upload a file with records")
        file = DataFile(number, shown, path, size, time.time())
        _write_about(home, file)
        return file

    def add_survey(self) -> DataFile:
        """Add the bundled synthetic survey, with its schema and hierarchies."""
        from evomask.runs.onboarding.schemas import write_example

        number = secrets.token_hex(8)
        home = self._files / number
        home.mkdir(mode=0o700)
        path, schema, *_ = write_example(home)
        schema.rename(home / "schema.toml")
        for written in (item for item in home.rglob("*") if item.is_file()):
            written.chmod(0o600)
        file = DataFile(number, SURVEY, path, path.stat().st_size, time.time())
        _write_about(home, file)
        return file

    def remove(self, file: DataFile) -> None:
        """Delete an upload with its schema; a file in the folder itself is not deleted."""
        home = self._files / file.id
        if not home.exists():
            raise FileError(f"{file.name} is in the folder itself; remove it there")
        shutil.rmtree(home)
        self._overviews.pop(file.id, None)

    def delete_incomplete(self) -> None:
        """Delete incomplete uploads of a killed server."""
        for home in self._files.iterdir():
            if FILE_ID.fullmatch(home.name) and not (home / ABOUT).exists():
                shutil.rmtree(home, ignore_errors=True)

    def schema(self, file: DataFile) -> "SchemaEditor":
        """Return the schema of a file; it is proposed the first time."""
        from evomask.runs.inputs import Input
        from evomask.runs.onboarding.schemas import SchemaEditor, copy_schema, propose_schema

        home = self.folder_of(file)
        schema = SchemaEditor(file.path, home)
        if not schema.path.exists():
            beside = file.path.with_suffix(".toml")
            if file.path.parent == self.folder and beside.is_file():
                copy_schema(beside, schema.path)
            else:
                propose_schema(Input(file.path), schema.path)
                schema.path.chmod(0o600)
        return schema

    def overview(self, file: DataFile) -> "FileOverview":
        """Return an overview of the columns of a file; cached until file or schema change."""
        from evomask.runs.onboarding.preview import inspect_file

        with self._lock:
            path = self.schema(file).path
            version = (path.stat().st_mtime_ns, path.stat().st_size, file.path.stat().st_mtime_ns)
            known = self._overviews.get(file.id)
            if known is None or known[0] != version:
                known = version, inspect_file(file.path, path)
                self._overviews[file.id] = known
            self._overviews.move_to_end(file.id)
            while len(self._overviews) > MAX_CACHED:
                self._overviews.popitem(last=False)
            return known[1]


def _read_about(home: Path) -> DataFile | None:
    try:
        about = json.loads((home / ABOUT).read_bytes())
        path = Path(about.pop("path"))
        file = DataFile(path=path, **about)
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return file if file.path.exists() else None


def _write_about(home: Path, file: DataFile) -> None:
    write_note(home / ABOUT, json.dumps({**asdict(file), "path": str(file.path)}))


def _ending(name: str) -> str:
    """Return the readable ending of a name, such as ``.csv`` or ``.csv.gz``; empty if none."""
    return next((e for e in readable_endings() if name.lower().endswith(e)), "")


def _display_name(name: str) -> str:
    """Return the last part of a path without special characters."""
    last = re.split(r"[/\\]", name)[-1]
    return re.sub(r"[^\w .()\-]", "_", last)[:120] or "file"
