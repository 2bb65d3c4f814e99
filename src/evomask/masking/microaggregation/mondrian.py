"""Mondrian multidimensional k-anonymity (LeFevre, DeWitt and Ramakrishnan, 2006)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from evomask.data.distance import impute_medians
from evomask.data.partition import validate_k
from evomask.data.table import Table
from evomask.masking.method import About, require_attributes
from evomask.masking.microaggregation.aggregation import GroupAggregation
from evomask.masking.recoding.group_values import GroupValues, with_group_values
from evomask.types import Labels


class Cut(StrEnum):
    """Whether records with equal values must stay on the same side of a cut."""

    STRICT = "strict"
    RELAXED = "relaxed"


@dataclass(frozen=True)
class Mondrian(GroupAggregation):
    """Cut the attribute space into regions of k or more records and recode each region.

    Args:
        attributes: names of the attributes of any kind, masked together; a nominal one is
            cut in the order of its categories.
        k: smallest number of records in a region.
        cut: ``strict`` keeps equal values together, ``relaxed`` halves every region.
        release: ``sets`` writes the intervals and sets that a region spans, ``value`` its mean,
            median or most frequent value.

    Each released combination of the attributes is shared by k or more records.
    """

    about: ClassVar[About] = About(
        name="mondrian",
        title="Mondrian",
        steward="Mondrian (regions of {k} or more records, each recoded to common values)",
        public=(
            "Mondrian multidimensional recoding was applied: the file was cut into regions of "
            "similar records, and all records of a region were given the same value or the "
            "same range of values in each masked attribute."
        ),
        together=True,
    )

    attributes: tuple[str, ...]
    k: int = 5
    cut: Cut = Cut.STRICT
    release: GroupValues = GroupValues.SETS

    def __post_init__(self) -> None:
        require_attributes(self.attributes, "Mondrian")
        validate_k(self.k)

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        from evomask.kernels.groups.mondrian import mondrian

        k = validate_k(self.k, len(table))
        points = np.column_stack(
            [
                table.codes(name).astype(np.float64)
                if table.attribute(name).is_categorical
                else impute_medians(table.matrix([name]))[:, 0]
                for name in self.attributes
            ]
        )
        return mondrian(points, np.ptp(points, axis=0), k, relaxed=self.cut is Cut.RELAXED)

    def released(self, table: Table, labels: Labels) -> Table:
        return with_group_values(table, self.attributes, labels, self.release)
