"""Agreement of clusterings, and the clustering loss."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import fowlkes_mallows_score, rand_score

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import DataError
from evomask.measures.papers.clustering_loss import (
    ClusteringLoss,
    PairCounts,
    clustering_loss,
    fowlkes_mallows,
    jaccard,
    rand,
)

PARTITIONS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=2, max_size=40)


def sides(pairs):
    return np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])


@given(PARTITIONS)
def test_pairs_are_counted_without_going_over_them(pairs):
    first, second = sides(pairs)
    kinds = [
        (first[i] == first[j], second[i] == second[j])
        for i, j in itertools.combinations(range(len(first)), 2)
    ]
    counts = [kinds.count(k) for k in ((1, 1), (1, 0), (0, 1), (0, 0))]
    assert PairCounts.of(first, second) == PairCounts(*counts)


@given(PARTITIONS)
def test_rand_is_that_of_scikit_learn(pairs):
    assert rand(*sides(pairs)) == pytest.approx(rand_score(*sides(pairs)))


@given(PARTITIONS)
def test_fowlkes_mallows_is_that_of_scikit_learn_where_pairs_are_together(pairs):
    counts = PairCounts.of(*sides(pairs))
    if counts.both + counts.first_only + counts.second_only:
        expected = fowlkes_mallows_score(*sides(pairs))
        assert fowlkes_mallows(*sides(pairs)) == pytest.approx(expected)


def test_jaccard_leaves_out_pairs_that_are_apart_in_both():
    assert jaccard(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])) == pytest.approx(1 / 4)


@given(PARTITIONS)
def test_names_of_groups_do_not_matter(pairs):
    first, second = sides(pairs)
    assert clustering_loss(first, second) == pytest.approx(clustering_loss(7 - first, second))


@given(PARTITIONS)
def test_a_partition_agrees_with_itself(pairs):
    first, _ = sides(pairs)
    assert clustering_loss(first, first) == pytest.approx(0)


def test_the_loss_averages_three_complements():
    first, second = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    parts = [1 - index(first, second) for index in (rand, jaccard, fowlkes_mallows)]
    assert clustering_loss(first, second) == pytest.approx(100 * np.mean(parts))


def test_one_record_agrees_with_itself():
    assert clustering_loss(np.array([0]), np.array([5])) == 0.0


def test_partitions_of_other_records_are_refused():
    with pytest.raises(DataError, match="partitions of 2 and 3 records"):
        rand(np.array([0, 1]), np.array([0, 1, 1]))


def table(*columns):
    names = [f"v{j}" for j in range(len(columns))]
    attributes = (
        Attribute(name, Kind.ORDINAL, Role.QUASI_IDENTIFIER, tuple("abcdefghij")) for name in names
    )
    return Table(Schema(tuple(attributes)), dict(zip(names, map(np.array, columns), strict=True)))


CLOUDS = table([0, 1, 0, 9, 8, 9])


def test_nothing_is_lost_by_the_original():
    assert ClusteringLoss(("v0",), 2).against(CLOUDS)(CLOUDS) == 0


def test_a_record_that_changes_sides_costs_what_the_indices_say():
    """Of 15 pairs 6 are together in the first file; 4 of them still are, with 3 new ones."""
    masked = CLOUDS.with_columns({"v0": np.array([0, 1, 8, 9, 8, 9])})
    rand, jaccard, wallace = (4 + 6) / 15, 4 / 9, 4 / np.sqrt(6 * 7)
    lost = 100 * (1 - (rand + jaccard + wallace) / 3)
    assert ClusteringLoss(("v0",), 2).against(CLOUDS)(masked) == pytest.approx(lost)


def test_the_same_seed_gives_the_same_loss():
    rng = np.random.default_rng(0)
    original = table(*rng.integers(0, 10, (2, 60)))
    masked = table(*rng.integers(0, 10, (2, 60)))
    losses = [ClusteringLoss(("v0", "v1"), 5).against(original)(masked) for _ in range(2)]
    assert losses[0] == losses[1]
    assert 0 < losses[0] <= 100
