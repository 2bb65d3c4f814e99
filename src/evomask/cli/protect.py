"""``evomask protect``, and ``choose`` and ``resume`` on its runs."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from evomask.cli import outofcore
from evomask.cli.onboarding import confirm_roles
from evomask.cli.terminal import options as shared
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import (
    analyses_as_json,
    analysis_summary,
    complain,
    hanging,
    input_path,
    notes,
    say,
    say_json,
)
from evomask.runs.options import DEFAULT_SECONDS, LARGE, ProtectOptions

if TYPE_CHECKING:
    from evomask.execution.evaluator import Evaluators
    from evomask.report.record import PointNote, PointsNote, ReleaseRecord
    from evomask.report.scenarios import ScenarioView
    from evomask.runs.release import Release
    from evomask.runs.store.journal import EventCallback

INTERRUPTED = 130


@examples(
    "evomask protect survey.csv --out release                # proposes roles, then stops",
    "evomask protect survey.csv --out release --accept-proposal",
    "evomask protect survey.csv --out release --quasi age,sex --confidential health --require k=5",
    "evomask protect survey.csv --out release --schema survey.toml --max-risk 10 --seconds 600",
)
@shared.with_data_options
@shared.with_protect_options
def protect(
    file: shared.DataFile,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="New folder for release, reports and run.")
    ],
    accept_proposal: Annotated[
        bool, typer.Option("--accept-proposal", help="Accept the roles proposed for FILE.")
    ] = False,
    workers: shared.AutomaticWorkers = None,
    cluster: shared.Cluster = None,
    in_parts: shared.InParts = False,
    suppression: Annotated[
        float,
        typer.Option(
            "--suppression",
            min=0,
            help="With --in-parts: most records to suppress, %.",
            rich_help_panel=LARGE,
        ),
    ] = outofcore.DEFAULT_SUPPRESSION,
    width: Annotated[int | None, typer.Option("--width", hidden=True)] = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
    *,
    options: ProtectOptions,
    source: shared.Source,
) -> None:
    """Search for protected versions of FILE and release one point of the Pareto front."""
    began = time.monotonic()
    if width is not None:
        notes(["--width has no effect any more, and will be removed"], quiet=quiet)
    if workers is None:
        workers = 1 if cluster is not None else _default_workers(options)
    if in_parts or file.is_dir():
        outofcore.refuse_unsupported(options)
        outofcore.refuse(accept_proposal=accept_proposal)
        job = outofcore.job_for(options, suppression, source(file), out)
        outofcore.protect(job, workers, cluster, json=json, quiet=quiet)
        return
    data = source(input_path(file, keep=out))
    data = confirm_roles(data, out, accept=accept_proposal, json=json, quiet=quiet)
    with _live_view(f"protecting {file}", out, quiet=quiet) as watch:
        from evomask.execution.local import open_evaluators
        from evomask.runs.protect import protect_file

        with open_evaluators(workers, cluster) as evaluators:
            done = protect_file(
                options.job(data, out), evaluators=evaluators, watch=watch, began=began
            )
    _print_release(done, json=json, quiet=quiet)
    _exit_if_interrupted(done)


WORTH_PROCESSES = 20.0
"""Seconds of a budget from which on starting worker processes pays."""


def _default_workers(options: ProtectOptions) -> int:
    """All cores for a long search by time; this process alone for a short one."""
    from evomask.execution.local import available_cores

    seconds = options.seconds
    if seconds is None:
        seconds = 0.0 if options.evaluations is not None else DEFAULT_SECONDS
    return available_cores() if seconds >= WORTH_PROCESSES else 1


def resume_protected(
    folder: Path,
    *,
    evaluators: "Evaluators",
    json: bool,
    quiet: bool,
    key_file: Path | None = None,
    seconds: float | None = None,
    edited_plan: bool = False,
    strict_releases: bool = False,
) -> None:
    """Continue the ``protect`` run in a folder, and print its release."""
    with _live_view(f"resuming {folder}", folder, quiet=quiet) as watch:
        from evomask.runs.protect import resume_protection

        done = resume_protection(
            folder, evaluators=evaluators, watch=watch, key=key_file, seconds=seconds,
            edited_plan=edited_plan, strict_releases=strict_releases,
        )  # fmt: skip
    _print_release(done, json=json, quiet=quiet)
    _exit_if_interrupted(done)


@examples(
    "evomask choose release --point 2                # points are numbered by loss",
    "evomask choose release --pick knee",
    "evomask choose release --max-risk 15",
    "evomask choose release --max-risk register=5,colleague=10",
)
def choose(
    folder: shared.RunFolder,
    pick: shared.Pick = "suggested",
    max_risk: shared.MaxRisk = None,
    max_loss: shared.MaxLoss = None,
    max_table_error: shared.MaxTableError = None,
    max_model_error: shared.MaxModelError = None,
    max_indicator_error: shared.MaxIndicatorError = None,
    keep_order: shared.KeepOrder = False,
    key_file: shared.KeyFile = None,
    edited_plan: shared.EditedPlan = False,
    strict_releases: shared.StrictReleases = False,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Release another point of the Pareto front in DIR; by default the suggested one."""
    if outofcore.is_chunked_run(folder):
        outofcore.refuse(
            keep_order=keep_order, edited_plan=edited_plan, strict_releases=strict_releases
        )
        limits = (max_risk, max_loss, max_table_error, max_model_error, max_indicator_error)
        outofcore.choose(folder, pick, limits, key_file, json=json, quiet=quiet)
        return
    with _live_view(f"choosing from {folder}", folder, quiet=quiet) as watch:
        from evomask.runs.protect import choose as choose_point
        from evomask.runs.store.preserved_analyses import build_bounds

        bounds = build_bounds(
            max_risk, max_loss, max_table_error, max_model_error, max_indicator_error
        )
        done = choose_point(
            folder, pick, bounds, keep_order=keep_order, key=key_file, watch=watch,
            edited_plan=edited_plan, strict_releases=strict_releases,
        )  # fmt: skip
    _print_release(done, json=json, quiet=quiet)


