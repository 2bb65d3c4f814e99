"""``evomask protect`` and what comes after it: ``resume`` and ``choose``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import options
from evomask.cli.live import watching
from evomask.cli.speech import notes, say, say_json

if TYPE_CHECKING:
    from evomask.portfolio.candidate import Candidate
    from evomask.reports.writing import Reports
    from evomask.runs.protected import Protected

INTERRUPTED = 130

Pick = Annotated[
    str, typer.Option("--pick", help="balanced, knee, max-risk=R, max-loss=L or a point's number.")
]


@options.with_data_options
def protect(
    file: options.DataFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="A new folder for all that is made.")],
    require: Annotated[str, typer.Option("--require", help="A guarantee, k=5,l=2,t=0.3.")] = "",
    seconds: Annotated[
        float | None, typer.Option("--seconds", min=0, help="Stop after so long [120].")
    ] = None,
    evaluations: Annotated[
        int | None,
        typer.Option("--evaluations", min=1, help="Stop after so many files; repeatable."),
    ] = None,
    searches: Annotated[
        str, typer.Option("--searches", help="Who takes part, grid,partition; all that apply.")
    ] = "",
    pick: Pick = "balanced",
    profile: options.Profile = "strict",
    workers: options.Workers = 1,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    *,
    source: options.Source,
) -> None:
    """Protect FILE: searches share a time, their best files are a front, one is written."""
    from evomask.execution.local import Local
    from evomask.masking.guarantees.requirement import requirement_of
    from evomask.runs.protect import protect_file
    from evomask.runs.protected import ProtectJob

    job = ProtectJob(
        source(file), out, requirement_of(require), profile, seconds, seed, evaluations,
        options.names(searches), pick,
    )  # fmt: skip
    with watching(f"protecting {file}", quiet=quiet) as view:
        done = protect_file(job, evaluators=Local(workers), watch=view.show, tell=view.tell)
    _tell(done, json=json, quiet=quiet)
    _exit(done)


def resume_protected(folder: Path, *, workers: int, json: bool, quiet: bool) -> None:
    """Go on with the job kept in a folder."""
    from evomask.execution.local import Local
    from evomask.runs.protect import resume_protection

    evaluators = Local(workers)
    with watching(f"going on in {folder}", quiet=quiet) as view:
        done = resume_protection(folder, evaluators=evaluators, watch=view.show, tell=view.tell)
    _tell(done, json=json, quiet=quiet)
    _exit(done)


def choose(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a protection.")],
    pick: Pick = "balanced",
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Release another point of the front in DIR; without --pick the balanced one."""
    from evomask.runs.choose import choose as chosen

    _tell(chosen(folder, pick), json=json, quiet=quiet)


def _exit(done: "Protected") -> None:
    """An interrupted job says so by its exit code."""
    if done.interrupted:
        raise typer.Exit(INTERRUPTED)


def _tell(done: "Protected", *, json: bool, quiet: bool) -> None:
    """Write the reports and tell the result."""
    from evomask.reports.writing import report_on

    reports = report_on(done)
    notes(done.notes, quiet=quiet)
    say_json(_as_json(done, reports)) if json else say(_in_words(done, reports))


def _as_json(done: "Protected", reports: "Reports") -> dict[str, object]:
    return {
        "front": [one.as_point() for one in done.front],
        "chosen": {**done.chosen.as_point(), **done.guarantees[done.chosen.number]},
        "reason": done.reason,
        "original": done.original.as_point(),
        "masked": str(done.written.path),
        "records": done.written.records,
        "suppressed": done.written.suppressed,
        "reports": reports.pages,
        "record": str(reports.record),
        "run": str(done.job.folder),
        "files": len(done.candidates),
        "shares": dict(done.shares),
        "interrupted": done.interrupted,
        "seconds": done.seconds,
        "notes": list(done.notes),
    }


def _in_words(done: "Protected", reports: "Reports") -> str:
    stopped = ", stopped before its time" if done.interrupted else ""
    tried = f"{len(done.candidates)} files tried in {done.seconds:.1f} s{stopped}"
    lines = [
        f"{tried}; all in percent, lower is better",
        f"{'':>8}{'point':>7}{'loss':>8}{'risk':>8}  how",
        _row("original", done.original),
    ]
    lines += [_row("chosen" if one == done.chosen else "", one) for one in done.front]
    written = done.written
    lines += [
        f"chosen       {done.reason}",
        f"masked file  {written.path} ({written.records} records, shuffled)",
        f"reports      {reports.internal} (internal)",
        f"             {reports.public} (to publish)",
        f"the folder {done.job.folder} holds records and the seed; keep it to yourself",
    ]
    if done.interrupted:
        lines.append(f"go on with: evomask resume {done.job.folder}")
    return "\n".join(lines)


def _row(mark: str, one: "Candidate") -> str:
    number = "" if mark == "original" else one.number
    return f"{mark:>8}{number:>7}{one.loss:8.2f}{one.risk:8.2f}  {one.description}"
