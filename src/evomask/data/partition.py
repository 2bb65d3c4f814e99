"""Partitions of records into groups: centroids, sums of squares, information loss."""

from collections.abc import Iterable
from numbers import Integral

import numpy as np

from evomask.data.schema import Attribute, Kind
from evomask.errors import ParameterError
from evomask.types import Floats, Indices, Labels, Points

SPARSE = 4
"""Labels up to this multiple of the number of records are renumbered without sorting."""


def validate_k(k: object, n_records: int | None = None) -> int:
    """Return k as an int; raise an error if it is no integer, below 2 or above *n_records*."""
    if isinstance(k, bool) or not isinstance(k, Integral):
        raise ParameterError(f"k must be a whole number, got {k}; give 2 or more")
    whole = int(k)
    if whole < 2:
        raise ParameterError(f"k must be at least 2, got {whole}; k = 1 masks nothing")
    if n_records is not None and whole > n_records:
        raise ParameterError(
            f"k must not exceed the number of records, got k = {whole} for {n_records}; "
            "choose a smaller k"
        )
    return whole


def group_sizes(labels: Labels) -> Indices:
    """Number of records in each group."""
    return np.bincount(labels).astype(np.int64)


def centroids(points: Points, labels: Labels) -> Points:
    """Mean of each group's records, one row per group."""
    columns = [np.bincount(labels, weights=column) for column in points.T]
    sums = np.column_stack(columns) if columns else np.empty((int(labels.max()) + 1, 0))
    return sums / group_sizes(labels)[:, None]


def within_sum_of_squares(points: Points, labels: Labels) -> float:
    """SSE: sum of squared Euclidean distances of records to their group's centroid."""
    return float(np.sum((points - centroids(points, labels)[labels]) ** 2))


def total_sum_of_squares(points: Points) -> float:
    """SST: sum of squared Euclidean distances of records to the mean record."""
    return float(np.sum((points - points.mean(axis=0)) ** 2))


def information_loss(points: Points, labels: Labels) -> float:
    """IL in percent: 100 SSE / SST; 0 where all records are equal."""
    total = total_sum_of_squares(points)
    return 100.0 * within_sum_of_squares(points, labels) / total if total > 0 else 0.0


def canonical(labels: Labels) -> Labels:
    """Return the same partition with groups numbered in the order of their first record."""
    places = np.arange(len(labels))
    if len(labels) and labels.min() >= 0 and labels.max() <= SPARSE * len(labels):
        first = np.full(labels.max() + 1, len(labels))
        first[labels[::-1]] = places[::-1]
        number = np.cumsum(first[labels] == places) - 1
        return number[first[labels]]
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)


def join_groups(n_records: int, parts: Iterable[tuple[Indices, Labels]]) -> Labels:
    """Return one partition of all records from partitions of disjoint sets of them.

    Args:
        parts: the records of each set, and their groups.
    """
    labels = np.empty(n_records, dtype=np.int64)
    count = 0
    for records, groups in parts:
        labels[records] = groups + count
        count += int(groups.max()) + 1
    return labels


def central_categories(attribute: Attribute, counts: Floats) -> Indices:
    """Median or mode of each row of *counts*, the number of records in each category.

    Ordinal: the lower median of the known values, or missing where more than half are missing.
    Nominal: the most frequent category, missing included; the first in the domain wins a tie.
    """
    if attribute.kind is Kind.NOMINAL or attribute.domain_size == 0:
        modes: Indices = counts.argmax(axis=1)
        return modes
    known = counts[:, : attribute.domain_size]
    total = known.sum(axis=1)
    medians = (2 * np.cumsum(known, axis=1) >= total[:, None]).argmax(axis=1)
    missing = counts[:, attribute.domain_size :].sum(axis=1) > total
    return np.where(missing, attribute.domain_size, medians)
