"""Microaggregation by a minimum spanning tree (Laszlo and Mukherjee, 2005).

The longest edges of the tree are cut as long as both parts keep k records; natural groups stay
whole. A part of 2k records or more is divided by MDAV, as their combination with a fixed-size
method.
"""

from dataclasses import dataclass
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


@dataclass(frozen=True)
class SpanningTree(GroupAggregation):
    """Cut a minimum spanning tree into groups of k or more; release the group means.

    Args:
        attributes: names of the continuous attributes, masked together.
        k: smallest number of records in a group.
        divide: divide groups of 2k records or more by MDAV.

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
    divide: bool = True

    def __post_init__(self) -> None:
        validate_k(self.k)
        require_attributes(self.attributes, "microaggregation by a spanning tree")

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        k = validate_k(self.k, len(table))
        return spanning_groups(standardize(table, self.attributes), k, divide=self.divide)


def spanning_groups(points: Points, k: int, *, divide: bool = True) -> Labels:
    """Group label of each record; the lowest index wins a tie."""
    order, parents, lengths = minimum_spanning_tree(points)
    cut = cut_edges(order, parents, lengths, k)
    labels = np.zeros(len(points), dtype=np.int64)
    groups = 1
    for record in order[1:]:
        labels[record] = groups if cut[record] else labels[parents[record]]
        groups += int(cut[record])
    return _divide_large(points, labels, k) if divide else labels


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


def _divide_large(points: Points, labels: Labels, k: int) -> Labels:
    from evomask.kernels.groups.mdav import mdav

    divided, groups = labels.copy(), int(labels.max()) + 1
    for group in np.flatnonzero(np.bincount(labels) >= 2 * k):
        own = np.flatnonzero(labels == group)
        inner = mdav(points[own], k)
        divided[own] = np.where(inner == 0, group, groups + inner - 1)
        groups += int(inner.max())
    return divided
