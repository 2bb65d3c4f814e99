"""``evomask reproduce``: a table or figure of a source paper, paper beside ours."""

from pathlib import Path
from typing import Annotated, Any

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.output import progress, say, say_json

Name = Annotated[str, typer.Argument(metavar="TABLE", help="See --list.")]
Runs = Annotated[int | None, typer.Option("--runs", min=1, help="How many runs to average.")]
Share = Annotated[
    float | None, typer.Option("--share", help="Share of the paper's effort to spend, up to 1.")
]
Listing = Annotated[bool, typer.Option("--list", help="Name the tables and figures there are.")]
Folder = Annotated[Path | None, typer.Option("--out", "-o", help="Folder for data and charts.")]

SMALL = 0.005
"""Below it two decimals show nothing."""


def reproduce(
    table: Name = "",
    runs: Runs = None,
    share: Share = None,
    list_: Listing = False,
    out: Folder = None,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make a table or figure of a source paper again, the paper's numbers beside ours."""
    from evomask.papers.catalogue import REPRODUCTIONS, summary_of
    from evomask.papers.catalogue import reproduce as made
    from evomask.runs.figures import write_study

    if list_:
        names = {name: summary_of(name) for name in REPRODUCTIONS}
        say_json(names) if json else say("\n".join(f"{n}: {s}" for n, s in names.items()))
        return
    if not table:
        raise typer.BadParameter("give TABLE, or --list")
    progress(f"making {table} again; this may take minutes", quiet=quiet)
    reproduction = made(table, runs=runs, seed=seed, share=share)
    written = write_study(reproduction.as_json, reproduction.charts, out) if out else []
    readings = [f"{chart.title}: {chart.reading}" for chart in reproduction.charts]
    lines = [*map(_line, reproduction.rows), *readings, *written]
    say_json(reproduction.as_json) if json else say("\n".join(lines))


def _line(row: Any) -> str:  # noqa: ANN401
    if not isinstance(row, dict):
        return "  ".join(map(_cell, row))
    return ", ".join(f"{name} {_cell(value)}" for name, value in row.items())


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.1e}" if 0 < abs(value) < SMALL else f"{value:.2f}"
