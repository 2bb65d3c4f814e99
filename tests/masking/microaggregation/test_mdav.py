"""MDAV, MDAV-generic and V-MDAV."""

import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.masking.microaggregation import aggregation
from evomask.masking.microaggregation.aggregation import aggregate
from evomask.masking.microaggregation.mdav import LastGroups, Mdav, MdavGeneric, VMdav
from tests.tables import mixed, numbers

RNG = np.random.default_rng(0)


def test_every_released_combination_is_shared_by_k_records():
    masked = Mdav(("age", "income"), 4).mask(mixed(), RNG)
    assert classes_of(masked, ["age", "income"]).sizes.min() >= 4


def test_a_group_gets_its_mean():
    masked = Mdav(("a",), 2).mask(numbers(a=[0, 1, 10, 11]), RNG)
    assert masked["a"].tolist() == [0.5, 0.5, 10.5, 10.5]


def test_whole_numbers_stay_whole():
    masked = Mdav(("age",), 3).mask(mixed(), RNG)
    assert np.array_equal(masked["age"], np.round(masked["age"]))


def test_missing_values_are_grouped_with_each_other():
    nan = np.nan
    masked = Mdav(("a",), 3).mask(numbers(a=[1, nan, 2, 3, nan, nan]), RNG)
    assert masked["a"].tolist() == pytest.approx([2, nan, 2, 2, nan, nan], nan_ok=True)


def test_a_group_without_a_known_value_stays_missing():
    apart = [0, 0, 0, 100, 100, 100]
    table = numbers(a=[np.nan, np.nan, np.nan, 7, 8, 9], b=apart, c=apart, d=apart)
    masked = Mdav(("a", "b", "c", "d"), 3).mask(table, RNG)
    assert np.isnan(masked["a"]).tolist() == [True] * 3 + [False] * 3


def test_the_value_minus_999_is_a_number_like_any_other():
    masked = Mdav(("a",), 3).mask(numbers(a=[-999, 1, 2]), RNG)
    assert masked["a"].tolist() == pytest.approx([-332] * 3)


def test_a_constant_attribute_works_with_a_warning():
    with pytest.warns(UserWarning, match="'b' is constant"):
        masked = Mdav(("a", "b"), 2).mask(numbers(a=[1, 2, 3, 4], b=[7] * 4), RNG)
    assert masked["b"].tolist() == [7] * 4


def test_the_endings_differ_in_the_rest():
    table = numbers(a=[0, 1, 2, 3, 4, 5, 6, 7])
    sizes = {
        ending: np.bincount(Mdav(("a",), 3, ending).partition(table, RNG)).tolist()
        for ending in LastGroups
    }
    assert sorted(sizes[LastGroups.GENERIC]) == [3, 5]
    assert sorted(sizes[LastGroups.CLASSIC]) == [4, 4]


def test_k_above_the_number_of_records_is_an_error():
    with pytest.raises(ParameterError, match="got k = 9 for 4"):
        Mdav(("a",), 9).mask(numbers(a=[1, 2, 3, 4]), RNG)


def test_a_nominal_attribute_is_refused_by_name():
    with pytest.raises(SchemaError, match="'region' is nominal"):
        Mdav(("region",), 3).mask(mixed(), RNG)


@pytest.mark.parametrize("method", [Mdav, MdavGeneric, VMdav])
def test_no_attribute_is_an_error(method):
    with pytest.raises(SchemaError, match="needs at least one attribute"):
        method((), 3)


QUASI = ("age", "income", "school", "region")


def categories(kind, codes, missing=False):
    domain = ("a", "b", "c", "d", "") if missing else ("a", "b", "c", "d")
    schema = Schema((Attribute("c", kind, Role.QUASI_IDENTIFIER, domain),))
    return Table(schema, {"c": np.array(codes)})


def one_group(table, weights=None):
    return aggregate(table, ["c"], np.zeros(len(table), dtype=np.int64), weights)["c"][0]


