"""Commands on runs in a folder: ``runs``, ``report`` and ``verify``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import progress, say, say_json

if TYPE_CHECKING:
    from evomask.runs.store.run_folder import RunSummary

HERE = Path()
MARKS = {True: "holds", False: "FAILS", None: "-"}


@examples(
    "evomask runs results             # all runs in the folder",
    "evomask runs results --stop survey-2",
)
def runs(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder that contains runs.")
    ] = HERE,
    stop: Annotated[
        str, typer.Option("--stop", help="Stop the run of this name; it can be resumed.")
    ] = "",
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """List the runs in DIR with their status."""
    from evomask.runs.store.run_folder import RunList

    found = RunList(folder)
    if stop:
        found.stop(stop)
        progress(f"{stop} will stop at the end of its current step", quiet=quiet)
    summaries = list(found)
    if json:
        say_json({"runs": [_run_as_json(run) for run in summaries]})
    elif not summaries:
        say(f"there are no runs in {folder}")
    else:
        width = max(len(run.name) for run in summaries)
        say("\n".join(_run_line(run, width) for run in summaries))


def _run_as_json(run: "RunSummary") -> dict[str, object]:
    return {
        "name": run.name,
        "run": str(run.folder),
        "search": run.search,
        "file": run.file,
        "standing": run.standing.value,
        "share": run.share,
        "seconds": run.seconds,
        "points": run.points,
        "released": run.released,
        "reason": run.reason,
    }


def _run_line(run: "RunSummary", width: int) -> str:
    share = f"{min(100, 100 * run.share):3.0f} % of the budget, {run.points} points"
    reason = f": {run.reason}" if run.reason else ""
    status = f"{run.name:<{width}}  {run.standing.value:<10}"
    return f"{status}  {share}  {run.file}, {run.search}{reason}"


@examples(
    "evomask report release                                  # write both reports again",
    "evomask report release --purpose 'teaching' --by 'A. Steward' --date 2026-03-01",
    "evomask report release --markdown > risks.md            # the scenarios, for an assessment",
)
def report(
    folder: options.RunFolder,
    purpose: Annotated[str, typer.Option("--purpose", help="Purpose of the release.")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Why this point was chosen.")] = "",
    by: Annotated[str, typer.Option("--by", help="Person who decided.")] = "",
    date: Annotated[str, typer.Option("--date", help="Date of the decision.")] = "",
    review: Annotated[str, typer.Option("--review", help="Date of the next review.")] = "",
    legal_basis: Annotated[
        str, typer.Option("--legal-basis", help="Legal basis of the release.")
    ] = "",
    recipients: Annotated[str, typer.Option("--recipients", help="Recipients of the file.")] = "",
    safeguards: Annotated[
        str, typer.Option("--safeguards", help="Obligations of the recipients.")
    ] = "",
    earlier: Annotated[
        str, typer.Option("--earlier", help="Earlier releases about the same individuals.")
    ] = "",
    matrices: Annotated[
        str,
        typer.Option("--matrices", help="PRAM matrices in the public report: plain, all or none."),
    ] = "plain",
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="Print the risks by scenario in Markdown; write nothing."),
    ] = False,
    key_file: options.KeyFile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the reports of a release again, from the record in DIR."""
    if markdown:
        from evomask.report.scenarios import scenarios_markdown
        from evomask.runs.release import load_record

        say(scenarios_markdown(load_record(folder)).rstrip())
        return
    from evomask.cli.terminal.live_view import busy

    with busy(f"writing the reports of {folder} again", quiet=quiet):
        from evomask.report.record import Statement
        from evomask.runs.release import report_again

        statement = Statement(
            purpose=purpose, reason=reason, by=by, date=date, review=review,
            legal_basis=legal_basis, recipients=recipients, safeguards=safeguards, earlier=earlier,
        )  # fmt: skip
        done = report_again(folder, statement, matrices, key_file)
    written, chosen = done.reports, done.record.chosen
    if json:
        say_json(
            {
                "reports": written.pages,
                "record": str(written.record),
                "chosen": {"point": chosen.point, "loss": chosen.loss, "risk": chosen.risk},
                "statement": done.record.statement.as_json(),
            }
        )
        return
    say(f"internal    {written.internal}\n            {written.record}")
    say(f"to publish  {written.public}\n            {written.public_record}")


@examples(
    "evomask verify release           # unchanged since the release, and as guaranteed?",
    "evomask verify release --key-file steward.key",
)
def verify(
    folder: options.RunFolder,
    key_file: options.KeyFile = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Verify the release in DIR again: files, guarantees, reports, log and signature."""
    from evomask.cli.outofcore import is_chunked_run
    from evomask.outofcore.release import verify_parts
    from evomask.runs.store.verify import verify as verify_release

    progress(f"checking {folder}", quiet=quiet)
    check = verify_parts if is_chunked_run(folder) else verify_release
    verdict = check(folder, key_file)
    if json:
        checks = [{"check": f.check, "holds": f.holds, "text": f.text} for f in verdict.findings]
        say_json({"run": str(verdict.folder), "holds": verdict.holds, "checks": checks})
    else:
        lines = [f"{f.check:<12}{MARKS[f.holds]:<7}{f.text}" for f in verdict.findings]
        result = "the release is valid" if verdict.holds else "THE RELEASE IS NOT VALID"
        say("\n".join([*lines, result]))
    if not verdict.holds:
        raise typer.Exit(1)
