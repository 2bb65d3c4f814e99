"""Trajectories: positions of people over time, and the discs released instead."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evomask.data.partition import group_sizes
from evomask.errors import DataError, ParameterError
from evomask.types import Floats, Indices, Labels, Points


@dataclass(frozen=True, eq=False)
class Trajectories:
    """Position of each person at each time.

    Args:
        people: their names, in the order of the positions.
        times: ascending.
        positions: people by times by two coordinates in one unit; NaN where a person has no
            position.
    """

    people: tuple[str, ...]
    times: tuple[float, ...]
    positions: Floats

    def __post_init__(self) -> None:
        if self.positions.shape != (len(self.people), len(self.times), 2):
            raise DataError("trajectories need two coordinates for each person and time")

    def windows(self, length: int | None) -> Iterator["Window"]:
        """Cut into windows of that many times; a single window if None.

        People who are missing at some time of a window are left out of it.
        """
        if length is not None and length < 1:
            raise ParameterError(f"window must be at least 1, got {length}")
        step = length or max(1, len(self.times))
        for start in range(0, len(self.times), step):
            times = np.arange(start, min(start + step, len(self.times)))
            seen = np.flatnonzero(~np.isnan(self.positions[:, times]).any(axis=(1, 2)))
            yield Window(times, seen, self.positions[np.ix_(seen, times)])


class Window(NamedTuple):
    """A time window: its times, the people seen throughout, and their positions.

    Args:
        times: places of its times.
        people: places of the people.
        positions: people by times by two coordinates.
    """

    times: Indices
    people: Indices
    positions: Floats

    @property
    def points(self) -> Points:
        return np.ascontiguousarray(self.positions.reshape(len(self.people), -1))


class Discs(NamedTuple):
    """Released discs of a window: one for each group at each time.

    Args:
        centres: groups by times by two coordinates.
        radii: groups by times.
        people: number of people in each group.
    """

    centres: Floats
    radii: Floats
    people: Indices


def discs_of(positions: Floats, labels: Labels, rounding: float) -> Discs:
    """Rounded disc around each group at each time; it contains all members.

    Centres are rounded to the nearest multiple of *rounding* and radii up to the next, so
    that no edge of a disc is anybody's position.
    """
    if rounding <= 0:
        raise ParameterError(f"rounding must be above 0, got {rounding:g}")
    sizes = group_sizes(labels)
    sums = np.zeros((len(sizes), *positions.shape[1:]))
    np.add.at(sums, labels, positions)
    centres = np.round(sums / sizes[:, None, None] / rounding) * rounding
    reach = np.zeros(centres.shape[:2])
    np.maximum.at(reach, labels, np.linalg.norm(positions - centres[labels], axis=2))
    radii = (np.floor(reach / rounding) + 1.0) * rounding
    return Discs(centres, radii, sizes)
