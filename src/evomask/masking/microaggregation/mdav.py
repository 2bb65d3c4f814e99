"""Microaggregation by maximum distance to the average vector.

Domingo-Ferrer and Torra (2005), MDAV-generic; the classic ending as in Domingo-Ferrer and
Mateo-Sanz (2002).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.arrays import Labels
from evomask.data.partition import checked_k
from evomask.data.table import Table
from evomask.masking.checks import require_attributes
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import aggregated
from evomask.masking.microaggregation.points import standardised
from evomask.masking.microaggregation.regions import grouped_numbers


class LastGroups(StrEnum):
    """What happens to the last records, fewer than make another pair of groups."""

    GENERIC = "generic"
    CLASSIC = "classic"


@dataclass(frozen=True)
class Mdav:
    """Groups of k similar records, each replaced by its group's mean.

    Args:
        attributes: names of the continuous attributes, masked together.
        k: smallest number of records in a group.
        ending: how the last records are grouped (see ``evomask.kernels.groups.mdav``).

    Every released combination of the attributes is shared by k or more records. Very large
    files, and large ones of many numbers, are grouped region by region.
    """

    about: ClassVar[About] = About(
        name="mdav",
        title="microaggregation by MDAV",
        steward=(
            "records put into groups of {k} or more similar ones (MDAV) and given their "
            "group's means"
        ),
        public=(
            "Records were put into groups of similar ones. In every group each masked "
            "attribute has the mean of the group."
        ),
        simple="MDAV",
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    ending: LastGroups = LastGroups.GENERIC

    def __post_init__(self) -> None:
        checked_k(self.k)
        require_attributes(self.attributes, "MDAV")

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Group label of each record; no random number is drawn."""
        k = checked_k(self.k, len(table))
        points = standardised(table, self.attributes)
        return grouped_numbers(points, k, classic=self.ending == LastGroups.CLASSIC)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with its group's means."""
        return self.released(table, self.partition(table, rng))

    def released(self, table: Table, labels: Labels) -> Table:
        """The table with every record of a group given the group's means."""
        return aggregated(table, self.attributes, labels)
