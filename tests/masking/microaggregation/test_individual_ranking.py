import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.errors import ParameterError, SchemaError
from evomask.masking.microaggregation.individual_ranking import IndividualRanking
from tests.tables import mixed, numbers

RNG = np.random.default_rng(0)


def test_every_released_value_is_shared_by_k_records():
    masked = IndividualRanking(("age", "income"), 4).mask(mixed(), RNG)
    assert classes_of(masked, ["age"]).sizes.min() >= 4
    assert classes_of(masked, ["income"]).sizes.min() >= 4


def test_each_attribute_has_its_own_groups():
    masked = IndividualRanking(("a", "b"), 2).mask(numbers(a=[0, 1, 10, 11], b=[5, 0, 4, 1]), RNG)
    assert masked["a"].tolist() == [0.5, 0.5, 10.5, 10.5]
    assert masked["b"].tolist() == [4.5, 0.5, 4.5, 0.5]


def test_groups_follow_the_gaps_between_values():
    labels = IndividualRanking(("a",), 2).partitions(numbers(a=[0, 1, 2, 50, 51, 90, 91, 92]))
    assert labels["a"].tolist() == [0, 0, 0, 1, 1, 2, 2, 2]


def test_missing_values_get_the_mean_of_the_group_around_the_median():
    table = numbers(a=[1, 5, np.nan, 5, 5, 90, 91, 92])
    masked = IndividualRanking(("a",), 3).mask(table, RNG)
    assert masked["a"].tolist() == [4] * 5 + [91] * 3


def test_a_constant_attribute_works_with_a_warning():
    with pytest.warns(UserWarning, match="'b' is constant"):
        masked = IndividualRanking(("a", "b"), 2).mask(numbers(a=[1, 2, 3, 4], b=[7] * 4), RNG)
    assert masked["b"].tolist() == [7] * 4


def test_k_above_the_number_of_records_is_an_error():
    with pytest.raises(ParameterError, match="got k = 9 for 2"):
        IndividualRanking(("a",), 9).mask(numbers(a=[1, 2]), RNG)


def test_no_attribute_is_an_error():
    with pytest.raises(SchemaError, match="at least one attribute"):
        IndividualRanking((), 3)
