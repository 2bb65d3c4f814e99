"""A register of releases: `Register`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Register:
    """What was released when, to whom, under which recipe, and withdrawn; entries are appended.

    Args:
        path: file of the register, or its folder; several projects may share it.
        key: file of an Ed25519 private key (PEM) or a shared key that signs new entries.
    """

    path: Path
    key: Path | None = None

    def add(self, folder: str | Path, *, to: str, project: str = "") -> int:
        """Append the release in a run folder, and return its number.

        Args:
            to: recipients.
            project: that releases.
        """
        from evomask.runs.store.register import add_release, register_path

        path, key = register_path(Path(self.path)), self._key(self.key)
        return add_release(path, Path(folder), to=to, project=project, key=key).number

    def withdraw(self, number: int, *, reason: str) -> None:
        """Append the withdrawal of a release; who has the file has it still."""
        from evomask.runs.store.register import register_path, withdraw_release

        key = self._key(self.key)
        withdraw_release(register_path(Path(self.path)), number, reason=reason, key=key)

    @property
    def releases(self) -> Any:  # noqa: ANN401
        """The releases with their withdrawals, as a polars frame."""
        from evomask.io.tables import frame_of_rows
        from evomask.runs.store.register import read_register, register_path, rows_of

        return frame_of_rows(rows_of(read_register(register_path(Path(self.path)))))

    def check(self, key: str | Path | None = None) -> bool:
        """Whether no entry was changed or removed, and all are signed if a key is given.

        Args:
            key: public key (PEM) of the pair, or the shared key.
        """
        from evomask.runs.store.register import check_register, register_path

        known = self._key(None if key is None else Path(key))
        return check_register(register_path(Path(self.path)), known)[1]

    @staticmethod
    def _key(path: Path | None) -> bytes | None:
        from evomask.runs.store.signature import read_key

        return None if path is None else read_key(Path(path))
