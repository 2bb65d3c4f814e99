"""``evomask init``: a first schema for a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import notes, say, say_json
from evomask.cli.terminal.proposals import attributes_as_json
from evomask.cli.terminal.streams import given

if TYPE_CHECKING:
    from evomask.runs.beginning.initiate import InitOutcome


@examples(
    "evomask init survey.csv                                # what the columns seem to be",
    "evomask init survey.csv --out survey.toml --hierarchies trees",
)
def init(
    file: options.DataFile,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The schema file.")] = None,
    hierarchies: Annotated[
        Path | None, typer.Option("--hierarchies", help="A new folder for hierarchies by rule.")
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    missing: options.Missing = "",
) -> None:
    """Propose kind and role of every column of FILE, with reasons, as TOML to edit."""
    from evomask.runs.beginning.initiate import InitJob, propose_schema

    missing_texts = options.names(missing)
    outcome = propose_schema(
        InitJob(given(file), out, delimiter, encoding, decimal, missing_texts, force, hierarchies)
    )
    if json:
        say_json(_as_json(outcome))
    elif out is None:
        say(outcome.text.rstrip())
    elif not quiet:
        notes(outcome.proposed.questions, quiet=quiet)
        say(f"a schema for {len(outcome.proposed.attributes)} columns: {out}; read it and edit it")


def _as_json(outcome: "InitOutcome") -> dict[str, object]:
    return {
        "records": outcome.records,
        "attributes": attributes_as_json(outcome.proposed),
        "questions": list(outcome.proposed.questions),
        "edits": list(outcome.proposed.edits),
        "dialect": outcome.dialect,
    }
