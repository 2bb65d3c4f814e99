"""Variation of partitions by exact solutions of a few groups at a time."""

import numpy as np

from evomask.arrays import Indices, Labels, Points
from evomask.data.partition import canonical, centroids, group_sizes, within_sum_of_squares
from evomask.kernels.groups.exact import optimum

POOL_RECORDS = 16
"""Most records in a pool of groups that is solved exactly."""

POOLS = 600
"""Most groups around which a pool is solved in one go."""


def resolved(points: Points, labels: Labels, k: int, rng: np.random.Generator) -> Labels:
    """The partition after groups were solved exactly together with those next to them.

    It is never worse. A group that was changed is not looked at again in the same go. Where two
    groups are too many records for a pool, nothing changes.
    """
    from scipy.spatial import KDTree

    if 2 * k > POOL_RECORDS:
        return canonical(labels)
    sizes = group_sizes(labels)
    middles = rng.permutation(len(sizes))[:POOLS]
    means = centroids(points, labels)
    _, nearest = KDTree(means).query(means[middles], min(len(means), POOL_RECORDS // k))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    grouped = np.split(np.argsort(labels, kind="stable"), starts[1:-1])
    child = labels.copy()
    changed = np.zeros(len(sizes), dtype=bool)
    for around in nearest.reshape(len(middles), -1):
        pool = _fitting(around[~changed[around]], sizes)
        records = np.concatenate([grouped[g] for g in pool]) if len(pool) > 1 else pool[:0]
        better = _solved(points[records], child[records], k) if len(pool) > 1 else None
        if better is not None:
            child[records] = child.max() + 1 + better
            changed[pool] = True
    return canonical(child)


def _fitting(groups: Indices, sizes: Indices) -> Indices:
    """The groups in front, as many as fit a pool."""
    return groups[: int(np.searchsorted(np.cumsum(sizes[groups]), POOL_RECORDS, side="right"))]


def _solved(points: Points, labels: Labels, k: int) -> Labels | None:
    """The best groups of a pool's records where they are better than those they have."""
    before = within_sum_of_squares(points, canonical(labels))
    best = optimum(points, k, before)
    return best if within_sum_of_squares(points, best) < before * (1.0 - 1e-12) else None
