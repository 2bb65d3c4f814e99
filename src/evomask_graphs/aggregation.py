"""Aggregation of the profiles of a cluster: common location and elected topics."""

import numpy as np

from evomask.types import Indices, Labels, Points
from evomask_graphs.places import Places
from evomask_graphs.profiles import NO_TOPIC


def common_places(places: Places, locations: Indices, labels: Labels) -> Indices:
    """Return the lowest common ancestor of each cluster's places."""
    order, starts = _runs(labels)
    branches = places.ancestors[locations[order]]
    low, high = np.minimum.reduceat(branches, starts), np.maximum.reduceat(branches, starts)
    shared = (low == high) & (low >= 0)
    common: Indices = low[np.arange(len(starts)), shared.argmax(axis=1)]
    return common


def borda_topics(topics: Indices, labels: Labels) -> Indices:
    """The topics with the highest Borda counts in each cluster (figure 6.3).

    Of three topics the first counts 3, the second 2, the third 1. Ties go to the topic that
    more members name, then to the first by name; a cluster with too few topics gets fewer.
    """
    n_topics = topics.shape[1]
    chosen = np.full((int(labels.max()) + 1, n_topics), NO_TOPIC, dtype=np.int64)
    named = topics != NO_TOPIC
    if not named.any():
        return chosen
    span = int(topics.max()) + 1
    keys = (labels[:, None] * span + topics)[named]
    points = np.broadcast_to(np.arange(n_topics, 0, -1), topics.shape)[named]
    ballots, which, votes = np.unique(keys, return_inverse=True, return_counts=True)
    counts = np.bincount(which, weights=points).astype(np.int64)
    clusters, candidates = ballots // span, ballots % span
    order = np.lexsort((candidates, -votes, -counts, clusters))
    clusters, candidates = clusters[order], candidates[order]
    rank = np.arange(len(order)) - np.searchsorted(clusters, clusters)
    elected = rank < n_topics
    chosen[clusters[elected], rank[elected]] = candidates[elected]
    return chosen


def lower_medians(numbers: Points, labels: Labels) -> Points:
    """The lower median of each number in each cluster."""
    sizes = np.bincount(labels)
    middle = np.cumsum(sizes) - sizes + (sizes - 1) // 2
    columns = [column[np.lexsort((column, labels))][middle] for column in numbers.T]
    return np.column_stack(columns) if columns else np.empty((len(sizes), 0))


def _runs(labels: Labels) -> tuple[Indices, Indices]:
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    return order, np.cumsum(sizes) - sizes
