"""Aggregates of groups (means, median and modal categories) and the base of microaggregation."""

import warnings
from collections.abc import Iterable

import numpy as np

from evomask.data.distance import Standardizer
from evomask.data.partition import central_categories
from evomask.data.schema import Attribute
from evomask.data.table import Column, Table
from evomask.masking.missing import imputed_with_flags
from evomask.types import Codes, Floats, Labels, Points

MAX_COUNT_CELLS = 20_000_000
"""Largest table of groups by categories that is counted in one pass."""

PUBLIC_MEANS = (
    "Microaggregation was applied: similar records were grouped, and each masked attribute was "
    "replaced by the mean of its group."
)
"""Public description of the methods that release group means."""

PUBLIC_AGGREGATES = (
    "Microaggregation was applied: similar records were grouped, and each masked attribute was "
    "replaced by a common value of its group, the mean of numbers and the median or most frequent "
    "category."
)
"""Public description of the methods that release aggregates of all kinds of attributes."""


class GroupAggregation:
    """Base of microaggregation methods: partition the records, then aggregate each group."""

    attributes: tuple[str, ...]

    def partition(self, table: Table, rng: np.random.Generator) -> Labels:
        """Return the group label of each record."""
        raise NotImplementedError

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        return self.released(table, self.partition(table, rng))

    def released(self, table: Table, labels: Labels) -> Table:
        return aggregate(table, self.attributes, labels)


def standardize(table: Table, names: tuple[str, ...]) -> Points:
    """Return continuous attributes with mean 0 and deviation 1; the median replaces missing.

    Further coordinates set missing values apart from known ones.
    """
    points, flags = imputed_with_flags(table.matrix(names))
    scale = Standardizer.of(points)
    for name, constant in zip(names, scale.constant, strict=True):
        if constant:
            warnings.warn(f"attribute {name!r} is constant and protects nothing", stacklevel=3)
    return np.ascontiguousarray(np.hstack([scale(points), flags]))


def aggregate(
    table: Table, names: Iterable[str], labels: Labels, weights: Floats | None = None
) -> Table:
    """Replace the values of each group by its aggregate.

    Numbers become their mean, ordinal categories the lower median, nominal ones the mode (the
    first in the domain among equally frequent ones).
    """
    changes: dict[str, Column] = {}
    for name in names:
        attribute = table.attribute(name)
        if attribute.is_categorical:
            changes[name] = group_categories(attribute, table.codes(name), labels, weights)
        else:
            changes[name] = group_means(attribute, table.values(name), labels, weights)
    return table.with_columns(changes)


def group_means(
    attribute: Attribute, values: Floats, labels: Labels, weights: Floats | None = None
) -> Floats:
    """Mean of the known values of each record's group; NaN if the group has none."""
    known = ~np.isnan(values)
    share = known if weights is None else known * weights
    totals = np.bincount(labels, weights=np.where(known, values, 0.0) * share)
    counts = np.bincount(labels, weights=share)
    means = np.divide(totals, counts, out=np.full(len(totals), np.nan), where=counts > 0)
    return clip_to_range(attribute, means, values)[labels]


def clip_to_range(attribute: Attribute, masked: Floats, values: Floats) -> Floats:
    """Round to the released precision and clip to the range of the original *values*."""
    if attribute.decimals is not None:
        masked = np.round(masked, attribute.decimals)
    if not len(values):
        return masked
    return np.clip(masked, np.fmin.reduce(values), np.fmax.reduce(values))


def group_categories(
    attribute: Attribute, codes: Codes, labels: Labels, weights: Floats | None = None
) -> Codes:
    """Median category (ordinal) or mode (nominal) of each record's group."""
    size = len(attribute.categories)
    at_once = max(1, MAX_COUNT_CELLS // size)
    if labels.max() < at_once:
        counts = group_counts(codes, labels, size, weights)
        return central_categories(attribute, counts).astype(np.int32)[labels]
    order = np.argsort(labels, kind="stable")
    ends = np.append(0, np.cumsum(np.bincount(labels)))
    central = np.empty(len(ends) - 1, dtype=np.int32)
    for first in range(0, len(central), at_once):
        last = min(first + at_once, len(central))
        own = order[ends[first] : ends[last]]
        some = None if weights is None else weights[own]
        counts = group_counts(codes[own], labels[own] - first, size, some)
        central[first:last] = central_categories(attribute, counts)
    return central[labels]


def group_counts(codes: Codes, labels: Labels, size: int, weights: Floats | None = None) -> Floats:
    """Number (or weight) of the records of each group (row) with each of *size* codes."""
    groups = int(labels.max()) + 1
    cells = labels * size + codes
    counts = np.bincount(cells, weights=weights, minlength=groups * size)
    return counts.reshape(groups, size).astype(np.float64)
