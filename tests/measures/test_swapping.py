"""Rank-swapping record linkage."""

import numpy as np
import pytest

from evomask.errors import ParameterError, SchemaError
from evomask.measures.risk.linkage import DistanceLinkage
from evomask.measures.risk.swapping import SwappingLinkage
from tests.measures.files import categories, generalized
from tests.tables import mixed, numbers


def rank(values, value):
    return ((values < value).sum() + (values <= value).sum() + 1) / 2


def swapped(table, reach, rng):
    """Neighbours of up to *reach* ranks exchange their values, each attribute on its own."""
    changes = {}
    for name in table.schema.names:
        order, column = np.argsort(table[name], kind="stable"), table[name].copy()
        for start in range(0, len(order) - reach, reach + 1):
            block = order[start : start + reach + 1]
            column[block] = table[name][rng.permutation(block)]
        changes[name] = column
    return table.with_columns(changes)


@pytest.fixture
def pair():
    rng = np.random.default_rng(1)
    table = numbers(**{name: rng.integers(0, 30, 50) for name in "abc"})
    return table, swapped(table, 6, rng)


def test_records_out_of_reach_are_ruled_out(pair):
    """Against the obvious way: for each masked record all originals, one by one."""
    original, masked = pair
    names, reach, hits = tuple("abc"), 0.2 * 50, []
    ranks = np.column_stack([[rank(original[n], v) for v in original[n]] for n in names])
    places = np.column_stack([[rank(original[n], v) for v in masked[n]] for n in names])
    for i, place in enumerate(places):
        apart = np.abs(ranks - place)
        far = np.where((apart <= reach).all(axis=1), (apart**2).sum(axis=1), np.inf)
        nearest = np.flatnonzero(far == far.min())
        found = np.isfinite(far[i]) and i in nearest
        hits.append(found / len(nearest))
    found = SwappingLinkage(names, 20).against(original)(masked)
    assert found == pytest.approx(100 * np.mean(hits))


def test_knowing_the_window_helps_the_intruder():
    rng = np.random.default_rng(2)
    table = numbers(**{name: rng.permutation(300).astype(float) for name in "abcdef"})
    masked = swapped(table, 45, rng)
    names = tuple("abcdef")
    knowing = SwappingLinkage(names, 15).against(table)(masked)
    assert knowing > DistanceLinkage(names).against(table)(masked)


def test_a_record_moved_farther_than_the_window_is_not_found():
    before = numbers(a=np.arange(10.0))
    after = before.with_columns({"a": np.roll(before["a"], 1)})
    assert SwappingLinkage(("a",), 5).against(before)(after) == 0.0


def test_generalized_and_missing_values_may_be_any_they_cover():
    table = mixed(60)
    names = ("age", "income", "school")
    found = SwappingLinkage(names).against(table)(generalized(table, names))
    assert 0 < found < 100


def test_an_order_that_is_needed_and_not_given_is_asked_for():
    with pytest.raises(SchemaError, match="goes by the order of values, and 'x' is nominal"):
        SwappingLinkage(("x",)).against(categories(x=[0, 1]))


def test_a_window_is_a_percentage():
    with pytest.raises(ParameterError, match=r"window must lie in \[0, 100\] percent, got 120"):
        SwappingLinkage(("x",), 120)
