import numpy as np
import pytest

from evomask.data.recoding import Intervals
from evomask.masking.local_suppression import LocalSuppression
from evomask.masking.rank_swapping import RankSwapping
from evomask.report.attribute_changes import attribute_notes, compare_tables
from tests.tables import mixed, numbers


def note(original, masked, name):
    return next(one for one in attribute_notes(original, masked) if one.name == name)


def test_what_is_not_masked_has_not_changed():
    table = mixed()
    assert {one.changed for one in attribute_notes(table, table)} == {0.0}


def test_changed_cells_are_counted():
    table = numbers(a=[1, 2, 3, np.nan], b=[1, 2, 3, 4])
    masked = table.with_columns({"a": np.array([1.0, 5.0, 3.0, np.nan])})
    assert note(table, masked, "a").changed == 25.0


def test_the_shift_is_in_percent_of_the_standard_deviation():
    values = np.array([1.0, 3.0, 1.0, 3.0])
    table = numbers(a=values)
    masked = table.with_columns({"a": values + 0.5})
    assert note(table, masked, "a").shift == 50.0


def test_suppressed_cells_are_counted():
    table = mixed()
    masked = LocalSuppression(("school", "region"), 5).mask(table, np.random.default_rng(1))
    labels = {name: masked.recodings[name].labels for name in masked.recodings}
    for name in labels:
        stars = sum(labels[name][code] == "*" for code in masked[name])
        missing = (table[name] >= table.attribute(name).domain_size) & [
            labels[name][code] == "*" for code in masked[name]
        ]
        assert note(table, masked, name).suppressed == stars - missing.sum()


def test_intervals_are_generalized_and_changed():
    table = numbers(a=[1.0, 2.0, 3.0, 4.0])
    pairs = Intervals(("[1,2]", "3", "4"), np.array([1.0, 3, 4]), np.array([2.0, 3, 4]))
    masked = table.with_recoded("a", np.array([0, 0, 1, 2]), pairs)
    found = note(table, masked, "a")
    assert (found.generalized, found.changed, found.suppressed) == (50.0, 50.0, 0)


def test_a_value_that_became_missing_is_suppressed():
    table = numbers(a=[1.0, 2.0, 3.0, np.nan])
    masked = table.with_columns({"a": np.array([1.0, np.nan, 3.0, np.nan])})
    assert note(table, masked, "a").suppressed == 1


def test_identifiers_are_not_released():
    assert not note(*[mixed()] * 2, "id").released


def test_records_left_out_do_not_count():
    table = numbers(a=[1.0, 2.0, 3.0, 4.0])
    masked = table.with_columns({"a": np.array([9.0, 9.0, 3.0, 4.0])})
    masked = masked.suppressing(np.array([True, True, False, False]))
    assert note(table, masked, "a").changed == 0.0


@pytest.fixture(scope="module")
def swapped():
    table = mixed(200)
    masked = RankSwapping(("age", "income"), 20).mask(table, np.random.default_rng(1))
    return compare_tables(table, masked)


def test_only_changed_attributes_are_drawn(swapped):
    assert [one.attribute for one in swapped.spreads] == ["age", "income"]


def test_weights_and_identifiers_are_not_related(swapped):
    assert not {"weight", "id"} & set(swapped.associations.attributes)


def test_swapping_keeps_every_spread(swapped):
    assert all(one.before == one.after for one in swapped.spreads)
