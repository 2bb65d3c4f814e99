"""Mondrian multidimensional k-anonymity (LeFevre, DeWitt and Ramakrishnan, 2006)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.arrays import Floats, Labels
from evomask.data.distance import with_medians
from evomask.data.partition import checked_k
from evomask.data.table import Table
from evomask.masking.checks import require_attributes
from evomask.masking.method import About
from evomask.masking.recoding.group_values import GroupValues, with_group_values


class Cut(StrEnum):
    """Whether records with equal values must stay on one side of a cut."""

    STRICT = "strict"
    RELAXED = "relaxed"


@dataclass(frozen=True)
class Mondrian:
    """Cut the space of the attributes into regions of k or more records, all alike after.

    Args:
        attributes: names of the attributes of any kind, masked together; a nominal one is
            cut in the order of its categories.
        k: smallest number of records in a region.
        cut: ``strict`` keeps equal values together, ``relaxed`` halves every region.
        release: ``sets`` writes the intervals and sets that a region spans, ``value`` its mean,
            median or most frequent value.

    Every released combination of the attributes is shared by k or more records.
    """

    about: ClassVar[About] = About(
        name="mondrian",
        title="Mondrian",
        steward=(
            "the file cut into regions of {k} or more similar records (Mondrian), each "
            "region's records made alike"
        ),
        public=(
            "The file was cut into regions of similar records. In every region the records "
            "are alike in each masked attribute: they have one value, or all the values that "
            "the region spans."
        ),
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 5
    cut: Cut = Cut.STRICT
    release: GroupValues = GroupValues.SETS

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "Mondrian")
        checked_k(self.k)

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Region of each record; no random number is drawn."""
        from evomask.kernels.groups.mondrian import mondrian

        k = checked_k(self.k, len(table))
        points = np.column_stack([_positions(table, name) for name in self.attributes])
        return mondrian(points, np.ptp(points, axis=0), k, relaxed=self.cut is Cut.RELAXED)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Every record with what its region spans, or its region's value."""
        return self.released(table, self.partition(table, rng))

    def released(self, table: Table, labels: Labels) -> Table:
        """The table with every record given what its region spans, or its region's value."""
        return with_group_values(table, self.attributes, labels, self.release)


def _positions(table: Table, name: str) -> Floats:
    """Where each record lies on the attribute's axis; a missing number at the median."""
    if table.attribute(name).is_categorical:
        return table.codes(name).astype(np.float64)
    return with_medians(table.matrix([name]))[:, 0]
