"""The reports of a run, written into its folder from the release record."""

from pathlib import Path
from typing import NamedTuple

from evomask.errors import FileError
from evomask.record.public import Telling, public_part
from evomask.record.record import RECORD, ReleaseRecord, encode_record, write_part
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
    told = public_part(record, matrices)
    parts = {
        INTERNAL: internal_page(record).encode(),
        PUBLIC: public_page(told).encode(),
        RECORD: encode_record(record),
        PUBLIC_RECORD: encode_record(told),
    }
    try:
        return Reports(*(write_part(folder / name, content) for name, content in parts.items()))
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}") from None


def write_page(record: ReleaseRecord, path: Path, *, public: bool) -> Path:
    """Write one of the reports as a page of its own."""
    page = public_page(public_part(record)) if public else internal_page(record)
    return write_part(path, page.encode())
