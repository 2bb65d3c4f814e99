"""Delimited text: strict reading, in which codes such as 007 stay text, and writing."""

import codecs
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evomask.data.frames import EXACT_INTEGERS, Declaration
from evomask.errors import FileError, ParameterError
from evomask.io.dialects import (
    Dialect,
    likely_decimal,
    likely_delimiter,
    likely_encoding,
    line_end_of,
    read_decompressed,
    records,
)
from evomask.io.limits import read_limits
from evomask.io.sources import Source

NEWLINE, QUOTE = ord("\n"), ord('"')
CODE = r"^(\+|-?0[0-9])"
"""Pattern of codes: a leading zero or plus sign, which a number would lose."""
SAMPLE = 1000
"""Records that are parsed as numbers before the whole column is."""
NO_TEXT_ENCODINGS = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined")
"""Codecs of Python that are not encodings of text files."""
THOUSANDS = (".", ",", "'", "’", "_", " ", "\u00a0", "\u202f")
MOST_DECIMALS = 10
"""Numbers with more decimals in the file are released without rounding."""


def read_csv(path: Path, dialect: Dialect) -> Source:
    """Read columns as integers, floats or text; a malformed file is an error."""
    check_dialect(dialect)
    text = _utf8(path, dialect.encoding)
    content = _from_header(path, _normalize_lines(text.content), dialect.header)
    sample = content[: 2**20].decode(errors="ignore")
    delimiter = dialect.delimiter or likely_delimiter(sample)
    decimal = dialect.decimal or likely_decimal(sample, delimiter)
    _check_width(path, content, delimiter)
    names = _header(path, content, delimiter)
    texts = _texts(path, content, delimiter, names, dialect.missing)
    parsed = [parse_numbers(series, decimal, dialect.thousands) for series in texts]
    return Source(
        pl.DataFrame([series for series, _ in parsed]),
        {series.name: Declaration(decimals=places) for series, places in parsed if places},
        replace(
            dialect,
            delimiter=delimiter,
            decimal=decimal,
            encoding=text.encoding,
            line_end=line_end_of(text.content),
            marked=text.marked,
        ),
        _texts(path, content, delimiter, names, ()) if dialect.missing else texts,
    )


def write_csv(frame: pl.DataFrame, path: Path, dialect: Dialect | None = None) -> None:
    """Write a header and records, missing values as empty fields; by default comma and UTF-8.

    Numbers get the decimal mark of the dialect; texts are unchanged, except that with line end
    CR line feeds inside texts become CR too, as they are read.
    """
    written = replace(dialect or Dialect(), delimiter=(dialect and dialect.delimiter) or ",")
    ends_with_cr = written.line_end == "\r"
    check_dialect(written)
    frame.write_csv(
        path,
        separator=written.delimiter or ",",
        decimal_comma=written.decimal == ",",
        line_terminator="\n" if ends_with_cr else written.line_end,
        include_bom=written.marked,
    )
    if ends_with_cr:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r"))
    if written.encoding and codecs.lookup(written.encoding).name != "utf-8":
        path.write_bytes(_encode(path.read_bytes().decode(), written.encoding))


