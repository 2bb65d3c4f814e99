"""Clustering loss: the same first centroids for both files, three indices."""

import numpy as np
import pytest

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.measures.loss.clustering import ClusteringLoss


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
