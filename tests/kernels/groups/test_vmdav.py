"""The compiled V-MDAV against a slow and obvious one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.partition import group_sizes
from evomask.kernels.groups.vmdav import vmdav
from tests.kernels.groups.test_mdav import integers


def slow_vmdav(points, k, gamma):
    """V-MDAV as it is told, from a table of all squared distances."""
    apart = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    away = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
    left = list(range(len(points)))
    groups = []
    while len(left) >= k:
        first = min(left, key=lambda i: (-away[i], i))
        group = sorted(left, key=lambda i: (apart[first, i], i))[:k]
        left = [i for i in left if i not in group]
        while left and len(group) < 2 * k - 1:
            closest = min(left, key=lambda i: (apart[i, group].min(), i))
            others = [i for i in left if i != closest]
            if others:
                outside = apart[closest, others].min()
                if apart[closest, group].min() >= gamma**2 * outside:
                    break
            group.append(closest)
            left.remove(closest)
        groups.append(group)
    labels = np.zeros(len(points), dtype=int)
    for number, group in enumerate(groups):
        labels[group] = number
    means = np.array([points[group].mean(axis=0) for group in groups])
    for i in left:
        labels[i] = int(np.argmin(((means - points[i]) ** 2).sum(axis=1)))
    return labels


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.0, 2.0])
@given(st.integers(7, 40).flatmap(lambda n: integers(n, 2)), st.integers(2, 6))
def test_equals_the_slow_twin_where_ties_abound(gamma, rows, k):
    points = np.array(rows[: len(rows) // 2 * 2], dtype=float)
    points = np.concatenate([points, -points])  # the mean is exactly 0
    assert vmdav(points, k, gamma).tolist() == slow_vmdav(points, k, gamma).tolist()


@pytest.mark.parametrize("gamma", [0.0, 0.2, 1.1, 3.0])
@given(st.integers(0, 10**6), st.integers(2, 80), st.integers(1, 4), st.integers(2, 6))
def test_equals_the_slow_twin_on_numbers(gamma, seed, n_records, n_columns, k):
    points = np.random.default_rng(seed).normal(size=(max(n_records, k), n_columns))
    assert vmdav(points, k, gamma).tolist() == slow_vmdav(points, k, gamma).tolist()


def test_clusters_of_unequal_size_become_groups():
    middles = np.array([0.0, 100.0, 250.0])
    points = np.repeat(middles, [3, 4, 5]) + np.tile([0.0, 1.0, 2.0], 4)
    sizes = group_sizes(vmdav(points[:, None], 3, 1.1))
    assert sorted(sizes) == [3, 4, 5]


@given(st.integers(0, 10**6), st.integers(6, 80), st.integers(2, 6))
def test_every_group_has_k_or_more_records(seed, n_records, k):
    points = np.random.default_rng(seed).normal(size=(n_records, 2))
    assert group_sizes(vmdav(points, k, 0.5)).min() >= k
