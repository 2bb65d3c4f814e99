"""``evomask reproduce``: a table or figure of a source paper, paper beside ours."""

from typing import Annotated

import typer

from evomask.cli import options
from evomask.cli.speech import say, say_json

Name = Annotated[str, typer.Argument(metavar="TABLE", help="See --list.")]
Runs = Annotated[int | None, typer.Option("--runs", min=1, help="How many runs to average.")]
Listing = Annotated[bool, typer.Option("--list", help="Name the tables and figures there are.")]


def reproduce(
    table: Name = "",
    runs: Runs = None,
    list_: Listing = False,
    seed: options.Seed = None,
    json: options.Json = False,
) -> None:
    """Make a table or figure of a source paper again, the paper's numbers beside ours."""
    from evomask.papers.catalogue import REPRODUCTIONS, summary_of
    from evomask.papers.catalogue import reproduce as made

    if list_:
        names = {name: summary_of(name) for name in REPRODUCTIONS}
        say_json(names) if json else say("\n".join(f"{n}: {s}" for n, s in names.items()))
        return
    if not table:
        raise typer.BadParameter("give TABLE, or --list")
    found = made(table, runs=runs, seed=seed or 0)
    say_json(found) if json else say("\n".join(str(row) for row in found["rows"]))
