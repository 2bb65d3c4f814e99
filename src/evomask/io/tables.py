"""Tables read from and written to files, the format told by the ending."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import polars as pl

from evomask.data.frames import Declaration, Declarations, polars_from, table_from
from evomask.data.table import Table
from evomask.errors import FileError
from evomask.io.csv import check_columns, read_csv, write_csv
from evomask.io.dialects import Dialect
from evomask.io.files import check_target, write_atomically
from evomask.io.labelled import SAS, SPSS, STATA, read_labelled, write_spss, write_stata

TEXT = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")
READABLE = TEXT + PARQUET + SPSS + STATA + SAS
WRITABLE = TEXT + PARQUET + SPSS + STATA


@dataclass(frozen=True)
class Source:
    """A file as read: its columns, what it says of them, and how its text is written.

    Args:
        from_file: labels, measure levels, missing codes and decimals, by column.
        dialect: delimiter, decimal mark and encoding of a text file; none for others.
    """

    frame: pl.DataFrame
    from_file: Declarations = field(default_factory=dict)
    dialect: Dialect | None = None

    def table(self, declarations: Declarations | None = None) -> Table:
        """The records; what is declared wins over what the file says."""
        declared = {**dict.fromkeys(self.frame.columns, Declaration()), **(declarations or {})}
        return table_from(
            self.frame,
            {name: d.over(self.from_file.get(name, Declaration())) for name, d in declared.items()},
        )


@dataclass(frozen=True)
class Written:
    """What a release holds: records written, and records left out as suppressed."""

    path: Path
    records: int
    suppressed: int


def read_source(path: Path, dialect: Dialect | None = None) -> Source:
    """A file's columns and what it says of them; its ending tells the format."""
    if not path.is_file():
        raise FileError(f"there is no file {path}; check the name")
    source = _read(path, dialect or Dialect())
    check_columns(path, source.frame.width)
    return source


def _read(path: Path, dialect: Dialect) -> Source:
    ending = path.suffix.lower()
    try:
        if ending in TEXT:
            text = read_csv(path, dialect)
            return Source(text.frame, text.from_file, text.dialect)
        if ending in PARQUET:
            return Source(pl.read_parquet(path))
        if ending in READABLE:
            return Source(*read_labelled(path))
    except pl.exceptions.PolarsError:
        raise FileError(f"{path} cannot be read as {ending[1:]}; check the file") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    raise _unknown_format(path, READABLE)


def read_frame(path: Path, dialect: Dialect | None = None) -> pl.DataFrame:
    """A file's columns as a data frame."""
    return read_source(path, dialect).frame


def read_table(
    path: Path, declarations: Declarations | None = None, dialect: Dialect | None = None
) -> Table:
    """A file's records under the declared kinds and roles; the rest is inferred."""
    return read_source(path, dialect).table(declarations)


def write_table(
    table: Table, path: Path, *, force: bool = False, dialect: Dialect | None = None
) -> Written:
    """Write the records to release; identifiers and suppressed records stay behind.

    Args:
        dialect: how to write a text file; comma, decimal point and UTF-8 unless told.
    """
    check_table_target(path, force=force)
    write_atomically(path, lambda temporary: _write(table, path, temporary, dialect), force=force)
    suppressed = int(table.suppressed.sum())
    return Written(path, len(table) - suppressed, suppressed)


def _write(table: Table, path: Path, temporary: Path, dialect: Dialect | None) -> None:
    ending = path.suffix.lower()
    if ending in SPSS:
        write_spss(table, temporary, compress=ending == ".zsav")
    elif ending in STATA:
        write_stata(table, temporary)
    elif ending in PARQUET:
        _write_parquet(polars_from(table), temporary)
    else:
        tabs = Dialect("\t") if ending == ".tsv" else None
        write_csv(polars_from(table), temporary, dialect or tabs)


def _write_parquet(frame: pl.DataFrame, path: Path) -> None:
    """Through memory, so that a full disk is the operating system's error and not a parser's."""
    buffer = BytesIO()
    frame.write_parquet(buffer)
    path.write_bytes(buffer.getbuffer())


def check_table_target(
    path: Path, *, force: bool = False, inputs: Iterable[Path | None] = ()
) -> None:
    """Refuse a table file that could not be written, before any work is done."""
    if path.suffix.lower() in SAS:
        raise FileError(f"{path} cannot be written: SAS files are only read; use .sav or .csv")
    if path.suffix.lower() not in WRITABLE:
        raise _unknown_format(path, WRITABLE)
    check_target(path, force=force, inputs=inputs)


def released_name(path: Path) -> str:
    """What the released file of an original is called; formats that are only read become SPSS."""
    return path.with_suffix(SPSS[0]).name if path.suffix.lower() in SAS else path.name


def _unknown_format(path: Path, known: tuple[str, ...]) -> FileError:
    return FileError(
        f"the format of {path} is not known by its ending; use one of {', '.join(known)}"
    )
