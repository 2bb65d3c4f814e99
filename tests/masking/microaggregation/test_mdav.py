import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.errors import ParameterError, SchemaError
from evomask.masking.microaggregation.mdav import LastGroups, Mdav
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


def test_missing_values_get_the_mean_of_their_group():
    masked = Mdav(("a",), 3).mask(numbers(a=[1, np.nan, 3, 100, 101, 102]), RNG)
    assert masked["a"].tolist() == [2, 2, 2, 101, 101, 101]


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


def test_no_attribute_is_an_error():
    with pytest.raises(SchemaError, match="at least one attribute"):
        Mdav((), 3)
