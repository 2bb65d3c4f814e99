"""Clustering loss: how differently a clustering sees the masked file (equation 5.3)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.clustering import RESTARTS, clustered_from, first_centroids
from evomask.data.table import Table
from evomask.measures.comparability import check_masked, check_original
from evomask.measures.loss.agreement import clustering_loss
from evomask.measures.measure import About, Reading, Side


@dataclass(frozen=True)
class ClusteringLoss:
    """Mean complement of the Rand, Jaccard and Wallace indices between two clusterings.

    Args:
        attributes: names of ordinal or nominal attributes.
        clusters: number of c-medians clusters.
        restarts: clusterings of the original; the one with the least total distance is taken.
        seed: of their first records.

    The masked file is clustered from the same first centroids as the original. A recoded
    attribute cannot be clustered and is refused.
    """

    attributes: tuple[str, ...]
    clusters: int = 10
    restarts: int = RESTARTS
    seed: int = 0

    about: ClassVar[About] = About(
        "clustering",
        "clustering loss",
        Side.LOSS,
        "how many pairs of records a clustering puts together in one file and not in the other",
    )

    def against(self, original: Table) -> Reading:
        """Cluster the original from several starts; masked files begin at the best of them."""
        check_original(original, self.attributes)
        rng = np.random.default_rng(self.seed)
        starts = [
            first_centroids(original, self.attributes, self.clusters, rng)
            for _ in range(self.restarts)
        ]
        clusterings = [clustered_from(original, self.attributes, start) for start in starts]
        best = min(range(len(clusterings)), key=lambda i: clusterings[i].total)

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            again = clustered_from(masked, self.attributes, starts[best])
            return clustering_loss(clusterings[best].labels, again.labels)

        return reading
