"""Clustering loss: agreement of clusterings of the original and the masked file.

Indices of section 2.5 of the thesis, with r, s, t, u the numbers of pairs of records together in
both partitions, in the first only, in the second only, in neither. Its Wallace index
r / sqrt(np np') is known as the index of Fowlkes and Mallows.
"""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from evomask.data.clustering import RESTARTS, cluster_from, first_centroids
from evomask.data.table import Table
from evomask.errors import DataError
from evomask.measures.measure import About, Reading, Side, check_masked, check_original
from evomask.types import Indices, Labels


@dataclass(frozen=True)
class PairCounts:
    """Numbers of pairs of records together in both partitions, one of them, or neither."""

    both: int
    first_only: int
    second_only: int
    neither: int

    @classmethod
    def of(cls, first: Labels, second: Labels) -> "PairCounts":
        """Count by the contingency table of the partitions, without enumerating pairs."""
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
    """Rand index: share of pairs on which the partitions agree; 1 where there are no pairs."""
    c = PairCounts.of(first, second)
    return _ratio(c.both + c.neither, c.both + c.first_only + c.second_only + c.neither)


def jaccard(first: Labels, second: Labels) -> float:
    """Jaccard index: pairs together in both over pairs together in either; 1 without any."""
    c = PairCounts.of(first, second)
    return _ratio(c.both, c.both + c.first_only + c.second_only)


def fowlkes_mallows(first: Labels, second: Labels) -> float:
    """Fowlkes-Mallows index: pairs in both over the geometric mean of pairs in each."""
    c = PairCounts.of(first, second)
    in_first, in_second = c.both + c.first_only, c.both + c.second_only
    if in_first == in_second == 0:
        return 1.0
    return _ratio(c.both, sqrt(in_first) * sqrt(in_second)) if in_first and in_second else 0.0


def _ratio(part: float, whole: float) -> float:
    return min(1.0, part / whole) if whole else 1.0


def clustering_loss(first: Labels, second: Labels) -> float:
    """Mean complement of the three indices, in percent (equation 5.3)."""
    indices = (rand(first, second), jaccard(first, second), fowlkes_mallows(first, second))
    return 100.0 * (1.0 - sum(indices) / 3)


@dataclass(frozen=True)
class ClusteringLoss:
    """Clustering loss: mean complement of the Rand, Jaccard and Wallace indices.

    Args:
        attributes: names of ordinal or nominal attributes.
        clusters: number of c-medians clusters.
        restarts: clusterings of the original; the one with the least total distance is taken.
        seed: of their first centroids.

    The masked file is clustered from the same first centroids as the original. A recoded
    attribute is an error.
    """

    attributes: tuple[str, ...]
    clusters: int = 10
    restarts: int = RESTARTS
    seed: int = 0

    about: ClassVar[About] = About(
        "clustering",
        "clustering loss",
        Side.LOSS,
        "the disagreement of clusterings of the original and the masked file on pairs of records",
    )

    def against(self, original: Table) -> Reading:
        check_original(original, self.attributes)
        rng = np.random.default_rng(self.seed)
        starts = [
            first_centroids(original, self.attributes, self.clusters, rng)
            for _ in range(self.restarts)
        ]
        clusterings = [cluster_from(original, self.attributes, start) for start in starts]
        best = min(range(len(clusterings)), key=lambda i: clusterings[i].total)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            again = cluster_from(masked, self.attributes, starts[best])
            return clustering_loss(clusterings[best].labels, again.labels)

        return reading
