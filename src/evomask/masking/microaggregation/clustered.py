"""Clustering before protecting: similar records first, each cluster masked on its own."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Codes, Indices, Labels
from evomask.data.clustering import RESTARTS, Clusterer, cluster_labels, merged_to_size
from evomask.data.partition import checked_k
from evomask.data.table import Table
from evomask.masking.checks import ordinal_attribute, require_attributes, require_count
from evomask.masking.composition import partitioned_apart
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import aggregated
from evomask.masking.microaggregation.mdav_generic import MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian


@dataclass(frozen=True)
class ClusteredMicroaggregation:
    """c-medians clusters, each microaggregated on its own.

    Args:
        attributes: names of the ordinal or nominal attributes, masked together.
        k: smallest number of records in a group.
        clusters: number of clusters before those below k are merged.
        restarts: clusterings tried; the one with the least total distance is taken.
        clusterer: ``c-medians``, ``k-modes`` or ``tree``; a tree has no restarts.
    """

    about: ClassVar[About] = About(
        name="clustered-microaggregation",
        title="clustered microaggregation",
        steward=(
            "records put into groups of {k} or more similar ones[ within {clusters:several} "
            "clusters] and given their middle or most frequent categories"
        ),
        public=(
            "Records were clustered, and put into groups of similar ones within each cluster. "
            "In every group each masked attribute has the middle or most frequent category."
        ),
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    clusters: int = 10
    restarts: int = RESTARTS
    clusterer: Clusterer = Clusterer.C_MEDIANS

    def __post_init__(self) -> None:
        _check(self.attributes, self.k, self.clusters, self.restarts)

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Group label of each record; no group reaches over two clusters."""
        return self.partition_within(table, _clusters(self, table, rng), rng)

    def partition_within(self, table: Table, clusters: Labels, rng: np.random.Generator) -> Labels:
        """Groups within given clusters; those below k are merged first."""
        whole = merged_to_size(clusters, checked_k(self.k, len(table)))
        return partitioned_apart(table, whole, MdavGeneric(self.attributes, self.k), rng)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with its group's medians and modes."""
        return self.released(table, self.partition(table, rng))

    def released(self, table: Table, labels: Labels) -> Table:
        """The table with every record of a group given the group's aggregate."""
        return aggregated(table, self.attributes, labels)


@dataclass(frozen=True)
class ClusteredGlobalMedian:
    """c-medians clusters, each cut by Mondrian; a region gets its intervals' middle categories.

    Args:
        attributes: names of the ordinal attributes, masked together.
        k: smallest number of records in a region.
        clusters: number of clusters before those below k are merged.
        restarts: clusterings tried; the one with the least total distance is taken.
        clusterer: ``c-medians``, ``k-modes`` or ``tree``; a tree has no restarts.

    The middle is taken in the attribute's domain, the lower one of two, so it may be a
    category that no record of the region has.
    """

    about: ClassVar[About] = About(
        name="clustered-global-median",
        title="clustered global median",
        steward=(
            "records put into regions of {k} or more similar ones[ within {clusters:several} "
            "clusters] and given the middle categories of their region"
        ),
        public=(
            "Records were clustered and cut into regions of similar ones. The records of a "
            "region have the middle category of its interval."
        ),
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    clusters: int = 10
    restarts: int = RESTARTS
    clusterer: Clusterer = Clusterer.C_MEDIANS

    def __post_init__(self) -> None:
        _check(self.attributes, self.k, self.clusters, self.restarts)

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Region of each record; no region reaches over two clusters."""
        self._check_order(table)
        return self.partition_within(table, _clusters(self, table, rng), rng)

    def partition_within(self, table: Table, clusters: Labels, rng: np.random.Generator) -> Labels:
        """Regions within given clusters; those below k are merged first."""
        self._check_order(table)
        whole = merged_to_size(clusters, checked_k(self.k, len(table)))
        return partitioned_apart(table, whole, Mondrian(self.attributes, self.k), rng)

    def _check_order(self, table: Table) -> None:
        for name in self.attributes:
            ordinal_attribute(table, name, "the global median")

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with the middle categories of its region."""
        return self.released(table, self.partition(table, rng))

    def released(self, table: Table, labels: Labels) -> Table:
        """The table with every record of a region given the region's middle categories."""
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
    checked_k(method.k, len(table))
    return cluster_labels(
        table, method.attributes, method.clusters, rng, method.restarts, method.clusterer
    )
