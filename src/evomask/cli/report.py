"""``evomask report``: the reports of a run once more, with what a person has to say."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec.structs import asdict

from evomask.cli import options
from evomask.cli.speech import say, say_json

if TYPE_CHECKING:
    from evomask.runs.record import Record

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
) -> None:
    """Write the reports of a run again, from the record in DIR alone."""
    from evomask.reports.writing import write_reports
    from evomask.runs.record import Statement, load_record, said, telling_of

    told = telling_of(matrices)
    record = said(load_record(folder), Statement(purpose, reason, by, date, review))
    written = write_reports(record, folder, told)
    say_json(_as_json(record, written)) if json else say("\n".join(map(_line, written)))


def _as_json(record: "Record", written: tuple[Path, ...]) -> dict[str, Any]:
    chosen = record.chosen
    return {
        "reports": [str(path) for path in written],
        "chosen": {"point": chosen.point, "loss": chosen.loss, "risk": chosen.risk},
        "statement": asdict(record.statement),
    }


def _line(path: Path) -> str:
    who = "to publish" if "public" in path.name else "internal"
    return f"{who:<12}{path}"
