"""The command ``evomask trajectories``."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evomask.cli.terminal import options
from evomask.cli.terminal.help import examples
from evomask.cli.terminal.output import notes, say, say_json

if TYPE_CHECKING:
    from evomask_graphs.trajectories.protect import TrajectoryReadings


@examples("evomask trajectories positions.csv -k 5 --out discs.csv   # person, time, east, north")
def trajectories(
    file: Annotated[Path, typer.Argument(help="A row for each person and time.")],
    k: Annotated[int, typer.Option("-k", help="Minimum number of people that share a disc.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The discs, as CSV.")],
    person: Annotated[str, typer.Option("--person", help="Column that names people.")] = "person",
    time: Annotated[str, typer.Option("--time", help="Column of the time, a number.")] = "time",
    east: Annotated[str, typer.Option("--east", help="Column of one coordinate.")] = "east",
    north: Annotated[str, typer.Option("--north", help="Column of the other one.")] = "north",
    window: Annotated[
        int | None,
        typer.Option("--window", help="Number of times after which groups and track names change."),
    ] = None,
    rounding: Annotated[
        float, typer.Option("--rounding", help="Precision of discs, in the unit of the positions.")
    ] = 10.0,
    method: Annotated[str, typer.Option("--method", help="memetic, mdav or mondrian.")] = "memetic",
    evaluations: Annotated[
        int | None, typer.Option("--evaluations", help="Steps of the memetic search.")
    ] = None,
    force: options.Force = False,
    seed: options.Seed = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Release trajectories as discs that k people share along their whole way."""
    from evomask.runs.inputs import note_on_seed
    from evomask_graphs.trajectories.api import columns_named
    from evomask_graphs.trajectories.protect import (
        Protection,
        TrajectoryJob,
        protect_trajectories,
    )

    how = Protection(k, window, rounding, method, evaluations, seed)
    columns = columns_named(person, time, (east, north))
    readings = protect_trajectories(TrajectoryJob(file, out, how, columns, force))
    told = note_on_seed(seed) if seed is not None else ()
    if json:
        say_json({"out": str(out), **asdict(readings), **_followed(readings), "notes": list(told)})
        return
    notes(told, quiet=quiet)
    say(f"discs of {readings.fewest} people or more: {out}")
    say(
        f"positions are {readings.mean_distance:.4g} from the centre of their disc on average, "
        f"radii {readings.mean_radius:.4g}; {readings.left_out:.1f} % of the positions left out"
    )
    for name, found in readings.followed.items():
        say(
            f"an intruder who tracks discs ({name}) guesses the next disc of {found.discs:.1f} % "
            f"of the people, and finds the track of {found.linked:.1f} % "
            f"(at most {100 / k:.1f} expected)"
        )


def _followed(readings: "TrajectoryReadings") -> dict[str, dict[str, dict[str, float]]]:
    return {"followed": {name: found._asdict() for name, found in readings.followed.items()}}
