"""The reports of a run, written into its folder from the release record."""

from pathlib import Path

from evomask.errors import FileError
from evomask.reports.internal import internal_page
from evomask.reports.public import public_page
from evomask.runs.record import Record, Telling, encode_record, public_part, save_record, write_part

INTERNAL, PUBLIC, PUBLIC_RECORD = "report-internal.html", "report-public.html", "record-public.json"


def write_reports(
    record: Record, folder: Path, matrices: Telling = "plain"
) -> tuple[Path, Path, Path, Path]:
    """Write both records and both reports; where they are: internal report first, then public.

    Args:
        matrices: which PRAM matrices the public part shows.
    """
    told = public_part(record, matrices)
    pages = {
        INTERNAL: internal_page(record).encode(),
        PUBLIC: public_page(told).encode(),
        PUBLIC_RECORD: encode_record(told),
    }
    try:
        written = [write_part(folder / name, content) for name, content in pages.items()]
        return written[0], written[1], save_record(record, folder), written[2]
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}") from None
