"""``evomask protect``, and ``choose`` and ``resume`` on its runs."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli import outofcore
from evomask.cli.onboarding import confirm_roles
from evomask.cli.terminal import options as shared
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import (
    analyses_as_json,
    complain,
    input_path,
    notes,
    say,
    say_json,
)
from evomask.cli.terminal.release_text import nothing_released_text, offers_as_json, release_text
from evomask.runs.options import DEFAULT_SECONDS, LARGE, ProtectOptions

if TYPE_CHECKING:
    from evomask.execution.evaluator import Evaluators
    from evomask.runs.protect import NothingReleasedError
    from evomask.runs.release import Release
    from evomask.runs.store.journal import EventCallback

INTERRUPTED, NOTHING_RELEASED = 130, 3


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
    from evomask.execution.local import open_evaluators

    def run(watch: "EventCallback") -> "Release":
        from evomask.runs.protect import protect_file

        job = options.job(data, out)
        with open_evaluators(workers, cluster) as evaluators:
            return protect_file(job, evaluators=evaluators, watch=watch, began=began)

    _release(run, f"protecting {file}", out, json=json, quiet=quiet)


def _release(
    run: "Callable[[EventCallback], Release]",
    title: str,
    folder: Path,
    *,
    json: bool,
    quiet: bool,
    key_file: Path | None = None,
) -> None:
    """Run until a release and print it; print the offers where nothing is released.

    Args:
        folder: of the run.
        key_file: signs the release of a point beyond its limits that is accepted in the terminal.
    """
    from evomask.runs.protect import NothingReleasedError
    from evomask.runs.protect import choose as choose_point

    try:
        with _live_view(title, folder, quiet=quiet) as watch:
            done = run(watch)
    except NothingReleasedError as nothing:
        if not _confirmed(nothing, json=json, quiet=quiet):
            _print_nothing(nothing, json=json, quiet=quiet)
            code = INTERRUPTED if nothing.protection.unfinished else NOTHING_RELEASED
            raise typer.Exit(code) from None
        bounds = replace(nothing.bounds, accept_risk=True, accept_loss=True)
        with _live_view(f"choosing from {folder}", folder, quiet=quiet) as watch:
            done = choose_point(folder, nothing.wish, bounds, key=key_file, watch=watch)
    print_release(done, json=json, quiet=quiet)
    if done.protection.unfinished:
        raise typer.Exit(INTERRUPTED)


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

    def run(watch: "EventCallback") -> "Release":
        from evomask.runs.protect import resume_protection

        return resume_protection(
            folder, evaluators=evaluators, watch=watch, key=key_file, seconds=seconds,
            edited_plan=edited_plan, strict_releases=strict_releases,
        )  # fmt: skip

    _release(run, f"resuming {folder}", folder, json=json, quiet=quiet, key_file=key_file)


@examples(
    "evomask choose release --point 2                # points are numbered by loss",
    "evomask choose release --pick knee",
    "evomask choose release --max-risk 15",
    "evomask choose release --max-risk register=5,colleague=10",
    "evomask choose public --nested-in scientific    # both together keep the k required",
)
def choose(
    folder: shared.RunFolder,
    pick: shared.Pick = "suggested",
    max_risk: shared.MaxRisk = None,
    max_loss: shared.MaxLoss = None,
    release: shared.ReleaseType = "",
    accept_risk: shared.AcceptRisk = False,
    accept_loss: shared.AcceptLoss = False,
    max_table_error: shared.MaxTableError = None,
    max_model_error: shared.MaxModelError = None,
    max_indicator_error: shared.MaxIndicatorError = None,
    keep_order: shared.KeepOrder = False,
    key_file: shared.KeyFile = None,
    edited_plan: shared.EditedPlan = False,
    strict_releases: shared.StrictReleases = False,
    nested_in: Annotated[
        str,
        typer.Option(
            "--nested-in",
            help="Run folder (or DIR:POINT) of a release: both together keep the required k.",
        ),
    ] = "",
    k_together: shared.KTogether = None,
    json: shared.Json = False,
    quiet: shared.Quiet = False,
) -> None:
    """Release another point of the Pareto front in DIR; by default the suggested one."""
    from evomask.runs.store.preserved_analyses import build_bounds

    bounds = build_bounds(
        max_risk, max_loss, max_table_error, max_model_error, max_indicator_error,
        release=release, accept_risk=accept_risk, accept_loss=accept_loss,
    )  # fmt: skip
    if outofcore.is_chunked_run(folder):
        outofcore.refuse(
            keep_order=keep_order, edited_plan=edited_plan, strict_releases=strict_releases,
            nested_in=nested_in, k_together=k_together,
        )  # fmt: skip
        outofcore.choose(folder, pick, bounds, key_file, json=json, quiet=quiet)
        return

    def run(watch: "EventCallback") -> "Release":
        from evomask.runs.protect import choose as choose_point

        return choose_point(
            folder, pick, bounds, keep_order=keep_order, key=key_file, watch=watch,
            edited_plan=edited_plan, strict_releases=strict_releases,
            nested_in=nested_in, k_together=k_together,
        )  # fmt: skip

    _release(run, f"choosing from {folder}", folder, json=json, quiet=quiet, key_file=key_file)


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


def print_release(done: "Release", *, json: bool, quiet: bool) -> None:
    """Print a release with its front, and its notes."""
    notes(done.protection.notes, quiet=quiet)
    say_json(_as_json(done)) if json else say(release_text(done))


def _print_nothing(nothing: "NothingReleasedError", *, json: bool, quiet: bool) -> None:
    """Print why nothing was released, and the offers."""
    done = nothing.protection
    notes(done.notes, quiet=quiet)
    if not json:
        say(nothing_released_text(nothing))
        return
    from evomask.report.describe import point_fields

    say_json(
        {
            "released": False,
            "error": str(nothing),
            "front": [point_fields(candidate) for candidate in done.front],
            "original": point_fields(done.original),
            "offers": offers_as_json(done.offers, nothing.folder),
            "run": str(nothing.folder),
            "files": len(done.state.candidates),
            "trials": done.state.trials,
            "interrupted": done.unfinished,
            "seconds": done.seconds,
            "notes": list(done.notes),
        }
    )


def _confirmed(nothing: "NothingReleasedError", *, json: bool, quiet: bool) -> bool:
    """Ask on a terminal whether a point beyond its limits is released; without one, no."""
    if json or quiet or not nothing.beyond or not sys.stdin.isatty():
        return False
    complain(str(nothing))
    for name, (value, _) in nothing.beyond.items():
        wanted = f"{value:.1f}"
        answer = typer.prompt(f"to accept a {name} of {wanted} %, type {wanted}", default="no")
        if answer.strip() != wanted:
            return False
    return True


def _as_json(done: "Release") -> dict[str, object]:
    from evomask.report.describe import point_fields
    from evomask.report.scenarios import scenarios_as_json, views_of

    protection, written = done.protection, done.written
    reached = protection.findings[done.chosen.number].guarantees
    return {
        "released": True,
        "front": [point_fields(candidate) for candidate in protection.front],
        "offers": offers_as_json(done.record.offers, done.folder),
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
