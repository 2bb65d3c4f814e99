"""Microaggregation of one attribute at a time.

The groups are the best there are: Hansen and Mukherjee (2003).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Floats, Labels
from evomask.data.partition import checked_k
from evomask.data.table import Table
from evomask.masking.checks import require_attributes
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import group_means
from evomask.masking.microaggregation.points import standardised


@dataclass(frozen=True)
class IndividualRanking:
    """Each attribute on its own in groups of k close values, replaced by their mean.

    Args:
        attributes: names of the continuous attributes, masked one by one.
        k: smallest number of records in a group.

    Every released value of one attribute is shared by k or more records; a combination of
    several attributes may belong to a single record.
    """

    about: ClassVar[About] = About(
        name="individual-ranking",
        title="individual ranking",
        steward=(
            "each attribute on its own put into groups of {k} or more close values and given "
            "their means"
        ),
        public=(
            "Each masked attribute was taken on its own: close values were put into groups, "
            "and each was replaced by the mean of its group. So values that stand in one "
            "record need not belong together."
        ),
    )

    attributes: tuple[str, ...]
    k: int = 3

    def __post_init__(self) -> None:
        checked_k(self.k)
        require_attributes(self.attributes, "individual ranking")

    def partitions(self, table: Table) -> dict[str, Labels]:
        """Group label of each record, by attribute."""
        from evomask.kernels.groups.splits import split_values

        k = checked_k(self.k, len(table))
        points = standardised(table, self.attributes)
        return {name: split_values(points[:, j], k) for j, name in enumerate(self.attributes)}

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with its groups' means."""
        changes: dict[str, Floats] = {
            name: group_means(table.attribute(name), table.values(name), labels)
            for name, labels in self.partitions(table).items()
        }
        return table.with_columns(changes)
