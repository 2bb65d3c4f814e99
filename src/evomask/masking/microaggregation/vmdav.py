"""Microaggregation with groups of variable size.

Solanas and Martínez-Ballesté (2006), V-MDAV.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Labels
from evomask.data.partition import checked_k
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.checks import require_attributes
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import aggregated
from evomask.masking.microaggregation.points import standardised


@dataclass(frozen=True)
class VMdav:
    """Groups of k to about 2k similar records, as many as lie close, each replaced by its mean.

    Args:
        attributes: names of the continuous attributes, masked together.
        k: smallest number of records in a group.
        gamma: how readily a group grows; about 0.2 for scattered and 1.1 for clustered records.

    Every released combination of the attributes is shared by k or more records.
    """

    about: ClassVar[About] = About(
        name="vmdav",
        title="microaggregation by V-MDAV",
        steward=(
            "records put into groups of {k} or more similar ones, larger where many lie close "
            "(V-MDAV), and given their group's means"
        ),
        public=(
            "Records were put into groups of similar ones. In every group each masked "
            "attribute has the mean of the group."
        ),
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 3
    gamma: float = 0.2

    def __post_init__(self) -> None:
        checked_k(self.k)
        require_attributes(self.attributes, "V-MDAV")
        if not (math.isfinite(self.gamma) and self.gamma >= 0):
            raise ParameterError(f"gamma must be a number from 0 up, got {self.gamma}")

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Group label of each record; no random number is drawn."""
        from evomask.kernels.groups.vmdav import vmdav

        k = checked_k(self.k, len(table))
        return vmdav(standardised(table, self.attributes), k, self.gamma)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with its group's means."""
        return self.released(table, self.partition(table, rng))

    def released(self, table: Table, labels: Labels) -> Table:
        """The table with every record of a group given the group's means."""
        return aggregated(table, self.attributes, labels)
