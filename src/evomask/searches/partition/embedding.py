"""Records of any kinds as points whose squared distances are those of microaggregation.

Numbers are standardised; an ordinal category stands at its rank over the size of the domain;
a nominal one has an axis of its own, at half a square away, so that two different ones are at
squared distance 1. So the sum of squares of a group is, for all kinds, that of its pairs.
"""

import numpy as np

from evomask.arrays import Codes, Points
from evomask.data.schema import Attribute, Kind
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.masking.microaggregation.points import standardised


def embedded(table: Table, names: tuple[str, ...]) -> Points:
    """The attributes side by side, numbers first."""
    numeric = tuple(name for name in names if not table.attribute(name).is_categorical)
    parts = [standardised(table, numeric)] if numeric else []
    for name in names:
        attribute = table.attribute(name)
        if attribute.is_categorical:
            parts.append(_axes(attribute, table.codes(name)))
    if not parts:
        raise SchemaError("a partition needs quasi-identifiers; name them with --quasi")
    return np.ascontiguousarray(np.column_stack(parts))


def _axes(attribute: Attribute, codes: Codes) -> Points:
    if attribute.kind is Kind.NOMINAL:
        axes: Points = np.eye(len(attribute.categories))[codes] * np.sqrt(0.5)
        return axes
    ranks = codes / max(1, attribute.domain_size)
    if not attribute.has_missing:
        return ranks[:, None]
    # A missing value stands beside the middle of the scale, at distance 1 from its ends.
    missing = codes == len(attribute.categories) - 1
    middle = (attribute.domain_size - 1) / max(1, 2 * attribute.domain_size)
    aside = np.where(missing, np.sqrt(1.0 - middle**2), 0.0)
    return np.column_stack([np.where(missing, middle, ranks), aside])
