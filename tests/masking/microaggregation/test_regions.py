from collections import Counter

import numpy as np
import pytest

from evomask.data.partition import within_sum_of_squares
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.kernels.groups.mdav import mdav
from evomask.masking.microaggregation.mdav import (
    Mdav,
    MdavGeneric,
    group_mixed,
    group_numbers,
    largest_number_region,
    mixed_records,
    mixed_regions,
    number_regions,
)
from tests.tables import mixed, numbers

RNG = np.random.default_rng(0)
QUASI = ("number", "place", "grade")

MDAV = "evomask.masking.microaggregation.mdav"


def people(n):
    """Many records of a number, a nominal and an ordinal attribute."""
    rng = np.random.default_rng(5)
    schema = Schema(
        (
            Attribute("number", Kind.CONTINUOUS, Role.QUASI_IDENTIFIER),
            Attribute("place", Kind.NOMINAL, Role.QUASI_IDENTIFIER, tuple("abcdefghij")),
            Attribute("grade", Kind.ORDINAL, Role.QUASI_IDENTIFIER, tuple("123456")),
        )
    )
    columns = {
        "number": np.round(rng.normal(size=n), 2),
        "place": np.minimum(9, rng.geometric(0.3, n) - 1).astype(np.int32),
        "grade": rng.integers(0, 6, n).astype(np.int32),
    }
    return Table(schema, columns)


def smallest_class(table, names):
    """Size of the smallest equivalence class, counted as Python tuples without the library."""
    return min(Counter(zip(*(table[name].tolist() for name in names), strict=True)).values())


def cut_small(monkeypatch):
    monkeypatch.setattr(f"{MDAV}.UNCUT_RECORDS", 100)
    monkeypatch.setattr(f"{MDAV}.UNCUT_PAIRS", 0)
    monkeypatch.setattr(f"{MDAV}.REGION_RECORDS", 60)
    monkeypatch.setattr(f"{MDAV}.REGION_GROUPS", 20)


@pytest.mark.parametrize("most", [7, 50, 333])
def test_regions_hold_every_record_once_and_none_is_too_large(most):
    table = people(1_000)
    for parts in (
        number_regions(RNG.normal(size=(1_000, 3)), most),
        mixed_regions(mixed_records(table, QUASI), most),
    ):
        assert sorted(np.concatenate(parts).tolist()) == list(range(1_000))
        assert max(map(len, parts)) <= most
        assert min(map(len, parts)) >= most // 20


def test_identical_records_are_cut_too():
    table = people(1_000)
    alike = table.take(np.zeros(1_000, dtype=np.int64))
    parts = mixed_regions(mixed_records(alike, QUASI), 100)
    assert sorted(np.concatenate(parts).tolist()) == list(range(1_000))


def test_a_nominal_attribute_is_cut_between_its_categories_first():
    table = people(4_000)
    parts = mixed_regions(mixed_records(table, QUASI), 2_000)
    places = [set(table["place"][part].tolist()) for part in parts]
    assert not set.intersection(*places)


@pytest.mark.parametrize("k", [2, 5, 30])
def test_k_holds_in_a_file_grouped_by_regions(k, monkeypatch):
    cut_small(monkeypatch)
    table = people(3_000)
    assert smallest_class(MdavGeneric(QUASI, k).mask(table, RNG), QUASI) >= k


@pytest.mark.parametrize("ending", ["generic", "classic"])
def test_k_holds_in_numbers_grouped_by_regions(ending, monkeypatch):
    cut_small(monkeypatch)
    monkeypatch.setattr(f"{MDAV}.FEW_NUMBERS_RECORDS", 150)
    points = np.random.default_rng(2).normal(size=(2_003, 3)).round(3)
    table = numbers(**dict(zip("abc", points.T, strict=True)))
    masked = Mdav(("a", "b", "c"), 7, ending).mask(table, RNG)
    assert smallest_class(masked, ("a", "b", "c")) >= 7


def test_a_small_file_is_grouped_as_a_whole():
    points = np.random.default_rng(2).normal(size=(3_000, 30))
    assert group_numbers(points, 3).tolist() == mdav(points, 3).tolist()


def test_groups_by_regions_are_nearly_as_good_as_those_of_the_whole_file(monkeypatch):
    points = np.random.default_rng(2).normal(size=(30_000, 6))
    whole = within_sum_of_squares(points, mdav(points, 5))
    monkeypatch.setattr(f"{MDAV}.NUMBER_REGION_PAIRS", 12_000)
    assert largest_number_region(5, 6) == 10_000
    by_region = group_numbers(points, 5)
    assert whole < within_sum_of_squares(points, by_region) < 1.06 * whole


def test_mixed_groups_by_regions_change_hardly_more_than_those_of_the_whole_file(monkeypatch):
    table = people(21_000)
    squares = []
    for whole in (0, len(table)):
        monkeypatch.setattr(f"{MDAV}.UNCUT_RECORDS", whole)
        monkeypatch.setattr(f"{MDAV}.UNCUT_PAIRS", 0)
        labels = group_mixed(mixed_records(table, QUASI), 5)
        masked = MdavGeneric(QUASI, 5).released(table, labels)
        changed = np.mean(masked["place"] != table["place"])
        squares.append(changed + np.mean((masked["number"] - table["number"]) ** 2))
    assert squares[0] < 1.1 * squares[1]


def test_a_method_makes_the_same_file_of_groups_that_are_known():
    method = MdavGeneric(("age", "income", "school", "region"), 4)
    known = method.released(mixed(), method.partition(mixed(), RNG))
    masked = method.mask(mixed(), RNG)
    for name in method.attributes:
        assert np.array_equal(known[name], masked[name])


@pytest.mark.parametrize("k", [3, 40, 90])
def test_rows_of_categories_that_occur_often_stay_as_they_are(k, monkeypatch):
    cut_small(monkeypatch)
    table = people(3_000)
    names = ("place", "grade")
    before = Counter(zip(table["place"].tolist(), table["grade"].tolist(), strict=True))
    masked = MdavGeneric(names, k).mask(table, RNG)
    assert smallest_class(masked, names) >= k
    often = [before[p, g] >= k + 90 for p, g in zip(table["place"], table["grade"], strict=True)]
    assert np.array_equal(masked["place"][often], table["place"][often])


def test_a_single_number_of_a_large_file_is_cut_along_its_line(monkeypatch):
    monkeypatch.setattr(f"{MDAV}.UNCUT_RECORDS", 100)
    points = np.random.default_rng(2).lognormal(size=(500, 1))
    labels = group_numbers(points, 4)
    assert np.bincount(labels).min() >= 4
    assert within_sum_of_squares(points, labels) < within_sum_of_squares(points, mdav(points, 4))
