"""Registry of file formats: endings, readers, writers and magic numbers.

`FORMATS` is the only list of formats. Reading, writing, the lists of endings and the error
messages follow from it.
"""

import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

import polars as pl

from evomask.data.frames import Declaration
from evomask.data.table import Table
from evomask.errors import FileError
from evomask.io.csv import check_dialect, parse_numbers, read_csv, write_csv
from evomask.io.dialects import COMPRESSIONS, Dialect, decompress
from evomask.io.excel import read_excel, write_excel
from evomask.io.limits import ReadLimits, read_limits
from evomask.io.sandbox import read_in_child
from evomask.io.sources import Source
from evomask.io.stat_packages import decimals_of, read_stat_file, write_spss, write_stata

TSV = ".tsv"
WITH_COMMA, WITH_POINT = r"^\s*-?[\d. ]*\d,\d+\s*$", r"^\s*-?[\d, ]*\d\.\d+\s*$"
"""Patterns of amounts as text, by decimal mark."""
NUMBER = r"-?\d+(\.\d+)?"


@dataclass(frozen=True, kw_only=True)
class Output:
    """A table to write.

    Args:
        frame: the released records of *table*.
        path: where to write; may be a temporary name without the ending.
        ending: ending of the final name.
        dialect: dialect of a text file.
    """

    table: Table
    frame: pl.DataFrame
    path: Path
    ending: str
    dialect: Dialect | None = None


Reader: TypeAlias = Callable[[Path, Dialect], Source]
Writer: TypeAlias = Callable[[Output], None]


@dataclass(frozen=True, kw_only=True)
class Format:
    """A file format.

    Args:
        name: plural noun for messages.
        endings: endings that are read, in lower case.
        written: endings that are written; none if the format is only read.
        release: ending of the release of a file whose own ending is only read.
        magic: first bytes of its files.
        is_compressible: whether compressed files are read and written, such as ``.csv.gz``.
    """

    name: str
    endings: tuple[str, ...]
    read: Reader
    write: Writer | None = None
    written: tuple[str, ...] = ()
    release: str = ""
    magic: tuple[bytes, ...] = ()
    is_compressible: bool = False

    def with_compressed(self, endings: tuple[str, ...]) -> tuple[str, ...]:
        """Return the endings, followed by their compressed forms."""
        compressions = COMPRESSIONS if self.is_compressible else ()
        return (*endings, *(ending + packed for ending in endings for packed in compressions))


def _read_parquet(path: Path, _: Dialect) -> Source:
    """Read Parquet, if the number of its cells is within the limits."""
    found = pl.scan_parquet(path)
    columns = found.collect_schema().len()
    read_limits().check_columns(path, columns)
    read_limits().check_cells(path, int(found.select(pl.len()).collect().item()), columns)
    return source_from_frame(pl.read_parquet(path))


def _read_workbook(path: Path, dialect: Dialect) -> Source:
    """Read a sheet; texts that are numbers with the dialect's marks and codes are converted."""
    check_dialect(dialect)
    frame, notes = read_excel(path, dialect.sheet, dialect.header)
    parsed = [_parse_column(series, dialect) for series in frame]
    source = source_from_frame(pl.DataFrame([series for series, _ in parsed]))
    places = {s.name: Declaration(decimals=number) for s, number in parsed if number is not None}
    return replace(source, from_file={**source.from_file, **places}, notes=notes)


def _parse_column(series: pl.Series, dialect: Dialect) -> tuple[pl.Series, int | None]:
    """Return a column with missing codes as missing, and its decimals if it was text.

    Texts of digits alone may be codes: they become numbers only where the column has decimal marks
    or missing codes, or where the user names a mark.
    """
    if series.dtype.is_numeric():
        codes = [float(text) for text in dialect.missing if re.fullmatch(NUMBER, text)]
        return _without_codes(series, codes), None
    if series.dtype != pl.String:
        return series, None
    blank = series.str.strip_chars() == ""
    known = series.set((blank | series.is_in(list(dialect.missing))).fill_null(value=False), None)
    decimal = dialect.decimal or ("," if known.drop_nulls().str.contains(WITH_COMMA).any() else ".")
    is_amount = known.drop_nulls().str.contains(WITH_COMMA if decimal == "," else WITH_POINT).any()
    if not (is_amount or dialect.thousands or known.null_count() > series.null_count()):
        return series, None
    numbers, places = parse_numbers(known, decimal, dialect.thousands)
    return (numbers, places) if numbers.dtype.is_numeric() else (known, None)


def _without_codes(numbers: pl.Series, codes: list[float]) -> pl.Series:
    if not codes:
        return numbers
    return numbers.set(numbers.cast(pl.Float64).is_in(codes).fill_null(value=False), None)


def source_from_frame(frame: pl.DataFrame) -> Source:
    """Wrap a frame as a source; the decimals of its numbers limit those of masked numbers."""
    return Source(frame, {s.name: Declaration(decimals=decimals_of(s, 0)) for s in frame})


def _write_parquet(output: Output) -> None:
    """Write through memory, so that a full disk is an `OSError`."""
    numeric = (series for series in output.frame if series.dtype.is_numeric())
    frame = output.frame.with_columns(
        _restore_type(s, output.table.attribute(s.name).notes.type) for s in numeric
    )
    buffer = BytesIO()
    frame.write_parquet(buffer)
    output.path.write_bytes(buffer.getbuffer())


