"""``evomask protect``: the main job."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import options
from evomask.cli.speech import counter, notes, progress, say, say_json

if TYPE_CHECKING:
    from evomask.reports.writing import Reports
    from evomask.runs.candidates import Candidate
    from evomask.runs.protected import Progress, Protected


@options.with_data_options
def protect(
    file: options.DataFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder for all that is made.")],
    require: Annotated[str, typer.Option("--require", help="A guarantee, k=5,l=2,t=0.3.")] = "",
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0, help="Stop trying after so long.")
    ] = None,
    evaluations: Annotated[
        int | None, typer.Option("--evaluations", min=1, help="Stop after so many; repeatable.")
    ] = None,
    searches: Annotated[
        str, typer.Option("--searches", help="Who takes part, grid,partition; all that apply.")
    ] = "",
    pick: Annotated[
        str, typer.Option("--pick", help="balanced, knee, max-risk=R, max-loss=L or a number.")
    ] = "balanced",
    profile: options.Profile = "strict",
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes at once.")] = 1,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Protect FILE: many maskings, their front, the balanced one written, and a report."""
    from evomask.reports.writing import report_on
    from evomask.runs.protect import protect_file
    from evomask.runs.protected import ProtectJob
    from evomask.runs.requirements import requirement_of

    job = ProtectJob(
        source(file), out, requirement_of(require), profile, seconds, seed, evaluations,
        options.names(searches), pick,
    )  # fmt: skip
    progress(f"protecting {file}", quiet=quiet)
    watch = None if quiet else counter(_line)
    tell = partial(progress, quiet=quiet)
    done = protect_file(job, workers=workers, watch=watch, tell=tell)
    reports = report_on(done)
    notes(done.notes, quiet=quiet)
    say_json(_as_json(done, reports)) if json else say(_in_words(done, reports))


def _line(state: "Progress") -> str:
    best = state.best
    return (
        f"{100 * state.used:3.0f} % of the budget, {state.tried} files, balanced so far: "
        f"loss {best.loss:.1f} %, risk {best.risk:.1f} %"
    )


def _as_json(done: "Protected", reports: "Reports") -> dict[str, object]:
    return {
        "front": [point.as_point() for point in done.front],
        "chosen": done.chosen.as_point(),
        "original": done.original.as_point(),
        "masked": str(done.written.path),
        "records": done.written.records,
        "suppressed": done.written.suppressed,
        "reports": reports.pages,
        "record": str(reports.record),
        "seconds": done.seconds,
        "notes": list(done.notes),
    }


def _in_words(done: "Protected", reports: "Reports") -> str:
    tried = f"{len(done.candidates)} maskings tried in {done.seconds:.1f} s"
    lines = [
        f"{tried}; all in percent, lower is better",
        f"{'':>8}{'loss':>8}{'risk':>8}  how",
        _row("original", done.original),
    ]
    lines += [_row("chosen" if one == done.chosen else "", one) for one in done.front]
    lines += [
        f"masked file  {done.written.path} ({done.written.records} records, shuffled)",
        f"reports      {reports.internal} (internal)",
        f"             {reports.public} (to publish)",
    ]
    return "\n".join(lines)


def _row(mark: str, one: "Candidate") -> str:
    return f"{mark:>8}{one.loss:8.2f}{one.risk:8.2f}  {one.description}"