@pytest.mark.parametrize("k", [2, 3, 7, 30])
def test_generic_every_released_combination_is_shared_by_k_records(k):
    assert classes_of(MdavGeneric(QUASI, k).mask(mixed(), RNG), QUASI).sizes.min() >= k


def test_numbers_alone_are_grouped_by_mdav():
    names = ("age", "income")
    found = MdavGeneric(names, 4).partition(mixed(), RNG)
    assert found.tolist() == Mdav(names, 4).partition(mixed(), RNG).tolist()


@pytest.mark.parametrize(
    ("codes", "median"), [([0, 1, 3], 1), ([0, 1, 2, 3], 1), ([3, 3, 0, 0], 0), ([2], 2)]
)
def test_ordinal_categories_become_the_lower_median(codes, median):
    assert one_group(categories(Kind.ORDINAL, codes)) == median


@pytest.mark.parametrize(("codes", "mode"), [([3, 3, 0], 3), ([2, 1, 2, 1], 1)])
def test_nominal_categories_become_the_most_frequent(codes, mode):
    assert one_group(categories(Kind.NOMINAL, codes)) == mode


@pytest.mark.parametrize(("codes", "middle"), [([4, 4, 1], 4), ([4, 1, 2], 1), ([4, 3], 3)])
def test_the_median_is_missing_where_more_than_half_are(codes, middle):
    assert one_group(categories(Kind.ORDINAL, codes, missing=True)) == middle


def test_weights_count_in_the_aggregates():
    table = numbers(a=[0, 1, 10, 11], w=[3, 1, 1, 1])
    assert MdavGeneric(("a",), 2, "w").mask(table, RNG)["a"].tolist() == [0.25, 0.25, 10.5, 10.5]
    heavy = np.array([1.0, 1.0, 5.0])
    assert one_group(categories(Kind.ORDINAL, [0, 1, 3]), heavy) == 3
    assert one_group(categories(Kind.NOMINAL, [0, 0, 3]), heavy) == 3


def test_weights_must_be_above_0():
    with pytest.raises(DataError, match="the weight 'w' must be known and above 0"):
        MdavGeneric(("a",), 2, "w").mask(numbers(a=[0, 1], w=[3, np.nan]), RNG)


def test_the_same_attribute_twice_is_refused():
    with pytest.raises(SchemaError, match="'age' twice"):
        MdavGeneric(("age", "age"))


def test_more_than_all_records_are_refused():
    with pytest.raises(ParameterError, match="got k = 61 for 60"):
        MdavGeneric(("school",), 61).mask(mixed(), RNG)


@pytest.mark.parametrize("kind", [Kind.ORDINAL, Kind.NOMINAL])
@pytest.mark.parametrize("weighed", [False, True])
def test_many_groups_are_aggregated_as_few_are(kind, weighed, monkeypatch):
    rng = np.random.default_rng(4)
    table, labels = categories(kind, rng.integers(0, 4, 300)), rng.permutation(300) % 70
    weights = rng.random(300) if weighed else None
    at_once = aggregate(table, ["c"], labels, weights)["c"]
    monkeypatch.setattr(aggregation, "MAX_COUNT_CELLS", 50)
    assert aggregate(table, ["c"], labels, weights)["c"].tolist() == at_once.tolist()


def test_vmdav_every_released_combination_is_shared_by_k_records():
    masked = VMdav(("age", "income"), 4, 1.1).mask(mixed(), RNG)
    assert classes_of(masked, ["age", "income"]).sizes.min() >= 4


def test_a_close_record_joins_the_group_of_its_neighbours():
    masked = VMdav(("a",), 2, 1.1).mask(numbers(a=[0, 1, 2, 50, 51, 52]), RNG)
    assert masked["a"].tolist() == [1, 1, 1, 51, 51, 51]


@pytest.mark.parametrize("gamma", [-0.1, float("nan"), float("inf")])
def test_gamma_must_be_a_number_from_0_up(gamma):
    with pytest.raises(ParameterError, match="gamma must be a number of 0 or more"):
        VMdav(("a",), 3, gamma)
