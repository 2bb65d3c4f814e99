"""Microaggregation by optimal splits of an ordering of the records (Hansen and Mukherjee, 2003).

The ordering is a path through the records (MDAV-MHM and NPN-MHM: Domingo-Ferrer,
Martínez-Ballesté, Mateo-Sanz and Sebé, 2006), a projection onto a line (Mateo-Sanz and
Domingo-Ferrer, 1998), or a single attribute (individual ranking).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.data.partition import validate_k
from evomask.data.table import Column, Table
from evomask.masking.method import About, require_attributes
from evomask.masking.microaggregation.aggregation import (
    PUBLIC_MEANS,
    GroupAggregation,
    group_means,
    standardize,
)
from evomask.types import Floats, Indices, Labels, Points


class Order(StrEnum):
    """Path through the records that is split into groups."""

    MDAV = "mdav"
    """Group after group of MDAV; the result is never worse than MDAV (MDAV-MHM)."""

    NPN = "npn"
    """Nearest point next, from the most distant record on (NPN-MHM)."""

    TOUR = "tour"
    """Nearest point next, shortened by reversing segments (2-opt)."""


@dataclass(frozen=True)
class HansenMukherjee(GroupAggregation):
    """Split a path through the records optimally into groups; release the group means.

    Args:
        attributes: names of the continuous attributes, masked together.
        k: smallest number of records in a group.
        order: path through the records: mdav, npn (nearest point next) or tour.

    Each released combination of the attributes is shared by k or more records.
    """

    about: ClassVar[About] = About(
        name="mhm",
        title="multivariate Hansen-Mukherjee microaggregation",
        steward=(
            "multivariate Hansen-Mukherjee microaggregation (path {order}, groups of {k} or more "
            "records, released as group means)"
        ),
        public=PUBLIC_MEANS,
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    order: Order = Order.MDAV

    def __post_init__(self) -> None:
        validate_k(self.k)
        require_attributes(self.attributes, "Hansen-Mukherjee microaggregation")

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        from evomask.kernels.groups.splits import split_order

        k = validate_k(self.k, len(table))
        points = standardize(table, self.attributes)
        return split_order(points, _path(points, k, self.order), k)


def _path(points: Points, k: int, order: Order) -> Indices:
    from evomask.kernels.groups.mdav import mdav
    from evomask.kernels.groups.orders import along_groups, nearest_point_next, tour

    if order is Order.MDAV:
        return along_groups(points, mdav(points, k))
    return nearest_point_next(points) if order is Order.NPN else tour(points)


class OrderedBy(StrEnum):
    """Projection that orders the records: first principal component, or sum of z-scores."""

    COMPONENT = "component"
    ZSCORES = "z-scores"


@dataclass(frozen=True)
class Projection(GroupAggregation):
    """Order records by a projection onto a line, split optimally; release the group means.

    Args:
        attributes: names of the continuous attributes, masked together.
        k: smallest number of records in a group.
        line: the first principal component (component) or the sum of z-scores (z-scores).

    Each released combination of the attributes is shared by k or more records.
    """

    about: ClassVar[About] = About(
        name="projection",
        title="projection microaggregation",
        steward=(
            "projection microaggregation ({line}, groups of {k} or more records, released as "
            "group means)"
        ),
        public=PUBLIC_MEANS,
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    line: OrderedBy = OrderedBy.COMPONENT

    def __post_init__(self) -> None:
        validate_k(self.k)
        require_attributes(self.attributes, "projection")

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        from evomask.kernels.groups.splits import split_order

        k = validate_k(self.k, len(table))
        points = standardize(table, self.attributes)
        along = points.sum(axis=1) if self.line is OrderedBy.ZSCORES else first_component(points)
        return split_order(points, np.argsort(along, kind="stable"), k)


def first_component(points: Points) -> Floats:
    """Scores on the first principal component; its largest loading is positive."""
    centred = points - points.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    loadings = vectors[:, -1]
    sign = np.sign(loadings[np.argmax(np.abs(loadings))])
    along: Floats = np.sum(centred * (sign * loadings), axis=1)
    return along


@dataclass(frozen=True)
class IndividualRanking:
    """Microaggregate each attribute separately: optimal groups of k close values, group means.

    Args:
        attributes: names of the continuous attributes, masked one by one.
        k: smallest number of records in a group.

    Each released value of one attribute is shared by k or more records; a combination of
    several attributes may be unique.
    """

    about: ClassVar[About] = About(
        name="individual-ranking",
        title="individual ranking",
        steward=(
            "individual ranking (groups of {k} or more close values of each attribute, released "
            "as group means)"
        ),
        public=(
            "Individual ranking was applied: each masked attribute was microaggregated "
            "separately, so that close values were replaced by the mean of their group. Values "
            "of different attributes in one record need not belong together."
        ),
    )

    attributes: tuple[str, ...]
    k: int = 3

    def __post_init__(self) -> None:
        validate_k(self.k)
        require_attributes(self.attributes, "individual ranking")

    def partitions(self, table: Table) -> dict[str, Labels]:
        """Return the group label of each record, by attribute."""
        from evomask.kernels.groups.splits import split_values

        k = validate_k(self.k, len(table))
        points = standardize(table, self.attributes)
        return {name: split_values(points[:, j], k) for j, name in enumerate(self.attributes)}

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        changes: dict[str, Column] = {
            name: group_means(table.attribute(name), table.values(name), labels)
            for name, labels in self.partitions(table).items()
        }
        return table.with_columns(changes)
