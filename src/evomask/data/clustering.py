"""Clustering of categorical records: c-medians, k-modes and average linkage.

c-medians uses medians of ordinal and modes of nominal attributes as centroids; k-modes (Huang,
1998) treats every attribute as nominal. Average linkage is hierarchical clustering of the
distinct records.

Initial centroids maximize dissimilarity (Kennard and Stone, 1969). The distance of a record to
a centroid is the sum of the category distances of the attributes. Equal records are counted
and processed once, so that the cost depends on the number of distinct records.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.distance import category_distances
from evomask.data.partition import canonical, central_categories
from evomask.data.schema import Attribute, Kind
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.types import Codes, Floats, Indices, Labels

RESTARTS = 20
MOST_IN_TREE = 8_000
"""Largest number of distinct records for average linkage, whose cost is quadratic."""
_MOST_ITERATIONS = 200


class Clusterer(StrEnum):
    """Clustering algorithms by the names that options use."""

    C_MEDIANS = "c-medians"
    K_MODES = "k-modes"
    TREE = "tree"


@dataclass(frozen=True, eq=False)
class Clustering:
    """Result of a clustering.

    Args:
        labels: cluster of each record, numbered in the order of the centroids.
        centroids: a row of category codes for each cluster.
        total: sum of the distances of all records to their centroids.
    """

    labels: Labels
    centroids: Codes
    total: float


@dataclass(frozen=True, eq=False)
class _Combinations:
    """Distinct records with their counts, and the distances between categories.

    Args:
        labels: index of each record's row.
    """

    attributes: tuple[Attribute, ...]
    labels: Labels
    rows: Codes
    counts: Indices
    distances: tuple[Floats, ...]

    def to(self, centroids: Codes) -> Floats:
        """Distance of each distinct record to each centroid."""
        total = np.zeros((len(self.rows), len(centroids)))
        for j, table in enumerate(self.distances):
            total += table[self.rows[:, j, None], centroids[None, :, j]]
        return total


def cluster_labels(
    table: Table,
    names: tuple[str, ...],
    clusters: int,
    rng: np.random.Generator,
    restarts: int = RESTARTS,
    clusterer: Clusterer = Clusterer.C_MEDIANS,
) -> Labels:
    """Cluster of each record by algorithm *clusterer*; average linkage is deterministic."""
    if clusterer is Clusterer.TREE:
        return _average_linkage(table, names, clusters)
    if clusterer is Clusterer.K_MODES:
        nominal = (replace(table.attribute(name), kind=Kind.NOMINAL) for name in names)
        table = table.with_schema(table.schema.replacing(nominal))
    return cluster(table, names, clusters, rng, restarts).labels


def usable_clusterers(table: Table, names: tuple[str, ...]) -> tuple[Clusterer, ...]:
    """Clustering algorithms that can process the number of distinct records."""
    too_many = len(classes_of(table, names)) > MOST_IN_TREE
    return tuple(by for by in Clusterer if by is not Clusterer.TREE or not too_many)


def _average_linkage(table: Table, names: tuple[str, ...], clusters: int) -> Labels:
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distinct = _combinations(table, names)
    if len(distinct.rows) > MOST_IN_TREE:
        raise ParameterError(
            f"clustering by tree takes at most {MOST_IN_TREE} distinct records, got "
            f"{len(distinct.rows)}; choose another clustering or fewer attributes"
        )
    if len(distinct.rows) == 1:
        return np.zeros(len(table), dtype=np.int64)
    tree = linkage(squareform(distinct.to(distinct.rows), checks=False), "average")
    branch = fcluster(tree, clusters, "maxclust")
    return canonical(branch[classes_of(table, names).labels].astype(np.int64))


def cluster(
    table: Table,
    names: tuple[str, ...],
    clusters: int,
    rng: np.random.Generator,
    restarts: int = RESTARTS,
) -> Clustering:
    """Return the best of several restarts by total distance; the first wins a tie.

    Each restart draws its first centroid. There are at most as many clusters as distinct records.
    """
    distinct = _combinations(table, names)
    results = (_converge(distinct, _first(distinct, clusters, rng)) for _ in range(restarts))
    return min(results, key=lambda clustering: clustering.total)


def first_centroids(
    table: Table, names: tuple[str, ...], clusters: int, rng: np.random.Generator
) -> Codes:
    """Choose a random record, then repeatedly the record farthest from those chosen.

    The first record in the order of the domains wins a tie.
    """
    return _first(_combinations(table, names), clusters, rng)


def _first(distinct: _Combinations, clusters: int, rng: np.random.Generator) -> Codes:
    if clusters < 1:
        raise ParameterError(f"clusters must be at least 1, got {clusters}")
    chosen = [distinct.rows[distinct.labels[int(rng.integers(len(distinct.labels)))]]]
    nearest = distinct.to(chosen[0][None, :])[:, 0]
    while len(chosen) < clusters and nearest.max() > 0:
        chosen.append(distinct.rows[int(nearest.argmax())])
        nearest = np.minimum(nearest, distinct.to(chosen[-1][None, :])[:, 0])
    return np.array(chosen, dtype=np.int32)


def cluster_from(table: Table, names: tuple[str, ...], centroids: Codes) -> Clustering:
    """Alternate assigning records and moving centroids until nothing changes.

    The first of equally near centroids wins; an empty cluster does not move its centroid.
    """
    return _converge(_combinations(table, names), centroids)


def _converge(distinct: _Combinations, centroids: Codes) -> Clustering:
    for _ in range(_MOST_ITERATIONS):
        nearest = distinct.to(centroids).argmin(axis=1)
        moved = _medians(distinct, nearest, centroids)
        if np.array_equal(moved, centroids):
            break
        centroids = moved
    distances = distinct.to(centroids)
    nearest = distances.argmin(axis=1)
    total = float(np.sum(distances.min(axis=1) * distinct.counts))
    return Clustering(nearest[distinct.labels], centroids, total)


def _combinations(table: Table, names: tuple[str, ...]) -> _Combinations:
    columns = [table.codes(name) for name in names]
    classes = classes_of(table, names)
    attributes = tuple(table.attribute(name) for name in names)
    return _Combinations(
        attributes,
        classes.labels,
        np.column_stack(columns)[classes.representatives],
        classes.sizes,
        tuple(category_distances(attribute) for attribute in attributes),
    )


def _medians(distinct: _Combinations, labels: Labels, centroids: Codes) -> Codes:
    """Return the lower median or mode of each cluster; empty clusters do not move."""
    moved = centroids.copy()
    for j, attribute in enumerate(distinct.attributes):
        size = len(attribute.categories)
        cells = labels * size + distinct.rows[:, j]
        totals = np.bincount(cells, weights=distinct.counts, minlength=len(centroids) * size)
        counts = totals.reshape(len(centroids), size).astype(np.float64)
        centres = central_categories(attribute, counts)
        occupied = counts.any(axis=1)
        moved[occupied, j] = centres[occupied]
    return moved


def merge_to_size(labels: Labels, k: int) -> Labels:
    """Merge the two smallest clusters until every cluster has k records or more.

    Among clusters of equal size, the one with the lower number counts as smaller.
    """
    labels = canonical(labels)
    sizes = np.bincount(labels)
    while sizes.min() < k and len(sizes) > 1:
        a, b = np.sort(np.argsort(sizes, kind="stable")[:2])
        labels = canonical(np.where(labels == b, a, labels))
        sizes = np.bincount(labels)
    return labels
