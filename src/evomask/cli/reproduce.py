"""``evomask reproduce``: a table or figure of a source paper, paper beside ours."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evomask.cli import options
from evomask.cli.speech import say, say_json
from evomask.errors import ParameterError

if TYPE_CHECKING:
    from evomask.papers.catalogue import Row

Share = Annotated[
    float, typer.Option("--share", help="Share of the paper's effort to spend, at most 1.")
]
Folder = Annotated[
    Path | None, typer.Option("--out", "-o", help="Folder for the rows and the charts.")
]


def reproduce(
    table: Annotated[str | None, typer.Argument(help="Its name; --list tells them.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="What can be made again.")] = False,
    out: Folder = None,
    share: Share = 1.0,
    seed: options.Seed = None,
    json: options.Json = False,
) -> None:
    """Make a table or figure of a source paper again, paper beside ours."""
    from evomask.papers.catalogue import Effort, items, reproduced
    from evomask.reports.studies import write_study

    if listed:
        known = {item.name: item.about for item in items().values()}
        _tell([{"name": name, "about": about} for name, about in known.items()], json=json)
        return
    if table is None:
        raise ParameterError("say which table or figure; --list tells their names")
    made = reproduced(table, Effort(1 if seed is None else seed, share))
    written = write_study({"rows": made.rows}, made.charts, out) if out else []
    _tell(made.rows, json=json, figures=written)


def _tell(rows: "Sequence[Row]", *, json: bool, figures: Sequence[str] = ()) -> None:
    if json:
        say_json({"rows": list(rows), "figures": list(figures)})
        return
    headers = list(dict.fromkeys(name for row in rows for name in row))
    cells = [headers, *([_cell(row.get(name)) for name in headers] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        say("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    for path in figures:
        say(f"figure {path}")


def _cell(value: Any) -> str:  # noqa: ANN401
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)
