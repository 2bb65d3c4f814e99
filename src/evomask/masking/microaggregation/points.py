"""Continuous attributes as points, on the scale that microaggregation compares them on."""

import warnings

from evomask.arrays import Points
from evomask.data.distance import Standardizer, with_medians
from evomask.data.table import Table


def standardised(table: Table, names: tuple[str, ...]) -> Points:
    """Mean 0 and deviation 1; the median stands for what is missing."""
    points = with_medians(table.matrix(names))
    scale = Standardizer.of(points)
    for name, constant in zip(names, scale.constant, strict=True):
        if constant:
            warnings.warn(f"attribute {name!r} is constant and protects nothing", stacklevel=3)
    return scale(points)
