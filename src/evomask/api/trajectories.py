"""Positions over time as data frames: discs that k people share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evomask.io.trajectories import DataFrame, TrajectoryColumns
    from evomask.runs.trajectories.protecting import TrajectoryReadings


@dataclass(frozen=True, eq=False)
class TrajectoryResult:
    """Discs instead of positions, and what is known of them.

    Args:
        discs: a row for each track and time: window, track, time, east, north, radius, people.
        readings: mean distance and radius, fewest people, what is left out, and what an
            intruder finds who follows discs.
    """

    discs: "DataFrame"
    readings: "TrajectoryReadings"

    @property
    def followed(self) -> Mapping[str, float]:
        """Percent of people whose own track is found, by way of guessing; at most 100 / k."""
        return {name: found.linked for name, found in self.readings.followed.items()}


def columns_named(person: str, time: str, position: tuple[str, str]) -> "TrajectoryColumns":
    """Which columns tell who, when and where."""
    from evomask.io.trajectories import TrajectoryColumns

    return TrajectoryColumns(person, time, *position)


def protect_trajectories(
    frame: Any,  # noqa: ANN401
    k: int,
    *,
    person: str = "person",
    time: str = "time",
    position: tuple[str, str] = ("east", "north"),
    window: int | None = None,
    rounding: float = 10.0,
    method: str = "memetic",
    evaluations: int | None = None,
    seed: int | None = None,
) -> TrajectoryResult:
    """Release positions over time as discs that k people share, whole ways at once.

    Args:
        frame: a row for each person and time, as polars or pandas have it.
        k: people that share a disc, at least.
        position: two columns in one unit, such as metres; degrees are not distances.
        window: times after which groups and names of tracks change; never where it is absent.
        rounding: what centres and radii are rounded to.
        method: memetic (ours), mdav or mondrian.
        evaluations: steps of the memetic search.
    """
    from evomask.io.tables import source_of
    from evomask.io.trajectories import discs_frame, trajectories_of
    from evomask.runs.trajectories.protecting import Protection, protected_rows

    columns = columns_named(person, time, position)
    ways = trajectories_of(source_of(frame).frame, columns)
    how = Protection(k, window, rounding, method, evaluations, seed)
    rows, readings = protected_rows(ways, how)
    return TrajectoryResult(discs_frame(rows), readings)
