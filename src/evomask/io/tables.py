"""Tables read from and written to files, the format told by the ending."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl

from evomask.data.classes import classes_of
from evomask.data.frames import (
    Declaration,
    Declarations,
    polars_from,
    released_names,
    table_from,
)
from evomask.data.intake import Frame, as_polars
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.errors import FileError
from evomask.io.csv import check_columns, read_csv, write_csv
from evomask.io.dialects import Dialect
from evomask.io.excel import read_excel, write_excel
from evomask.io.files import check_name, check_target, write_atomically
from evomask.io.formats import (
    EXCEL,
    EXCEL_READ,
    PACKED,
    PARQUET,
    TABS,
    TEXT,
    compression_of,
    ending_of,
    packed,
)
from evomask.io.labelled import (
    SAS,
    SPSS,
    STATA,
    decimals_of,
    read_labelled,
    write_spss,
    write_stata,
)
from evomask.io.origins import Origin
from evomask.io.written import Promise, Reading, Secret, check_written

STDERR = 2
READABLE = TEXT + PACKED + PARQUET + EXCEL + EXCEL_READ + SPSS + STATA + SAS
WRITABLE = TEXT + PACKED + PARQUET + EXCEL + SPSS + STATA


@dataclass(frozen=True)
class Source:
    """A file as read: its columns, what it says of them, and how its text is written.

    Args:
        from_file: labels, measure levels, missing codes and decimals, by column.
        dialect: delimiter, decimal mark and encoding of a text file; none for others.
        texts: the columns of a text file as they stand there; none for others.
    """

    frame: pl.DataFrame
    from_file: Declarations = field(default_factory=dict)
    dialect: Dialect | None = None
    texts: pl.DataFrame | None = None

    @property
    def columns(self) -> pl.DataFrame:
        """The columns as they stand in the file: of a text file their very texts."""
        return self.frame if self.texts is None else self.texts

    def origin(self, table: Table, path: Path) -> Origin:
        """The file beside the table that was read from it, to write a masked one alike."""
        return Origin(table, self.columns, ending_of(path))

    def table(self, declarations: Declarations | None = None) -> Table:
        """The records; what is declared wins over what the file says."""
        declared = {**dict.fromkeys(self.frame.columns, Declaration()), **(declarations or {})}
        return table_from(
            self.frame,
            {name: d.over(self.from_file.get(name, Declaration())) for name, d in declared.items()},
        )


@dataclass(frozen=True)
class Written:
    """What a release holds: records written, and records left out as suppressed.

    Args:
        reading: what the file turned out to be when it was read back.
    """

    path: Path
    records: int
    suppressed: int
    reading: Reading


@dataclass(frozen=True)
class Asked:
    """What was asked of a file: k records alike, l confidential values, t-close distributions."""

    k: int = 1
    l: int = 1  # noqa: E741
    t: float = 1.0


NOTHING_ASKED = Asked()


def read_source(path: Path, dialect: Dialect | None = None) -> Source:
    """A file's columns and what it says of them; its ending tells the format."""
    check_name(path)
    if not path.is_file():
        raise FileError(f"there is no file {path}; check the name")
    source = _read(path, dialect or Dialect())
    check_columns(path, source.frame.width)
    return source


def _read(path: Path, dialect: Dialect) -> Source:
    ending = ending_of(path)
    try:
        if ending in TEXT:
            text = read_csv(path, dialect)
            return Source(text.frame, text.from_file, text.dialect, text.texts)
        if ending in PARQUET:
            return _with_decimals(_read_parquet(path))
        if ending in EXCEL + EXCEL_READ:
            return _with_decimals(read_excel(path))
        if ending in READABLE:
            return Source(*read_labelled(path))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise FileError(f"{path} cannot be read as {ending[1:]}; check the file") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    raise _unknown_format(path, READABLE)


def _with_decimals(frame: pl.DataFrame) -> Source:
    """Where few digits after the point are enough, masked cells do not show by having more."""
    return Source(frame, {s.name: Declaration(decimals=decimals_of(s, 0)) for s in frame})


def _read_parquet(path: Path) -> pl.DataFrame:
    """Read without the pages that the library prints where a damaged file surprises it."""
    before, nowhere = os.dup(STDERR), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, STDERR)
    try:
        return pl.read_parquet(path)
    finally:
        os.dup2(before, STDERR)
        os.close(before)
        os.close(nowhere)


def source_of(frame: Frame) -> Source:
    """A data frame as if it had been read; numbers keep the digits that they have."""
    return _with_decimals(as_polars(frame))


def read_frame(path: Path, dialect: Dialect | None = None) -> pl.DataFrame:
    """A file's columns as a data frame."""
    return read_source(path, dialect).frame


def read_table(
    path: Path, declarations: Declarations | None = None, dialect: Dialect | None = None
) -> Table:
    """A file's records under the declared kinds and roles; the rest is inferred."""
    return read_source(path, dialect).table(declarations)


