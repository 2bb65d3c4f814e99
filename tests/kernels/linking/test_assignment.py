"""Linear assignment against scipy's."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from evomask.kernels.linking.assignment import assign_rows


@given(st.integers(1, 9), st.integers(1, 50), st.integers(0, 10**6))
@settings(max_examples=200, deadline=None)
def test_the_sum_is_the_largest(size, largest, seed):
    weights = np.random.default_rng(seed).integers(0, largest, (size, size))
    rows = assign_rows(weights)
    pairs = linear_sum_assignment(weights, maximize=True)
    assert sorted(rows) == list(range(size))
    assert weights[rows, np.arange(size)].sum() == weights[pairs].sum()
