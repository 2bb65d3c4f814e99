import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.masking.microaggregation import aggregation
from evomask.masking.microaggregation.aggregation import aggregated
from evomask.masking.microaggregation.mdav import Mdav
from evomask.masking.microaggregation.mdav_generic import MdavGeneric
from tests.tables import mixed, numbers

RNG = np.random.default_rng(0)
QUASI = ("age", "income", "school", "region")


def categories(kind, codes, missing=False):
    domain = ("a", "b", "c", "d", "") if missing else ("a", "b", "c", "d")
    schema = Schema((Attribute("c", kind, Role.QUASI_IDENTIFIER, domain),))
    return Table(schema, {"c": np.array(codes)})


def one_group(table, weights=None):
    return aggregated(table, ["c"], np.zeros(len(table), dtype=np.int64), weights)["c"][0]


@pytest.mark.parametrize("k", [2, 3, 7, 30])
def test_every_released_combination_is_shared_by_k_records(k):
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


def test_no_attribute_is_refused():
    with pytest.raises(SchemaError, match="microaggregation needs at least one attribute"):
        MdavGeneric(())


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
    at_once = aggregated(table, ["c"], labels, weights)["c"]
    monkeypatch.setattr(aggregation, "MOST_CELLS", 50)
    assert aggregated(table, ["c"], labels, weights)["c"].tolist() == at_once.tolist()
