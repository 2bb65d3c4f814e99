"""A table's records as points that a partition search can group."""

import warnings

from evomask.data.distance import Standardizer, with_medians
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.kernels.arrays import Points


def grouped_attributes(table: Table) -> tuple[str, ...]:
    """The continuous quasi-identifiers, which are aggregated together."""
    names = tuple(
        name
        for name in table.schema.quasi_identifiers
        if table.attribute(name).kind is Kind.CONTINUOUS
    )
    if not names:
        raise SchemaError("a partition needs continuous quasi-identifiers; name one with --quasi")
    return names


def standardised(table: Table, names: tuple[str, ...]) -> Points:
    """Each attribute with mean 0 and deviation 1; a missing value stands at the median."""
    points = with_medians(table.matrix(names))
    scale = Standardizer.of(points)
    for name, constant in zip(names, scale.constant, strict=True):
        if constant:
            warnings.warn(f"attribute {name!r} is constant and protects nothing", stacklevel=2)
    return scale(points)
