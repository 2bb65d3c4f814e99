import numpy as np
import pytest

from evomask.data.classes import classes_of
from evomask.errors import ParameterError, SchemaError
from evomask.masking.microaggregation.vmdav import VMdav
from tests.tables import mixed, numbers

RNG = np.random.default_rng(0)


def test_every_released_combination_is_shared_by_k_records():
    masked = VMdav(("age", "income"), 4, 1.1).mask(mixed(), RNG)
    assert classes_of(masked, ["age", "income"]).sizes.min() >= 4


def test_a_close_record_joins_the_group_of_its_neighbours():
    masked = VMdav(("a",), 2, 1.1).mask(numbers(a=[0, 1, 2, 50, 51, 52]), RNG)
    assert masked["a"].tolist() == [1, 1, 1, 51, 51, 51]


@pytest.mark.parametrize("gamma", [-0.1, float("nan"), float("inf")])
def test_gamma_must_be_a_number_from_0_up(gamma):
    with pytest.raises(ParameterError, match="gamma must be a number from 0 up"):
        VMdav(("a",), 3, gamma)


def test_no_attribute_is_an_error():
    with pytest.raises(SchemaError, match="at least one attribute"):
        VMdav((), 3)
