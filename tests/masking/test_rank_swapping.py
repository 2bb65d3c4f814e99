import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.errors import ParameterError, SchemaError
from evomask.masking.rank_swapping import RankSwapping, swap_partners
from tests.tables import mixed, numbers


@given(st.integers(0, 60), st.integers(1, 70), st.integers(0, 2**32))
def test_partners_swap_with_each_other_within_reach(count, reach, seed):
    partners = swap_partners(count, reach, np.random.default_rng(seed))
    assert np.array_equal(partners[partners], np.arange(count))
    assert np.abs(partners - np.arange(count)).max(initial=0) <= reach


@given(st.integers(0, 40), st.integers(1, 40), st.integers(0, 2**32))
def test_who_stays_has_no_free_partner_within_reach(count, reach, seed):
    partners = swap_partners(count, reach, np.random.default_rng(seed))
    alone = np.flatnonzero(partners == np.arange(count))
    assert np.all(np.diff(alone) > reach)


def test_every_attribute_keeps_its_values():
    masked = RankSwapping(("age", "school"), 20).mask(mixed(), np.random.default_rng(1))
    for name in ("age", "school"):
        assert np.sort(masked[name]).tolist() == np.sort(mixed()[name]).tolist()


def test_positions_bound_the_difference_of_ranks():
    table = numbers(a=np.random.default_rng(0).permutation(50))
    masked = RankSwapping(("a",), positions=3).mask(table, np.random.default_rng(1))
    assert np.abs(masked["a"] - table["a"]).max() == 3


def test_the_window_is_a_percentage_of_the_records():
    table = numbers(a=np.arange(200))
    masked = RankSwapping(("a",), window=5).mask(table, np.random.default_rng(1))
    assert np.abs(masked["a"] - table["a"]).max() == 10


def test_missing_values_stay_where_they_are():
    masked = RankSwapping(("income",), 30).mask(mixed(), np.random.default_rng(1))
    assert np.array_equal(np.isnan(masked["income"]), np.isnan(mixed()["income"]))


def test_a_nominal_attribute_is_refused():
    with pytest.raises(SchemaError, match="rank swapping needs an order, and 'region' is nominal"):
        RankSwapping(("region",)).mask(mixed(), np.random.default_rng(1))


@pytest.mark.parametrize("window", [0, -1, 101, np.nan])
def test_a_window_that_is_no_percentage_is_refused(window):
    with pytest.raises(ParameterError, match="window must lie in"):
        RankSwapping(("age",), window)


@pytest.mark.parametrize("positions", [0, 2.5, True])
def test_positions_must_be_a_whole_number(positions):
    with pytest.raises(ParameterError, match="positions must be a whole number of 1 or more"):
        RankSwapping(("age",), positions=positions)


def test_more_positions_than_records_are_refused():
    with pytest.raises(ParameterError, match="positions must be below the number of records"):
        RankSwapping(("age",), positions=60).mask(mixed(), np.random.default_rng(1))


def scanned_partners(count, reach, rng):
    """Slow reference: partners by examining every rank in reach."""
    partners = np.arange(count)
    free = np.ones(count, dtype=bool)
    chances = rng.random(count)
    for rank in range(count):
        if not free[rank]:
            continue
        candidates = np.flatnonzero(free[rank + 1 : rank + 1 + reach])
        if len(candidates):
            other = rank + 1 + int(candidates[int(chances[rank] * len(candidates))])
            partners[rank], partners[other] = other, rank
            free[other] = False
    return partners


@given(st.integers(0, 300), st.integers(1, 310), st.integers(0, 2**32))
def test_partners_are_those_of_a_scan_of_all_ranks(count, reach, seed):
    found = swap_partners(count, reach, np.random.default_rng(seed))
    scanned = scanned_partners(count, reach, np.random.default_rng(seed))
    assert found.tolist() == scanned.tolist()


def test_partners_of_many_ranks_are_those_of_a_scan():
    found = swap_partners(20_000, 1_000, np.random.default_rng(3))
    assert np.array_equal(found, scanned_partners(20_000, 1_000, np.random.default_rng(3)))


def test_values_are_swapped_between_records_that_agree():
    rng = np.random.default_rng(0)
    table = numbers(a=rng.permutation(200), b=rng.integers(0, 2, 200), c=rng.integers(0, 5, 200))
    masked = RankSwapping(("a",), window=100, within=("b", "c")).mask(table, rng)
    for b in range(2):
        for c in range(5):
            own = (table["b"] == b) & (table["c"] == c)
            assert sorted(masked["a"][own]) == sorted(table["a"][own])
            assert np.mean(masked["a"][own] != table["a"][own]) > 0.8


def test_records_of_small_classes_are_swapped_with_one_another():
    table = numbers(a=np.arange(100), b=np.r_[np.zeros(80), np.arange(1, 21)])
    masked = RankSwapping(("a",), window=100, within=("b",)).mask(table, np.random.default_rng(1))
    assert sorted(masked["a"][80:]) == list(range(80, 100))
    assert np.mean(masked["a"][80:] != table["a"][80:]) > 0.8


def test_values_are_not_swapped_within_their_own_classes():
    with pytest.raises(SchemaError, match="'a' is swapped within its own classes"):
        RankSwapping(("a",), within=("a",)).mask(numbers(a=np.arange(9)), np.random.default_rng(1))