@contextmanager
def _live_view(title: str, folder: Path, *, quiet: bool) -> Iterator["EventCallback"]:
    """Show progress; after an interrupt that allows no release, say how to continue."""
    from evomask.cli.terminal.live_view import live_view

    try:
        with live_view(title, quiet=quiet) as watch:
            yield watch
    except KeyboardInterrupt:
        if not any(folder.glob("state-*.npz")):
            raise
        complain(f"interrupted; the front is saved: evomask resume {folder}, or choose from it")
        raise typer.Exit(INTERRUPTED) from None


def _exit_if_interrupted(done: "Release") -> None:
    if done.protection.unfinished:
        raise typer.Exit(INTERRUPTED)


def _print_release(done: "Release", *, json: bool, quiet: bool) -> None:
    notes(done.protection.notes, quiet=quiet)
    say_json(_as_json(done)) if json else say(_text(done))


def _as_json(done: "Release") -> dict[str, object]:
    from evomask.report.describe import point_fields
    from evomask.report.scenarios import scenarios_as_json, views_of

    protection, written = done.protection, done.written
    reached = protection.findings[done.chosen.number].guarantees
    return {
        "front": [point_fields(candidate) for candidate in protection.front],
        "chosen": {
            **point_fields(done.chosen),
            **reached,
            "loss_parts": loss.as_json() if (loss := done.record.loss_parts) else None,
            "risk_parts": risk.as_json() if (risk := done.chosen.assessment) else None,
        },
        "reason": done.choice.reason,
        "scenarios": scenarios_as_json(views_of(done.record)),
        "kept": analyses_as_json(done.record.kept),
        "original": point_fields(protection.original),
        "baselines": {
            name: {"loss": point.loss, "risk": point.risk}
            for name, point in protection.baselines.items()
        },
        "masked": str(written.path),
        "records": written.records,
        "suppressed": written.suppressed,
        "reports": done.reports.pages,
        "record": str(done.reports.record),
        "recipe": str(done.recipe) if done.recipe else None,
        "run": str(done.folder),
        "files": len(protection.state.candidates),
        "trials": protection.state.trials,
        "shares": protection.shares,
        "interrupted": protection.unfinished,
        "seconds": protection.seconds,
        "time": {
            "total": sum(done.phases.values()),
            "phases": dict(done.phases),
            "members": {name: asdict(own) for name, own in protection.efforts.items()},
        },
        "notes": list(protection.notes),
    }


def _text(done: "Release") -> str:
    protection, written, points = done.protection, done.written, done.record.points
    stopped = ", stopped before the end of the budget" if protection.unfinished else ""
    candidates = f"{len(protection.state.candidates)} candidates in {protection.seconds:.1f} s"
    lines = [
        f"{candidates}{stopped}; all in percent, lower is better",
        *_front_table(points),
        *hanging("chosen       ", done.choice.reason),
        *_loss_lines(done.record),
        *_risk_lines(points.chosen, points.original, done.record.input.records),
        *(
            line
            for statistic in done.record.kept
            for line in hanging("preserved    ", analysis_summary(statistic))
        ),
        f"masked file  {written.path} ({written.records} records, shuffled)",
        f"reports      {done.reports.internal} (internal)",
        f"             {done.reports.public} (to publish)",
        *([f"recipe       {done.recipe} (evomask apply)"] if done.recipe else []),
        *hanging("time         ", _times(done)),
        f"the folder {done.folder} holds records and the seed; keep it confidential",
    ]
    if protection.unfinished:
        lines.append(f"continue with: evomask resume {done.folder}")
    return "\n".join(lines)


