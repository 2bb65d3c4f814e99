"""One value for a whole group: mean, median category or most frequent category."""

from collections.abc import Iterable

import numpy as np

from evomask.data.schema import Attribute, Kind
from evomask.data.table import Column, Table
from evomask.kernels.arrays import Codes, Flags, Floats, Indices, Labels


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
    match attribute.kind:
        case Kind.CONTINUOUS:
            return group_means(attribute, table.values(name), labels, weights)
        case Kind.ORDINAL:
            return group_medians(attribute, table.codes(name), labels, weights)
        case _:
            return group_modes(attribute, table.codes(name), labels, weights)


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
    if np.isnan(values).all():
        return masked
    return np.clip(masked, np.nanmin(values), np.nanmax(values))


def group_medians(
    attribute: Attribute, codes: Codes, labels: Labels, weights: Floats | None = None
) -> Codes:
    """Each record's lower median category; missing where more than half of the group is."""
    counts = group_counts(codes, labels, len(attribute.categories), weights)
    known = counts[:, : attribute.domain_size]
    total = known.sum(axis=1)
    reached = 2 * np.cumsum(known, axis=1) >= total[:, None]
    medians = _first(reached)
    if attribute.has_missing:
        medians = np.where(counts[:, -1] > total, counts.shape[1] - 1, medians)
    masked: Codes = medians.astype(np.int32)[labels]
    return masked


def _first(flags: Flags) -> Indices:
    """Position of each row's first flag, 0 where it has none."""
    return flags.argmax(axis=1) if flags.shape[1] else np.zeros(len(flags), dtype=np.int64)


def group_modes(
    attribute: Attribute, codes: Codes, labels: Labels, weights: Floats | None = None
) -> Codes:
    """Each record's most frequent category in its group, missing being one of them."""
    counts = group_counts(codes, labels, len(attribute.categories), weights)
    return counts.argmax(axis=1).astype(np.int32)[labels]


def group_counts(codes: Codes, labels: Labels, size: int, weights: Floats | None = None) -> Floats:
    """How many records of each group hold each of *size* codes, a row a group."""
    groups = int(labels.max()) + 1
    cells = labels * size + codes
    counts = np.bincount(cells, weights=weights, minlength=groups * size)
    return counts.reshape(groups, size).astype(np.float64)
