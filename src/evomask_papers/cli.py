"""The command ``evomask reproduce``."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import notes, progress, say, say_json

if TYPE_CHECKING:
    from evomask_papers.page import Asked

Name = Annotated[
    str, typer.Argument(metavar="TABLE", help="Name as in --list; with --all, a prefix of names.")
]
Runs = Annotated[int | None, typer.Option("--runs", min=1, help="Number of runs to average.")]
Share = Annotated[
    float | None, typer.Option("--share", help="Share of the paper's effort to spend, up to 1.")
]
Listing = Annotated[bool, typer.Option("--list", help="List all tables and figures.")]
All = Annotated[
    bool,
    typer.Option(
        "--all",
        help="Make all reproductions on one page; those already in the folder are reused, unless "
        "another share, seed or number of runs is requested.",
    ),
]
Folder = Annotated[Path | None, typer.Option("--out", "-o", help="Folder for data and charts.")]


@examples(
    "evomask reproduce --list",
    "evomask reproduce partition-table-2 --share 0.05",
    "evomask reproduce --all --share 0.01 --out page",
)
def reproduce(
    table: Name = "",
    runs: Runs = None,
    share: Share = None,
    list_: Listing = False,
    all_: All = False,
    out: Folder = None,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Reproduce a table or figure of a source paper, with printed and computed values."""
    from evomask_papers.catalogue import REPRODUCTIONS, full_name, summary_of
    from evomask_papers.page import Asked

    if list_:
        names = {name: summary_of(name) for name in REPRODUCTIONS}
        say_json(names) if json else say("\n".join(f"{n}: {s}" for n, s in names.items()))
        return
    if all_:
        _everything(table, out, Asked(seed, share, runs), json=json, quiet=quiet)
        return
    if not table:
        raise typer.BadParameter("give TABLE, --all or --list")
    progress(f"making {table} again; this may take minutes", quiet=quiet)
    _one(full_name(table), out, Asked(seed, share, runs), json=json, quiet=quiet)


def _one(name: str, out: Path | None, asked: "Asked", *, json: bool, quiet: bool) -> None:
    """Make one reproduction and print it with the effort spent and the differences."""
    from evomask.runs.figures import write_study
    from evomask_papers.catalogue import reproduce as made
    from evomask_papers.page import cell, spent_share, takes, without_runs
    from evomask_papers.remarks import remark_on

    if asked.runs is not None and not takes(name, "runs"):
        notes([without_runs(name)], quiet=quiet)
    reproduction = made(name, runs=asked.runs, seed=asked.seed, share=asked.share)
    written = write_study(reproduction.as_json, reproduction.charts, out) if out else []
    readings = [f"{chart.title}: {chart.reading}" for chart in reproduction.charts]
    rows = [_line(row, cell) for row in reproduction.rows]
    share = spent_share(name, asked.share, asked.runs)
    spent = f"Share {share:g} of the paper's effort."
    remark = remark_on(name, [] if reproduction.charts else reproduction.rows)
    data = {**reproduction.as_json, "share": share, "remark": remark}
    lines = [*rows, *readings, *written, f"{spent} {remark}"]
    say_json(data) if json else say("\n".join(filter(None, lines)))


def _everything(start: str, out: Path | None, asked: "Asked", *, json: bool, quiet: bool) -> None:
    """Make all reproductions whose names begin with a prefix; the page is updated after each."""
    from evomask_papers.catalogue import REPRODUCTIONS
    from evomask_papers.entry_files import read_entry, write_entries_page, write_entry
    from evomask_papers.page import Entry, entry_of, page, takes, without_runs

    entries: list[Entry] = []
    for name in REPRODUCTIONS:
        wanted = name.startswith(start)
        kept = read_entry(out, name) if out else None
        if kept is not None and (not wanted or asked.answered_by(kept)):
            entries.append(kept)
            continue
        if not wanted:
            continue
        if asked.runs is not None and not takes(name, "runs"):
            notes([without_runs(name)], quiet=quiet)
        progress(f"making {name} again", quiet=quiet)
        entry, charts = entry_of(name, asked, clock=time.process_time)
        entries.append(entry)
        if out:
            write_entry(out, entry, charts)
            write_entries_page(out, entries)
    if out:
        write_entries_page(out, entries)
    data = {"rows": [entry.as_json() for entry in entries]}
    say_json(data) if json else say(page(entries))


def _line(row: Any, cell: Callable[[object], str]) -> str:  # noqa: ANN401
    if not isinstance(row, dict):
        return "  ".join(map(cell, row))
    return ", ".join(f"{name} {cell(value)}" for name, value in row.items())
