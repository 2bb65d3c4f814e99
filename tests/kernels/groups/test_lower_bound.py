"""The lower bound: below the optimum, above the bound by nearest records."""

import numpy as np
import pytest

from evomask.data.partition import within_sum_of_squares
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.lower_bound import lower_bound, near_pairs
from evomask.searches.partition.genome import near_records


def by_nearest(points, k):
    apart = np.sort(np.sum((points[:, None] - points[None]) ** 2, axis=2), axis=1)
    return apart[:, 1:k].sum() / (2 * k)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("count", [7, 99])
def test_never_above_the_optimum(seed, k, count):
    points = np.random.default_rng(seed).normal(size=(13, 2)) ** 3
    least = within_sum_of_squares(points, optimum(points, k))
    near = near_records(points, count)
    assert lower_bound(points, near, k, least, 300) <= least


def test_the_first_round_is_the_bound_by_nearest_records():
    points = np.random.default_rng(1).normal(size=(60, 3))
    near = near_records(points, 20)
    assert lower_bound(points, near, 3, 100.0, 1) == pytest.approx(by_nearest(points, 3))


def test_moving_shares_raises_it():
    points = np.random.default_rng(1).normal(size=(60, 3))
    near = near_records(points, 20)
    known = 1.3 * by_nearest(points, 3)
    assert lower_bound(points, near, 3, known, 200) > 1.02 * by_nearest(points, 3)


def test_pairs_come_once():
    near = np.array([[1], [0], [0]], dtype=np.int32)
    assert near_pairs(near).tolist() == [[0, 1], [0, 2]]
