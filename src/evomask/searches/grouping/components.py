"""The parts of the thesis' score, computed from what each group of attributes brings.

Everything but the linkage adds up over the groups, and a group's share depends on that group
alone; so it is computed once a group and kept.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Labels, Points
from evomask.data.distance import Standardizer
from evomask.data.partition import total_sum_of_squares, within_sum_of_squares
from evomask.data.table import Table
from evomask.kernels.groups.mdav import mdav
from evomask.kernels.linking.joint_linkage import strictly_nearest
from evomask.masking.microaggregation.aggregation import group_means
from evomask.masking.microaggregation.points import standardised
from evomask.searches.grouping.genome import Group

WITHIN = 10.0
"""Percent of a value within which a masked one discloses it."""

MEMORY = 2**28
"""Bytes that remembered groups may take."""


class Components(NamedTuple):
    """The parts of the score, all in percent.

    Args:
        il: information loss, 100 SSE / SST of standardised attributes.
        id: interval disclosure, cells within ten percent of the original value.
        dld: distance linkage, records whose own masked record is strictly the nearest.
    """

    il: float
    id: float
    dld: float

    @property
    def risk(self) -> float:
        """DR of the thesis: the mean of interval disclosure and distance linkage."""
        return (self.id + self.dld) / 2

    @property
    def score(self) -> float:
        """F of the thesis: the mean of loss and risk."""
        return (self.il + self.risk) / 2


class MaskedGroup(NamedTuple):
    """A group of attributes, microaggregated.

    Args:
        labels: the cluster of each record.
        centroids: released values of each cluster, standardised like the original.
        sse: sum of squares within clusters.
        disclosed: how many cells lie close to the original.
    """

    labels: Labels
    centroids: Points
    sse: float
    disclosed: int


@dataclass(frozen=True, eq=False)
class Microaggregations:
    """Every group of attributes of one table, microaggregated by MDAV when first asked for.

    Args:
        k: the size of clusters where groups have none of their own, and the least of these.
        intruders: places of the attributes that each intruder knows; none where one knows all.
    """

    original: Table
    names: tuple[str, ...]
    k: int
    intruders: tuple[Group, ...] = ()

    @cached_property
    def values(self) -> Points:
        """The attributes in their own units."""
        return self.original.matrix(self.names)

    @cached_property
    def points(self) -> Points:
        """The attributes as MDAV compares them."""
        return standardised(self.original, self.names)

    @cached_property
    def scale(self) -> Standardizer:
        """The scale on which records are linked."""
        return Standardizer.of(self.values)

    @cached_property
    def known(self) -> Points:
        """The original records as an intruder knows them."""
        return self.scale(self.values)

    @cached_property
    def total(self) -> float:
        """SST: the squared distances of all records to the mean of the file."""
        return total_sum_of_squares(self.points)

    @cached_property
    def masked(self) -> Callable[[Group, int], MaskedGroup]:
        """One group in clusters of k, remembered; those not asked for longest are forgotten."""
        each = 8 * len(self.original) * (1 + len(self.names) / self.k)
        return lru_cache(max(64, int(MEMORY / each)))(self._masked)

    def _masked(self, group: Group, k: int) -> MaskedGroup:
        chosen = list(group)
        points = np.ascontiguousarray(self.points[:, chosen])
        labels = mdav(points, k)
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

    def components(self, groups: Iterable[Group]) -> Components:
        """What the file costs whose attributes are grouped like this, all with the same k."""
        return self.sized_components((group, self.k) for group in groups)

    def sized_components(self, groups: Iterable[tuple[Group, int]]) -> Components:
        """What the file costs whose attributes are grouped like this, each group with its k.

        The largest group comes first: it proves most records too far away to be confused.
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
        """DLD; the mean over what several intruders know, where these are named."""
        if not self.intruders:
            return self._linked_by(groups, masked)
        return float(np.mean([self._linked_by(*_seen(groups, masked, i)) for i in self.intruders]))

    def _linked_by(self, groups: list[Group], masked: list[MaskedGroup]) -> float:
        """DLD by all attributes of these groups; in one group every record has its like."""
        if len(groups) == 1:
            return 0.0
        points = np.ascontiguousarray(self.known[:, [a for group in groups for a in group]])
        alone = strictly_nearest(points, [g.centroids for g in masked], [g.labels for g in masked])
        return 100.0 * float(np.mean(alone))


def _seen(
    groups: list[Group], masked: list[MaskedGroup], known: Group
) -> tuple[list[Group], list[MaskedGroup]]:
    """Groups and centroids without the attributes that an intruder does not know."""
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
