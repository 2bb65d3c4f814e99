"""Sorting and searching in kernels against numpy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evomask.kernels.compiler.arrays import argsort, search_left, search_right, sort

values = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0, 7.0, np.nan]), max_size=90).map(np.array)
known = st.lists(st.integers(-9, 9).map(float), max_size=40).map(np.sort)


@given(values)
def test_equal_values_keep_their_order_and_missing_ones_come_last(given_values):
    numbers = given_values.astype(np.float64)
    assert np.array_equal(argsort(numbers), np.argsort(numbers, kind="stable"))


@given(st.lists(st.integers(-5, 5), max_size=90))
def test_whole_numbers_come_in_rising_order(given_values):
    numbers = np.array(given_values, dtype=np.int64)
    assert np.array_equal(sort(numbers), np.sort(numbers))


@given(known, st.floats(-10, 10) | st.just(np.nan))
def test_places_are_those_of_numpy(ordered, value):
    numbers = ordered.astype(np.float64)
    assert search_left(numbers, value) == np.searchsorted(numbers, value)
    assert search_right(numbers, value) == np.searchsorted(numbers, value, side="right")
