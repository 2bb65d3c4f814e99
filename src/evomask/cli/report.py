"""``evomask report``: the reports of a run once more, with what a person has to say."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import say, say_json

if TYPE_CHECKING:
    from evomask.runs.report import Reported, Reports

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a finished run.")]


@examples(
    "evomask report release                                  # both reports again",
    "evomask report release --purpose 'teaching' --by 'A. Steward' --date 2026-03-01",
)
def report(
    folder: Folder,
    purpose: Annotated[str, typer.Option("--purpose", help="What the release is for.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Why this file was chosen.")] = "",
    by: Annotated[str, typer.Option("--by", help="Who decided.")] = "",
    date: Annotated[str, typer.Option("--date", help="When.")] = "",
    review: Annotated[str, typer.Option("--review", help="When to look at it again.")] = "",
    legal_basis: Annotated[str, typer.Option("--legal-basis", help="On what ground.")] = "",
    recipients: Annotated[str, typer.Option("--recipients", help="Who gets the file.")] = "",
    safeguards: Annotated[
        str, typer.Option("--safeguards", help="What recipients are bound to.")
    ] = "",
    earlier: Annotated[
        str, typer.Option("--earlier", help="Other files of the same people, released before.")
    ] = "",
    matrices: Annotated[
        str, typer.Option("--matrices", help="PRAM matrices in public: plain, all or none.")
    ] = "plain",
    key_file: options.KeyFile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the reports of a run again, from the record in DIR alone."""
    from evomask.cli.terminal.live import busy

    with busy(f"writing the reports of {folder} again", quiet=quiet):
        from evomask.record.statement import Statement
        from evomask.runs.report import report_again

        said = Statement(
            purpose, reason, by, date, review, legal_basis, recipients, safeguards, earlier
        )
        done = report_again(folder, said, matrices, key_file)
    say_json(_as_json(done)) if json else say(_in_words(done.reports))


def _as_json(done: "Reported") -> dict[str, Any]:
    chosen = done.record.chosen
    return {
        "reports": done.reports.pages,
        "record": str(done.reports.record),
        "chosen": {"point": chosen.point, "loss": chosen.loss, "risk": chosen.risk},
        "statement": done.record.statement.as_json(),
    }


def _in_words(written: "Reports") -> str:
    return (
        f"internal    {written.internal}\n            {written.record}\n"
        f"to publish  {written.public}\n            {written.public_record}"
    )
