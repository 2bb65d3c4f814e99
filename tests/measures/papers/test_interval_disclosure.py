"""Interval disclosure by ranks and by widths."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from evomask.errors import SchemaError
from evomask.measures.papers.interval_disclosure import (
    DeviationInterval,
    RankInterval,
    RelativeInterval,
)
from tests.measures.files import categories, in_intervals, suppressed
from tests.tables import numbers

VALUES = st.lists(st.tuples(st.integers(0, 9), st.integers(-2, 11)), min_size=1, max_size=40)


def place(sorted_values, value):
    """Mean of the positions at which the value could be inserted, as a rank."""
    below = sum(v < value for v in sorted_values)
    up_to = sum(v <= value for v in sorted_values)
    return (below + up_to + 1) / 2


@given(VALUES)
def test_rank_intervals_of_numbers_average_over_one_to_ten_percent(pairs):
    before, after = ([p[j] for p in pairs] for j in (0, 1))
    ranks = rankdata(before)
    apart = [abs(place(before, y) - r) for y, r in zip(after, ranks, strict=True)]
    hits = [[d <= p / 100 * len(pairs) for d in apart] for p in range(1, 11)]
    found = RankInterval(("a",)).against(numbers(a=before))(numbers(a=after))
    assert found == pytest.approx(100 * np.mean(hits))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40))
def test_rank_intervals_of_categories_are_ten_percent_wide(pairs):
    table = categories(ordinal=True, x=[p[0] for p in pairs] + [4])
    masked = table.with_columns({"x": np.array([p[1] for p in pairs] + [4])})
    before = table["x"].tolist()
    near = [
        abs(place(before, a) - place(before, b)) <= len(before) / 10
        for a, b in zip(before, masked["x"], strict=True)
    ]
    assert RankInterval(("x",)).against(table)(masked) == pytest.approx(100 * np.mean(near))


def test_one_changed_value_touches_one_cell():
    before = numbers(a=np.arange(100.0))
    after = before.with_columns({"a": np.where(np.arange(100) == 0, 99.0, before["a"])})
    assert RankInterval(("a",)).against(before)(after) == pytest.approx(99)


def test_an_interval_discloses_the_share_of_its_values_that_are_near():
    before = numbers(a=np.arange(1.0, 101.0))
    general = in_intervals(before, "a", 5)
    ranks = np.arange(1, 101)
    shares = []
    for value, cell in zip(before["a"], general["a"], strict=True):
        low, high = general.recodings["a"].low[cell], general.recodings["a"].high[cell]
        inside = ranks[(before["a"] >= low) & (before["a"] <= high)]
        shares.append(np.mean([(np.abs(inside - value) <= p).mean() for p in range(1, 11)]))
    found = RankInterval(("a",)).against(before)(general)
    assert found == pytest.approx(100 * np.mean(shares))


def test_a_suppressed_attribute_discloses_what_a_random_guess_would():
    before = categories(x=[0, 0, 0, 0, 0, 0, 1, 1, 1, 1])
    found = RankInterval(("x",)).against(before)(suppressed(before, ["x"]))
    assert found == pytest.approx(100 * (0.6**2 + 0.4**2))


def test_missing_discloses_missing_and_nothing_else():
    before, after = numbers(a=[1, 2, np.nan, np.nan]), numbers(a=[1, np.nan, np.nan, 2])
    for measure in (RankInterval, RelativeInterval, DeviationInterval):
        assert measure(("a",)).against(before)(after) == 50.0


def test_relative_intervals_are_ten_percent_of_the_value():
    before, after = numbers(a=[100, 100, 0, -50]), numbers(a=[110, 110.5, 0, -45])
    assert RelativeInterval(("a",)).against(before)(after) == 75.0


def test_deviation_intervals_are_ten_percent_of_the_deviation():
    before, after = numbers(a=[0, 20]), numbers(a=[1, 21.5])
    assert DeviationInterval(("a",)).against(before)(after) == 50.0


@pytest.mark.parametrize("measure", [RelativeInterval, DeviationInterval])
def test_a_width_of_numbers_needs_numbers(measure):
    with pytest.raises(SchemaError, match="'x' is nominal; declare it continuous"):
        measure(("x",)).against(categories(x=[0, 1]))
