"""Delimited text: read strictly, as text first, so that codes such as 007 stay codes."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evomask.data.frames import EXACT_INTEGERS
from evomask.errors import FileError

NEWLINE, QUOTE = ord("\n"), ord('"')


@dataclass(frozen=True)
class Dialect:
    """How a delimited text file is written; what is None is found out.

    Args:
        missing: texts that stand for a missing value, besides the empty one.
    """

    delimiter: str | None = None
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ()


def read_csv(path: Path, dialect: Dialect) -> pl.DataFrame:
    """Columns as whole numbers, numbers or text; refuses what is not a plain table."""
    content = _utf8(path, dialect.encoding)
    delimiter = dialect.delimiter or _likely_delimiter(content)
    _check_header(path, content, delimiter)
    _check_width(path, content, delimiter)
    try:
        texts = pl.read_csv(
            content,
            separator=delimiter,
            infer_schema=False,
            null_values=["", *dialect.missing],
        )
    except pl.exceptions.PolarsError:
        raise FileError(
            f"{path} cannot be read as text separated by {delimiter!r}; check its quotes"
        ) from None
    if texts.height == 0:
        raise FileError(f"{path} has a header and no records; give a file with at least one")
    return texts.with_columns(_typed(series) for series in texts)


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Comma separated, UTF-8, one header line, missing values as nothing."""
    frame.write_csv(path)


def _utf8(path: Path, encoding: str) -> bytes:
    content = path.read_bytes()
    if not content.strip():
        raise FileError(f"{path} is empty; give a file with a header and records")
    if b"\0" in content[:65536] and not encoding.lower().startswith(("utf-16", "utf-32")):
        raise FileError(f"{path} is not text (it holds zero bytes); give a CSV or Parquet file")
    try:
        text = content.decode("utf-8-sig" if encoding.lower() == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise FileError(
            f"{path} is not {encoding} (line {line}); name its encoding, such as latin-1"
        ) from None
    except LookupError:
        raise FileError(f"no encoding is called {encoding!r}; try utf-8 or latin-1") from None
    return text.replace("\r\n", "\n").replace("\r", "\n").encode()


def _likely_delimiter(content: bytes) -> str:
    """The one of comma, semicolon, tab and bar that the header holds most often."""
    header = content.split(b"\n", 1)[0].decode()
    return max(",;\t|", key=header.count)


def _check_header(path: Path, content: bytes, delimiter: str) -> None:
    names = next(csv.reader(io.StringIO(content.decode()), delimiter=delimiter))
    twice = sorted({name for name in names if names.count(name) > 1})
    if "" in names:
        column = names.index("") + 1
        raise FileError(f"column {column} of {path} has no name; name it in the first line")
    if twice:
        raise FileError(f"{path} has two columns named {twice[0]!r}; give each its own name")


def _check_width(path: Path, content: bytes, delimiter: str) -> None:
    """Every record must have as many fields as the header; the first other one is named."""
    widths = _widths(content, delimiter)
    ragged = np.flatnonzero(widths != widths[0])
    if len(ragged):
        first = int(ragged[0])
        raise FileError(
            f"record {first} of {path} has {widths[first]} fields where the header has "
            f"{widths[0]}; correct it, or name the delimiter"
        )


def _widths(content: bytes, delimiter: str) -> NDArray[np.int64]:
    """Number of fields in each line, quoted delimiters and line ends not counted."""
    characters = np.frombuffer(content.rstrip(b"\n") + b"\n", dtype=np.uint8)
    outside = np.bitwise_xor.accumulate(characters == QUOTE) == 0
    ends = np.flatnonzero((characters == NEWLINE) & outside)
    delimiters = np.flatnonzero((characters == ord(delimiter)) & outside)
    return np.diff(np.searchsorted(delimiters, ends), prepend=0) + 1


def _typed(series: pl.Series) -> pl.Series:
    """Whole numbers or numbers where every known value is one; a leading zero makes a code."""
    known = series.drop_nulls()
    if known.is_empty() or known.str.contains(r"^\s*[+-]?0[0-9]").any():
        return series
    whole = series.str.strip_chars().cast(pl.Int64, strict=False)
    if whole.null_count() == series.null_count():
        return whole if (whole.abs() <= EXACT_INTEGERS).all() else series
    numbers = series.str.strip_chars().cast(pl.Float64, strict=False)
    return numbers if numbers.null_count() == series.null_count() else series
