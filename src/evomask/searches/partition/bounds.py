"""What no partition can fall below, computed in a time that grows with the file."""

import numpy as np

from evomask.arrays import Labels, Points
from evomask.data.partition import within_sum_of_squares
from evomask.kernels.groups.bound import least_squares
from evomask.searches.partition.genome import MANY_NUMBERS, is_vast, near_records

ROUNDS = 400
WORK = 40_000_000
"""Pairs looked at in all rounds together, at most."""

SOON, FEW_AXES = 50_000, 4
"""With more records than these a bound is found in seconds only from so few axes."""


def lower_bound(points: Points, k: int, labels: Labels) -> float:
    """A sum of squares that every partition into groups of k or more reaches or exceeds.

    Args:
        labels: a good partition; the better, the faster the bound grows.
    """
    if len(points) < 2 * k:
        return within_sum_of_squares(points, labels)
    if is_vast(points):
        points = _flattened(points)
    near = near_records(points, _near(points, k))
    rounds = max(1, min(ROUNDS, WORK // near.size))
    return least_squares(points, near, k, within_sum_of_squares(points, labels), rounds)


def _near(points: Points, k: int) -> int:
    """How many near records are looked at; as few as can be where there are many records."""
    return max(8, 2 * k) if len(points) > SOON else max(20, 3 * k)


def _flattened(points: Points) -> Points:
    """The points on their main axes: no distance grows, and the nearest are quickly found."""
    _, axes = np.linalg.eigh(np.cov(points.T))
    count = FEW_AXES if len(points) > SOON else MANY_NUMBERS
    return np.ascontiguousarray(points @ axes[:, -count:])
