"""Crossover by set partitioning against trying every choice of groups."""

from itertools import combinations

import numpy as np
import pytest

from evomask.data.partition import canonical, group_sizes, within_sum_of_squares
from evomask.kernels.groups.genetic import initial_genomes
from evomask.searches.partition import operators
from evomask.searches.partition.operators import best_of_components


def recombine(points, parents, regions=30, seed=0):
    return operators.recombine(points, parents, regions, np.random.default_rng(seed))


def parents_of(n_records, k, count, seed):
    genomes = initial_genomes(n_records, k, count, seed=seed)
    return [canonical(genome) for genome in genomes]


def slow_least(points, parents):
    """The smallest sum of squares of disjoint groups of the parents that cover all records."""
    groups = {
        frozenset(np.flatnonzero(labels == g))
        for labels in parents
        for g in range(labels.max() + 1)
    }
    costs = []
    for count in range(1, len(points) + 1):
        for chosen in combinations(groups, count):
            if sum(map(len, chosen)) == len(points) == len(frozenset().union(*chosen)):
                rows = [points[list(group)] for group in chosen]
                costs.append(sum(np.sum((row - row.mean(axis=0)) ** 2) for row in rows))
        if count * 2 > len(points):
            break
    return min(costs)


@pytest.mark.parametrize("seed", range(8))
def test_equals_trying_every_choice(seed):
    points = np.random.default_rng(seed).normal(size=(8, 2))
    parents = parents_of(8, 2, 5, seed + 1)
    child = recombine(points, parents)
    assert within_sum_of_squares(points, child) == pytest.approx(slow_least(points, parents))


@pytest.mark.parametrize("fractions", [0, 3, 64])
def test_no_parent_is_better(fractions, monkeypatch):
    monkeypatch.setattr(operators, "FRACTIONS", fractions)
    points = np.random.default_rng(1).normal(size=(60, 3))
    parents = parents_of(60, 3, 9, 4)
    least = min(within_sum_of_squares(points, parent) for parent in parents)
    assert within_sum_of_squares(points, recombine(points, parents)) <= least * (1 + 1e-12)


def test_every_group_of_the_child_is_a_parent_s():
    points = np.random.default_rng(2).normal(size=(40, 2))
    parents = parents_of(40, 3, 6, 9)
    child = recombine(points, parents)
    inherited = {tuple(np.flatnonzero(p == g)) for p in parents for g in range(p.max() + 1)}
    assert {tuple(np.flatnonzero(child == g)) for g in range(child.max() + 1)} <= inherited


def test_each_component_is_taken_from_its_better_parent():
    points = np.array([0.0, 0.1, 5.0, 5.1, 10.0, 10.1, 15.0, 15.1])[:, None]
    left_good = np.array([0, 0, 1, 1, 2, 3, 2, 3])
    right_good = np.array([0, 1, 0, 1, 2, 2, 3, 3])
    child = best_of_components(points, [left_good, right_good])
    assert child.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_the_same_parents_give_the_same_child():
    points = np.random.default_rng(3).normal(size=(90, 3))
    parents = parents_of(90, 3, 8, 2)
    assert recombine(points, parents).tolist() == recombine(points, parents).tolist()


def test_one_parent_is_its_own_child():
    parent = parents_of(20, 3, 1, 5)[0]
    points = np.random.default_rng(3).normal(size=(20, 2))
    assert recombine(points, [parent]).tolist() == parent.tolist()


def test_groups_keep_k_records():
    points = np.random.default_rng(4).normal(size=(100, 2))
    assert group_sizes(recombine(points, parents_of(100, 4, 7, 3))).min() >= 4