def _times(done: "Release") -> str:
    phases = ", ".join(f"{name} {took:.1f} s" for name, took in done.phases.items())
    searches = ", ".join(
        f"{name} {own.cost:.1f} s ({own.trials + own.files} evaluations)"
        for name, own in done.protection.efforts.items()
    )
    return f"{phases}; per search {searches}"


class _Column(NamedTuple):
    """A column of percentages: two lines of heading, width, and the value of each point."""

    top: str
    bottom: str
    width: int
    value: float | None


def _columns(point: "PointNote") -> list[_Column]:
    """Return loss, risk, parts of the risk and errors of preserved analyses, as far as known."""
    parts = point.parts
    columns = [
        _Column("", "loss", 7, point.loss),
        _Column("", "risk", 7, point.risk),
        _Column("re-identification", "risk", 8, parts.reidentification if parts else None),
        _Column("attribute", "disclosure", 11, parts.attribute_disclosure if parts else None),
        _Column("confidential", "disclosure", 13, parts.confidential if parts else None),
        _Column("table", "error", 7, point.table_error),
        _Column("model", "error", 7, point.model_error),
        _Column("indicator", "error", 11, point.indicator_error),
    ]
    return [column for column in columns if column.value is not None]


def _front_table(points: "PointsNote") -> Iterator[str]:
    """Format original, front and baselines as a table; methods are wrapped in the last column."""
    top, bottom = "", f"{'':>8}{'point':>7}"
    for column in _columns(points.chosen):
        bottom += f"{column.bottom:>{column.width}}"
        if column.top:
            top = top.ljust(len(bottom) - len(column.top)) + column.top
    if top:
        yield top
    yield f"{bottom}  method"
    yield from _row("original", "", points.original)
    for point in points.front:
        is_chosen = point.point == points.chosen.point
        mark = "chosen" if is_chosen else "over" if point.breaks else ""
        yield from _row(mark, str(point.point), point)
    for point in points.baselines:
        yield from _row("baseline", "", point)
    if any(point.breaks for point in points.front):
        yield "    over: breaks a limit, and is released by its number only"


def _row(mark: str, number: str, point: "PointNote") -> Iterator[str]:
    values = "".join(f"{column.value:{column.width}.2f}" for column in _columns(point))
    return hanging(f"{mark:>8}{number:>7}{values}  ", point.method)


def _loss_lines(record: "ReleaseRecord") -> Iterator[str]:
    """Format the parts of the loss, and the analyses that will notice it."""
    from evomask.report.loss_parts import LOSS_PARTS, largest_pairs, relations_sentence

    parts = record.loss_parts
    if parts is None:
        return
    values = ", ".join(f"{name} {getattr(parts, name):.1f}" for name in LOSS_PARTS)
    loss = f"{record.chosen.loss:.1f} %: {values}. {relations_sentence(largest_pairs(parts))}"
    yield from hanging("loss         ", loss)


def _risk_lines(chosen: "PointNote", original: "PointNote", records: int) -> Iterator[str]:
    """Format the risk: the strongest intruder, every scenario, the control group."""
    from evomask.report.scenarios import control_sentence, scenario_views

    risk = chosen.parts
    if risk is None:
        return
    expected = f"about {risk.expected:.0f} individuals"
    intruder = f"disclosed to an intruder who {risk.attacker}"
    low, high = risk.interval or (chosen.risk, chosen.risk)
    interval = f" (95 % interval {low:.1f} to {high:.1f})" if low < high else ""
    yield from hanging("risk         ", f"{chosen.risk:.1f} %{interval}: {expected} {intruder}")
    yield f"             (the original: {original.risk:.1f} %)"
    scenarios = scenario_views(original.parts, risk, records)
    if scenarios:
        yield from _scenario_table(scenarios)
        for scenario in scenarios:
            yield from hanging("             ", scenario.sentence)
    yield from hanging("             ", control_sentence(risk.control))


def _scenario_table(scenarios: "Sequence[ScenarioView]") -> Iterator[str]:
    """Format the quantities of every scenario before and after."""
    width = max(len(row.title) for scenario in scenarios for row in scenario.rows) + 2
    yield f"{'':13}{'scenario':<{width}}{'before':>8}{'after':>8}{'people':>8}"
    for scenario in scenarios:
        largest = scenario.is_largest and len(scenarios) > 1
        yield f"{'':13}{scenario.name}{' (determines the risk)' if largest else ''}"
        for row in scenario.rows:
            before = f"{'':8}" if row.before is None else f"{row.before:8.2f}"
            yield f"{'':13}  {row.title:<{width - 2}}{before}{row.after:8.2f}{row.people or 0:8,}"
