"""Components of the thesis' score, computed from the contribution of each attribute group.

All but the record linkage are sums over the groups, and the contribution of a group depends on that
group alone, so it is computed once and cached.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from evomask.data.distance import Standardizer, impute_medians
from evomask.data.partition import total_sum_of_squares, within_sum_of_squares
from evomask.data.table import Table
from evomask.kernels.groups.mdav import assign_rest, mdav
from evomask.kernels.groups.mixed_mdav import city_block_mdav
from evomask.kernels.linking.joint_linkage import strictly_nearest
from evomask.masking.microaggregation.aggregation import group_means, standardize
from evomask.searches.grouping.genome import Group
from evomask.types import Floats, Labels, Points

WITHIN = 10.0
"""Interval disclosure: percentage of the original value within which a masked one lies."""

INTERVALS = range(1, 11)
"""Widths of the thesis' intervals, in percent of the masked value."""

MEMORY = 2**28
"""Size of the cache of groups in bytes."""


class Components(NamedTuple):
    """Components of the score in percent.

    Args:
        il: information loss, 100 SSE / SST of standardised attributes.
        id: interval disclosure, cells close to the original value.
        dld: distance linkage, records whose own masked record is strictly the nearest.
    """

    il: float
    id: float
    dld: float

    @property
    def risk(self) -> float:
        return (self.id + self.dld) / 2

    @property
    def score(self) -> float:
        return (self.il + self.risk) / 2


class MaskedGroup(NamedTuple):
    """A microaggregated group of attributes.

    Args:
        labels: cluster of each record.
        centroids: released values of each cluster, standardised like the original.
        sse: sum of squares within clusters.
        disclosed: number of cells close to the original; a mean where there are several intervals.
    """

    labels: Labels
    centroids: Points
    sse: float
    disclosed: float


@dataclass(frozen=True, eq=False)
class Microaggregations:
    """Attribute groups of one table, microaggregated by MDAV on demand.

    Args:
        k: cluster size of groups without their own, and the smallest of all.
        intruders: positions of the attributes that each intruder knows; empty if one knows all.
    """

    original: Table
    names: tuple[str, ...]
    k: int
    intruders: tuple[Group, ...] = ()

    @cached_property
    def values(self) -> Points:
        return self.original.matrix(self.names)

    @cached_property
    def coordinates(self) -> Points:
        """Standardised values, then a coordinate for each attribute with missing values."""
        return standardize(self.original, self.names)

    @cached_property
    def points(self) -> Points:
        return self.coordinates[:, : len(self.names)]

    @cached_property
    def apart(self) -> list[int]:
        """Attributes with missing values, in the order of their coordinates."""
        return [int(a) for a in np.flatnonzero(np.isnan(self.values).any(axis=0))]

    @cached_property
    def scale(self) -> Standardizer:
        return Standardizer.of(self.values)

    @cached_property
    def known(self) -> Points:
        return self.scale(self.values)

    @cached_property
    def total(self) -> float:
        return total_sum_of_squares(self.points)

    @cached_property
    def masked(self) -> Callable[[Group, int], MaskedGroup]:
        each = 8 * len(self.original) * (1 + len(self.names) / self.k)
        return lru_cache(max(64, int(MEMORY / each)))(self._masked)

    def _masked(self, group: Group, k: int) -> MaskedGroup:
        chosen = list(group)
        points = np.ascontiguousarray(self.points[:, chosen])
        flags = [len(self.names) + i for i, a in enumerate(self.apart) if a in group]
        labels = mdav(np.ascontiguousarray(self.coordinates[:, chosen + flags]), k)
        released = self._released(group, labels)
        _, first = np.unique(labels, return_index=True)
        scaled = (released[first] - self.scale.means[chosen]) / self.scale.deviations[chosen]
        disclosed = _disclosed(self.values[:, chosen], released)
        return MaskedGroup(labels, scaled, within_sum_of_squares(points, labels), disclosed)

    def _released(self, group: Group, labels: Labels) -> Points:
        columns: list[Floats] = [
            group_means(self.original.attribute(self.names[a]), self.values[:, a], labels)
            for a in group
        ]
        return np.column_stack(columns)

    def released_labels(self, group: Group, k: int) -> Labels:
        """Return the cluster of each record in a released file."""
        return self.masked(group, k).labels

    def components(self, groups: Iterable[Group]) -> Components:
        return self.sized_components((group, self.k) for group in groups)

    def sized_components(self, groups: Iterable[tuple[Group, int]]) -> Components:
        """Return the components for a grouping in which each group has its own k.

        The largest group comes first: it excludes most records from being the nearest.
        """
        sized = sorted(groups, key=lambda pair: (-len(pair[0]), pair))
        ordered = [group for group, _ in sized]
        masked = [self.masked(group, k) for group, k in sized]
        sse = sum(group.sse for group in masked)
        disclosed = sum(group.disclosed for group in masked)
        return Components(
            100.0 * sse / self.total if self.total > 0 else 0.0,
            100.0 * disclosed / self.values.size,
            self._linked(ordered, masked),
        )

    def _linked(self, groups: list[Group], masked: list[MaskedGroup]) -> float:
        """DLD; with several intruders the mean over them."""
        if not self.intruders:
            return self._linked_by(groups, masked)
        return float(np.mean([self._linked_by(*_seen(groups, masked, i)) for i in self.intruders]))

    def _linked_by(self, groups: list[Group], masked: list[MaskedGroup]) -> float:
        """DLD by these groups; with one group no record is strictly the nearest."""
        if len(groups) == 1:
            return 0.0
        points = np.ascontiguousarray(self.known[:, [a for group in groups for a in group]])
        alone = strictly_nearest(points, [g.centroids for g in masked], [g.labels for g in masked])
        return 100.0 * float(np.mean(alone))