def _encode(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        line = text[: error.start].count("\n") + 1
        raise FileError(
            f"line {line} of the output has a character that encoding {encoding} does not have; "
            "choose another encoding, such as utf-8"
        ) from None


def check_dialect(dialect: Dialect) -> None:
    """Raise an error if marks, header row or encoding are impossible."""
    if dialect.delimiter is not None and len(dialect.delimiter.encode()) != 1:
        raise ParameterError("a delimiter is a single plain character, such as ';'")
    if dialect.decimal not in (None, ".", ","):
        raise ParameterError("a decimal mark is '.' or ','")
    if dialect.decimal == "," and dialect.delimiter == ",":
        raise ParameterError(
            "delimiter and decimal mark cannot both be ','; choose another delimiter"
        )
    if dialect.thousands is not None and dialect.thousands not in THOUSANDS:
        raise ParameterError("a mark between thousands is one of . , ' _ or a space")
    if dialect.thousands is not None and dialect.thousands == (dialect.decimal or "."):
        raise ParameterError(
            f"decimal mark and mark between thousands cannot both be {dialect.thousands!r}; "
            "name the decimal mark too"
        )
    if dialect.header < 1:
        raise ParameterError(f"rows are counted from 1, got header {dialect.header}")
    if not _is_encoding(dialect.encoding or "utf-8"):
        raise ParameterError(
            f"no encoding is called {dialect.encoding!r}; use one such as utf-8 or latin-1"
        )


def _is_encoding(name: str) -> bool:
    """Return whether Python has a text encoding of that name."""
    try:
        known = codecs.lookup(name)
        "a".encode(known.name)
    except (LookupError, ValueError):
        return False
    return known.name.replace("-", "_") not in NO_TEXT_ENCODINGS


@dataclass(frozen=True)
class _Text:
    """Content of a file as UTF-8, its encoding, and whether it has a byte order mark."""

    content: bytes
    encoding: str
    marked: bool


def _utf8(path: Path, encoding: str | None) -> _Text:
    content = read_decompressed(path)
    if not content.strip():
        raise FileError(f"{path} is empty; give a file with a header and records")
    named = encoding or likely_encoding(content)
    if named is None:
        raise FileError(f"{path} is not text in a known encoding; if it is text, give its encoding")
    if b"\0" in content and not named.lower().startswith(("utf-16", "utf-32", "utf_16", "utf_32")):
        raise FileError(f"{path} is not text (it holds zero bytes); give a table of text")
    marked = named.lower().startswith("utf") and content.startswith(codecs.BOM_UTF8)
    return _Text(_to_utf8(path, content, named), named.removesuffix("-sig"), marked)


def _to_utf8(path: Path, content: bytes, encoding: str) -> bytes:
    try:
        text = content.decode(encoding)
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = content[:start].count(b"\n") + 1
        raise FileError(
            f"{path} is not {encoding} (line {line}); give its encoding, such as latin-1"
        ) from None
    if codecs.lookup(encoding).name == "utf-8":
        return content.removeprefix(codecs.BOM_UTF8)
    return text.removeprefix("\ufeff").encode()


def _normalize_lines(content: bytes) -> bytes:
    if b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    ends_once = content.endswith(b"\n") and not content.endswith((b"\n\n", b"\n\r\n"))
    return content if ends_once else content.rstrip(b"\r\n") + b"\n"


def _header(path: Path, content: bytes, delimiter: str) -> list[str]:
    names = next(records(_first_record(content).decode(), delimiter), [])
    if not names:
        raise FileError(f"the first line of {path} is empty; it must name the columns")
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if "" in names:
        column = names.index("") + 1
        raise FileError(f"column {column} of {path} has no name; name it in the first line")
    if twice:
        raise FileError(f"{path} has two columns named {twice[0]!r}; give each its own name")
    return names


def _first_record(content: bytes) -> bytes:
    """Return the header with its line end; a quoted name may contain line ends."""
    end = content.find(b"\n")
    while content.count(b'"', 0, end) % 2:
        end = content.find(b"\n", end + 1)
    return content[: end + 1]


def _check_width(path: Path, content: bytes, delimiter: str) -> None:
    """Raise an error on the first record with another number of fields than the header."""
    if content.count(b'"') % 2:
        raise FileError(f"{path} has a quote that is opened and not closed; check its quotes")
    widths = _widths(content, delimiter)
    read_limits().check_columns(path, int(widths[0]))
    ragged = np.flatnonzero(widths != widths[0])
    if len(ragged):
        first = int(ragged[0])
        raise FileError(
            f"record {first} of {path} has {widths[first]} fields, and the header has "
            f"{widths[0]}; correct it, or name the delimiter"
        )


def _widths(content: bytes, delimiter: str) -> NDArray[np.int64]:
    """Return the number of fields of each record; quoted delimiters and line ends are skipped."""
    characters = np.frombuffer(content, dtype=np.uint8)
    separators = (characters == NEWLINE) | (characters == ord(delimiter))
    if b'"' in content:
        separators &= ~np.bitwise_xor.accumulate(characters == QUOTE)
    places = np.flatnonzero(separators)
    return np.diff(np.flatnonzero(characters[places] == NEWLINE), prepend=-1)


def _texts(
    path: Path, content: bytes, delimiter: str, names: list[str], missing: Iterable[str]
) -> pl.DataFrame:
    try:
        texts = pl.read_csv(
            content, separator=delimiter, infer_schema=False, null_values=["", *missing]
        )
    except pl.exceptions.NoDataError:
        texts = pl.DataFrame()
    except pl.exceptions.PolarsError:
        raise FileError(
            f"{path} cannot be read as text separated by {delimiter!r}; check its quotes"
        ) from None
    if texts.height == 0:
        raise FileError(f"{path} has a header and no records; give a file with at least one")
    return texts.rename(dict(zip(texts.columns, names, strict=True)))


def _from_header(path: Path, content: bytes, header: int) -> bytes:
    """Return the content without the lines above the header."""
    for _ in range(header - 1):
        content = content.partition(b"\n")[2]
    if not content.strip():
        raise FileError(f"{path} has no row {header}; give the row that names the columns")
    return content


def parse_numbers(
    series: pl.Series, decimal: str, thousands: str | None = None
) -> tuple[pl.Series, int | None]:
    """Convert to integers or floats with their decimals; codes and other text stay text."""
    texts = _normalize_numbers(series, decimal, thousands)
    if _cast(texts.head(SAMPLE), pl.Float64()) is None or series.null_count() == len(series):
        return series, None
    if texts.str.contains(CODE).any():
        return series, None
    whole = _cast(texts, pl.Int64())
    if whole is not None:
        return (whole if (whole.abs() <= EXACT_INTEGERS).all() else series), None
    numbers = _cast(texts, pl.Float64())
    if numbers is None or _has_huge_whole_number(texts, numbers):
        return series, None
    return numbers, _decimals(texts)


def _normalize_numbers(series: pl.Series, decimal: str, thousands: str | None) -> pl.Series:
    if thousands:
        series = _without_thousands(series, thousands)
    if decimal == ",":
        series = series.str.replace(",", ".", literal=True)
    return series.str.strip_chars() if series.str.contains(" ", literal=True).any() else series


def _without_thousands(series: pl.Series, mark: str) -> pl.Series:
    """Remove the marks between groups of three digits; other texts stay as they are."""
    grouped = rf"^\s*-?\d{{1,3}}({re.escape(mark)}\d{{3}})+([.,]\d+)?\s*$"
    plain = series.str.replace_all(mark, "", literal=True)
    return plain.zip_with(series.str.contains(grouped).fill_null(value=False), series)


def _cast(texts: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    numbers = texts.cast(dtype, strict=False)
    return numbers if numbers.null_count() == texts.null_count() else None


def _has_huge_whole_number(texts: pl.Series, numbers: pl.Series) -> bool:
    huge = texts.filter((numbers.abs() > EXACT_INTEGERS) & numbers.is_finite())
    return bool(huge.str.contains(r"^-?\d+$").any())


def _decimals(texts: pl.Series) -> int | None:
    """Return the largest number of decimals; None if a number has an exponent."""
    if texts.str.contains("e", literal=True).any() or texts.str.contains("E", literal=True).any():
        return None
    last = texts.str.len_bytes().cast(pl.Int64) - 1
    places = (last - texts.str.find(".", literal=True)).max()
    return places if isinstance(places, int) and places <= MOST_DECIMALS else None
