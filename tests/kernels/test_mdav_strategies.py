"""Every strategy of MDAV forms the groups of the flat one, which has a slow twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.kernels.groups.mdav import FEW, Strategy, mdav
from tests.kernels.groups.test_mdav import integers, slow_mdav

INDEXED = (Strategy.WALKS, Strategy.TREE)


def normal(n_records, n_columns, rng):
    return rng.normal(size=(n_records, n_columns))


def tied(n_records, n_columns, rng):
    return rng.integers(-2, 3, size=(n_records, n_columns)).astype(float)


def duplicated(n_records, n_columns, rng):
    return normal(n_records // 7, n_columns, rng)[rng.integers(n_records // 7, size=n_records)]


def clustered(n_records, n_columns, rng):
    middles = 100 * normal(9, n_columns, rng)
    return middles[rng.integers(9, size=n_records)] + normal(n_records, n_columns, rng)


def nearly_tied(n_records, n_columns, rng):
    return tied(n_records, n_columns, rng) * (1 + 1e-15 * rng.integers(-3, 4, size=n_columns))


def on_a_sphere(n_records, n_columns, rng):
    points = normal(n_records, n_columns, rng)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def far_from_zero(n_records, n_columns, rng):
    return 1e8 + normal(n_records, n_columns, rng)


def skewed(n_records, n_columns, rng):
    return np.exp(3 * normal(n_records, n_columns, rng))


def tiny(n_records, n_columns, rng):
    return 1e-160 * normal(n_records, n_columns, rng)


def identical(n_records, n_columns, rng):
    return np.full((n_records, n_columns), 0.1)


SHAPES = (
    normal, tied, duplicated, clustered, nearly_tied, on_a_sphere, far_from_zero, skewed, tiny,
    identical,
)  # fmt: skip


@pytest.mark.parametrize("strategy", INDEXED)
@pytest.mark.parametrize("classic", [False, True])
@pytest.mark.parametrize("n_columns", [1, 2, 5, 20])
@pytest.mark.parametrize("shape", SHAPES)
def test_groups_are_those_of_the_flat_search(shape, n_columns, classic, strategy):
    points = shape(1501, n_columns, np.random.default_rng(n_columns))
    expected = mdav(points, 3, classic=classic, strategy=Strategy.FLAT)
    assert np.array_equal(mdav(points, 3, classic=classic, strategy=strategy), expected)


@pytest.mark.parametrize("strategy", INDEXED)
@pytest.mark.parametrize("k", [2, 7, 50, 300, 700])
def test_groups_are_those_of_the_flat_search_for_any_k(k, strategy):
    points = normal(1400, 3, np.random.default_rng(k))
    expected = mdav(points, k, strategy=Strategy.FLAT)
    assert np.array_equal(mdav(points, k, strategy=strategy), expected)


@pytest.mark.parametrize("n_columns", [2, 12])
def test_the_probe_changes_nothing_but_time(n_columns):
    points = normal(8 * FEW * 2, n_columns, np.random.default_rng(0))
    expected = mdav(points, 2, strategy=Strategy.FLAT)
    assert np.array_equal(mdav(points, 2), expected)


@pytest.mark.parametrize("strategy", list(Strategy))
@given(st.integers(2, 40).flatmap(lambda n: integers(n, 2)), st.integers(2, 6), st.booleans())
def test_equals_the_slow_twin_where_ties_abound(strategy, rows, k, classic):
    points = np.array(rows, dtype=float)
    expected = slow_mdav(points, k, classic=classic)
    assert mdav(points, k, classic=classic, strategy=strategy).tolist() == expected.tolist()


@pytest.mark.parametrize("strategy", list(Strategy))
@given(st.integers(0, 10**6), st.integers(2, 120), st.integers(1, 8), st.integers(2, 9))
def test_equals_the_slow_twin_on_numbers(strategy, seed, n_records, n_columns, k):
    points = normal(n_records, n_columns, np.random.default_rng(seed))
    assert mdav(points, k, strategy=strategy).tolist() == slow_mdav(points, k).tolist()