@dataclass(frozen=True, eq=False)
class ThesisMicroaggregations(Microaggregations):
    """The components as the tables of the thesis (Balasch, 2010) have them.

    All components are computed on attributes scaled to [0, 1]. MDAV takes Manhattan distances, and
    its last cluster may have fewer than k records; in a released file these join the nearest
    clusters. ID is the mean over intervals of 1 to 10 percent around the masked value. Medians
    replace missing values.
    """

    @cached_property
    def known(self) -> Points:
        values = impute_medians(self.values)
        low, high = values.min(axis=0), values.max(axis=0)
        return np.ascontiguousarray((values - low) / np.where(high > low, high - low, 1.0))

    @cached_property
    def total(self) -> float:
        return total_sum_of_squares(self.known)

    def _masked(self, group: Group, k: int) -> MaskedGroup:
        points = np.ascontiguousarray(self.known[:, list(group)])
        labels = city_block_mdav(points, k)
        means = _means(points, labels)
        sse = float(np.sum((points - means[labels]) ** 2))
        return MaskedGroup(labels, means, sse, _cells_within(points, means[labels]))

    def released_labels(self, group: Group, k: int) -> Labels:
        labels = super().released_labels(group, k)
        small = np.flatnonzero(np.bincount(labels) < k)
        points = np.ascontiguousarray(self.known[:, list(group)])
        return assign_rest(points, np.where(np.isin(labels, small), -1, labels), k)


def _means(points: Points, labels: Labels) -> Points:
    """Return the mean of each cluster; pairwise summation decides cells at the bound of an
    interval."""
    clusters = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
    return np.array([np.ascontiguousarray(points[own].T).mean(axis=1) for own in clusters])


def _cells_within(points: Points, masked: Points) -> float:
    """Number of cells within p percent of their masked value, the mean over p."""
    apart, size = np.abs(masked - points), np.abs(masked)
    return float(np.mean([np.sum(apart <= percent / 100 * size) for percent in INTERVALS]))


def _seen(
    groups: list[Group], masked: list[MaskedGroup], known: Group
) -> tuple[list[Group], list[MaskedGroup]]:
    """Groups and centroids reduced to the attributes that an intruder knows."""
    parts: list[tuple[Group, MaskedGroup]] = []
    for group, cut in zip(groups, masked, strict=True):
        places = [place for place, a in enumerate(group) if a in known]
        if places:
            seen = cut._replace(centroids=np.ascontiguousarray(cut.centroids[:, places]))
            parts.append((tuple(group[place] for place in places), seen))
    return [group for group, _ in parts], [cut for _, cut in parts]


def _disclosed(values: Points, released: Points) -> int:
    reach = WITHIN / 100 * np.abs(values)
    near = (released >= values - reach) & (released <= values + reach)
    return int(np.sum(near | (np.isnan(values) & np.isnan(released))))
