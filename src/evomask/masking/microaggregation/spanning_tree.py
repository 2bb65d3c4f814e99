"""Microaggregation by a minimum spanning tree (Laszlo and Mukherjee, 2005).

The longest edges of the tree are cut as long as both parts keep k records; natural groups stay
whole. A part of 2k records or more is divided by a method with groups of fixed size, as in their
combinations M-d (around the two most distant records) and M-c (around the record farthest from the
centroid).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.data.partition import validate_k
from evomask.data.table import Table
from evomask.masking.method import About, require_attributes
from evomask.masking.microaggregation.aggregation import (
    PUBLIC_MEANS,
    GroupAggregation,
    standardize,
)
from evomask.types import Floats, Indices, Labels, Points


class Division(StrEnum):
    """How a part of the tree with 2k records or more is divided."""

    MDAV = "mdav"
    DIAMETER = "diameter"
    CENTROID = "centroid"
    NONE = "none"


@dataclass(frozen=True)
class SpanningTree(GroupAggregation):
    """Cut a minimum spanning tree into groups of k or more; release the group means.

    Args:
        attributes: names of the continuous attributes, masked together.
        k: smallest number of records in a group.
        division: division of groups of 2k records or more: ``mdav``; ``diameter``: groups around
            the two most distant records (M-d); ``centroid``: around the record farthest from the
            centroid (M-c); ``none``: natural groups stay whole.

    Each released combination of the attributes is shared by k or more records. Cost is O(n² d)
    time and O(n d) memory.
    """

    about: ClassVar[About] = About(
        name="mst",
        title="microaggregation by a minimum spanning tree",
        steward=(
            "microaggregation by a minimum spanning tree (groups of {k} or more records, released "
            "as group means)"
        ),
        public=PUBLIC_MEANS,
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    division: Division = Division.MDAV

    def __post_init__(self) -> None:
        validate_k(self.k)
        require_attributes(self.attributes, "microaggregation by a spanning tree")

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        k = validate_k(self.k, len(table))
        return spanning_groups(standardize(table, self.attributes), k, self.division)


def spanning_groups(points: Points, k: int, division: Division = Division.MDAV) -> Labels:
    """Group label of each record; the lowest index wins a tie."""
    order, parents, lengths = minimum_spanning_tree(points)
    cut = cut_edges(order, parents, lengths, k)
    labels = np.zeros(len(points), dtype=np.int64)
    groups = 1
    for record in order[1:]:
        labels[record] = groups if cut[record] else labels[parents[record]]
        groups += int(cut[record])
    return labels if division is Division.NONE else _divide_large(points, labels, k, division)


def minimum_spanning_tree(points: Points) -> tuple[Indices, Indices, Floats]:
    """Order in which Prim's algorithm reaches the records from 0, their parents, edge lengths."""
    n = len(points)
    order, parents = np.zeros(n, dtype=np.int64), np.full(n, -1)
    nearest, lengths = np.full(n, np.inf), np.zeros(n)
    outside = np.ones(n, dtype=bool)
    record = 0
    for place in range(1, n):
        outside[record] = False
        apart = np.square(points - points[record]).sum(axis=1)
        closer = outside & (apart < nearest)
        nearest[closer], parents[closer] = apart[closer], record
        record = int(np.argmin(np.where(outside, nearest, np.inf)))
        order[place], lengths[record] = record, nearest[record]
    return order, parents, lengths


def cut_edges(order: Indices, parents: Indices, lengths: Floats, k: int) -> np.ndarray:
    """Whether the edge of each record to its parent is cut, the longest edges first."""
    sizes = np.ones(len(order), dtype=np.int64)
    for record in order[:0:-1]:
        sizes[parents[record]] += sizes[record]
    cut = np.zeros(len(order), dtype=bool)
    for record in np.argsort(-lengths, kind="stable"):
        above = _ancestors(int(record), parents, cut)
        if above and sizes[record] >= k and sizes[above[-1]] - sizes[record] >= k:
            sizes[above] -= sizes[record]
            cut[record] = True
    return cut


def _ancestors(record: int, parents: Indices, cut: np.ndarray) -> list[int]:
    """Ancestors of a record in its part of the tree, the root last."""
    found = []
    while parents[record] >= 0 and not cut[record]:
        record = int(parents[record])
        found.append(record)
    return found


def _divide_large(points: Points, labels: Labels, k: int, division: Division) -> Labels:
    divided, groups = labels.copy(), int(labels.max()) + 1
    for group in np.flatnonzero(np.bincount(labels) >= 2 * k):
        own = np.flatnonzero(labels == group)
        inner = _DIVISIONS[division](points[own], k)
        divided[own] = np.where(inner == 0, group, groups + inner - 1)
        groups += int(inner.max())
    return divided


def _by_mdav(points: Points, k: int) -> Labels:
    from evomask.kernels.groups.mdav import mdav

    return mdav(points, k)


def _most_distant(points: Points) -> tuple[int, ...]:
    """Places of the two most distant records, the first of equal ones."""
    norms = np.einsum("ij,ij->i", points, points)
    apart = norms[:, None] + norms - 2.0 * points @ points.T
    first, second = np.unravel_index(int(np.argmax(apart)), apart.shape)
    return int(first), int(second)


def _farthest_from_centroid(points: Points) -> tuple[int, ...]:
    return (int(np.argmax(np.square(points - points.mean(axis=0)).sum(axis=1))),)


def _around(seeds: Callable[[Points], tuple[int, ...]]) -> Callable[[Points, int], Labels]:
    """Division into groups of k records around seeds, drawn anew while 2k records are left.

    The rest is a group if it holds k records; fewer join the groups of the nearest means.
    """

    def divide(points: Points, k: int) -> Labels:
        labels = np.full(len(points), -1, dtype=np.int64)
        left, group = np.arange(len(points)), 0
        while len(left) >= 2 * k:
            for seed in left[list(seeds(points[left]))]:
                if labels[seed] >= 0:
                    continue
                apart = np.square(points[left] - points[seed]).sum(axis=1)
                order = np.argsort(apart, kind="stable")
                labels[left[order[:k]]] = group
                left = np.sort(left[order[k:]])
                group += 1
        if len(left) >= k:
            labels[left] = group
        else:
            means = np.array([points[labels == g].mean(axis=0) for g in range(group)])
            for record in left:
                labels[record] = np.argmin(np.square(means - points[record]).sum(axis=1))
        return labels

    return divide


_DIVISIONS: Mapping[Division, Callable[[Points, int], Labels]] = {
    Division.MDAV: _by_mdav,
    Division.DIAMETER: _around(_most_distant),
    Division.CENTROID: _around(_farthest_from_centroid),
}
