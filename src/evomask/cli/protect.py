"""``evomask protect`` and what comes after it: ``resume`` and ``choose``."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import parts as in_parts_of
from evomask.cli.terminal import keeping, options
from evomask.cli.terminal.help import GOALS, LARGE, SEARCH, examples
from evomask.cli.terminal.output import complain, notes, say, say_json
from evomask.cli.terminal.proposals import Accept, described
from evomask.cli.terminal.streams import given
from evomask.cli.terminal.tables import hanging

if TYPE_CHECKING:
    from evomask.execution.evaluator import Evaluators
    from evomask.record.record import PointNote, PointsNote
    from evomask.runs.kept.events import Watch
    from evomask.runs.release import Release

INTERRUPTED = 130

Pick = Annotated[
    str,
    typer.Option(
        "--pick",
        "--point",
        help="A point's number, or suggested, balanced, knee, sum, max-risk=R, max-loss=L.",
    ),
]


@examples(
    "evomask protect survey.csv --out release                # proposes roles, then stops",
    "evomask protect survey.csv --out release --accept-proposal",
    "evomask protect survey.csv --out release --quasi age,sex --confidential health --require k=5",
    "evomask protect survey.csv --out release --schema survey.toml --max-risk 10 --seconds 600",
)
@options.with_data_options
def protect(
    file: options.DataFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder for all that is made.")],
    accept_proposal: Accept = False,
    require: Annotated[
        str, typer.Option("--require", help="A guarantee, k=5,l=2,t=0.3.", rich_help_panel=GOALS)
    ] = "",
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds", min=0, help="Be done after so long [120].", rich_help_panel=SEARCH
        ),
    ] = None,
    evaluations: Annotated[
        int | None,
        typer.Option(
            "--evaluations",
            min=1,
            help="Stop after so many files; repeatable.",
            rich_help_panel=SEARCH,
        ),
    ] = None,
    searches: Annotated[
        str,
        typer.Option(
            "--searches",
            help="Who takes part, grid,partition; all that apply.",
            rich_help_panel=SEARCH,
        ),
    ] = "",
    pick: Pick = "suggested",
    max_risk: keeping.MaxRisk = None,
    max_loss: keeping.MaxLoss = None,
    keep_table: keeping.KeepTable = None,
    keep_model: keeping.KeepModel = None,
    max_table_error: keeping.MaxTableError = None,
    max_model_error: keeping.MaxModelError = None,
    profile: options.Profile = "strict",
    workers: options.Workers = 1,
    cluster: options.Cluster = None,
    in_parts: options.InParts = False,
    suppression: Annotated[
        float,
        typer.Option(
            "--suppression",
            min=0,
            help="Percent left out of a file in parts.",
            rich_help_panel=LARGE,
        ),
    ] = 1.0,
    width: Annotated[
        int,
        typer.Option(
            "--width", min=1, help="Searches that have turns side by side.", rich_help_panel=SEARCH
        ),
    ] = 1,
    baseline: Annotated[
        str,
        typer.Option(
            "--baseline",
            help="Show what releasing synthetic records would mean.",
            rich_help_panel=SEARCH,
        ),
    ] = "",
    seed: options.Seed = None,
    keep_order: options.KeepOrder = False,
    key_file: options.KeyFile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Protect FILE: searches share a time, their best files are a front, one is written."""
    began = time.monotonic()
    if in_parts or file.is_dir():
        in_parts_of.refuse_others(
            seconds=seconds, keep_table=keep_table, keep_model=keep_model,
            max_table_error=max_table_error, max_model_error=max_model_error, baseline=baseline,
            profile="" if profile == "strict" else profile, width=None if width == 1 else width,
            accept_proposal=accept_proposal,
        )  # fmt: skip
        wish = in_parts_of.Wish(
            require, options.names(searches), evaluations, pick, max_risk, max_loss, suppression
        )
        parts = in_parts_of.job_for(wish, source(file), out, seed, key_file, keep_order=keep_order)
        in_parts_of.protect(parts, workers, cluster, json=json, quiet=quiet)
        return
    data = source(given(file, keep=out))
    data = described(data, out, accept=accept_proposal, json=json, quiet=quiet)
    with _watching(f"protecting {file}", out, quiet=quiet) as watch:
        from evomask.execution.choosing import computing
        from evomask.runs.kept.keeping import at_most
        from evomask.runs.kept.keeping import keeping as wanted
        from evomask.runs.protect import ProtectJob, protect_file, required

        job = ProtectJob(
            data, out, required(require), profile, seconds, seed, evaluations,
            options.names(searches), pick, wanted(keep_table, keep_model),
            at_most(max_risk, max_loss, max_table_error, max_model_error), keep_order, key_file,
            width, baseline,
        )  # fmt: skip
        with computing(workers, cluster) as evaluators:
            done = protect_file(job, evaluators=evaluators, watch=watch, began=began)
    _tell(done, json=json, quiet=quiet)
    _exit(done)


