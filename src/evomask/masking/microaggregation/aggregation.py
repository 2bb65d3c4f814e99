"""One value for a whole group: mean, median category or most frequent category."""

from collections.abc import Iterable

import numpy as np

from evomask.arrays import Codes, Floats, Labels
from evomask.data.centres import middle_categories
from evomask.data.schema import Attribute
from evomask.data.table import Column, Table

MOST_CELLS = 20_000_000
"""Groups times categories that are counted at once."""


def aggregated(
    table: Table, names: Iterable[str], labels: Labels, weights: Floats | None = None
) -> Table:
    """The table with every group's records alike on the attributes *names*.

    Numbers become their mean, ordinal categories the lower median, nominal ones the most
    frequent (the first in the domain among equals).
    """
    changes = {name: _aggregate(table, name, labels, weights) for name in names}
    return table.with_columns(changes)


def _aggregate(table: Table, name: str, labels: Labels, weights: Floats | None) -> Column:
    attribute = table.attribute(name)
    if attribute.is_categorical:
        return group_middles(attribute, table.codes(name), labels, weights)
    return group_means(attribute, table.values(name), labels, weights)


def group_means(
    attribute: Attribute, values: Floats, labels: Labels, weights: Floats | None = None
) -> Floats:
    """Each record's group mean over known values; a group without any stays missing."""
    known = ~np.isnan(values)
    share = known if weights is None else known * weights
    totals = np.bincount(labels, weights=np.where(known, values, 0.0) * share)
    counts = np.bincount(labels, weights=share)
    means = np.divide(totals, counts, out=np.full(len(totals), np.nan), where=counts > 0)
    return inside_range(attribute, means, values)[labels]


def inside_range(attribute: Attribute, masked: Floats, values: Floats) -> Floats:
    """At the released precision, and not outside the range of the original *values*."""
    if attribute.decimals is not None:
        masked = np.round(masked, attribute.decimals)
    if not len(values):
        return masked
    return np.clip(masked, np.fmin.reduce(values), np.fmax.reduce(values))


def group_middles(
    attribute: Attribute, codes: Codes, labels: Labels, weights: Floats | None = None
) -> Codes:
    """Each record's median or most frequent category in its group."""
    size = len(attribute.categories)
    at_once = max(1, MOST_CELLS // size)
    if labels.max() < at_once:
        counts = group_counts(codes, labels, size, weights)
        return middle_categories(attribute, counts).astype(np.int32)[labels]
    order = np.argsort(labels, kind="stable")
    ends = np.append(0, np.cumsum(np.bincount(labels)))
    middles = np.empty(len(ends) - 1, dtype=np.int32)
    for first in range(0, len(middles), at_once):
        last = min(first + at_once, len(middles))
        own = order[ends[first] : ends[last]]
        some = None if weights is None else weights[own]
        counts = group_counts(codes[own], labels[own] - first, size, some)
        middles[first:last] = middle_categories(attribute, counts)
    return middles[labels]


def group_counts(codes: Codes, labels: Labels, size: int, weights: Floats | None = None) -> Floats:
    """How many records of each group hold each of *size* codes, a row a group."""
    groups = int(labels.max()) + 1
    cells = labels * size + codes
    counts = np.bincount(cells, weights=weights, minlength=groups * size)
    return counts.reshape(groups, size).astype(np.float64)
