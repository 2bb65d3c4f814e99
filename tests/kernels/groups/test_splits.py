"""The best cut against slow and obvious searches for it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.partition import group_sizes, within_sum_of_squares
from evomask.kernels.groups.splits import split_order, split_values


def sum_of_squares(points):
    return float(np.sum((points - points.mean(axis=0)) ** 2))


def slow_best_cut(points, k):
    """Least sum of squares over all cuts of the row, groups of any size from k up."""
    n = len(points)
    best = [0.0] + [np.inf] * n
    for stop in range(k, n + 1):
        best[stop] = min(
            best[start] + sum_of_squares(points[start:stop]) for start in range(stop - k + 1)
        )
    return best[n]


def groupings(records, k):
    """Every way to put records into groups of k or more."""
    if not records:
        yield []
        return
    first, rest = records[0], records[1:]
    for chosen in range(2 ** len(rest)):
        others = [r for i, r in enumerate(rest) if chosen >> i & 1]
        if len(others) + 1 >= k:
            for smaller in groupings([r for r in rest if r not in others], k):
                yield [[first, *others], *smaller]


whole_numbers = st.lists(st.integers(-50, 50), min_size=2, max_size=40)


@given(whole_numbers, st.integers(2, 7))
def test_the_optimum_of_values_is_the_best_cut_of_their_ranking(numbers, k):
    values = np.array(numbers, dtype=float)
    least = slow_best_cut(np.sort(values)[:, None], min(k, len(values)))
    found = within_sum_of_squares(values[:, None], split_values(values, k))
    assert found == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("k", [2, 3, 4])
def test_no_grouping_of_values_at_all_is_better(seed, k):
    values = np.random.default_rng(seed).normal(size=9)
    least = min(
        sum(sum_of_squares(values[group]) for group in groups)
        for groups in groupings(list(range(9)), k)
    )
    found = within_sum_of_squares(values[:, None], split_values(values, k))
    assert found == pytest.approx(least)


@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 4), st.integers(2, 7))
def test_no_cut_of_an_order_is_better(seed, n_records, n_columns, k):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_records, n_columns))
    order = rng.permutation(n_records)
    found = within_sum_of_squares(points, split_order(points, order, k))
    assert found == pytest.approx(slow_best_cut(points[order], min(k, n_records)))


@given(whole_numbers, st.integers(2, 7))
def test_values_in_their_ranking_are_cut_like_one_attribute(numbers, k):
    values = np.array(numbers, dtype=float)
    order = np.argsort(values, kind="stable")
    along = split_order(values[:, None], order, k)
    assert split_values(values, k).tolist() == along.tolist()


@given(whole_numbers, st.integers(2, 7))
def test_groups_have_k_to_2k_minus_1_values(numbers, k):
    sizes = group_sizes(split_values(np.array(numbers, dtype=float), k))
    assert sizes.min() >= min(k, len(numbers))
    assert sizes.max() <= 2 * k - 1


@given(whole_numbers, st.integers(2, 7))
def test_groups_are_numbered_by_rising_value(numbers, k):
    values = np.array(numbers, dtype=float)
    assert (np.diff(split_values(values, k)[np.argsort(values, kind="stable")]) >= 0).all()


@given(whole_numbers, st.integers(2, 7))
def test_far_from_zero_the_groups_are_the_same(numbers, k):
    values = np.array(numbers, dtype=float)
    assert split_values(values + 2.0**52, k).tolist() == split_values(values, k).tolist()


def test_a_few_huge_values_do_not_blur_the_small_ones():
    small = [0.0, 1.0, 10.0, 11.0, 20.0, 21.0]
    labels = split_values(np.array([*small, 1e15, 1e15]), 2)
    assert labels.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_equal_values_stand_in_the_order_of_their_records():
    assert split_values(np.zeros(6), 3).tolist() == [0, 0, 0, 1, 1, 1]


def test_fewer_than_k_records_are_one_group():
    assert split_values(np.array([3.0, 1.0]), 5).tolist() == [0, 0]
