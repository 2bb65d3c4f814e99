"""Linkage to masked records that combine centroids of several attribute groups.

Each group of attributes has its own partition of the records and its own centroids, so a masked
record is one centroid of each group, and its distance to an original is a sum of one term a group.
There are only n/k terms of each group: the n distances are never computed, and clusters whose first
term proves them too far away are skipped as a whole.
"""

from collections.abc import Sequence

import numpy as np

from evomask.kernels.compiler.arrays import fill, smallest
from evomask.kernels.jit import BOOL, FLOATS, INDEX_ROWS, INDICES, POINTS, inner, kernel
from evomask.kernels.linking.linkage import SLACK, TIE
from evomask.types import Floats, Indices, Labels, Points


def strictly_nearest(
    points: Points, centroids: Sequence[Points], labels: Sequence[Labels]
) -> np.ndarray:
    """Return which records are nearer to their own masked record than to any other one.

    Args:
        points: original records; their columns are those of the groups, concatenated.
        centroids: of each group, one row a cluster.
        labels: of each group, the cluster of each record.

    Squared Euclidean distances; a number missing on one side only counts 1. Another record that is
    equally near, up to rounding, is a tie, and no link. Cost is O(n² d / k) for clusters of k, plus
    what cannot be skipped.
    """
    sizes = np.array([len(group) for group in centroids])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    widths = np.array([group.shape[1] for group in centroids])
    flat = np.concatenate([np.ascontiguousarray(group.T).ravel() for group in centroids])
    plain = not bool(np.isnan(points).any() or np.isnan(flat).any())
    first = labels[0]
    order = np.argsort(first, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(first, minlength=sizes[0]))])
    return _strictly_nearest(
        points, flat, widths, starts, np.column_stack(labels) + starts[:-1], order, ends, plain
    ).astype(bool)


@inner
def _squares(value: float, column: Floats, out: Floats, plain: bool) -> None:
    """Add the squared distances of a number to one attribute of all centroids of a group."""
    if plain:
        for c in range(column.size):
            apart = column[c] - value
            out[c] += apart * apart
        return
    for c in range(column.size):
        if np.isnan(value) or np.isnan(column[c]):
            out[c] += 1.0 if np.isnan(value) != np.isnan(column[c]) else 0.0
        else:
            apart = column[c] - value
            out[c] += apart * apart


@inner
def _terms(
    point: Floats, centroids: Floats, widths: Indices, starts: Indices, plain: bool, out: Floats
) -> None:
    """Squared distances of one record to every centroid of every group."""
    fill(out, 0.0)
    column = 0
    at = 0
    for g in range(widths.size):
        size = starts[g + 1] - starts[g]
        for _ in range(widths[g]):
            group = out[starts[g] : starts[g + 1]]
            _squares(point[column], centroids[at : at + size], group, plain)
            column += 1
            at += size


@inner
def _is_as_near(terms: Floats, places: Indices, rest: Floats, limit: float) -> bool:
    """Whether a masked record, one position a group, is within *limit*."""
    total = 0.0
    for g in range(places.size):
        total += terms[places[g]]
        if total + rest[g + 1] > limit * SLACK:
            return False
    return total <= limit


@inner
def _has_twin(i: int, places: Indices, cluster: Indices) -> bool:
    """Whether another record of the cluster is in the same clusters of all groups."""
    for member in cluster:
        if member != i:
            same = True
            for g in range(places.shape[1]):
                if places[member, g] != places[i, g]:
                    same = False
                    break
            if same:
                return True
    return False


@kernel(POINTS, FLOATS, INDICES, INDICES, INDEX_ROWS, INDICES, INDICES, BOOL)
def _strictly_nearest(
    points: Points,
    centroids: Floats,
    widths: Indices,
    starts: Indices,
    places: Indices,
    order: Indices,
    ends: Indices,
    plain: bool,
) -> Indices:
    """Search the clusters of the first group one by one, a record's own one first.

    A record with a twin, in the same clusters of all groups, is tied without any distance. The
    function is long because arrays are passed separately.
    """
    n = points.shape[0]
    n_groups = widths.size
    alone = np.ones(n, dtype=np.int64)
    terms = np.empty(starts[n_groups])
    rest = np.empty(n_groups + 1)
    for i in range(n):
        home = places[i, 0]
        if _has_twin(i, places, order[ends[home] : ends[home + 1]]):
            alone[i] = 0
            continue
        _terms(points[i], centroids, widths, starts, plain, terms)
        rest[n_groups] = 0.0
        for g in range(n_groups - 1, -1, -1):
            rest[g] = rest[g + 1] + smallest(terms[starts[g] :], starts[g + 1] - starts[g])
        own = 0.0
        for g in range(n_groups):
            own += terms[places[i, g]]
        limit = own * (1.0 + TIE)
        for turn in range(-1, ends.size - 1):
            cluster = home if turn < 0 else turn
            if turn == home or terms[cluster] + rest[1] > limit * SLACK:
                continue
            for member in order[ends[cluster] : ends[cluster + 1]]:
                if member != i and _is_as_near(terms, places[member], rest, limit):
                    alone[i] = 0
                    break
            if alone[i] == 0:
                break
    return alone
