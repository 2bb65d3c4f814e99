"""Masking within clusters of similar records: microaggregation and the global median."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.clustering import RESTARTS, Clusterer, cluster_labels, merge_to_size
from evomask.data.partition import validate_k
from evomask.data.table import Table
from evomask.masking.composition import partition_by_label
from evomask.masking.method import (
    About,
    Microaggregation,
    ordinal_attribute,
    require_attributes,
    require_count,
)
from evomask.masking.microaggregation.aggregation import GroupAggregation
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.types import Codes, Indices, Labels


@dataclass(frozen=True)
class _Clustered(GroupAggregation):
    """Base: cluster the records, then partition each cluster separately."""

    attributes: tuple[str, ...]
    k: int = 3
    clusters: int = 10
    restarts: int = RESTARTS
    clusterer: Clusterer = Clusterer.C_MEDIANS

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "a clustered method")
        validate_k(self.k)
        require_count(self.clusters, "clusters", least=1)
        require_count(self.restarts, "restarts", least=1)

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        self._check(table)
        validate_k(self.k, len(table))
        clusters = cluster_labels(
            table, self.attributes, self.clusters, rng, self.restarts, self.clusterer
        )
        return self.partition_within(table, clusters, rng)

    def partition_within(self, table: Table, clusters: Labels, rng: np.random.Generator) -> Labels:
        """Partition each of the given clusters; clusters below k are merged first."""
        self._check(table)
        merged = merge_to_size(clusters, validate_k(self.k, len(table)))
        return partition_by_label(table, merged, self._inner(), rng)

    def _check(self, table: Table) -> None:
        """Raise if the method does not apply to the attributes of *table*."""

    def _inner(self) -> Microaggregation:
        raise NotImplementedError


@dataclass(frozen=True)
class ClusteredMicroaggregation(_Clustered):
    """Microaggregate each cluster of similar records separately (MDAV-generic).

    Args:
        attributes: names of the ordinal or nominal attributes, masked together.
        k: smallest number of records in a group.
        clusters: number of clusters before clusters below k are merged.
        restarts: number of clusterings; the one with the smallest total distance is used.
        clusterer: ``c-medians``, ``k-modes`` or ``tree``; a tree has no restarts.
    """

    about: ClassVar[About] = About(
        name="clustered-microaggregation",
        title="clustered microaggregation",
        steward=(
            "clustered microaggregation (groups of {k} or more records[ within "
            "{clusters:several} clusters], released as median or most frequent categories)"
        ),
        public=(
            "Clustered microaggregation was applied: records were clustered, and similar records "
            "within each cluster were grouped. Each masked attribute was replaced by the median "
            "or most frequent category of its group."
        ),
        together=True,
    )

    def _inner(self) -> Microaggregation:
        return MdavGeneric(self.attributes, self.k)


@dataclass(frozen=True)
class ClusteredGlobalMedian(_Clustered):
    """Cut each cluster by Mondrian and release the central category of each region's range.

    Args:
        attributes: names of the ordinal attributes, masked together.
        k: smallest number of records in a region.
        clusters: number of clusters before clusters below k are merged.
        restarts: number of clusterings; the one with the smallest total distance is used.
        clusterer: ``c-medians``, ``k-modes`` or ``tree``; a tree has no restarts.

    The centre is taken in the attribute's domain, the lower one of two, so no record of the
    region need have that category.
    """

    about: ClassVar[About] = About(
        name="clustered-global-median",
        title="clustered global median",
        steward=(
            "clustered global median (Mondrian regions of {k} or more records[ within "
            "{clusters:several} clusters], released as central categories)"
        ),
        public=(
            "The clustered global median was applied: records were clustered and cut into "
            "regions of similar records. Each masked attribute was replaced by the central "
            "category of its range in the region."
        ),
        together=True,
    )

    def _check(self, table: Table) -> None:
        for name in self.attributes:
            ordinal_attribute(table, name, "the global median")

    def _inner(self) -> Microaggregation:
        return Mondrian(self.attributes, self.k)

    def released(self, table: Table, labels: Labels) -> Table:
        return table.with_columns(
            {name: range_centres(table, name, labels) for name in self.attributes}
        )


def range_centres(table: Table, name: str, labels: Labels) -> Codes:
    """Central category between the lowest and highest known one of each record's group.

    A group without a known value stays missing.
    """
    size = table.attribute(name).domain_size
    codes = table.codes(name)
    low = np.full(int(labels.max()) + 1, size)
    high = np.full(len(low), -1)
    known = codes < size
    np.minimum.at(low, labels[known], codes[known])
    np.maximum.at(high, labels[known], codes[known])
    centres: Indices = np.where(high < 0, size, (low + high) // 2)
    return centres[labels].astype(np.int32)
