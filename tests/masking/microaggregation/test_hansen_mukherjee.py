import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.data.distance import Standardizer
from evomask.data.partition import within_sum_of_squares
from evomask.errors import SchemaError
from evomask.masking.microaggregation.hansen_mukherjee import HansenMukherjee, Order
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


def test_no_attribute_is_an_error():
    with pytest.raises(SchemaError, match="at least one attribute"):
        HansenMukherjee((), 3)
