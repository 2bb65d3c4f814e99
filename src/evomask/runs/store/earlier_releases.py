"""Earlier releases of the same original: by this run, and by runs in folders beside it.

A recipient of two releases can combine them. Each fulfils k, l and t, and both together need not.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evomask.errors import RunError
from evomask.runs.store.release import LOG, released_files
from evomask.runs.store.run_summary import PLAN, read_plan

MOST_FOLDERS = 1_000
"""Folders beside a run that are looked at."""


@dataclass(frozen=True)
class EarlierReleases:
    """What was released of an original before.

    Args:
        files: numbers of other candidates that the same run released.
        folders: other run folders that released files of the same original.
    """

    files: tuple[int, ...] = ()
    folders: tuple[Path, ...] = ()

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the other run folders."""
        return tuple(folder.name for folder in self.folders)

    @classmethod
    def of(cls, folder: Path, data: str, chosen: int, *also: Path) -> "EarlierReleases":
        """Earlier releases besides that of the chosen candidate.

        Args:
            data: SHA-256 of the original.
            also: further run folders to look at.
        """
        files = dict.fromkeys(file for file in released_files(folder) if file != chosen)
        return cls(tuple(files), tuple(dict.fromkeys(_runs_beside(folder, data, also))))

    @property
    def notes(self) -> tuple[str, ...]:
        """A warning, if there are any."""
        if not self.files and not self.folders:
            return ()
        warning = (
            f"other files of the same people were released before ({self._names}): who has both "
            "can combine them, and k, l and t hold for each file alone, not for both together; "
            "withdraw the earlier one, or give the files to different recipients"
        )
        return (warning,)

    def refuse(self) -> None:
        """Raise an error if there are any."""
        if self.files or self.folders:
            raise RunError(
                f"other files of the same people were released before ({self._names}), and "
                "--strict-releases allows only one; release the same point, or drop the option"
            )

    @property
    def _names(self) -> str:
        files = [f"file {number} of this run" for number in self.files]
        return ", ".join([*files, *(f"run {name}" for name in self.runs)])


def _runs_beside(folder: Path, data: str, also: Iterable[Path]) -> Iterator[Path]:
    own = folder.resolve()
    try:
        beside = sorted(path for path in own.parent.iterdir() if (path / LOG).is_file())
    except OSError:
        return
    for path in (*beside[:MOST_FOLDERS], *(path.resolve() for path in also)):
        if path != own and _hash_of_data(path) == data and released_files(path):
            yield path


def _hash_of_data(folder: Path) -> str:
    """SHA-256 of the original of a run; empty if its plan cannot be read."""
    try:
        hashes = read_plan(folder).get("sha256", {}) if (folder / PLAN).is_file() else {}
    except RunError:
        return ""
    return str(hashes.get("data", "")) if isinstance(hashes, dict) else ""
