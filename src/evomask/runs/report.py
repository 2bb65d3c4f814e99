"""The reports and records of a run on disk, and writing them again with what a person says."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evomask.errors import RunError
from evomask.io.files import replace_file
from evomask.record.public import Telling, public_part, telling_of
from evomask.record.record import (
    RECORD,
    ReleaseRecord,
    decode_record,
    encode_record,
    stated,
)
from evomask.record.statement import Statement
from evomask.reports.internal import internal_page
from evomask.reports.public import public_page
from evomask.runs.kept import names
from evomask.runs.kept.log import Named, changed_files
from evomask.runs.kept.sealing import seal
from evomask.runs.kept.staging import staged
from evomask.runs.kept.store import Store

INTERNAL, PUBLIC, PUBLIC_RECORD = names.INTERNAL, names.PUBLIC, names.PUBLIC_RECORD


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


def report_parts(record: ReleaseRecord, matrices: Telling = "plain") -> dict[str, bytes]:
    """Both reports and both records, by the names of their files.

    Args:
        matrices: which PRAM matrices the public part shows.
    """
    shown = public_part(record, matrices)
    return {
        INTERNAL: internal_page(record).encode(),
        PUBLIC: public_page(shown).encode(),
        RECORD: encode_record(record),
        PUBLIC_RECORD: encode_record(shown),
    }


def reports_in(folder: Path) -> Reports:
    """Where the reports and records of a run are."""
    return Reports(*(folder / name for name in (INTERNAL, PUBLIC, RECORD, PUBLIC_RECORD)))


def write_page(record: ReleaseRecord, path: Path, *, public: bool) -> Path:
    """Write one of the reports as a page of its own."""
    page = public_page(public_part(record)) if public else internal_page(record)
    replace_file(path, lambda file: file.write(page.encode()))
    return path


@dataclass(frozen=True)
class Reported:
    """The record that reports were written from, and where they are."""

    record: ReleaseRecord
    reports: Reports


def report_again(
    folder: Path, statement: Statement, matrices: str = "plain", key: Path | None = None
) -> Reported:
    """Write record and reports again; what was said before stays where nothing is new.

    Args:
        matrices: which PRAM matrices the public report shows: plain, all or none.
        key: signs the release again, where it is given.
    """
    shown = telling_of(matrices)
    load_record(folder)
    with Store(folder).locked():
        if RECORD in changed_files(folder):
            raise RunError(
                f"{RECORD} is not the one that was released; put it back, or release again with "
                f"`evomask choose {folder}`"
            )
        record = stated(load_record(folder), statement)
        chosen = record.chosen
        with staged(folder) as stage:
            for name, content in report_parts(record, shown).items():
                stage.write(name, content)
            seal(stage, folder, "reported", Named(chosen.point, chosen.file), key)
    return Reported(record, reports_in(folder))


def load_record(folder: Path) -> ReleaseRecord:
    """The internal record in the folder of a run."""
    try:
        return decode_record((folder / RECORD).read_bytes())
    except OSError:
        raise RunError(f"{folder} holds no {RECORD}; give the folder of a finished run") from None
