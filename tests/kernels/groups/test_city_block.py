"""MDAV by Manhattan distance against a slow and obvious twin."""

import numpy as np
import pytest

from evomask.kernels.groups.mixed_mdav import city_block_mdav


def by_hand(points, k):
    labels, left, group = np.full(len(points), -1), np.arange(len(points)), 0

    def farthest(centre):
        return left[np.argmax(np.abs(points[left] - centre).sum(axis=1))]

    def close(around):
        nonlocal left, group
        apart = np.abs(points[left] - points[around]).sum(axis=1)
        near = left[np.argsort(apart, kind="stable")[:k]]
        labels[near] = group
        left, group = np.setdiff1d(left, near), group + 1

    while len(left) >= 2 * k:
        first = farthest(points[left].mean(axis=0))
        last = farthest(points[first])
        close(first)
        close(last)
    labels[left] = group
    return labels


@pytest.mark.parametrize(("n", "k"), [(40, 3), (41, 5), (30, 15), (29, 15), (60, 10)])
def test_it_is_mdav_by_manhattan_distance(n, k):
    points = np.random.default_rng(n + k).random((n, 4))
    assert np.array_equal(city_block_mdav(points, k), by_hand(points, k))


def test_its_last_group_may_be_small():
    labels = city_block_mdav(np.random.default_rng(1).random((23, 2)), 5)
    assert np.bincount(labels).tolist() == [5, 5, 5, 5, 3]
