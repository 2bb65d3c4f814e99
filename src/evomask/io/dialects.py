"""Dialects of delimited text: delimiter, decimal mark, encoding and compression."""

import bz2
import csv
import gzip
import io
import lzma
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, cast
from zlib import error as ZlibError  # noqa: N812

from evomask.errors import FileError
from evomask.io.limits import ReadLimits, read_limits

DELIMITERS = ",;\t|"
BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
COMPRESSIONS: dict[str, Callable[[IO[bytes]], IO[bytes]]] = {
    ".gz": lambda file: cast("IO[bytes]", gzip.GzipFile(fileobj=file)),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}
"""Decompression by the ending of a file."""

BLOCK = 2**20

SAMPLE_LINES = 200
LONGEST_FIELD = 2**31 - 1

_QUOTED = re.compile(r'"[^"]*"')
_WITH_COMMA = re.compile(r"-?\d+,\d+")
_WITH_POINT = re.compile(r"-?\d+\.\d+")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True)
class Dialect:
    """How a text file or a workbook is read; None means to be detected.

    Args:
        decimal: decimal mark, ``"."`` or ``","``.
        missing: texts or codes that denote a missing value, besides the empty one.
        thousands: mark between thousands, such as ``"."`` or a space.
        header: row that names the columns; rows above it are passed over.
        sheet: name of the sheet of a workbook; by default the first.
        line_end: characters at the end of a line.
        marked: whether the text begins with a byte order mark.
        escape_formulas: whether written cells that begin like a formula get an apostrophe.
    """

    delimiter: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()
    decimal: str | None = None
    line_end: str = "\n"
    marked: bool = False
    escape_formulas: bool = False
    thousands: str | None = None
    header: int = 1
    sheet: str | None = None

    def __str__(self) -> str:
        mark = {".": "point", ",": "comma"}.get(self.decimal or ".", self.decimal)
        return f"delimiter {self.delimiter or ','!r}, decimal {mark}, {self.encoding or 'utf-8'}"


def likely_encoding(content: bytes) -> str | None:
    """Encoding of a byte order mark, else UTF-8 or Windows-1252 if they fit, else None."""
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return encoding
    return next((name for name in ("utf-8", "cp1252") if _is_text(content, name)), None)


def _is_text(content: bytes, encoding: str) -> bool:
    try:
        return not _CONTROLS.search(content.decode(encoding)[:1_000_000])
    except UnicodeDecodeError:
        return False


def line_end_of(content: bytes) -> str:
    """Line end of a text in UTF-8, by its first line."""
    if b"\n" not in content:
        return "\r" if b"\r" in content else "\n"
    return "\r\n" if content.split(b"\n", 1)[0].endswith(b"\r") else "\n"


def likely_delimiter(text: str) -> str:
    """The most frequent of comma, semicolon, tab and bar in the header."""
    header = _QUOTED.sub("", text.split("\n", 1)[0])
    return max(DELIMITERS, key=header.count)


def likely_decimal(text: str, delimiter: str) -> str:
    """Decimal mark: a comma if a number has one, none has a point and it is no delimiter."""
    if delimiter == ",":
        return "."
    sample = islice(records(text, delimiter), 1, SAMPLE_LINES)
    fields = [field.strip() for record in sample for field in record]
    comma = any(_WITH_COMMA.fullmatch(field) for field in fields)
    point = any(_WITH_POINT.fullmatch(field) for field in fields)
    return "," if comma and not point else "."


def records(text: str, delimiter: str) -> Iterator[list[str]]:
    """Yield the fields of each record of a text, the header first."""
    csv.field_size_limit(LONGEST_FIELD)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def read_decompressed(path: Path, name: str = "") -> bytes:
    """Read a text file; decompress it if its name says so.

    Args:
        name: final name of the file, if *path* is temporary.
    """
    ending = Path(name or path).suffix.lower()
    if ending not in COMPRESSIONS:
        return path.read_bytes()
    with path.open("rb") as file:
        return b"".join(decompress(file, ending, path, read_limits()))


def decompress(
    file: IO[bytes], compression: str, path: Path, limits: ReadLimits
) -> Iterator[bytes]:
    """Yield the blocks of a compressed file; an error if they are more than the limits allow."""
    packed, unpacked = path.stat().st_size, 0
    try:
        with COMPRESSIONS[compression](file) as content:
            while block := content.read(BLOCK):
                unpacked += len(block)
                limits.check_unpacked(path, packed, unpacked)
                yield block
    except (OSError, EOFError, ValueError, lzma.LZMAError, ZlibError):
        raise FileError(
            f"{path} cannot be unpacked as {compression[1:]}; it is damaged or has the wrong ending"
        ) from None


def compress(content: bytes, compression: str) -> bytes:
    """Compress reproducibly by an ending such as ``.gz``; unchanged if it is empty."""
    if compression == ".gz":
        return gzip.compress(content, mtime=0)
    if compression == ".bz2":
        return bz2.compress(content)
    return lzma.compress(content) if compression == ".xz" else content