def write_table(
    table: Table,
    path: Path,
    *,
    force: bool = False,
    dialect: Dialect | None = None,
    origin: Origin | None = None,
    asked: Asked = NOTHING_ASKED,
) -> Written:
    """Write the records to release; identifiers and suppressed records stay behind.

    Before the file gets its name it is read back and checked; one that fails is no more.

    Args:
        dialect: how to write a text file; comma, decimal point and UTF-8 unless told.
        origin: the file that the table was masked from; columns that masking left alone are
            written as they stand there.
        asked: what the file must fulfil; as many look-alikes as the table has in any case.
    """
    check_table_target(path, force=force)
    ending, promise = ending_of(path), promise_of(table, asked)
    dialect = _dialect_for(ending, dialect, origin)
    frame = polars_from(table, _as_they_stood(table, ending, origin))
    found: list[Reading] = []

    def write(temporary: Path) -> None:
        _write(table, frame, ending, temporary, dialect)
        if compression := compression_of(path):
            temporary.write_bytes(packed(temporary.read_bytes(), compression))
        found.append(check_written(temporary, promise, dialect, name=path.name))

    write_atomically(path, write, force=force)
    return Written(path, promise.records, len(table) - promise.records, found[0])


def promise_of(table: Table, asked: Asked = NOTHING_ASKED) -> Promise:
    """What the file of a masked table is to fulfil."""
    released = table.take(np.flatnonzero(~table.suppressed))
    columns, names = released_names(table), table.schema.quasi_identifiers
    alike = int(classes_of(released, names).sizes.min(initial=len(released)))
    return Promise(
        len(released),
        columns,
        tuple(name for name in table.schema.names if name not in columns),
        names,
        {name: _secret(table, name) for name in table.schema.with_role(Role.CONFIDENTIAL)},
        max(asked.k, alike),
        asked.l,
        asked.t,
    )


def _secret(table: Table, name: str) -> Secret:
    attribute = table.attribute(name)
    if table.is_recoded(name) or attribute.kind is Kind.NOMINAL:
        return Secret()
    missing = tuple((low, high) for low, high in attribute.notes.user_missing if _is_range(low))
    ranges = tuple((float(low), float(high)) for low, high in missing)
    return Secret(ordered=True, order=attribute.categories, missing=ranges)


def _is_range(low: str) -> bool:
    return low.lstrip("-").replace(".", "", 1).isdigit()


def _as_they_stood(table: Table, ending: str, origin: Origin | None) -> dict[str, pl.Series]:
    """The columns that masking left alone, where they came from a file of the same format."""
    if origin is None or _format(origin.ending) != _format(ending):
        return {}
    return origin.untouched(table)


def _format(ending: str) -> tuple[str, ...]:
    return next(
        (f for f in (TEXT, PARQUET, EXCEL + EXCEL_READ, SPSS, STATA) if ending in f), (ending,)
    )


def _write(
    table: Table, frame: pl.DataFrame, ending: str, temporary: Path, dialect: Dialect | None
) -> None:
    if ending in SPSS:
        write_spss(table, frame, temporary, compress=ending == ".zsav")
    elif ending in STATA:
        write_stata(table, frame, temporary)
    elif ending in EXCEL:
        write_excel(frame, temporary)
    elif ending in PARQUET:
        _write_parquet(_typed_as_before(table, frame), temporary)
    else:
        write_csv(frame, temporary, dialect)


def _dialect_for(ending: str, dialect: Dialect | None, origin: Origin | None) -> Dialect | None:
    """The original's way of writing; where only one of the two is ``.tsv``, tabs go with it."""
    came_with_tabs = origin is not None and origin.ending == TABS
    if dialect is None:
        return Dialect("\t") if ending == TABS else None
    if origin is None or (ending == TABS) == came_with_tabs:
        return dialect
    plain = ";" if dialect.decimal == "," else ","
    return replace(dialect, delimiter="\t" if ending == TABS else plain)


def _typed_as_before(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """Numbers as reals or decimals where the original's column held those."""
    changed = (frame[name] for name in frame.columns if frame[name].dtype.is_numeric())
    return frame.with_columns(_as_before(s, table.attribute(s.name).notes.type) for s in changed)


def _as_before(numbers: pl.Series, name: str) -> pl.Series:
    if name.startswith("Float") and numbers.dtype.is_integer():
        return numbers.cast(pl.Float64)
    if not name.startswith("Decimal") or isinstance(numbers.dtype, pl.Decimal):
        return numbers
    precision, scale = map(int, re.findall(r"\d+", name))
    decimals = numbers.cast(pl.Decimal(precision, scale), strict=False)
    return decimals if decimals.null_count() == numbers.null_count() else numbers


def _write_parquet(frame: pl.DataFrame, path: Path) -> None:
    """Through memory, so that a full disk is the operating system's error and not a parser's."""
    buffer = BytesIO()
    frame.write_parquet(buffer)
    path.write_bytes(buffer.getbuffer())


def check_table_target(
    path: Path, *, force: bool = False, inputs: Iterable[Path | None] = ()
) -> None:
    """Refuse a table file that could not be written, before any work is done."""
    if ending_of(path) in SAS:
        raise FileError(f"{path} cannot be written: SAS files are only read; use .sav or .csv")
    if ending_of(path) in EXCEL_READ:
        raise FileError(f"{path} cannot be written: such workbooks are only read; use .xlsx")
    if ending_of(path) not in WRITABLE:
        raise _unknown_format(path, WRITABLE)
    check_target(path, force=force, inputs=inputs)


def released_name(path: Path) -> str:
    """What the released file of an original is called; SAS becomes SPSS, old workbooks new ones."""
    if ending_of(path) in SAS:
        return path.with_suffix(SPSS[0]).name
    return path.with_suffix(EXCEL[0]).name if ending_of(path) in EXCEL_READ else path.name


def _unknown_format(path: Path, known: tuple[str, ...]) -> FileError:
    return FileError(
        f"the format of {path} is not known by its ending; use one of {', '.join(known)}"
    )
