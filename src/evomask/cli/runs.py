"""``evomask runs``: which runs a folder keeps, how each stands, and stopping one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import progress, say, say_json

if TYPE_CHECKING:
    from evomask.runs.kept.runs import RunSummary


Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder that keeps runs.")]
HERE = Path()


@examples(
    "evomask runs results             # every run in the folder",
    "evomask runs results --stop survey-2",
)
def runs(
    folder: Folder = HERE,
    stop: Annotated[
        str, typer.Option("--stop", help="Ask the run of this name to stop; it can be resumed.")
    ] = "",
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """List the runs kept in DIR with how they stand."""
    from evomask.runs.kept.runs import Runs

    kept = Runs(folder)
    if stop:
        kept.stop(stop)
        progress(f"asked {stop} to stop; it ends its turn first", quiet=quiet)
    summaries = list(kept)
    say_json({"runs": [_as_json(run) for run in summaries]}) if json else say(
        _in_words(summaries, folder)
    )


def _as_json(run: "RunSummary") -> dict[str, object]:
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


def _in_words(summaries: list["RunSummary"], folder: Path) -> str:
    if not summaries:
        return f"there are no runs in {folder}"
    width = max(len(run.name) for run in summaries)
    return "\n".join(_line(run, width) for run in summaries)


def _line(run: "RunSummary", width: int) -> str:
    far = f"{min(100, 100 * run.share):3.0f} % of the budget, {run.points} points"
    what = f"{run.file}, {run.search}"
    reason = f": {run.reason}" if run.reason else ""
    return f"{run.name:<{width}}  {run.standing.value:<10}  {far}  {what}{reason}"
