"""Exact solutions of pools, near records, embeddings."""

import numpy as np
import pytest

from evomask.data.distance import category_distances
from evomask.data.partition import canonical, group_sizes, within_sum_of_squares
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.genetic import initial_genomes
from evomask.kernels.groups.mdav import mdav
from evomask.searches.partition import genome, proof
from evomask.searches.partition.constructions import bisect_groups, construct
from evomask.searches.partition.genome import (
    check_points,
    embed,
    group_sums_of_squares,
    near_records,
)
from evomask.searches.partition.operators import resolve_pools
from evomask.searches.partition.problem import Schedule
from evomask.searches.partition.proof import lower_bound


def normal(n_records, n_columns, seed=0):
    return np.random.default_rng(seed).normal(size=(n_records, n_columns))


def test_solving_pools_improves_a_poor_partition():
    points = normal(60, 2)
    poor = canonical(initial_genomes(60, 3, 1, seed=1)[0])
    better = resolve_pools(points, poor, 3, np.random.default_rng(0))
    assert within_sum_of_squares(points, better) < 0.9 * within_sum_of_squares(points, poor)


def test_a_pool_of_all_records_gives_the_optimum():
    points = normal(14, 2)
    child = resolve_pools(points, mdav(points, 3), 3, np.random.default_rng(0))
    assert within_sum_of_squares(points, child) == pytest.approx(
        within_sum_of_squares(points, optimum(points, 3))
    )


def test_solving_pools_leaves_its_argument_alone():
    points, labels = normal(40, 2), mdav(normal(40, 2), 3)
    before = labels.copy()
    resolve_pools(points, labels, 3, np.random.default_rng(0))
    assert np.array_equal(labels, before)


@pytest.mark.parametrize("k", [8, 9, 16, 17, 30])
def test_groups_too_large_for_a_pool_stay_as_they_are(k):
    points = normal(3 * k, 2)
    labels = canonical(mdav(points, k))
    child = resolve_pools(points, labels, k, np.random.default_rng(0))
    before, after = (within_sum_of_squares(points, found) for found in (labels, child))
    assert after <= before
    assert group_sizes(child).min() >= k


def test_near_records_are_the_nearest_others():
    points = normal(50, 3)
    apart = np.sum((points[:, None] - points[None]) ** 2, axis=2)
    np.fill_diagonal(apart, np.inf)
    assert np.array_equal(near_records(points, 6), np.argsort(apart, axis=1)[:, :6])


def test_a_record_is_not_near_itself_among_many_equals():
    near = near_records(np.zeros((40, 2)), 5)
    assert not (near == np.arange(40)[:, None]).any()


def vast(monkeypatch):
    monkeypatch.setattr(genome, "MANY_RECORDS", 300)
    monkeypatch.setattr(genome, "MANY_NUMBERS", 2)
    monkeypatch.setattr(genome, "BLOCK", 150)


def test_in_blocks_most_of_the_nearest_are_found(monkeypatch):
    points = normal(600, 3)
    exact = near_records(points, 6)
    vast(monkeypatch)
    found = near_records(points, 6)
    hits = [len(set(a) & set(b)) for a, b in zip(exact, found, strict=True)]
    assert np.mean(hits) > 5.0


def test_in_blocks_no_record_is_near_itself_or_twice_near_another(monkeypatch):
    vast(monkeypatch)
    near = near_records(normal(600, 3), 6)
    assert all(i not in row and len(set(row)) == 6 for i, row in enumerate(near.tolist()))


def test_in_blocks_the_nearer_comes_first(monkeypatch):
    points = normal(600, 3)
    vast(monkeypatch)
    apart = np.sum((points[:, None] - points[near_records(points, 6)]) ** 2, axis=2)
    assert (np.diff(apart, axis=1) >= 0).all()


def test_the_bound_of_a_vast_file_is_below_the_exact_one(monkeypatch):
    points = normal(600, 3)
    labels = mdav(points, 3)
    exact = lower_bound(points, 3, labels)
    vast(monkeypatch)
    monkeypatch.setattr(proof, "MANY_NUMBERS", 2)
    assert 0 < lower_bound(points, 3, labels) <= exact


def test_sums_of_squares_group_by_group():
    points = normal(10, 2)
    labels = np.array([0, 0, 1, 1, 1, 2, 2, 2, 2, 2])
    found = group_sums_of_squares(points, np.arange(10), np.array([0, 2, 5]))
    assert found.sum() == pytest.approx(within_sum_of_squares(points, labels))


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("k", [2, 3, 7])
def test_every_construction_has_groups_of_k_to_2k_minus_1(number, k):
    sizes = group_sizes(construct(normal(101, 3), k, number))
    assert k <= sizes.min()
    assert sizes.max() <= 2 * k - 1


@pytest.mark.parametrize("k", [2, 3, 7])
def test_halves_of_halves_have_groups_of_k_to_2k_minus_1(k):
    sizes = group_sizes(bisect_groups(normal(1001, 3), k))
    assert sizes.min() >= k
    assert sizes.max() < 2 * k


def test_halves_of_halves_are_of_near_records():
    points = np.repeat(np.arange(64.0), 4)[:, None] * np.ones(3)
    labels = bisect_groups(points, 4)
    assert within_sum_of_squares(points, labels) == 0.0


def test_temperatures_of_a_burst_fall_to_nothing():
    burst = Schedule.of(normal(200, 3), 3, np.random.default_rng(0)).between(1.0, 0.01)
    assert (np.diff(burst) <= 0).all()
    assert burst[0] > burst[100] > burst[-1] == 0.0


def test_temperatures_follow_the_scale_of_the_data():
    small = Schedule.of(normal(200, 3), 3, np.random.default_rng(0)).between(1.0, 0.01)
    large = Schedule.of(8.0 * normal(200, 3), 3, np.random.default_rng(0)).between(1.0, 0.01)
    assert large == pytest.approx(64.0 * small)


def test_infinite_numbers_are_refused():
    with pytest.raises(DataError, match="infinite"):
        check_points(np.array([[1.0], [np.inf], [2.0]]), 2)


def test_more_than_all_records_are_refused():
    with pytest.raises(ParameterError, match="number of records"):
        check_points(normal(4, 2), 5)


def category_table():
    size = Attribute("size", Kind.ORDINAL, Role.QUASI_IDENTIFIER, ("s", "m", "l"))
    place = Attribute("place", Kind.NOMINAL, Role.QUASI_IDENTIFIER, ("a", "b", "c", "d"))
    codes = np.array([0, 1, 2, 0, 1, 2, 0]), np.array([0, 1, 2, 3, 0, 1, 2])
    return Table(Schema((size, place)), {"size": codes[0], "place": codes[1]})


def test_squared_distances_of_categories_are_those_of_microaggregation():
    table = category_table()
    points = embed(table, ("size", "place"))
    expected = sum(
        category_distances(table.attribute(name))[np.ix_(table.codes(name), table.codes(name))] ** 2
        for name in ("size", "place")
    )
    assert np.sum((points[:, None] - points[None]) ** 2, axis=2) == pytest.approx(expected)


def test_the_first_construction_of_a_vast_file_is_that_of_mdav(monkeypatch):
    points = normal(600, 3)
    vast(monkeypatch)
    assert np.array_equal(canonical(construct(points, 3, 0)), canonical(mdav(points, 3)))
    assert np.array_equal(construct(points, 3, 1), bisect_groups(points, 3))
