"""The reports of a run once more, from its record alone, with what a person has to say."""

from dataclasses import dataclass
from pathlib import Path

from evomask.record.public import telling_of
from evomask.record.record import ReleaseRecord, Statement, load_record, said
from evomask.reports.writing import Reports, write_reports


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
    record = said(load_record(folder), statement)
    return Reported(record, write_reports(record, folder, shown))
