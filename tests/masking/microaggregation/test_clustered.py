import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.data.clustering import cluster, merge_to_size
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.masking.microaggregation.clustered import (
    ClusteredGlobalMedian,
    ClusteredMicroaggregation,
    range_centres,
)
from tests.tables import mixed

METHODS = [ClusteredMicroaggregation, ClusteredGlobalMedian]
NAMES = ("one", "two")


def grades(n_records=80, seed=0):
    rng = np.random.default_rng(seed)
    domain = ("a", "b", "c", "d", "e", "f", "")
    role = Role.QUASI_IDENTIFIER
    schema = Schema(tuple(Attribute(name, Kind.ORDINAL, role, domain) for name in NAMES))
    return Table(schema, {name: rng.integers(0, 7, n_records) for name in NAMES})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [2, 5, 12])
def test_every_released_combination_is_shared_by_k_records(method, k):
    masked = method(NAMES, k, 6).mask(grades(), np.random.default_rng(1))
    assert classes_of(masked, NAMES).sizes.min() >= k


@pytest.mark.parametrize("method", METHODS)
def test_no_group_reaches_over_two_clusters(method):
    clusters = cluster(grades(), NAMES, 6, np.random.default_rng(1))
    merged = merge_to_size(clusters.labels, 3)
    labels = method(NAMES, 3, 6).partition(grades(), np.random.default_rng(1))
    for group in range(labels.max() + 1):
        assert len(set(merged[labels == group])) == 1


def test_the_middle_is_taken_in_the_domain_the_lower_of_two():
    schema = Schema((Attribute("a", Kind.ORDINAL, categories=tuple("abcdef")),))
    table = Table(schema, {"a": np.array([0, 0, 5, 1, 4])})
    labels = np.array([0, 0, 0, 1, 1])
    assert range_centres(table, "a", labels).tolist() == [2, 2, 2, 2, 2]


def test_a_region_of_missing_values_stays_missing():
    schema = Schema((Attribute("a", Kind.ORDINAL, categories=("x", "y", "")),))
    table = Table(schema, {"a": np.array([2, 2, 0, 2])})
    assert range_centres(table, "a", np.array([0, 0, 1, 1])).tolist() == [2, 2, 0, 0]


def test_the_global_median_refuses_a_nominal_attribute():
    with pytest.raises(SchemaError, match="global median needs an order, and 'region' is nominal"):
        ClusteredGlobalMedian(("region",)).mask(mixed(), np.random.default_rng(0))


def test_the_global_median_refuses_numbers():
    with pytest.raises(SchemaError, match="needs ordered categories, and 'age' is continuous"):
        ClusteredGlobalMedian(("age",)).mask(mixed(), np.random.default_rng(0))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("clusters", "restarts"), [(0, 20), (3, 0)])
def test_no_clusters_or_restarts_are_refused(method, clusters, restarts):
    with pytest.raises(ParameterError, match="must be a whole number of 1 or more, got 0"):
        method(NAMES, 3, clusters, restarts)
