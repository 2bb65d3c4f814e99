"""Temperatures for annealing, read off the data.

A fast pass from very hot to very cold shows how far above its end the sum of squares stands at
each temperature: its *excess*. Bursts are told their excess at start and end, which means the
same on every file, and spend equal numbers of steps on equal ratios of it.
"""

from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats, Points
from evomask.data.partition import within_sum_of_squares
from evomask.kernels.generator import seed_of
from evomask.kernels.groups.annealing import anneal
from evomask.kernels.groups.mdav import mdav
from evomask.kernels.groups.sums import padded
from evomask.searches.partition.genome import near_count, near_records

LEVELS = 200
SCAN_STEPS = 3000
HOTTEST, COLDEST = 1e3, 1e-5
"""Temperatures of the first pass, in mean squared distances of a record to its centroid."""

QUENCHED = 0.02
"""Share of a burst's levels, at its end, that accept no worsening at all."""

SAMPLE, BALLS = 5000, 20
"""A larger file is represented by the records around so many of its own."""

LEAST_EXCESS = 1e-9


@dataclass(frozen=True, eq=False)
class Schedule:
    """Temperatures, falling, and the excess at each, falling too."""

    temperatures: Floats
    excess: Floats

    @classmethod
    def of(cls, points: Points, k: int, rng: np.random.Generator) -> "Schedule":
        """The schedule of one file for one k."""
        sample = _representatives(points, rng)
        labels = mdav(sample, k)
        scale = within_sum_of_squares(sample, labels) / len(sample)
        temperatures = scale * np.geomspace(HOTTEST, COLDEST, LEVELS)
        near = near_records(sample, near_count(k))
        seed = seed_of(rng)
        energies = anneal(padded(sample), near, labels, k, temperatures, SCAN_STEPS, seed)[1]
        lowest = np.minimum.accumulate(energies)
        if not lowest[-1] > 0:
            return cls(temperatures, np.geomspace(HOTTEST, LEAST_EXCESS, LEVELS))
        return cls(temperatures, lowest / lowest[-1] - 1.0)

    def between(self, hot: float, cold: float) -> Floats:
        """Temperatures of a burst from one excess to another, quenched at its end."""
        wanted = np.geomspace(hot, cold, LEVELS)
        # Equal excesses are told apart by a trifle, so that each has one temperature.
        falling = np.maximum(self.excess, LEAST_EXCESS) * (1.0 + 1e-9 * np.arange(LEVELS)[::-1])
        logs = np.interp(
            -np.log(wanted), -np.log(falling), np.log(np.maximum(self.temperatures, 1e-300))
        )
        burst = np.exp(logs)
        burst[-max(1, int(QUENCHED * LEVELS)) :] = 0.0
        return burst


def _representatives(points: Points, rng: np.random.Generator) -> Points:
    """All records of a small file; of a large one whole neighbourhoods, as sparse as they are."""
    if len(points) <= SAMPLE:
        return points
    from scipy.spatial import KDTree

    middles = rng.choice(len(points), BALLS, replace=False)
    _, neighbours = KDTree(points).query(points[middles], SAMPLE // BALLS)
    return np.ascontiguousarray(points[np.unique(neighbours)])
