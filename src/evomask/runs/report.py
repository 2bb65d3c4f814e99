"""The reports and records of a run on disk, and writing them again with what a person says."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evomask.errors import FileError, RunError
from evomask.io.files import replace_file
from evomask.record.public import Telling, public_part, telling_of
from evomask.record.record import (
    RECORD,
    ReleaseRecord,
    Statement,
    decode_record,
    encode_record,
    stated,
)
from evomask.reports.internal import internal_page
from evomask.reports.public import public_page

INTERNAL, PUBLIC, PUBLIC_RECORD = "report-internal.html", "report-public.html", "record-public.json"


class Reports(NamedTuple):
    """Where the reports and the records behind them are."""

    internal: Path
    public: Path
    record: Path
    public_record: Path

    @property
    def pages(self) -> list[str]:
        """The reports for people, internal one first."""
        return [str(self.internal), str(self.public)]


def write_reports(record: ReleaseRecord, folder: Path, matrices: Telling = "plain") -> Reports:
    """Write both reports and both records.

    Args:
        matrices: which PRAM matrices the public part shows.
    """
    shown = public_part(record, matrices)
    parts = {
        INTERNAL: internal_page(record).encode(),
        PUBLIC: public_page(shown).encode(),
        RECORD: encode_record(record),
        PUBLIC_RECORD: encode_record(shown),
    }
    try:
        return Reports(*(write_part(folder / name, content) for name, content in parts.items()))
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}") from None


def write_page(record: ReleaseRecord, path: Path, *, public: bool) -> Path:
    """Write one of the reports as a page of its own."""
    page = public_page(public_part(record)) if public else internal_page(record)
    return write_part(path, page.encode())


@dataclass(frozen=True)
class Reported:
    """The record that reports were written from, and where they are."""

    record: ReleaseRecord
    reports: Reports


def report_again(folder: Path, statement: Statement, matrices: str = "plain") -> Reported:
    """Write record and reports again; what was said before stays where nothing is new.

    Args:
        matrices: which PRAM matrices the public report shows: plain, all or none.
    """
    shown = telling_of(matrices)
    record = stated(load_record(folder), statement)
    return Reported(record, write_reports(record, folder, shown))


def load_record(folder: Path) -> ReleaseRecord:
    """The internal record in the folder of a run."""
    try:
        return decode_record((folder / RECORD).read_bytes())
    except OSError:
        raise RunError(f"{folder} holds no {RECORD}; give the folder of a finished run") from None


def write_part(path: Path, content: bytes) -> Path:
    """Write a file of a run, whole or not at all, and say where it is."""
    replace_file(path, lambda file: file.write(content))
    return path
