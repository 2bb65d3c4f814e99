"""Clustering before protecting: similar records first, each cluster masked on its own."""

from dataclasses import dataclass

import numpy as np

from evomask.data.clustering import RESTARTS, clustered, merged_to_size
from evomask.data.partition import checked_k
from evomask.data.table import Table
from evomask.kernels.arrays import Codes, Indices, Labels
from evomask.masking.aggregation import aggregated
from evomask.masking.composition import partitioned_apart
from evomask.masking.mdav_generic import MdavGeneric
from evomask.masking.mondrian import Mondrian
from evomask.masking.requirements import ordinal_attribute, require_attributes, require_count


@dataclass(frozen=True)
class ClusteredMicroaggregation:
    """c-medians clusters, each microaggregated on its own.

    Args:
        attributes: names of the ordinal or nominal attributes, masked together.
        k: smallest number of records in a group.
        clusters: number of clusters before those below k are merged.
        restarts: clusterings tried; the one with the least total distance is taken.
    """

    attributes: tuple[str, ...]
    k: int = 3
    clusters: int = 10
    restarts: int = RESTARTS

    def __post_init__(self) -> None:
        _check(self.attributes, self.k, self.clusters, self.restarts)

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Group label of each record; no group reaches over two clusters."""
        clusters = _clusters(self, table, rng)
        return partitioned_apart(table, clusters, MdavGeneric(self.attributes, self.k), rng)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with its group's medians and modes."""
        return aggregated(table, self.attributes, self.partition(table, rng))


@dataclass(frozen=True)
class ClusteredGlobalMedian:
    """c-medians clusters, each cut by Mondrian; a region gets its intervals' middle categories.

    Args:
        attributes: names of the ordinal attributes, masked together.
        k: smallest number of records in a region.
        clusters: number of clusters before those below k are merged.
        restarts: clusterings tried; the one with the least total distance is taken.

    The middle is taken in the attribute's domain, the lower one of two, so it may be a
    category that no record of the region has.
    """

    attributes: tuple[str, ...]
    k: int = 3
    clusters: int = 10
    restarts: int = RESTARTS

    def __post_init__(self) -> None:
        _check(self.attributes, self.k, self.clusters, self.restarts)

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Region of each record; no region reaches over two clusters."""
        for name in self.attributes:
            ordinal_attribute(table, name, "the global median")
        clusters = _clusters(self, table, rng)
        return partitioned_apart(table, clusters, Mondrian(self.attributes, self.k), rng)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with the middle categories of its region."""
        labels = self.partition(table, rng)
        return table.with_columns(
            {name: interval_middles(table, name, labels) for name in self.attributes}
        )


def interval_middles(table: Table, name: str, labels: Labels) -> Codes:
    """The middle category between each group's lowest and highest known one.

    A group without a known value stays missing.
    """
    size = table.attribute(name).domain_size
    codes = table.codes(name)
    low = np.full(int(labels.max()) + 1, size)
    high = np.full(len(low), -1)
    known = codes < size
    np.minimum.at(low, labels[known], codes[known])
    np.maximum.at(high, labels[known], codes[known])
    middles: Indices = np.where(high < 0, size, (low + high) // 2)
    return middles[labels].astype(np.int32)


def _check(attributes: tuple[str, ...], k: int, clusters: int, restarts: int) -> None:
    require_attributes(attributes, "a clustered method")
    checked_k(k)
    require_count(clusters, "clusters", least=1)
    require_count(restarts, "restarts", least=1)


def _clusters(
    method: ClusteredMicroaggregation | ClusteredGlobalMedian,
    table: Table,
    rng: np.random.Generator,
) -> Labels:
    k = checked_k(method.k, len(table))
    found = clustered(table, method.attributes, method.clusters, rng, method.restarts)
    return merged_to_size(found.labels, k)
