"""Large files: regions are annealed one by one."""

import numpy as np
import pytest

from evomask.data.partition import canonical, group_sizes, within_sum_of_squares
from evomask.evolution.stopping import Budget
from evomask.kernels.groups.mdav import mdav
from evomask.kernels.groups.orders import nearest_of_all
from evomask.searches.partition import genome, memetic
from evomask.searches.partition.memetic import AnnealParts, join_parts, regions_of
from tests.searches.partition.test_algorithms import searched


def normal(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def test_the_nearest_of_all_are_those_of_a_sorted_table_of_distances():
    points = normal(700, 9)
    apart = np.sum((points[:, None] - points[None]) ** 2, axis=2)
    np.fill_diagonal(apart, np.inf)
    assert np.array_equal(nearest_of_all(points, 6), np.argsort(apart, axis=1)[:, :6])


def test_regions_are_whole_groups_and_hold_every_record_once():
    points = normal(3_000, 4)
    labels = canonical(mdav(points, 4))
    regions = regions_of(points, labels, 300, np.random.default_rng(1))
    assert sorted(np.concatenate(regions).tolist()) == list(range(3_000))
    assert max(map(len, regions)) <= 300
    homes = [set(labels[region].tolist()) for region in regions]
    assert sum(map(len, homes)) == len(set.union(*homes))


def test_another_draw_cuts_elsewhere():
    points = normal(1_000, 3)
    labels = canonical(mdav(points, 4))
    cuts = [regions_of(points, labels, 300, np.random.default_rng(seed)) for seed in (1, 2)]
    assert {tuple(region) for region in cuts[0]} != {tuple(region) for region in cuts[1]}


def test_parts_that_changed_different_groups_are_put_together():
    start = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    parts = np.array([0, 1, 0, 1, 2, 2, 3, 3]), np.array([0, 0, 1, 1, 2, 3, 3, 2])
    assert join_parts(start, parts).tolist() == [0, 1, 0, 1, 2, 3, 3, 2]
    assert join_parts(start, ()).tolist() == start.tolist()


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr(genome, "MANY_RECORDS", 300)
    monkeypatch.setattr(memetic, "REGION", 200)


@pytest.mark.usefixtures("large")
def test_groups_of_a_large_file_hold_k_to_2k_minus_1_records_and_are_far_below_mdav():
    points = normal(1_500, 5)
    state, setup = searched(points, Budget(generations=12), k=4)
    assert isinstance(setup.scheme, AnnealParts)
    best = min(state.population, key=lambda individual: individual.fitness).genome
    sizes = group_sizes(best)
    assert sizes.min() >= 4
    assert sizes.max() <= 7
    below = within_sum_of_squares(points, best) / within_sum_of_squares(points, mdav(points, 4))
    assert below < 0.9


@pytest.mark.usefixtures("large")
def test_the_same_seed_gives_the_same_partition_of_a_large_file():
    points = normal(800, 3)
    runs = [searched(points, Budget(generations=4))[0] for _ in range(2)]
    assert np.array_equal(runs[0].population[0].genome, runs[1].population[0].genome)


@pytest.mark.usefixtures("large")
def test_what_is_put_together_is_as_good_as_all_parts_promise():
    points = normal(800, 3)
    after = searched(points, Budget(generations=1))[0].population
    start, *parts = (individual.fitness[0] for individual in after)
    whole = searched(points, Budget(generations=2))[0].population[0].fitness[0]
    assert whole == pytest.approx(start - sum(start - part for part in parts))


@pytest.mark.usefixtures("large")
def test_a_turn_takes_no_more_records_than_it_may(monkeypatch):
    monkeypatch.setattr(memetic, "RECORDS", 400)
    points = normal(1_000, 3)
    state, _ = searched(points, Budget(generations=1))
    start = state.population[0].genome
    groups = [memetic._changed_records(start, i.genome) for i in state.population[1:]]
    assert 0 < sum(map(len, groups)) <= 400
