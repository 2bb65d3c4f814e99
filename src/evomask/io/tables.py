"""Tables in and out of files."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import polars as pl

from evomask.data.frames import Declarations, polars_from, table_from
from evomask.data.table import Table
from evomask.errors import FileError
from evomask.io.csv import Dialect, read_csv, write_csv
from evomask.io.files import check_target, write_atomically

TEXT = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")


@dataclass(frozen=True)
class Written:
    """What a release holds: records written, and records left out as suppressed."""

    path: Path
    records: int
    suppressed: int


def read_frame(path: Path, dialect: Dialect | None = None) -> pl.DataFrame:
    """A file's columns; its ending tells the format."""
    if not path.is_file():
        raise FileError(f"there is no file {path}; check the name")
    ending = path.suffix.lower()
    try:
        if ending in TEXT:
            return read_csv(path, dialect or Dialect())
        if ending in PARQUET:
            return pl.read_parquet(path)
    except pl.exceptions.PolarsError:
        raise FileError(f"{path} cannot be read as {ending[1:]}; check the file") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    raise _unknown_format(path)


def read_table(
    path: Path, declarations: Declarations | None = None, dialect: Dialect | None = None
) -> Table:
    """A file's records under the declared kinds and roles; the rest is inferred."""
    return table_from(read_frame(path, dialect), declarations)


def write_table(table: Table, path: Path, *, force: bool = False) -> Written:
    """Write the records to release; identifiers and suppressed records stay behind."""
    check_table_target(path, force=force)
    frame = polars_from(table)
    if path.suffix.lower() in PARQUET:
        write_atomically(path, lambda temporary: _write_parquet(frame, temporary), force=force)
    else:
        write_atomically(path, lambda temporary: write_csv(frame, temporary), force=force)
    return Written(path, frame.height, int(table.suppressed.sum()))


def _write_parquet(frame: pl.DataFrame, path: Path) -> None:
    """Through memory, so that a full disk is the operating system's error and not a parser's."""
    buffer = BytesIO()
    frame.write_parquet(buffer)
    path.write_bytes(buffer.getbuffer())


def check_table_target(path: Path, *, force: bool = False) -> None:
    """Refuse early what could not be written later."""
    if path.suffix.lower() not in TEXT + PARQUET:
        raise _unknown_format(path)
    check_target(path, force=force)


def _unknown_format(path: Path) -> FileError:
    return FileError(
        f"the format of {path} is not known by its ending; use one of {', '.join(TEXT + PARQUET)}"
    )
