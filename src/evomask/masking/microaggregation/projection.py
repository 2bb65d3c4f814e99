"""Microaggregation along one line: records are ordered by a single number.

Mateo-Sanz and Domingo-Ferrer (1998): first principal component, sum of z-scores.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.arrays import Floats, Labels, Points
from evomask.data.partition import checked_k
from evomask.data.table import Table
from evomask.masking.checks import require_attributes
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import aggregated
from evomask.masking.microaggregation.points import standardised


class OrderedBy(StrEnum):
    """The number that records are ordered by: first principal component, or sum of z-scores."""

    COMPONENT = "component"
    ZSCORES = "z-scores"


@dataclass(frozen=True)
class Projection:
    """Records ordered along a line, cut into the best groups, each replaced by its mean.

    Args:
        attributes: names of the continuous attributes, masked together.
        k: smallest number of records in a group.
        line: the first principal component (component) or the sum of z-scores (z-scores).

    Every released combination of the attributes is shared by k or more records.
    """

    about: ClassVar[About] = About(
        name="projection",
        title="microaggregation along a line",
        steward=(
            "records ordered along one line ({line}), cut into the best groups of {k} or more "
            "and given their group's means"
        ),
        public=(
            "Records were put into groups of similar ones. In every group each masked "
            "attribute has the mean of the group."
        ),
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    line: OrderedBy = OrderedBy.COMPONENT

    def __post_init__(self) -> None:
        checked_k(self.k)
        require_attributes(self.attributes, "projection")

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Group label of each record; no random number is drawn."""
        from evomask.kernels.groups.splits import split_order

        k = checked_k(self.k, len(table))
        points = standardised(table, self.attributes)
        along = points.sum(axis=1) if self.line is OrderedBy.ZSCORES else first_component(points)
        return split_order(points, np.argsort(along, kind="stable"), k)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with its group's means."""
        return self.released(table, self.partition(table, rng))

    def released(self, table: Table, labels: Labels) -> Table:
        """The table with every record of a group given the group's means."""
        return aggregated(table, self.attributes, labels)


def first_component(points: Points) -> Floats:
    """Each record's place on the line of greatest variance; its largest loading is positive."""
    centred = points - points.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    loadings = vectors[:, -1]
    sign = np.sign(loadings[np.argmax(np.abs(loadings))])
    along: Floats = np.sum(centred * (sign * loadings), axis=1)
    return along
