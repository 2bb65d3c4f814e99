"""The bundled example, written where a newcomer can play with it."""

from pathlib import Path

from evomask.errors import FileError
from evomask.io.made_up.survey import write_survey


def write_example(
    folder: Path, n_records: int = 3000, seed: int = 1, *, force: bool = False
) -> tuple[Path, ...]:
    """Write the synthetic household survey, its schema and its hierarchies into *folder*."""
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{folder} is a file; give the name of a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return write_survey(folder, n_records, seed, force=force)
    except OSError as error:
        raise FileError(f"{folder} cannot be written to: {error.strerror or error}") from None
