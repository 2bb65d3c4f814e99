"""Limits of reading: memory, time, columns, cells and unpacked size of a file.

The environment variable `VARIABLE` raises them: ``EVOMASK_READ_LIMITS=memory=8GB,seconds=600``.
"""

import os
from dataclasses import dataclass, fields

from evomask.errors import FileError, ParameterError

VARIABLE = "EVOMASK_READ_LIMITS"
UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}

MEMORY_FOR_SMALL, MEMORY_PER_BYTE = 640 * 10**6, 16
"""Default memory in bytes: a base, and more for every byte of the unpacked file."""

SECONDS_FOR_SMALL, BYTES_PER_SECOND = 60, 10**6
"""Default time: a base, and more for large files."""

ALWAYS_UNPACKED = 100 * 10**6
"""Unpacked bytes up to which no ratio is too large."""


@dataclass(frozen=True)
class ReadLimits:
    """Limits of reading one file; a bomb exceeds one of them before it fills the machine.

    Args:
        memory: bytes that the reader may use; 0 means by the size of the file.
        seconds: time of the reader; 0 means by the size of the file.
        unpacked: bytes of a compressed file or workbook once it is unpacked.
        ratio: how many times larger it may become, above `ALWAYS_UNPACKED`.
        columns: columns of a table.
        cells: cells of a table.
    """

    memory: int = 0
    seconds: int = 0
    unpacked: int = 16 * 10**9
    ratio: int = 100
    columns: int = 10_000
    cells: int = 10**9

    def __str__(self) -> str:
        return ",".join(f"{field.name}={getattr(self, field.name)}" for field in fields(self))

    def memory_for(self, size: int) -> int:
        """Bytes of memory to read a file of an unpacked size."""
        return self.memory or MEMORY_FOR_SMALL + MEMORY_PER_BYTE * size

    def seconds_for(self, size: int) -> int:
        """Seconds to read a file of an unpacked size."""
        return self.seconds or SECONDS_FOR_SMALL + size // BYTES_PER_SECOND

    def most_unpacked(self, packed: int) -> int:
        """Largest size in bytes that a file of this packed size may unpack to."""
        return min(self.unpacked, max(ALWAYS_UNPACKED, self.ratio * packed))

    def check_unpacked(self, path: object, packed: int, unpacked: int) -> None:
        """Raise an error if a file becomes too large when it is unpacked."""
        if unpacked > self.most_unpacked(packed):
            limit = "unpacked" if unpacked > self.unpacked else "ratio"
            raise FileError(
                f"{path} unpacks to more than {in_words(self.most_unpacked(packed))}, from "
                f"{in_words(packed)}; {how_to_raise(limit)}"
            )

    def check_columns(self, path: object, count: int) -> None:
        """Raise an error if a table has too many columns to process in reasonable time."""
        if count > self.columns:
            raise FileError(
                f"{path} has {count} columns, and at most {self.columns} are read; leave out "
                f"some, or {how_to_raise('columns')}"
            )

    def check_cells(self, path: object, records: int, columns: int) -> None:
        """Raise an error if a table has too many cells."""
        if records * columns > self.cells:
            raise FileError(
                f"{path} has {records} records of {columns} columns, and at most "
                f"{self.cells:,} cells are read; {how_to_raise('cells')}"
            )


def read_limits() -> ReadLimits:
    """Limits of this process: the defaults, and those that the environment names."""
    text = os.environ.get(VARIABLE, "")
    named = [part.partition("=") for part in text.split(",") if part.strip()]
    known = {field.name for field in fields(ReadLimits)}
    values = {}
    for name, _, amount in named:
        number = _number(amount.strip())
        if name.strip() not in known or number is None:
            raise ParameterError(
                f"{VARIABLE} is written like memory=8GB,seconds=600 with the names "
                f"{', '.join(sorted(known))}, got {name.strip()}={amount.strip()}"
            )
        values[name.strip()] = number
    return ReadLimits(**values)


def _number(text: str) -> int | None:
    factor = UNITS.get(text[-2:].upper(), 1)
    digits = text[:-2] if factor > 1 else text
    return int(digits) * factor if digits.isascii() and digits.isdigit() else None


def how_to_raise(limit: str) -> str:
    """Advice for a file that is larger than a limit and trusted."""
    return f"if you trust the file, raise {limit} with the variable {VARIABLE}"


def in_words(size: int) -> str:
    """A number of bytes with its unit."""
    for unit, factor in reversed(UNITS.items()):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"