def _restore_type(numbers: pl.Series, name: str) -> pl.Series:
    """Cast to floats or decimals where the original column held those."""
    if name.startswith("Float") and numbers.dtype.is_integer():
        return numbers.cast(pl.Float64)
    if not name.startswith("Decimal") or isinstance(numbers.dtype, pl.Decimal):
        return numbers
    precision, scale = map(int, re.findall(r"\d+", name))
    decimals = numbers.cast(pl.Decimal(precision, scale), strict=False)
    return decimals if decimals.null_count() == numbers.null_count() else numbers


FORMATS = (
    Format(
        name="text files",
        endings=(".csv", TSV, ".txt"),
        read=read_csv,
        write=lambda out: write_csv(out.frame, out.path, out.dialect),
        written=(".csv", TSV, ".txt"),
        is_compressible=True,
    ),
    Format(
        name="Parquet files",
        endings=(".parquet", ".pq"),
        read=_read_parquet,
        write=_write_parquet,
        written=(".parquet", ".pq"),
        magic=(b"PAR1",),
    ),
    Format(
        name="workbooks",
        endings=(".xlsx", ".xls", ".xlsb", ".xlsm", ".ods"),
        read=_read_workbook,
        write=lambda out: write_excel(out.frame, out.path),
        written=(".xlsx",),
        release=".xlsx",
        magic=(b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ),
    Format(
        name="SPSS files",
        endings=(".sav", ".zsav"),
        read=lambda path, _: read_stat_file(path),
        write=lambda out: write_spss(
            out.table, out.frame, out.path, compress=out.ending == ".zsav"
        ),
        written=(".sav", ".zsav"),
        magic=(b"$FL2", b"$FL3"),
    ),
    Format(
        name="Stata files",
        endings=(".dta",),
        read=lambda path, _: read_stat_file(path),
        write=lambda out: write_stata(out.table, out.frame, out.path),
        written=(".dta",),
        magic=(b"<stata_dta>",),
    ),
    Format(
        name="SAS files",
        endings=(".sas7bdat", ".xpt"),
        read=lambda path, _: read_stat_file(path),
        release=".sav",
        magic=(b"\0" * 12 + b"\xc2\xea\x81\x60", b"HEADER RECORD*******LIB"),
    ),
)
"""All formats; messages list endings in this order."""

BY_ENDING = {ending: fmt for fmt in FORMATS for ending in fmt.endings}
COMPRESSIBLE = tuple(ending for ending, fmt in BY_ENDING.items() if fmt.is_compressible)
READABLE = tuple(e for fmt in FORMATS for e in fmt.with_compressed(fmt.endings))
WRITABLE = tuple(e for fmt in FORMATS for e in fmt.with_compressed(fmt.written))


def ending_of(path: Path) -> str:
    """Ending that determines the format: ``.csv`` of people.csv and of people.csv.gz."""
    ending, inner = path.suffix.lower(), Path(path.stem).suffix.lower()
    return inner if ending in COMPRESSIONS and inner in COMPRESSIBLE else ending


def compression_of(path: Path) -> str:
    """Ending of a compressed text file, such as ``.gz``; empty if it is not compressed."""
    return path.suffix.lower() if ending_of(path) != path.suffix.lower() else ""


def unknown_format(path: Path, known: tuple[str, ...]) -> FileError:
    """Error for an ending that is not supported, with the list of those that are."""
    return FileError(
        f"the format of {path} is not known by its ending; use one of {', '.join(known)}"
    )


def read_file(path: Path, dialect: Dialect) -> Source:
    """Read a file in the format of its ending: text here, all else in a child with limits."""
    ending = ending_of(path)
    if ending not in BY_ENDING:
        raise unknown_format(path, READABLE)
    fmt = BY_ENDING[ending]
    if fmt.is_compressible and not compression_of(path):
        return read_here(path, dialect)
    return read_in_child(path, dialect, fmt.name)


def unpacked_size(path: Path, limits: ReadLimits) -> int:
    """Bytes of a file once it is unpacked; an error if that is beyond the limits."""
    size = path.stat().st_size
    if compression := compression_of(path):
        with path.open("rb") as file:
            return sum(map(len, decompress(file, compression, path, limits)))
    if BY_ENDING[ending_of(path)].name == "workbooks" and zipfile.is_zipfile(path):
        try:
            with zipfile.ZipFile(path) as archive:
                unpacked = sum(member.file_size for member in archive.infolist())
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            return size
        limits.check_unpacked(path, size, unpacked)
        return max(size, unpacked)
    return size


def read_here(path: Path, dialect: Dialect) -> Source:
    """Read a file in this process; an error names the format that it looks like."""
    ending = ending_of(path)
    try:
        return BY_ENDING[ending].read(path, dialect)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        message = f"{path} cannot be read as {ending[1:]}; check the file"
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except FileError as error:
        message = str(error)
    with path.open("rb") as file:
        start = file.read(64)
    for fmt in FORMATS:
        if fmt is not BY_ENDING[ending] and start.startswith(fmt.magic):
            message += f" (it looks like {fmt.name}: rename it to *{fmt.endings[0]} if it is one)"
    raise FileError(message)
