"""Points as the papers describe them."""

import numpy as np
import pytest

from evomask.data.schema import Kind, Role
from evomask.errors import ParameterError
from evomask_papers.synthetic import clustered, natural_clusters, random_table, scattered


def points(table):
    return table.matrix(table.schema.names)


def test_a_random_table_has_the_size_asked_for():
    assert points(random_table(11, 3, seed=1)).shape == (11, 3)


def test_values_lie_within_the_range_of_the_paper():
    values = points(random_table(5000, 2, seed=1))
    assert -10_000 <= values.min() < -9_900
    assert 9_900 < values.max() <= 10_000


def test_every_attribute_is_a_continuous_quasi_identifier():
    schema = random_table(5, 2, seed=1).schema
    assert [(a.name, a.kind, a.role) for a in schema] == [
        ("x1", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
        ("x2", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
    ]


@pytest.mark.parametrize("generator", [scattered, clustered])
def test_the_same_seed_gives_the_same_points(generator):
    assert np.array_equal(points(generator(4)), points(generator(4)))
    assert not np.array_equal(points(generator(4)), points(generator(5)))


@pytest.mark.parametrize("generator", [scattered, clustered])
def test_there_are_a_thousand_records_of_two_attributes(generator):
    assert points(generator(1)).shape == (1000, 2)


@pytest.mark.parametrize("n_records", [3, 4, 5, 6, 7, 8, 100, 1000])
def test_natural_clusters_have_three_to_five_records(n_records):
    sizes = np.bincount(natural_clusters(n_records, np.random.default_rng(1)))
    assert sizes.sum() == n_records
    assert sizes.min() >= 3
    assert (sizes[:-1] <= 5).all()
    assert sizes[-1] <= 7


def test_neighbours_are_much_closer_in_clustered_data():
    def nearest(table):
        values = points(table) / points(table).std(axis=0)
        apart = np.linalg.norm(values[:, None] - values[None, :], axis=2)
        np.fill_diagonal(apart, np.inf)
        return np.sort(apart, axis=1)[:, 1].mean()

    assert nearest(clustered(1, 400)) < nearest(scattered(1, 400)) / 1.5


@pytest.mark.parametrize("size", [(0, 2), (5, 0)])
def test_an_empty_table_is_refused(size):
    with pytest.raises(ParameterError, match="at least one record and one attribute"):
        random_table(*size, seed=1)


def test_too_few_records_for_a_cluster_are_refused():
    with pytest.raises(ParameterError, match="3 records or more"):
        clustered(1, 2)
