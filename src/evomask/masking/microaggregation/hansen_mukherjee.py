"""Microaggregation by the best cut of an ordering of records.

Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé (2006): MDAV-MHM and NPN-MHM.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.arrays import Indices, Labels, Points
from evomask.data.partition import checked_k
from evomask.data.table import Table
from evomask.masking.checks import require_attributes
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import aggregated
from evomask.masking.microaggregation.points import standardised


class Order(StrEnum):
    """How records are put in a row before it is cut."""

    MDAV = "mdav"
    """The groups of MDAV one after another; the cut is never worse than MDAV (MDAV-MHM)."""

    NPN = "npn"
    """From the outermost record always to the nearest one left (NPN-MHM)."""

    TOUR = "tour"
    """The same, then stretches are reversed while the path gets shorter."""


@dataclass(frozen=True)
class HansenMukherjee:
    """Records in a row, cut into the best groups of k or more, each replaced by its mean.

    Args:
        attributes: names of the continuous attributes, masked together.
        k: smallest number of records in a group.
        order: how the records are put in a row: mdav, npn (nearest point next) or tour.

    Every released combination of the attributes is shared by k or more records.
    """

    about: ClassVar[About] = About(
        name="mhm",
        title="microaggregation by the best cut of a row",
        steward=(
            "records put in a row ({order}), cut into the best groups of {k} or more and "
            "given their group's means"
        ),
        public=(
            "Records were put into groups of similar ones. In every group each masked "
            "attribute has the mean of the group."
        ),
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    order: Order = Order.MDAV

    def __post_init__(self) -> None:
        checked_k(self.k)
        require_attributes(self.attributes, "the best cut")

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Group label of each record; no random number is drawn."""
        from evomask.kernels.groups.splits import split_order

        k = checked_k(self.k, len(table))
        points = standardised(table, self.attributes)
        return split_order(points, _ordered(points, k, self.order), k)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with its group's means."""
        return self.released(table, self.partition(table, rng))

    def released(self, table: Table, labels: Labels) -> Table:
        """The table with every record of a group given the group's means."""
        return aggregated(table, self.attributes, labels)


def _ordered(points: Points, k: int, order: Order) -> Indices:
    from evomask.kernels.groups.mdav import mdav
    from evomask.kernels.groups.orders import along_groups, nearest_point_next, tour

    if order is Order.MDAV:
        return along_groups(points, mdav(points, k))
    return nearest_point_next(points) if order is Order.NPN else tour(points)
