"""Genome of the clustered search: method, clustering, its start, number of clusters and k."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from evomask.data.clustering import Clusterer

Recipe = NDArray[np.int64]
"""The genes listed below, in this order: positions in lists of choices, or numbers."""

METHOD, CLUSTERER, START, CLUSTERS, K = range(5)
COUNTED = (CLUSTERS, K)
"""Genes that are numbers; the others are positions in a list of choices."""


class ClusterMethod(StrEnum):
    """How the records of a cluster are masked."""

    MICROAGGREGATION = "microaggregation"
    GLOBAL_MEDIAN = "global-median"


@dataclass(frozen=True)
class RecipeSpace:
    """The domain of recipes.

    Args:
        starts: number of sets of restarts to choose the clustering from.
        least_k, most_k: smallest and largest k.
        most_clusters: largest number of clusters; 1 means no clustering.
    """

    methods: tuple[ClusterMethod, ...]
    clusterers: tuple[Clusterer, ...]
    starts: int
    most_clusters: int
    least_k: int
    most_k: int

    @property
    def lowest(self) -> Recipe:
        return np.array([0, 0, 0, 1, self.least_k])

    @property
    def highest(self) -> Recipe:
        choices = len(self.methods), len(self.clusterers), self.starts
        return np.array([*(count - 1 for count in choices), self.most_clusters, self.most_k])

    def method(self, recipe: Recipe) -> ClusterMethod:
        return self.methods[int(recipe[METHOD])]

    def clusterer(self, recipe: Recipe) -> Clusterer:
        return self.clusterers[int(recipe[CLUSTERER])]

    def grid(self, levels: int) -> tuple[Recipe, ...]:
        """Return all choices at the first start, with *levels* values of k and of clusters."""
        return tuple(
            np.array([method, clusterer, 0, clusters, k])
            for method in range(len(self.methods))
            for clusterer in range(len(self.clusterers))
            for k in log_spaced(self.least_k, self.most_k, levels)
            for clusters in log_spaced(1, self.most_clusters, levels)
        )


def log_spaced(low: int, high: int, levels: int) -> Sequence[int]:
    """Return up to *levels* integers from *low* to *high*, spaced geometrically."""
    numbers: list[int] = np.unique(np.round(np.geomspace(low, high, levels)).astype(int)).tolist()
    return numbers
