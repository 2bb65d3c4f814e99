"""Clusters of similar categorical records: c-medians, k-modes, or a tree cut into branches.

c-medians puts them around medians and modes; k-modes (Huang, 1998) is the same with every
attribute taken as nominal. The tree joins the two nearest branches again and again, by the mean
distance between their distinct records.

Centroids start by maximum dissimilarity (Kennard and Stone, 1969). A record's distance to a
centroid is the sum over the attributes of the distances between categories. Alike records
are treated once, with their number: the cost depends on the distinct combinations.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from evomask.arrays import Codes, Floats, Indices, Labels
from evomask.data.centres import middle_categories
from evomask.data.classes import classes_of
from evomask.data.distance import category_distances
from evomask.data.partition import canonical
from evomask.data.schema import Attribute, Kind
from evomask.data.table import Table
from evomask.errors import ParameterError

RESTARTS = 20
MOST_IN_TREE = 8_000
"""Distinct records that a tree can be made of: the cost grows with their square."""
_MOST_TURNS = 200


class Clusterer(StrEnum):
    """How clusters of similar records are found."""

    C_MEDIANS = "c-medians"
    K_MODES = "k-modes"
    TREE = "tree"


@dataclass(frozen=True, eq=False)
class Clustering:
    """Records in clusters.

    Args:
        labels: cluster of each record, numbered in the order of the centroids.
        centroids: a row of category codes for each cluster.
        total: sum of all records' distances to their centroid.
    """

    labels: Labels
    centroids: Codes
    total: float


@dataclass(frozen=True, eq=False)
class _Combinations:
    """Distinct records with their numbers, and the distances between categories.

    Args:
        labels: for each record the row that it is.
    """

    attributes: tuple[Attribute, ...]
    labels: Labels
    rows: Codes
    counts: Indices
    distances: tuple[Floats, ...]

    def to(self, centroids: Codes) -> Floats:
        """Distance of each combination to each centroid."""
        apart = np.zeros((len(self.rows), len(centroids)))
        for j, table in enumerate(self.distances):
            apart += table[np.ix_(self.rows[:, j], centroids[:, j])]
        return apart


def cluster_labels(
    table: Table,
    names: tuple[str, ...],
    clusters: int,
    rng: np.random.Generator,
    restarts: int = RESTARTS,
    clusterer: Clusterer = Clusterer.C_MEDIANS,
) -> Labels:
    """Cluster of each record, as *clusterer* finds them; a tree draws no random number."""
    if clusterer is Clusterer.TREE:
        return _branches(table, names, clusters)
    if clusterer is Clusterer.K_MODES:
        nominal = (replace(table.attribute(name), kind=Kind.NOMINAL) for name in names)
        table = table.with_schema(table.schema.replacing(nominal))
    return clustered(table, names, clusters, rng, restarts).labels


def usable_clusterers(table: Table, names: tuple[str, ...]) -> tuple[Clusterer, ...]:
    """Every way to cluster that can hold the table's distinct records."""
    too_many = len(classes_of(table, names)) > MOST_IN_TREE
    return tuple(by for by in Clusterer if by is not Clusterer.TREE or not too_many)


def _branches(table: Table, names: tuple[str, ...], clusters: int) -> Labels:
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distinct = _combinations(table, names)
    if len(distinct.rows) > MOST_IN_TREE:
        raise ParameterError(
            f"a tree can hold {MOST_IN_TREE} distinct records, got {len(distinct.rows)}; "
            "choose another clustering or fewer attributes"
        )
    if len(distinct.rows) == 1:
        return np.zeros(len(table), dtype=np.int64)
    tree = linkage(squareform(distinct.to(distinct.rows), checks=False), "average")
    branch = fcluster(tree, clusters, "maxclust")
    return canonical(branch[classes_of(table, names).labels].astype(np.int64))


def clustered(
    table: Table,
    names: tuple[str, ...],
    clusters: int,
    rng: np.random.Generator,
    restarts: int = RESTARTS,
) -> Clustering:
    """The best of several clusterings: the one with the least total distance, the first of equals.

    Each restart draws its first record; fewer distinct records than *clusters* give fewer.
    """
    distinct = _combinations(table, names)
    tried = (_settled(distinct, _first(distinct, clusters, rng)) for _ in range(restarts))
    return min(tried, key=lambda clustering: clustering.total)


def first_centroids(
    table: Table, names: tuple[str, ...], clusters: int, rng: np.random.Generator
) -> Codes:
    """A random record, then again and again the record farthest from those chosen.

    Among equals the first combination in the order of the domains is taken.
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


def clustered_from(table: Table, names: tuple[str, ...], centroids: Codes) -> Clustering:
    """Assign records and move centroids in turn until nothing changes.

    The nearest centroid wins, the first of equals; a cluster left empty keeps its centroid.
    """
    return _settled(_combinations(table, names), centroids)


def _settled(distinct: _Combinations, centroids: Codes) -> Clustering:
    for _ in range(_MOST_TURNS):
        nearest = distinct.to(centroids).argmin(axis=1)
        moved = _medians(distinct, nearest, centroids)
        if np.array_equal(moved, centroids):
            break
        centroids = moved
    apart = distinct.to(centroids)
    nearest = apart.argmin(axis=1)
    total = float(np.sum(apart.min(axis=1) * distinct.counts))
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
    """The median (lower) or most frequent category of each cluster."""
    moved = centroids.copy()
    for j, attribute in enumerate(distinct.attributes):
        size = len(attribute.categories)
        cells = labels * size + distinct.rows[:, j]
        totals = np.bincount(cells, weights=distinct.counts, minlength=len(centroids) * size)
        counts = totals.reshape(len(centroids), size).astype(np.float64)
        middle = middle_categories(attribute, counts)
        held = counts.any(axis=1)
        moved[held, j] = middle[held]
    return moved


def merged_to_size(labels: Labels, k: int) -> Labels:
    """Clusters of k or more: while one is smaller, the two smallest become one.

    Among clusters of equal size the one with the lower number counts as smaller.
    """
    labels = canonical(labels)
    sizes = np.bincount(labels)
    while sizes.min() < k and len(sizes) > 1:
        a, b = np.sort(np.argsort(sizes, kind="stable")[:2])
        labels = canonical(np.where(labels == b, a, labels))
        sizes = np.bincount(labels)
    return labels
