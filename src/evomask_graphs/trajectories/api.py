"""Python interface for trajectories in data frames."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evomask_graphs.trajectories.files import DataFrame, TrajectoryColumns
    from evomask_graphs.trajectories.protect import TrajectoryReadings


@dataclass(frozen=True, eq=False)
class TrajectoryResult:
    """Released discs and their measures.

    Args:
        discs: a row for each track and time: window, track, time, east, north, radius, people.
        readings: mean distance and radius, fewest people, share of positions left out, and success
            of the tracking attack.
    """

    discs: "DataFrame"
    readings: "TrajectoryReadings"

    @property
    def followed(self) -> Mapping[str, float]:
        """Percentage of people whose track is found, by attack; at most 100 / k."""
        return {name: found.linked for name, found in self.readings.followed.items()}


def columns_named(person: str, time: str, position: tuple[str, str]) -> "TrajectoryColumns":
    """Columns of person, time and position by their names."""
    from evomask_graphs.trajectories.files import TrajectoryColumns

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
    """Release trajectories as discs that k people share along their whole way.

    Args:
        frame: a row for each person and time, a polars or pandas frame. k: minimum number of people
            that share a disc.
        position: two columns in one unit, such as metres; degrees are not distances.
        window: number of times after which groups and track names change; by default never.
            rounding: precision of centres and radii.
        method: memetic (ours), mdav or mondrian.
        evaluations: steps of the memetic search.
    """
    from evomask.io.tables import source_of
    from evomask_graphs.trajectories.files import discs_frame, trajectories_of
    from evomask_graphs.trajectories.protect import Protection, disc_rows

    columns = columns_named(person, time, position)
    ways = trajectories_of(source_of(frame).frame, columns)
    how = Protection(k, window, rounding, method, evaluations, seed)
    rows, readings = disc_rows(ways, how)
    return TrajectoryResult(discs_frame(rows), readings)
