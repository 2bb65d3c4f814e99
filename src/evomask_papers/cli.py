"""The commands ``evomask reproduce`` and ``evomask sensitivity``."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import notes, progress, say, say_json

if TYPE_CHECKING:
    from evomask_papers.own_study import OwnStudy
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


def _values(option: str, meaning: str) -> Any:  # noqa: ANN401
    return typer.Option(option, help=f"{meaning}, V,V,V.", rich_help_panel=DESIGN)


DESIGN = "Design"


@examples(
    "evomask sensitivity sample.csv --quasi age,income -k 3 --out study",
    "evomask sensitivity sample.csv --mutation 0.1,0.2 --crossover 0.3,0.5 --runs 10",
)
@options.with_data_options
def sensitivity(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of at most some 100 records.")],
    k: Annotated[int, typer.Option("-k", help="Smallest group.")] = 3,
    attributes: Annotated[
        str,
        typer.Option("--attributes", help="Attributes, A,B,C [default: all quasi-identifiers]."),
    ] = "",
    mutation: Annotated[str, _values("--mutation", "Mutation rates")] = "0,0.1,0.2,0.4,0.7,1",
    crossover: Annotated[str, _values("--crossover", "Crossover rates")] = "0,0.1,0.3,0.5,0.7,1",
    chromosomes: Annotated[str, _values("--chromosomes", "Population sizes")] = "10,50,100",
    runs: Annotated[
        int, typer.Option("--runs", min=1, help="Runs of each setting.", rich_help_panel=DESIGN)
    ] = 5,
    epochs: Annotated[
        int, typer.Option("--epochs", min=1, help="Epochs of each run.", rich_help_panel=DESIGN)
    ] = 10_000,
    joint: Annotated[
        bool,
        typer.Option(
            "--joint",
            help="Compare values by the error of the model of all parameters.",
            rich_help_panel=DESIGN,
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for data, runs and charts."),
    ] = None,
    force: options.Force = False,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Study which parameters of the genetic algorithm for microaggregation matter on FILE."""
    from evomask_papers.own_study import StudyJob, parse_values, study_file
    from evomask_papers.partition.sensitivity import FactorialDesign

    design = FactorialDesign(
        parse_values("mutation", mutation, float),
        parse_values("crossover", crossover, float),
        parse_values("chromosomes", chromosomes, int),
        runs,
        epochs,
    )
    job = StudyJob(source(file), k, design, options.names(attributes), joint, out, seed, force)
    study = study_file(job, lambda text: progress(text, quiet=quiet))
    notes(study.notes, quiet=quiet)
    say_json(study.as_json) if json else say(_study_text(study))


def _study_text(study: "OwnStudy") -> str:
    found, least = study.found, study.found.least
    setting = (
        f"mutation {least.mutation:g}, crossover {least.crossover:g}, "
        f"{least.chromosomes} chromosomes"
    )
    lines = [
        f"{len(found.trials)} runs on {study.records} records, k = {study.k}",
        f"least sum of squares {least.sse:.4f}: {setting}; MDAV {study.mdav:.4f}",
    ]
    for analysis in found.analyses:
        lines.append(f"{RESPONSE_TITLES[analysis.response]}, {analysis.runs} runs:")
        for factor in analysis.factors:
            test = "not varied, or all runs equal"
            if factor.effect is not None:
                test = f"F = {factor.effect.ratio:.2f}, p {_chance(factor.effect.p)}"
            best = ", ".join(f"{value:g}" for value in sorted(factor.best))
            outcome = "no effect" if factor.comparisons is None else f"best {best}"
            lines.append(f"    {factor.name}: {test}: {outcome}")
    values = (f"{name} {', '.join(map('{:g}'.format, best))}" for name, best in found.best.items())
    return "\n".join([*lines, f"best values: {'; '.join(values)}", *study.written])


def _chance(p: float) -> str:
    return f"= {p:.2g}" if p > 1e-16 else "< 1e-16"


RESPONSE_TITLES = {"sse": "sum of squares", "epoch": "epoch of convergence"}
