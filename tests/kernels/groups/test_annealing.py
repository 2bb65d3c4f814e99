"""Annealing: what it reports is true, what it promises holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evomask.data.partition import canonical, group_sizes, within_sum_of_squares
from evomask.kernels.groups.annealing import anneal, center_and_pad
from evomask.kernels.groups.mdav import mdav
from evomask.searches.partition.genome import near_records


def normal(n_records, n_columns, seed=0):
    return np.random.default_rng(seed).normal(size=(n_records, n_columns))


def annealed(points, k, heat, steps=2000, seed=1, start=None):
    near = near_records(points, max(12, 2 * k))
    first = mdav(points, k) if start is None else start
    labels, energies = anneal(center_and_pad(points), near, first, k, np.array(heat), steps, seed)
    return canonical(labels), energies


@settings(max_examples=25, deadline=None)
@given(st.integers(8, 80), st.integers(2, 6), st.integers(1, 9), st.integers(1, 99))
def test_groups_keep_k_to_2k_minus_1_records_at_any_heat(n_records, k, n_columns, seed):
    points = normal(n_records, n_columns, seed)
    sizes = group_sizes(annealed(points, k, [10.0, 1.0, 0.1, 0.0], seed=seed)[0])
    assert k <= sizes.min()
    assert sizes.max() <= max(2 * k - 1, n_records if n_records < 2 * k else 0)


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize("n_columns", [1, 4, 7])
def test_changes_add_up_to_the_full_sum_of_squares(k, n_columns):
    points = normal(200, n_columns)
    labels, energies = annealed(points, k, [3.0, 0.5, 0.05])
    assert energies[-1] == pytest.approx(within_sum_of_squares(points, labels), rel=1e-9)


def test_nothing_worsens_without_heat():
    points = normal(150, 3)
    _, energies = annealed(points, 3, [0.0] * 20, steps=200)
    assert (np.diff(energies) <= 1e-9).all()


def test_without_heat_it_improves_mdav():
    points = normal(150, 3)
    labels, _ = annealed(points, 3, [0.0], steps=50_000)
    assert within_sum_of_squares(points, labels) < within_sum_of_squares(points, mdav(points, 3))


def test_the_same_seed_gives_the_same_labels():
    points = normal(100, 3)
    again = [annealed(points, 3, [1.0, 0.1], seed=5)[0].tolist() for _ in range(2)]
    assert again[0] == again[1]


def test_another_seed_gives_other_labels():
    points = normal(100, 3)
    assert not np.array_equal(
        annealed(points, 3, [5.0], seed=5)[0], annealed(points, 3, [5.0], seed=6)[0]
    )


def test_the_first_partition_is_left_alone():
    points = normal(60, 2)
    start = mdav(points, 3)
    before = start.copy()
    annealed(points, 3, [5.0], start=start)
    assert np.array_equal(start, before)


def test_identical_records_are_annealed_too():
    sizes = group_sizes(annealed(np.ones((40, 2)), 3, [1.0, 0.0])[0])
    assert sizes.min() >= 3


def test_one_group_stays_one_group():
    assert annealed(normal(5, 2), 3, [1.0, 0.0])[0].tolist() == [0] * 5


def test_padding_changes_no_distance():
    points = normal(20, 5) + 1000.0
    wide = center_and_pad(points)
    assert wide.shape == (20, 8)
    expected = np.sum((points[:, None] - points[None]) ** 2, axis=2)
    assert np.sum((wide[:, None] - wide[None]) ** 2, axis=2) == pytest.approx(expected)
