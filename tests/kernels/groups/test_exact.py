"""The exact optimum against looking at every partition there is."""

import numpy as np
import pytest

from evomask.data.partition import group_sizes, within_sum_of_squares
from evomask.kernels.groups.exact import optimum
from evomask.kernels.groups.mdav import mdav


def all_partitions(n_records, k):
    """Every partition into groups of k or more, as labels in the order of first records."""

    def extend(labels, groups):
        if len(labels) == n_records:
            if min(labels.count(g) for g in range(groups)) >= k:
                yield list(labels)
            return
        for g in range(groups + 1):
            yield from extend([*labels, g], max(groups, g + 1))

    yield from extend([], 0)


def slow_least(points, k):
    return min(within_sum_of_squares(points, np.array(p)) for p in all_partitions(len(points), k))


def normal(n_records, n_columns, seed):
    return np.random.default_rng(seed).normal(size=(n_records, n_columns))


@pytest.mark.parametrize("n_records", [3, 4, 5, 6, 7, 8, 9])
@pytest.mark.parametrize("k", [2, 3])
def test_equals_looking_at_all(n_records, k):
    points = normal(n_records, 2, n_records)
    assert within_sum_of_squares(points, optimum(points, k)) == pytest.approx(slow_least(points, k))


@pytest.mark.slow
@pytest.mark.parametrize(("n_records", "k"), [(10, 2), (10, 4), (11, 3), (11, 5)])
def test_equals_looking_at_all_of_more_records(n_records, k):
    points = normal(n_records, 3, n_records)
    assert within_sum_of_squares(points, optimum(points, k)) == pytest.approx(slow_least(points, k))


@pytest.mark.parametrize("seed", range(5))
def test_a_bound_changes_nothing(seed):
    points = normal(14, 3, seed)
    bound = within_sum_of_squares(points, mdav(points, 3))
    assert optimum(points, 3, bound).tolist() == optimum(points, 3).tolist()


def test_a_bound_that_is_the_optimum_still_finds_it():
    points = normal(13, 2, 1)
    best = optimum(points, 3)
    bound = within_sum_of_squares(points, best)
    assert optimum(points, 3, bound).tolist() == best.tolist()


def test_ties_among_whole_numbers_are_broken_the_same_way():
    points = np.array([[0.0], [0.0], [1.0], [1.0], [0.0], [1.0], [0.0], [1.0]])
    assert optimum(points, 2).tolist() == optimum(points.copy(), 2).tolist()


def test_the_paper_s_example_of_natural_groups():
    line = [0.0, 1.0, 2.0, 20.0, 21.0, 22.0, 40.0, 41.0, 42.0, 43.0, 44.0]
    labels = optimum(np.array(line)[:, None], 3)
    assert labels.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2]


def test_twenty_records_are_within_reach():
    points = normal(20, 5, 0)
    labels = optimum(points, 3, within_sum_of_squares(points, mdav(points, 3)))
    assert group_sizes(labels).min() >= 3
