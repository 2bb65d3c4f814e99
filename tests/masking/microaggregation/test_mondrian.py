import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.data.frames import polars_from
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.masking.microaggregation.mondrian import Cut, Mondrian
from evomask.masking.recoding.group_values import GroupValues
from tests.tables import mixed, numbers

RNG = np.random.default_rng(0)
QUASI = ("age", "income", "school", "region")


def categories(kind, codes):
    schema = Schema((Attribute("c", kind, Role.QUASI_IDENTIFIER, ("a", "b", "c", "d", "")),))
    return Table(schema, {"c": np.array(codes)})


@pytest.mark.parametrize("cut", Cut)
@pytest.mark.parametrize("release", GroupValues)
@pytest.mark.parametrize("k", [2, 5, 30])
def test_every_released_combination_is_shared_by_k_records(cut, release, k):
    masked = Mondrian(QUASI, k, cut, release).mask(mixed(), RNG)
    assert classes_of(masked, QUASI).sizes.min() >= k


def test_numbers_become_intervals():
    masked = Mondrian(("a",), 2).mask(numbers(a=[1, 2.5, 7, 9, 30]), RNG)
    assert polars_from(masked)["a"].to_list() == [
        "[1,2.5]",
        "[1,2.5]",
        "[7,30]",
        "[7,30]",
        "[7,30]",
    ]


def test_one_value_is_the_mean():
    masked = Mondrian(("a",), 2, release=GroupValues.VALUE).mask(numbers(a=[1, 2, 7, 9]), RNG)
    assert masked["a"].tolist() == [1.5, 1.5, 8, 8]


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        (Kind.ORDINAL, ["[a,c]"] * 2 + ["{d,missing}"] * 2),
        (Kind.NOMINAL, ["{a,c}"] * 2 + ["{d,missing}"] * 2),
    ],
)
def test_categories_become_sets(kind, written):
    masked = Mondrian(("c",), 2).mask(categories(kind, [0, 2, 3, 4]), RNG)
    assert polars_from(masked)["c"].to_list() == written


def test_each_cell_covers_the_original_value():
    masked = Mondrian(QUASI, 4).mask(mixed(), RNG)
    for name in ("school", "region"):
        leaves = masked.recodings[name].leaves[masked[name]]
        assert leaves[np.arange(len(masked)), mixed()[name]].all()
    intervals = masked.recodings["income"]
    known = ~np.isnan(mixed()["income"])
    values, cells = mixed()["income"][known], masked["income"][known]
    assert np.all((intervals.low[cells] <= values) & (values <= intervals.high[cells]))


def test_strict_cuts_keep_equal_values_together():
    table = numbers(a=[1, 1, 1, 1, 1, 2])
    assert Mondrian(("a",), 2).partition(table, RNG).tolist() == [0] * 6


def test_relaxed_cuts_part_them():
    table = numbers(a=[1, 1, 1, 1, 1, 2])
    assert Mondrian(("a",), 2, Cut.RELAXED).partition(table, RNG).tolist() == [0, 0, 0, 1, 1, 1]


def test_a_region_of_missing_numbers_stays_missing():
    table = numbers(a=[np.nan] * 3, b=[1, 2, 3])
    masked = Mondrian(("a", "b"), 2).mask(table, RNG)
    assert polars_from(masked)["a"].to_list() == [None] * 3


def test_a_recoded_attribute_is_refused():
    masked = Mondrian(("age",), 2).mask(mixed(), RNG)
    with pytest.raises(SchemaError, match="'age' holds intervals"):
        Mondrian(("age",), 2).mask(masked, RNG)


@pytest.mark.parametrize("k", [0, 1, 2.5, -3])
def test_a_k_that_masks_nothing_is_refused(k):
    with pytest.raises(ParameterError, match="k must be"):
        Mondrian(("age",), k)
