"""The folder that is served: data files that were brought, each under an opaque name."""

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
from evomask.runs.kept.glance import keep_note

if TYPE_CHECKING:
    from evomask.runs.beginning.columns import LookedAt
    from evomask.runs.beginning.schemas import KeptSchema

ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".sav", ".zsav", ".dta", ".xlsx", ".sas7bdat")
"""Formats that can be brought; what cannot be read says so when it is looked at."""

ABOUT = "about.json"
PLACE = re.compile(r"[0-9a-f]{16}")
SURVEY = "the bundled survey"
IN_MEMORY = 2
"""Files whose tables are kept in memory, those that were looked at last."""


class MissingError(FileError):
    """Something that is asked for by its number or name is not there."""


@dataclass(frozen=True)
class DataFile:
    """A data file by its opaque number.

    Args:
        name: as its owner called it; never a path.
        path: where the records are.
        brought: when, in seconds since 1970.
    """

    id: str
    name: str
    path: Path
    size: int
    brought: float


class Workspace:
    """The data files of a folder; each has a folder of its own for schema, trees and findings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = folder / ".files"
        self._looked: OrderedDict[str, tuple[object, LookedAt]] = OrderedDict()
        self._lock = Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._files.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise FileError(f"{folder} cannot be made: {error.strerror or error}") from None

    def __iter__(self) -> Iterator[DataFile]:
        """Files that were brought, the newest first, then those that lie in the folder."""
        kept = [self._about(path) for path in self._files.iterdir() if PLACE.fullmatch(path.name)]
        brought = sorted((f for f in kept if f is not None), key=lambda f: (-f.brought, f.name))
        yield from brought
        known = {file.id for file in brought}
        for path in sorted(self.folder.iterdir()):
            if path.is_file() and path.suffix.lower() in ENDINGS and not path.is_symlink():
                file = _lying(path)
                if file.id not in known:
                    yield file

    def find(self, number: str) -> DataFile:
        """The file of that number."""
        for file in self:
            if file.id == number:
                return file
        raise MissingError("there is no such file here; it may have been removed")

    def home(self, file: DataFile) -> Path:
        """The folder of what is said and found of a file."""
        home = self._files / file.id
        if not (home / ABOUT).exists():
            home.mkdir(mode=0o700, exist_ok=True)
            _keep_about(home, replace(file, brought=time.time()))
        return home

    async def bring(self, name: str, content: AsyncIterator[bytes]) -> DataFile:
        """Keep a file as it comes in, piece by piece; its name is only shown, never a path."""
        shown, ending = _shown_name(name), Path(name).suffix.lower()
        if ending not in ENDINGS:
            raise FileError(f"{shown} is of no known format; bring one of {', '.join(ENDINGS)}")
        number = secrets.token_hex(8)
        home = self._files / number
        home.mkdir(mode=0o700)
        path, size = home / f"data{ending}", 0
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                async for piece in content:
                    size += out.write(piece)
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        if not size:
            shutil.rmtree(home, ignore_errors=True)
            raise FileError(f"{shown} is empty; bring a file with records")
        file = DataFile(number, shown, path, size, time.time())
        _keep_about(home, file)
        return file

    def bring_survey(self) -> DataFile:
        """The bundled survey, with its schema and value trees."""
        from evomask.runs.beginning.example import write_example

        number = secrets.token_hex(8)
        home = self._files / number
        home.mkdir(mode=0o700)
        path, schema, *_ = write_example(home)
        schema.rename(home / "schema.toml")
        for written in (item for item in home.rglob("*") if item.is_file()):
            written.chmod(0o600)
        file = DataFile(number, SURVEY, path, path.stat().st_size, time.time())
        _keep_about(home, file)
        return file

    def remove(self, file: DataFile) -> None:
        """Remove what was brought; a file that lies in the folder stays there."""
        home = self._files / file.id
        if not home.exists():
            raise FileError(f"{file.name} lies in the folder itself; remove it there")
        shutil.rmtree(home)
        self._looked.pop(file.id, None)

    def clear_away(self) -> None:
        """Remove what was left of files that were still coming in when a server was killed."""
        for home in self._files.iterdir():
            if PLACE.fullmatch(home.name) and not (home / ABOUT).exists():
                shutil.rmtree(home, ignore_errors=True)

    def schema(self, file: DataFile) -> "KeptSchema":
        """The schema of a file; the first time it is proposed."""
        from evomask.runs.beginning.initiate import InitJob, propose_schema
        from evomask.runs.beginning.schemas import KeptSchema, copy_schema

        home = self.home(file)
        kept = KeptSchema(file.path, home)
        if not kept.path.exists():
            beside = file.path.with_suffix(".toml")
            if file.path.parent == self.folder and beside.is_file():
                copy_schema(beside, kept.path)
            else:
                propose_schema(InitJob(file.path, kept.path))
                kept.path.chmod(0o600)
        return kept

    def look(self, file: DataFile) -> "LookedAt":
        """The file column by column; kept in memory as long as nothing of it changes."""
        from evomask.runs.beginning.columns import look_at

        with self._lock:
            path = self.schema(file).path
            version = (path.stat().st_mtime_ns, path.stat().st_size, file.path.stat().st_mtime_ns)
            known = self._looked.get(file.id)
            if known is None or known[0] != version:
                known = version, look_at(file.path, path)
                self._looked[file.id] = known
            self._looked.move_to_end(file.id)
            while len(self._looked) > IN_MEMORY:
                self._looked.popitem(last=False)
            return known[1]

    def _about(self, home: Path) -> DataFile | None:
        try:
            about = json.loads((home / ABOUT).read_bytes())
            path = Path(about.pop("path"))
            file = DataFile(path=path, **about)
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return file if file.path.exists() else None


def _keep_about(home: Path, file: DataFile) -> None:
    keep_note(home / ABOUT, json.dumps({**asdict(file), "path": str(file.path)}))


def _lying(path: Path) -> DataFile:
    """A file that lies in the folder; its number comes from its name."""
    number = sha256(path.name.encode()).hexdigest()[:16]
    return DataFile(number, path.name, path, path.stat().st_size, 0.0)


def _shown_name(name: str) -> str:
    """The last part of a name, without anything that a screen would act on."""
    last = re.split(r"[/\\]", name)[-1]
    return re.sub(r"[^\w .()\-]", "_", last)[:120] or "file"
