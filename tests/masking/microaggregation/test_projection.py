import numpy as np
import pytest
from sklearn.decomposition import PCA

from evomask.data.classes import classes_of
from evomask.errors import SchemaError
from evomask.masking.microaggregation.projection import OrderedBy, Projection, first_component
from tests.tables import mixed, numbers

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("line", list(OrderedBy))
def test_every_released_combination_is_shared_by_k_records(line):
    masked = Projection(("age", "income"), 4, line).mask(mixed(), RNG)
    assert classes_of(masked, ["age", "income"]).sizes.min() >= 4


def test_the_component_is_that_of_an_independent_implementation():
    points = np.random.default_rng(3).normal(size=(200, 4)) @ np.diag([1.0, 3.0, 2.0, 0.5])
    expected = PCA(1).fit_transform(points)[:, 0]
    found = first_component(points)
    assert found * np.sign(found @ expected) == pytest.approx(expected)


def test_opposed_attributes_are_told_apart_by_the_component_alone():
    opposed = numbers(a=[0, 1, 10, 11, 20, 21], b=[21, 20, 11, 10, 1, 0])
    groups = Projection(("a", "b"), 2).partition(opposed, RNG)
    assert sorted(np.flatnonzero(groups == groups[0]).tolist()) == [0, 1]


def test_the_sum_of_z_scores_orders_the_records():
    table = numbers(a=[0, 30, 1, 31], b=[5, 90, 6, 91])
    groups = Projection(("a", "b"), 2, OrderedBy.ZSCORES).partition(table, RNG)
    assert groups.tolist() == [0, 1, 0, 1]


def test_no_attribute_is_an_error():
    with pytest.raises(SchemaError, match="at least one attribute"):
        Projection((), 3)
