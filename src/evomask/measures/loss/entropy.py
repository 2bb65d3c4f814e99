"""Entropy-based loss (EBIL): what the masked value leaves open about the original one."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Indices
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import check_masked, check_original, needing
from evomask.measures.measure import About, Reading, Side
from evomask.measures.tracked.trackable import Request, TrackableReading


@dataclass(frozen=True)
class EntropyLoss:
    """EBIL: entropy of the original value given the masked one, over log of the domain size.

    Equations 2.12 and 2.13, averaged over attributes; an attribute of one category loses
    nothing.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "ebil",
        "entropy-based information loss (EBIL)",
        Side.LOSS,
        "how uncertain one stays about the original category after seeing the masked one",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the original's categories for the tables of masked against original."""
        check_original(original, self.attributes)
        needing(
            original.schema, self.attributes, Kind.ORDINAL, Kind.NOMINAL,
            why="entropy needs categories",
        )  # fmt: skip
        columns = [CategoricalColumn.of(original, name) for name in self.attributes]

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            joints = [column.joint_counts(column.cells(masked)) for column in columns]
            return 100.0 * float(np.mean([relative_entropy(joint) for joint in joints]))

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


def relative_entropy(joint: Indices) -> float:
    """Entropy of the category given the cell, over that of equally frequent categories.

    Args:
        joint: records of each original category (rows) in each masked cell (columns).
    """
    if len(joint) < 2:
        return 0.0
    counts = joint.astype(np.float64)
    shares = counts / np.maximum(counts.sum(axis=0), 1.0)
    logarithms = np.log(np.where(shares > 0, shares, 1.0))
    entropy = -float(np.sum(counts * logarithms)) / int(joint.sum())
    return max(0.0, min(1.0, entropy / float(np.log(len(joint)))))
