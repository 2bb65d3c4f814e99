"""One value for a whole group: the mean of numbers, at the attribute's precision."""

from collections.abc import Iterable

import numpy as np

from evomask.data.schema import Attribute
from evomask.data.table import Column, Table
from evomask.kernels.arrays import Floats, Labels


def aggregated(table: Table, names: Iterable[str], labels: Labels) -> Table:
    """The table with every group's records alike on the continuous attributes *names*."""
    changes: dict[str, Column] = {
        name: group_means(table.attribute(name), table.values(name), labels) for name in names
    }
    return table.with_columns(changes)


def group_means(attribute: Attribute, values: Floats, labels: Labels) -> Floats:
    """Each record's group mean over known values; a group without any stays missing."""
    known = ~np.isnan(values)
    totals = np.bincount(labels, weights=np.where(known, values, 0.0))
    counts = np.bincount(labels, weights=known)
    means = np.divide(totals, counts, out=np.full(len(totals), np.nan), where=counts > 0)
    return _inside(attribute, means, values)[labels]


def _inside(attribute: Attribute, means: Floats, values: Floats) -> Floats:
    """At the released precision, and not outside the range of the original by rounding."""
    if attribute.decimals is not None:
        means = np.round(means, attribute.decimals)
    if np.isnan(values).all():
        return means
    return np.clip(means, np.nanmin(values), np.nanmax(values))
