"""Trajectory files (a row per person and time) and files of discs (a row per track and time)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evomask.errors import DataError, SchemaError
from evomask.io.csv import write_csv
from evomask.io.files import write_atomically
from evomask.io.tables import read_frame
from evomask_graphs.trajectories.trajectory import Trajectories

DataFrame: TypeAlias = pl.DataFrame

Rows: TypeAlias = Mapping[str, NDArray[Any]]
"""Columns of a table of discs, by name."""


@dataclass(frozen=True)
class TrajectoryColumns:
    """Columns of person, time and position.

    Args:
        east, north: the position in one unit, such as metres; degrees are not distances.
    """

    person: str = "person"
    time: str = "time"
    east: str = "east"
    north: str = "north"


def read_trajectories(path: Path, columns: TrajectoryColumns) -> Trajectories:
    """Read trajectories from a table in any supported format."""
    return trajectories_of(read_frame(path), columns)


def trajectories_of(frame: pl.DataFrame, columns: TrajectoryColumns) -> Trajectories:
    """Trajectories of a table; errors name the column, never a value."""
    for name in (columns.person, columns.time, columns.east, columns.north):
        if name not in frame.columns:
            raise SchemaError(f"no column {name!r}; name the column by its option, or rename it")
    numbers = {name: _numbers(frame, name) for name in (columns.time, columns.east, columns.north)}
    people, rows = np.unique(frame[columns.person].cast(pl.String).to_numpy(), return_inverse=True)
    times, places = np.unique(numbers[columns.time], return_inverse=True)
    if len(np.unique(np.stack([rows, places]), axis=1).T) < frame.height:
        raise DataError(
            f"a person has two rows at one time; {columns.person!r} and {columns.time!r} "
            "together must name a row"
        )
    positions = np.full((len(people), len(times), 2), np.nan)
    positions[rows, places, 0] = numbers[columns.east]
    positions[rows, places, 1] = numbers[columns.north]
    return Trajectories(tuple(people.tolist()), tuple(times.tolist()), positions)


def discs_frame(rows: Rows) -> pl.DataFrame:
    """Discs as a polars frame."""
    return pl.DataFrame(dict(rows))


def write_discs(rows: Rows, path: Path, *, force: bool = False) -> None:
    """Write discs as CSV."""
    write_atomically(path, partial(write_csv, discs_frame(rows)), force=force)


def _numbers(frame: pl.DataFrame, name: str) -> np.ndarray:
    column = frame[name].cast(pl.Float64, strict=False)
    if column.null_count() or not column.is_finite().all():
        raise DataError(f"column {name!r} must hold a number in every row")
    return column.to_numpy()
