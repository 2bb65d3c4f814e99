"""Statistics from counts of values are those of the values themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.distance import with_medians
from evomask.masking.statistics import NumberStatistics

VALUES = st.lists(st.integers(-50, 50), min_size=1, max_size=60)


def counted(values, missing=0):
    different, counts = np.unique(np.array(values, dtype=float), return_counts=True)
    return NumberStatistics(different, counts, missing)


@given(VALUES)
def test_median_mean_and_ends(values):
    own = counted(values)
    assert own.median == np.median(values)
    assert own.mean == pytest.approx(np.mean(values))
    assert own.ends == (min(values), max(values))


@given(VALUES, st.integers(0, 10))
def test_deviation_with_missing_values_at_the_median(values, missing):
    column = np.append(np.array(values, dtype=float), np.full(missing, np.nan))
    expected = with_medians(column[:, None]).std()
    assert counted(values, missing).deviation == pytest.approx(expected, abs=1e-9)


@given(VALUES, st.floats(0.5, 100))
def test_the_lowest_and_highest_percent(values, percent):
    own, ordered = counted(values), sorted(values)
    cut = max(1, int(np.ceil(len(values) * percent / 100)))
    assert own.lowest(percent) == ordered[cut - 1]
    assert own.highest(percent) == ordered[-cut]


def test_a_number_that_nobody_has_is_missing_everywhere():
    nobody = NumberStatistics(np.empty(0), np.empty(0, dtype=np.int64), 5)
    assert nobody.deviation == 0.0
    assert np.isnan(nobody.ends).all()
    assert np.isnan(nobody.lowest(5))
