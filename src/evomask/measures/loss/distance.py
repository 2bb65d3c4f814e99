"""Distance-based loss (DBIL): how far the cells have moved."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.measures.categories import CategoricalColumn
from evomask.measures.comparability import check_masked, check_original
from evomask.measures.loss.moments import ROOT_TWO
from evomask.measures.measure import About, Reading, Side
from evomask.measures.numbers import NumberColumn
from evomask.measures.tracked.trackable import Request, TrackableReading


@dataclass(frozen=True)
class DistanceLoss:
    """DBIL: mean distance between original and masked cells (Torra and Domingo-Ferrer 2001).

    Nominal cells are at distance 0 or 1, ordinal ones at the ranks apart over the size of the
    domain, continuous ones at |x - x'| / (sqrt(2) sd), at most 1. A generalized cell counts by
    the expected distance to a leaf.
    """

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "dbil",
        "distance-based information loss (DBIL)",
        Side.LOSS,
        "how far, on average, a cell of the masked file is from the original cell",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the distances of every attribute."""
        check_original(original, self.attributes)
        if not self.attributes:
            raise SchemaError("distance-based loss needs at least one attribute; name one")
        parts = [_attribute_reading(original, name) for name in self.attributes]

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            return 100.0 * float(np.mean([part(masked) for part in parts]))

        return TrackableReading(reading, original, Request(self.about.name, self.attributes))


def _attribute_reading(original: Table, name: str) -> Reading:
    """Mean distance of one attribute's cells, in [0, 1]."""
    if original.attribute(name).is_categorical:
        categories = CategoricalColumn.of(original, name)
        return lambda masked: categories.mean_over_records(
            categories.cells(masked), categories.distances
        )
    numbers = NumberColumn.of(original, name)
    scale = np.full(len(original), ROOT_TWO * numbers.deviation)
    return lambda masked: float(numbers.expected_distances(numbers.cells(masked), scale).mean())
