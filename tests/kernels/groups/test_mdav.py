"""The compiled MDAV against a slow and obvious one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.partition import canonical, group_sizes
from evomask.kernels.groups.mdav import mdav


def slow_mdav(points, k, *, classic=False):
    """MDAV as it is told: sort everything by distance and index, every time."""
    labels = np.full(len(points), -1)
    left = list(range(len(points)))
    group = 0
    sums = points.sum(axis=0)

    def far_first(centre):
        return sorted(left, key=lambda i: (-distance(i, centre), i))

    def distance(i, centre):
        total = 0.0
        for a, b in zip(points[i], centre, strict=True):
            total += (a - b) * (a - b)
        return total

    def close_group(centre):
        nonlocal group, left, sums
        members = sorted(left, key=lambda i: (distance(i, centre), i))[:k]
        labels[members] = group
        left = [i for i in left if i not in members]
        for i in members:
            sums = sums - points[i]
        group += 1
        return members

    while len(left) >= 2 * k:
        paired = len(left) >= (2 if classic else 3) * k
        first = points[far_first(sums / len(left))[0]]
        order = far_first(first)
        members = close_group(first)
        if paired:
            close_group(points[next(i for i in order if i not in members)])
    if len(left) >= k or group == 0:
        labels[left] = group
        return labels
    build_groups = [labels == g for g in range(group)]
    means = [points[members].mean(axis=0) for members in build_groups]
    for i in left:
        labels[i] = int(np.argmin([distance(i, mean) for mean in means]))
    return labels


def integers(n_records, n_columns):
    cells = st.lists(st.integers(-4, 4), min_size=n_columns, max_size=n_columns)
    return st.lists(cells, min_size=n_records, max_size=n_records)


@given(st.integers(2, 40).flatmap(lambda n: integers(n, 2)), st.integers(2, 6), st.booleans())
def test_equals_the_slow_twin_where_ties_abound(rows, k, classic):
    points = np.array(rows, dtype=float)
    expected = slow_mdav(points, k, classic=classic)
    assert mdav(points, k, classic=classic).tolist() == expected.tolist()


@pytest.mark.parametrize("classic", [False, True])
@pytest.mark.parametrize("n_records", [37, 600])
def test_equals_the_slow_twin_on_numbers(classic, n_records):
    points = np.random.default_rng(n_records).normal(size=(n_records, 4))
    expected = slow_mdav(points, 5, classic=classic)
    assert np.array_equal(canonical(mdav(points, 5, classic=classic)), canonical(expected))


@given(st.integers(2, 60), st.integers(2, 9), st.integers(1, 3), st.booleans())
def test_every_group_has_k_to_2k_minus_1_records(n_records, k, n_columns, classic):
    points = np.random.default_rng(n_records).normal(size=(n_records, n_columns))
    sizes = group_sizes(mdav(points, k, classic=classic))
    assert sizes.min() >= min(k, n_records)
    assert sizes.max() <= max(2 * k - 1, 1)


def test_identical_records_are_grouped_too():
    assert group_sizes(mdav(np.ones((50, 3)), 4)).min() >= 4


def test_fewer_than_2k_records_are_one_group():
    assert mdav(np.arange(5.0).reshape(5, 1), 3).tolist() == [0] * 5


def test_the_argument_is_left_alone():
    points = np.random.default_rng(0).normal(size=(30, 2))
    before = points.copy()
    mdav(points, 3)
    assert np.array_equal(points, before)
