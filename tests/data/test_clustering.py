from itertools import product

import numpy as np
import pytest

from evomask.data.clustering import (
    Clusterer,
    cluster,
    cluster_from,
    cluster_labels,
    first_centroids,
    merge_to_size,
    usable_clusterers,
)
from evomask.data.distance import category_distances
from evomask.data.schema import Attribute, Kind, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from tests.tables import mixed

NAMES = ("school", "region")


def ordinal(*columns):
    """Ordinal attributes of ten categories each."""
    names = [f"v{j}" for j in range(len(columns))]
    domain = tuple("abcdefghij")
    schema = Schema(tuple(Attribute(name, Kind.ORDINAL, categories=domain) for name in names))
    return Table(schema, dict(zip(names, map(np.array, columns), strict=True)))


def distance(table, names, record, centroid):
    return sum(
        category_distances(table.attribute(name))[table[name][record], code]
        for name, code in zip(names, centroid, strict=True)
    )


def test_two_clouds_are_found():
    table = ordinal([0, 1, 0, 9, 8, 9], [1, 0, 0, 8, 9, 9])
    labels = cluster(table, ("v0", "v1"), 2, np.random.default_rng(0)).labels
    assert len({tuple(labels[:3]), tuple(labels[3:])}) == 2
    assert len(set(labels[:3])) == len(set(labels[3:])) == 1


def test_every_record_is_with_its_nearest_centroid():
    found = cluster(mixed(), NAMES, 4, np.random.default_rng(0))
    for record, label in enumerate(found.labels):
        apart = [distance(mixed(), NAMES, record, centroid) for centroid in found.centroids]
        assert label == int(np.argmin(apart))


def test_the_total_is_the_sum_of_distances():
    found = cluster(mixed(), NAMES, 4, np.random.default_rng(0))
    wanted = sum(
        distance(mixed(), NAMES, record, found.centroids[label])
        for record, label in enumerate(found.labels)
    )
    assert found.total == pytest.approx(wanted)


def test_centroids_are_medians_of_their_cluster():
    table = ordinal([0, 1, 2, 9, 9, 5])
    found = cluster_from(table, ("v0",), np.array([[0], [9]], dtype=np.int32))
    assert found.centroids.tolist() == [[1], [9]]


def test_no_clustering_of_two_is_better_on_a_line():
    values = [0, 1, 2, 5, 8, 9]
    table = ordinal(values)
    best = min(
        sum(min(abs(v - a), abs(v - b)) / 10 for v in values) for a, b in product(values, values)
    )
    assert cluster(table, ("v0",), 2, np.random.default_rng(0)).total == pytest.approx(best)


def test_each_centroid_is_the_record_farthest_from_those_before():
    first = first_centroids(mixed(), NAMES, 4, np.random.default_rng(2))
    records = range(len(mixed()))
    for number in range(1, len(first)):
        apart = [
            min(distance(mixed(), NAMES, record, centroid) for centroid in first[:number])
            for record in records
        ]
        own = min(
            sum(category_distances(mixed().attribute(name))[a, b]
                for name, a, b in zip(NAMES, first[number], centroid, strict=True))
            for centroid in first[:number]
        )  # fmt: skip
        assert own == pytest.approx(max(apart))


def test_more_restarts_are_never_worse():
    few = cluster(mixed(), NAMES, 5, np.random.default_rng(3), restarts=1).total
    assert cluster(mixed(), NAMES, 5, np.random.default_rng(3), restarts=20).total <= few


def test_fewer_combinations_than_clusters_give_fewer():
    assert len(first_centroids(ordinal([1, 1, 4]), ("v0",), 5, np.random.default_rng(0))) == 2


def test_small_clusters_are_merged_the_two_smallest_first():
    labels = np.repeat([0, 1, 2, 3], [5, 1, 2, 9])
    assert np.bincount(merge_to_size(labels, 3)).tolist() == [5, 3, 9]


def test_merging_goes_on_until_all_are_large():
    labels = np.repeat([0, 1, 2], [2, 1, 9])
    assert np.bincount(merge_to_size(labels, 4)).tolist() == [12]


def test_numbers_are_refused():
    with pytest.raises(SchemaError, match="categories are needed, and 'age' is continuous"):
        cluster(mixed(), ("age",), 3, np.random.default_rng(0))


def test_no_clusters_are_refused():
    with pytest.raises(ParameterError, match="clusters must be at least 1"):
        cluster(mixed(), NAMES, 0, np.random.default_rng(0))


class TestOtherClusterings:
    CLOUDS = ([0, 1, 0, 9, 8, 9], [1, 0, 0, 8, 9, 9])

    @pytest.mark.parametrize("clusterer", list(Clusterer))
    def test_as_many_clusters_as_distinct_records_separate_them(self, clusterer):
        table = ordinal([0, 3, 7, 3])
        labels = cluster_labels(table, ("v0",), 3, np.random.default_rng(0), 20, clusterer)
        assert len(set(labels)) == 3
        assert labels[1] == labels[3]

    def test_a_tree_finds_two_clouds(self):
        table = ordinal(*self.CLOUDS)
        rng = np.random.default_rng(0)
        labels = cluster_labels(table, ("v0", "v1"), 2, rng, clusterer=Clusterer.TREE)
        assert labels.tolist() == [0, 0, 0, 1, 1, 1]

    def test_a_tree_of_one_distinct_record_is_one_cluster(self):
        rng = np.random.default_rng(0)
        labels = cluster_labels(ordinal([4, 4]), ("v0",), 2, rng, clusterer=Clusterer.TREE)
        assert labels.tolist() == [0, 0]

    def test_k_modes_does_not_see_the_order(self):
        """0 and 1 are near in order, but as different as 0 and 9 to modes."""
        table = ordinal([0, 0, 0, 1, 9, 9, 9], [5, 5, 5, 2, 2, 2, 2])
        rng = np.random.default_rng(0)
        modes = cluster_labels(table, ("v0", "v1"), 2, rng, clusterer=Clusterer.K_MODES)
        assert modes[3] == modes[4] != modes[0]

    def test_too_large_a_tree_is_refused(self, monkeypatch):
        monkeypatch.setattr("evomask.data.clustering.MOST_IN_TREE", 2)
        rng = np.random.default_rng(0)
        with pytest.raises(ParameterError, match="takes at most 2 distinct records"):
            cluster_labels(ordinal([1, 2, 3]), ("v0",), 2, rng, clusterer=Clusterer.TREE)

    def test_a_tree_is_usable_where_it_can_hold_all_distinct_records(self, monkeypatch):
        monkeypatch.setattr("evomask.data.clustering.MOST_IN_TREE", 2)
        assert Clusterer.TREE in usable_clusterers(ordinal([1, 2, 2, 1]), ("v0",))
        assert Clusterer.TREE not in usable_clusterers(ordinal([1, 2, 3]), ("v0",))