def resume_protected(
    folder: Path,
    *,
    evaluators: "Evaluators",
    json: bool,
    quiet: bool,
    key_file: Path | None = None,
    seconds: float | None = None,
    edited_plan: bool = False,
) -> None:
    """Go on with the job kept in a folder."""
    with _watching(f"going on in {folder}", folder, quiet=quiet) as watch:
        from evomask.runs.protect import resume_protection

        done = resume_protection(
            folder, evaluators=evaluators, watch=watch, key=key_file, seconds=seconds,
            edited_plan=edited_plan,
        )  # fmt: skip
    _tell(done, json=json, quiet=quiet)
    _exit(done)


@examples(
    "evomask choose release --point 2                # points are numbered by loss",
    "evomask choose release --pick knee",
    "evomask choose release --max-risk 15",
)
def choose(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a protection.")],
    pick: Pick = "suggested",
    max_risk: keeping.MaxRisk = None,
    max_loss: keeping.MaxLoss = None,
    max_table_error: keeping.MaxTableError = None,
    max_model_error: keeping.MaxModelError = None,
    keep_order: options.KeepOrder = False,
    key_file: options.KeyFile = None,
    edited_plan: options.EditedPlan = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Release another point of the front in DIR; without --point the suggested one."""
    if in_parts_of.are_in(folder):
        in_parts_of.refuse_others(
            max_table_error=max_table_error, max_model_error=max_model_error,
            keep_order=keep_order, edited_plan=edited_plan,
        )  # fmt: skip
        in_parts_of.choose(folder, pick, max_risk, max_loss, key_file, json=json, quiet=quiet)
        return
    with _watching(f"choosing from {folder}", folder, quiet=quiet) as watch:
        from evomask.runs.kept.keeping import at_most
        from evomask.runs.protect import choose as chosen

        bounds = at_most(max_risk, max_loss, max_table_error, max_model_error)
        done = chosen(
            folder, pick, bounds, keep_order=keep_order, key=key_file, watch=watch,
            edited_plan=edited_plan,
        )  # fmt: skip
    _tell(done, json=json, quiet=quiet)


@contextmanager
def _watching(title: str, folder: Path, *, quiet: bool) -> Iterator["Watch"]:
    """Show what happens; an interrupt that comes too late to release tells what is left."""
    from evomask.cli.terminal.live import watching

    try:
        with watching(title, quiet=quiet) as watch:
            yield watch
    except KeyboardInterrupt:
        if not any(folder.glob("state-*.npz")):
            raise
        complain(f"interrupted; the front is kept: evomask resume {folder}, or choose from it")
        raise typer.Exit(INTERRUPTED) from None


def _exit(done: "Release") -> None:
    """An interrupted job says so by its exit code."""
    if done.protection.unfinished:
        raise typer.Exit(INTERRUPTED)


def _tell(done: "Release", *, json: bool, quiet: bool) -> None:
    notes(done.protection.notes, quiet=quiet)
    say_json(_as_json(done)) if json else say(_in_words(done))


def _as_json(done: "Release") -> dict[str, object]:
    from evomask.record.words import as_point

    protection, written = done.protection, done.written
    reached = protection.findings[done.chosen.number].guarantees
    return {
        "front": [as_point(candidate) for candidate in protection.front],
        "chosen": {**as_point(done.chosen), **reached},
        "reason": done.choice.reason,
        "kept": keeping.as_json(done.record.kept),
        "original": as_point(protection.original),
        "baselines": {
            name: {"loss": point.loss, "risk": point.risk}
            for name, point in protection.baselines.items()
        },
        "masked": str(written.path),
        "records": written.records,
        "suppressed": written.suppressed,
        "reports": done.reports.pages,
        "record": str(done.reports.record),
        "run": str(done.folder),
        "files": len(protection.state.candidates),
        "trials": protection.state.trials,
        "shares": protection.shares,
        "interrupted": protection.unfinished,
        "seconds": protection.seconds,
        "time": {
            "total": sum(done.phases.values()),
            "phases": dict(done.phases),
            "members": {name: own._asdict() for name, own in protection.efforts.items()},
        },
        "notes": list(protection.notes),
    }


def _in_words(done: "Release") -> str:
    protection, written, points = done.protection, done.written, done.record.points
    stopped = ", stopped before its time" if protection.unfinished else ""
    files = f"{len(protection.state.candidates)} files"
    lines = [
        f"{files} tried in {protection.seconds:.1f} s{stopped}; all in percent, lower is better",
        _heading(points),
        *_row("original", points.original),
        *(
            row
            for point in points.front
            for row in _row("chosen" if point == points.chosen else "", point)
        ),
        *(row for point in points.baselines for row in _row("baseline", point)),
        *hanging("chosen       ", done.choice.reason),
        *_risk_in_words(points.chosen, points.original),
        *(
            line
            for statistic in done.record.kept
            for line in hanging("kept         ", keeping.in_short(statistic))
        ),
        f"masked file  {written.path} ({written.records} records, shuffled)",
        f"reports      {done.reports.internal} (internal)",
        f"             {done.reports.public} (to publish)",
        *hanging("time         ", _time(done)),
        f"the folder {done.folder} holds records and the seed; keep it to yourself",
    ]
    if protection.unfinished:
        lines.append(f"go on with: evomask resume {done.folder}")
    return "\n".join(lines)


def _time(done: "Release") -> str:
    """Where the time went, phase by phase and member by member."""
    phases = ", ".join(f"{name} {took:.1f} s" for name, took in done.phases.items())
    members = ", ".join(
        f"{name} {own.seconds:.1f} s ({own.files} files)"
        for name, own in done.protection.efforts.items()
    )
    return f"{phases}; of the search {members}"


def _row(mark: str, point: "PointNote") -> Iterator[str]:
    """A point with its percents, and how it was made, wrapped below itself."""
    number = "" if mark in ("original", "baseline") else point.point
    more = {**_percents(point), **_errors(point)}.values()
    parts = "".join(f"{value:8.2f}" for value in more)
    start = f"{mark:>8}{number:>7}{point.loss:8.2f}{point.risk:8.2f}{parts}  "
    return hanging(start, point.method)


def _heading(points: "PointsNote") -> str:
    names = (*_percents(points.chosen), *_errors(points.chosen))
    more = "".join(f"{name[:7]:>8}" for name in names)
    return f"{'':>8}{'point':>7}{'loss':>8}{'risk':>8}{more}  how"


def _percents(point: "PointNote") -> dict[str, float]:
    """The parts of the risk that a file has, by name."""
    if point.parts is None:
        return {}
    parts = {
        "linked": point.parts.linked,
        "read": point.parts.read,
        "confidential": point.parts.confidential,
    }
    return {name: value for name, value in parts.items() if value is not None}


def _errors(point: "PointNote") -> dict[str, float]:
    """Errors of what must survive, where there is something."""
    both = {"tables": point.table_error, "models": point.model_error}
    return {name: error for name, error in both.items() if error is not None}


def _risk_in_words(chosen: "PointNote", original: "PointNote") -> list[str]:
    """What the risk of the chosen file means."""
    if chosen.parts is None:
        return []
    people = f"about {chosen.parts.expected:.0f} people by an intruder who {chosen.parts.attacker}"
    return [
        *hanging("risk         ", f"{chosen.risk:.1f} %: {people}"),
        f"             (the original: {original.risk:.1f} %)",
    ]
