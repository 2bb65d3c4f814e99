"""``evomask hierarchy``: a value tree for a column, made by rule."""

from pathlib import Path
from typing import Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import say, say_json


@examples(
    "evomask hierarchy survey.csv age --by intervals=5,10,20 --out age.csv",
    "evomask hierarchy survey.csv postcode --by codes",
)
@options.with_data_options
def hierarchy(
    file: options.DataFile,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="Whose values go up it.")],
    by: Annotated[
        str,
        typer.Option(
            "--by",
            help="suiting, intervals=5,10,20, quantiles=16, dates, codes, order, likeness, top.",
        ),
    ] = "suiting",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The hierarchy file.")] = None,
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Make the hierarchy of a COLUMN of FILE: how its values become more general, by a rule."""
    from evomask.runs.beginning.trees import TreeJob, make_tree

    made = make_tree(TreeJob(source(file), column, by, out, force))
    if json:
        say_json({"column": column, "levels": list(made.sizes), "file": str(out) if out else None})
    elif out is None:
        say(made.text.rstrip())
    elif not quiet:
        say(f"{column}: {made.in_words}; written to {out}")
