"""The middle of several categories: their median or their mode."""

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.data.schema import Attribute, Kind


def middle_categories(attribute: Attribute, counts: Floats) -> Indices:
    """One category for each row of *counts*, the number of records in each category.

    Ordinal: the lower median of the known values, missing where more than half are. Nominal:
    the most frequent, missing being one of them, the first in the domain among equals.
    """
    if attribute.kind is Kind.NOMINAL or attribute.domain_size == 0:
        modes: Indices = counts.argmax(axis=1)
        return modes
    known = counts[:, : attribute.domain_size]
    total = known.sum(axis=1)
    medians = (2 * np.cumsum(known, axis=1) >= total[:, None]).argmax(axis=1)
    missing = counts[:, attribute.domain_size :].sum(axis=1) > total
    return np.where(missing, attribute.domain_size, medians)
