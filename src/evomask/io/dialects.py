"""How a delimited text file is written: told by the user, or found out from the file."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

DELIMITERS = ",;\t|"
BYTE_ORDER_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
SAMPLE_LINES = 200
LONGEST_FIELD = 2**31 - 1

_QUOTED = re.compile(r'"[^"]*"')
_WITH_COMMA = re.compile(r"-?\d+,\d+")
_WITH_POINT = re.compile(r"-?\d+\.\d+")
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True)
class Dialect:
    """How a delimited text file is written; what is None is found out.

    Args:
        decimal: the decimal mark, ``"."`` or ``","``.
        missing: texts that stand for a missing value, besides the empty one.
        line_end: what ends a line.
        marked: whether the text begins with a byte order mark.
    """

    delimiter: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()
    decimal: str | None = None
    line_end: str = "\n"
    marked: bool = False

    def __str__(self) -> str:
        mark = {".": "point", ",": "comma"}.get(self.decimal or ".", self.decimal)
        return f"delimiter {self.delimiter or ','!r}, decimal {mark}, {self.encoding or 'utf-8'}"


def likely_encoding(content: bytes) -> str | None:
    """The encoding that a byte order mark names, UTF-8 or Windows text; None for neither."""
    for mark, encoding in BYTE_ORDER_MARKS.items():
        if content.startswith(mark):
            return encoding
    return next((name for name in ("utf-8", "cp1252") if _reads_as(content, name)), None)


def _reads_as(content: bytes, encoding: str) -> bool:
    try:
        return not _CONTROLS.search(content.decode(encoding)[:1_000_000])
    except UnicodeDecodeError:
        return False


def line_end_of(content: bytes) -> str:
    """What ends the first line of a text; that of UTF-16 is seen when it was decoded."""
    if b"\n" not in content:
        return "\r" if b"\r" in content else "\n"
    return "\r\n" if content.split(b"\n", 1)[0].endswith(b"\r") else "\n"


def likely_delimiter(text: str) -> str:
    """The one of comma, semicolon, tab and bar that the header holds most often."""
    header = _QUOTED.sub("", text.split("\n", 1)[0])
    return max(DELIMITERS, key=header.count)


def likely_decimal(text: str, delimiter: str) -> str:
    """A comma where some number has one, none has a point, and it separates nothing else."""
    if delimiter == ",":
        return "."
    fields = [field.strip() for record in islice(records(text, delimiter), 1, SAMPLE_LINES)
              for field in record]  # fmt: skip
    comma = any(_WITH_COMMA.fullmatch(field) for field in fields)
    point = any(_WITH_POINT.fullmatch(field) for field in fields)
    return "," if comma and not point else "."


def records(text: str, delimiter: str) -> Iterator[list[str]]:
    """The fields of each line of a text, those of the header first, however long they are."""
    csv.field_size_limit(LONGEST_FIELD)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
