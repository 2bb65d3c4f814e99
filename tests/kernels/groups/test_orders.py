"""Orderings against slow and obvious ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.partition import within_sum_of_squares
from evomask.kernels.groups.mdav import mdav
from evomask.kernels.groups.orders import NEIGHBOURS, along_groups, nearest_point_next, tour
from evomask.kernels.groups.splits import split_order
from tests.kernels.groups.test_mdav import integers


def slow_nearest_point_next(points):
    """Look at every record that is left, every time."""
    away = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
    order = [int(np.argmax(away))]
    left = [i for i in range(len(points)) if i != order[0]]
    while left:
        here = points[order[-1]]
        order.append(min(left, key=lambda i: (((points[i] - here) ** 2).sum(), i)))
        left.remove(order[-1])
    return order


def length(points, order):
    return np.linalg.norm(np.diff(points[order], axis=0), axis=1).sum()


@given(st.integers(1, 60).flatmap(lambda n: integers(n, 2)))
def test_the_nearest_point_comes_next_where_ties_abound(rows):
    points = 4.0 * np.array(rows)
    points[0] += 400.0
    assert nearest_point_next(points).tolist() == slow_nearest_point_next(points)


@pytest.mark.parametrize("n_columns", [1, 3, 9])
def test_the_nearest_point_comes_next_among_numbers(n_columns):
    points = np.random.default_rng(n_columns).normal(size=(500, n_columns))
    assert nearest_point_next(points).tolist() == slow_nearest_point_next(points)


@given(st.integers(0, 10**6), st.integers(2, 200), st.integers(1, 5))
def test_a_tour_visits_every_record_once(seed, n_records, n_columns):
    points = np.random.default_rng(seed).normal(size=(n_records, n_columns))
    assert sorted(tour(points)) == list(range(n_records))


@given(st.integers(2, 40).flatmap(lambda n: integers(n, 2)))
def test_a_tour_is_never_longer_than_its_start(rows):
    points = np.array(rows, dtype=float)
    start = length(points, nearest_point_next(points))
    assert length(points, tour(points)) <= start * (1 + 1e-12)


@given(st.integers(0, 10**6), st.integers(3, NEIGHBOURS + 1))
def test_no_reversed_stretch_makes_a_tour_shorter(seed, n_records):
    points = np.random.default_rng(seed).normal(size=(n_records, 2))
    order = tour(points)
    least = min(
        length(points, np.concatenate([order[:a], order[a:b][::-1], order[b:]]))
        for a in range(1, n_records)
        for b in range(a + 1, n_records)
    )
    assert length(points, order) <= least * (1 + 1e-6)


@given(st.integers(0, 10**6), st.integers(4, 80), st.integers(2, 5))
def test_groups_stay_together_along_them(seed, n_records, k):
    points = np.random.default_rng(seed).normal(size=(n_records, 2))
    labels = mdav(points, k)
    visited = labels[along_groups(points, labels)]
    assert np.count_nonzero(np.diff(visited)) == labels.max()


@given(st.integers(0, 10**6), st.integers(4, 80), st.integers(2, 5))
def test_the_best_cut_along_groups_is_never_worse_than_the_groups(seed, n_records, k):
    points = np.random.default_rng(seed).normal(size=(n_records, 3))
    labels = mdav(points, k)
    cut = split_order(points, along_groups(points, labels), k)
    groups = within_sum_of_squares(points, labels)
    assert within_sum_of_squares(points, cut) <= groups * (1 + 1e-12)
