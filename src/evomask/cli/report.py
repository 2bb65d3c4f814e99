"""``evomask report``: the reports of a run once more, with what a person has to say."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evomask.cli import options
from evomask.cli.speech import progress, say, say_json

if TYPE_CHECKING:
    from evomask.record.record import ReleaseRecord
    from evomask.reports.writing import Reports

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a finished run.")]


def report(
    folder: Folder,
    purpose: Annotated[str, typer.Option("--purpose", help="What the release is for.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Why this file was chosen.")] = "",
    by: Annotated[str, typer.Option("--by", help="Who decided.")] = "",
    date: Annotated[str, typer.Option("--date", help="When.")] = "",
    review: Annotated[str, typer.Option("--review", help="When to look at it again.")] = "",
    matrices: Annotated[
        str, typer.Option("--matrices", help="PRAM matrices in public: plain, all or none.")
    ] = "plain",
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the reports of a run again, from the record in DIR alone."""
    from evomask.record.public import telling_of
    from evomask.record.record import Statement, load_record, said
    from evomask.reports.writing import write_reports

    told = telling_of(matrices)
    progress(f"writing the reports of {folder} again", quiet=quiet)
    record = said(load_record(folder), Statement(purpose, reason, by, date, review))
    written = write_reports(record, folder, told)
    say_json(_as_json(record, written)) if json else say(_in_words(written))


def _as_json(record: "ReleaseRecord", written: "Reports") -> dict[str, Any]:
    chosen = record.chosen
    return {
        "reports": written.pages,
        "record": str(written.record),
        "chosen": {"point": chosen.point, "loss": chosen.loss, "risk": chosen.risk},
        "statement": record.statement.as_json(),
    }


def _in_words(written: "Reports") -> str:
    return (
        f"internal    {written.internal}\n            {written.record}\n"
        f"to publish  {written.public}\n            {written.public_record}"
    )
