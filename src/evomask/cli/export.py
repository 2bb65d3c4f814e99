"""``evomask export``: the file of a point of a run, without releasing it."""

from pathlib import Path
from typing import Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import progress, say, say_json


@examples(
    "evomask export release 2 --out point2.csv       # to look at, or to analyse",
    "evomask export release knee --out knee.csv",
)
def export(
    folder: options.RunFolder,
    point: Annotated[str, typer.Argument(metavar="POINT", help="Number of the point, or a rule.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.")],
    force: options.Force = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the masked file of a POINT of the run in DIR, without releasing it."""
    from evomask.report.describe import point_fields
    from evomask.runs.export import export_point

    progress(f"writing point {point} of {folder}", quiet=quiet)
    done = export_point(folder, point, out, force=force)
    if json:
        fields = point_fields(done.point)
        say_json({"masked": str(out), "records": done.written.records, "point": fields})
        return
    chosen = f"point {done.point.point}, loss {done.point.loss:.1f} %, risk {done.point.risk:.1f} %"
    say(f"{out}: {done.written.records} records of {chosen}, shuffled")
    say(f"it is not released: `evomask choose {folder} --point {done.point.point}` releases it")
