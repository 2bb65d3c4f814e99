"""Genome of the partition search: the group number of each record, and records as points.

Groups are numbered in the order of their first record, so equal partitions are equal arrays.
"""

import numpy as np

from evomask.data.partition import validate_k
from evomask.data.schema import Attribute, Kind
from evomask.data.table import Table
from evomask.errors import DataError, SchemaError
from evomask.masking.microaggregation.aggregation import standardize
from evomask.types import Codes, Floats, Indices, Points

MANY_RECORDS, MANY_NUMBERS = 20_000, 8
"""A file with more records and attributes than these is very large: no tree finds the nearest
neighbours of all records quickly.
"""

BLOCK = 2_000
"""Records within which neighbours are searched in a very large file."""

LEAST_NEAR = 12
"""Smallest number of neighbours whose groups a record may join."""


def check_points(points: Points, k: int) -> Points:
    """Return the points as an array of finite numbers; raise an error if that is impossible."""
    whole = np.ascontiguousarray(points, dtype=np.float64)
    if whole.ndim != 2:
        raise DataError(f"points must be a table of numbers, got {whole.ndim} dimension(s)")
    if not np.isfinite(whole).all():
        raise DataError("points hold missing or infinite values; replace them first")
    validate_k(k, len(whole))
    return whole


def near_count(k: int) -> int:
    """Return the number of neighbours that a search for groups of k considers."""
    return max(LEAST_NEAR, 2 * k)


def is_very_large(points: Points) -> bool:
    """Whether finding the exact nearest neighbours of all records would take minutes."""
    return len(points) > MANY_RECORDS and points.shape[1] > MANY_NUMBERS


def is_large(points: Points) -> bool:
    """Whether annealing all records at once would mostly wait for memory."""
    return len(points) > MANY_RECORDS and points.shape[1] > 1


def near_records(points: Points, count: int) -> Codes:
    """Return the *count* nearest neighbours of each record, nearest first.

    In a very large file they are searched in blocks of records, which finds almost all of them.
    """
    count = min(count, len(points) - 1)
    if not is_very_large(points):
        return _nearest(points, count)
    from scipy.fft import dct

    rotated = dct(points, axis=1, norm="ortho")
    return _merge_neighbours(
        points, [_near_in_blocks(axes, count) for axes in (points, rotated)], count
    )


def _nearest(points: Points, count: int) -> Codes:
    from scipy.spatial import KDTree

    n = len(points)
    neighbours = np.asarray(KDTree(points).query(points, count + 1)[1])
    others = neighbours != np.arange(n)[:, None]
    others[others.all(axis=1), -1] = False
    near: Codes = neighbours[others].reshape(n, count).astype(np.int32)
    return near


def _near_in_blocks(points: Points, count: int) -> Codes:
    """Nearest neighbours within blocks, made by repeated bisection of the widest side."""
    near = np.empty((len(points), count), dtype=np.int32)
    waiting: list[Indices] = [np.arange(len(points))]
    while waiting:
        block = waiting.pop()
        if len(block) <= BLOCK:
            near[block] = block[_nearest(points[block], count)]
            continue
        widest = int(np.argmax(np.ptp(points[block], axis=0)))
        order = block[np.argsort(points[block, widest], kind="stable")]
        waiting += [order[: len(order) // 2], order[len(order) // 2 :]]
    return near


def _merge_neighbours(points: Points, lists: list[Codes], count: int) -> Codes:
    near = np.sort(np.concatenate(lists, axis=1), axis=1)
    apart = np.empty(near.shape)
    for place in range(near.shape[1]):
        apart[:, place] = np.sum((points - points[near[:, place]]) ** 2, axis=1)
    apart[:, 1:][near[:, 1:] == near[:, :-1]] = np.inf
    order = np.argsort(apart, axis=1, kind="stable")[:, :count]
    return np.ascontiguousarray(np.take_along_axis(near, order, axis=1))


def group_sums_of_squares(points: Points, members: Indices, starts: Indices) -> Floats:
    """Return the sum of squares of each group, whose *members* begin at *starts*."""
    sizes = np.diff(np.append(starts, len(members)))
    grouped = points[members]
    means = np.add.reduceat(grouped, starts, axis=0) / sizes[:, None]
    squares: Floats = np.add.reduceat(
        np.sum((grouped - np.repeat(means, sizes, axis=0)) ** 2, axis=1), starts
    )
    return squares


def embed(table: Table, names: tuple[str, ...]) -> Points:
    """Return the records as points whose squared distances are those of microaggregation.

    Numbers are standardised; an ordinal category is its rank over the size of the domain; each
    nominal category has its own axis, scaled so that two different ones are at squared distance
    1. So, for all kinds, the sum of squares of a group follows from the distances of its pairs.
    """
    numeric = tuple(name for name in names if not table.attribute(name).is_categorical)
    parts = [standardize(table, numeric)] if numeric else []
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
