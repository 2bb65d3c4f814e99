"""How far two partitions of the same records agree: Rand, Jaccard, Fowlkes-Mallows.

Section 2.5 of the thesis, with r, s, t, u the numbers of pairs of records together in both
partitions, in the first only, in the second only, in neither. Its Wallace index
r / sqrt(np np') is known as the index of Fowlkes and Mallows.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from evomask.arrays import Indices, Labels
from evomask.errors import DataError


@dataclass(frozen=True)
class PairCounts:
    """Pairs of records that are together in both partitions, one of them, or neither."""

    both: int
    first_only: int
    second_only: int
    neither: int

    @classmethod
    def of(cls, first: Labels, second: Labels) -> "PairCounts":
        """Counts by the table of groups against groups, never by going over pairs."""
        if len(first) != len(second):
            raise DataError(
                f"partitions of {len(first)} and {len(second)} records cannot be compared; "
                "give two of the same records"
            )
        _, mine = np.unique(first, return_inverse=True)
        _, theirs = np.unique(second, return_inverse=True)
        n = len(first)
        joint = mine.astype(np.int64) * (int(theirs.max(initial=0)) + 1) + theirs
        both = _pairs(np.unique(joint, return_counts=True)[1])
        in_first, in_second = _pairs(np.bincount(mine)), _pairs(np.bincount(theirs))
        neither = n * (n - 1) // 2 - in_first - in_second + both
        return cls(both, in_first - both, in_second - both, neither)


def _pairs(sizes: Indices) -> int:
    return sum(int(size) * (int(size) - 1) // 2 for size in sizes)


def rand(first: Labels, second: Labels) -> float:
    """Share of pairs on which the partitions agree; 1 where there are no pairs."""
    c = PairCounts.of(first, second)
    return _ratio(c.both + c.neither, c.both + c.first_only + c.second_only + c.neither)


def jaccard(first: Labels, second: Labels) -> float:
    """Pairs together in both over pairs together in either; 1 where there are none."""
    c = PairCounts.of(first, second)
    return _ratio(c.both, c.both + c.first_only + c.second_only)


def fowlkes_mallows(first: Labels, second: Labels) -> float:
    """Pairs together in both over the geometric mean of those together in each."""
    c = PairCounts.of(first, second)
    in_first, in_second = c.both + c.first_only, c.both + c.second_only
    if in_first == in_second == 0:
        return 1.0
    return _ratio(c.both, sqrt(in_first) * sqrt(in_second)) if in_first and in_second else 0.0


def _ratio(part: float, whole: float) -> float:
    return min(1.0, part / whole) if whole else 1.0


def clustering_loss(first: Labels, second: Labels) -> float:
    """Average complement of the three indices, in percent (equation 5.3)."""
    indices = (rand(first, second), jaccard(first, second), fowlkes_mallows(first, second))
    return 100.0 * (1.0 - sum(indices) / 3)
