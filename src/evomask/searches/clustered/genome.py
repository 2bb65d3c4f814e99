"""What evolves: which method, which clustering from which start, how many clusters, which k."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from evomask.data.clustering import Clusterer

Recipe = NDArray[np.int64]
"""The places below, in this order: positions in lists of choices, or numbers themselves."""

METHOD, CLUSTERER, START, CLUSTERS, K = range(5)
COUNTED = (CLUSTERS, K)
"""Genes that count something; the others choose from a list."""


class ClusterMethod(StrEnum):
    """How the records of a cluster are masked."""

    MICROAGGREGATION = "microaggregation"
    GLOBAL_MEDIAN = "global-median"


@dataclass(frozen=True)
class RecipeSpace:
    """What a recipe can be.

    Args:
        starts: how many sets of restarts there are to choose the clustering from.
        least_k, most_k: the ends of k, both allowed.
        most_clusters: the largest number of clusters; 1 means that nothing is clustered.
    """

    methods: tuple[ClusterMethod, ...]
    clusterers: tuple[Clusterer, ...]
    starts: int
    most_clusters: int
    least_k: int
    most_k: int

    @property
    def lowest(self) -> Recipe:
        """The smallest value of each gene."""
        return np.array([0, 0, 0, 1, self.least_k])

    @property
    def highest(self) -> Recipe:
        """The largest value of each gene."""
        choices = len(self.methods), len(self.clusterers), self.starts
        return np.array([*(count - 1 for count in choices), self.most_clusters, self.most_k])

    def method(self, recipe: Recipe) -> ClusterMethod:
        """How the recipe masks a cluster."""
        return self.methods[int(recipe[METHOD])]

    def clusterer(self, recipe: Recipe) -> Clusterer:
        """The clustering by which the recipe finds similar records."""
        return self.clusterers[int(recipe[CLUSTERER])]

    def grid(self, levels: int) -> tuple[Recipe, ...]:
        """Every choice from the first start, with so many values of k and of clusters at most."""
        return tuple(
            np.array([method, clusterer, 0, clusters, k])
            for method in range(len(self.methods))
            for clusterer in range(len(self.clusterers))
            for k in spread(self.least_k, self.most_k, levels)
            for clusters in spread(1, self.most_clusters, levels)
        )


def spread(low: int, high: int, levels: int) -> Sequence[int]:
    """At most so many whole numbers from *low* to *high*, the gaps growing in proportion."""
    numbers: list[int] = np.unique(np.round(np.geomspace(low, high, levels)).astype(int)).tolist()
    return numbers
