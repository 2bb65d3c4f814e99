"""Missing numbers that keep their code."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evomask.data.missing import tagged, tags


@given(st.lists(st.integers(-(2**31) + 1, 2**31 - 1), min_size=1))
def test_codes_are_found_again(codes):
    values = tagged(np.array(codes, dtype=float), np.ones(len(codes), dtype=bool))
    known, found = tags(values)
    assert np.isnan(values).all()
    assert known.all()
    assert found.tolist() == codes


def test_numbers_that_are_not_missing_stay():
    values = tagged(np.array([1.5, -99.0]), np.array([False, True]))
    assert values[0] == 1.5


def test_a_plain_missing_value_has_no_code():
    known, codes = tags(np.array([np.nan, 1.0, np.inf]))
    assert not known.any()
    assert not codes.any()


def test_a_code_that_is_not_whole_is_simply_missing():
    values = tagged(np.array([0.5]), np.array([True]))
    assert np.isnan(values[0])
    assert not tags(values)[0].any()


def test_codes_travel_with_their_records():
    values = tagged(np.array([-1.0, 5.0, -2.0]), np.array([True, False, True]))
    assert tags(values[[2, 0, 1]])[1].tolist() == [-2, -1, 0]
