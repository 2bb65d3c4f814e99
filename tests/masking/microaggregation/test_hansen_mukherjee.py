"""Optimal splits of an ordering: Hansen-Mukherjee, projection, individual ranking."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from evomask.data.classes import classes_of
from evomask.data.distance import Standardizer
from evomask.data.partition import within_sum_of_squares
from evomask.errors import ParameterError, SchemaError
from evomask.masking.microaggregation.hansen_mukherjee import (
    HansenMukherjee,
    IndividualRanking,
    Order,
    OrderedBy,
    Projection,
    first_component,
)
from evomask.masking.microaggregation.mdav import Mdav
from tests.tables import mixed, numbers

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("order", list(Order))
def test_every_released_combination_is_shared_by_k_records(order):
    masked = HansenMukherjee(("age", "income"), 4, order).mask(mixed(), RNG)
    assert classes_of(masked, ["age", "income"]).sizes.min() >= 4


@pytest.mark.parametrize("order", list(Order))
def test_groups_grow_with_the_clusters(order):
    table = numbers(a=[0, 1, 2, 50, 51, 90, 91, 92])
    masked = HansenMukherjee(("a",), 2, order).mask(table, RNG)
    assert masked["a"].tolist() == [1, 1, 1, 50.5, 50.5, 91, 91, 91]


@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_cut_along_mdav_is_never_worse_than_mdav(k):
    rng = np.random.default_rng(k)
    table = numbers(a=rng.normal(size=200), b=rng.normal(size=200))
    points = Standardizer.of(table.matrix("ab"))(table.matrix("ab"))
    cut = HansenMukherjee(("a", "b"), k).partition(table, RNG)
    groups = Mdav(("a", "b"), k).partition(table, RNG)
    assert within_sum_of_squares(points, cut) <= within_sum_of_squares(points, groups) + 1e-9


@pytest.mark.parametrize("method", [HansenMukherjee, Projection, IndividualRanking])
def test_no_attribute_is_an_error(method):
    with pytest.raises(SchemaError, match="at least one attribute"):
        method((), 3)


@pytest.mark.parametrize("line", list(OrderedBy))
def test_projection_every_released_combination_is_shared_by_k_records(line):
    masked = Projection(("age", "income"), 4, line).mask(mixed(), RNG)
    assert classes_of(masked, ["age", "income"]).sizes.min() >= 4


def test_the_component_is_that_of_an_independent_implementation():
    points = np.random.default_rng(3).normal(size=(200, 4)) @ np.diag([1.0, 3.0, 2.0, 0.5])
    expected = PCA(1).fit_transform(points)[:, 0]
    found = first_component(points)
    assert found * np.sign(found @ expected) == pytest.approx(expected)


def test_opposed_attributes_are_separated_by_the_component_only():
    opposed = numbers(a=[0, 1, 10, 11, 20, 21], b=[21, 20, 11, 10, 1, 0])
    groups = Projection(("a", "b"), 2).partition(opposed, RNG)
    assert sorted(np.flatnonzero(groups == groups[0]).tolist()) == [0, 1]


def test_the_sum_of_z_scores_orders_the_records():
    table = numbers(a=[0, 30, 1, 31], b=[5, 90, 6, 91])
    groups = Projection(("a", "b"), 2, OrderedBy.ZSCORES).partition(table, RNG)
    assert groups.tolist() == [0, 1, 0, 1]


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
