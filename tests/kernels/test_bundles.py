"""Named tuples handed to kernels by one address."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest

from evomask.kernels import compiler
from evomask.kernels.bundles import laid
from evomask.kernels.compiler import OWN_FLOATS, OWN_INDEX_ROWS, REAL, TRUTH, WHOLE, bundle, lazy


class Inside(NamedTuple):
    flag: bool
    table: np.ndarray


class Outside(NamedTuple):
    count: int
    share: float
    inside: Inside
    sums: np.ndarray


OUTSIDE = bundle(Outside, WHOLE, REAL, bundle(Inside, TRUTH, OWN_INDEX_ROWS), OWN_FLOATS)


@lazy(OUTSIDE)
def add_up(outside):
    """Change an array and read all the rest."""
    table = outside.inside.table
    outside.sums[0] += table[1, 2] if outside.inside.flag else -1.0
    return outside.count * outside.share + table.shape[0] * 10 + table.shape[1]


def value(flag=True):
    return Outside(7, 0.5, Inside(flag, np.arange(6).reshape(2, 3)), np.zeros(4))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setattr(compiler, "CACHE", tmp_path_factory.getbasetemp() / "kernels")


def test_a_kernel_reads_every_kind_of_field():
    assert add_up(laid(OUTSIDE, value())) == 3.5 + 23


@pytest.mark.parametrize(("flag", "sum_"), [(True, 5.0), (False, -1.0)])
def test_what_a_kernel_changes_is_changed_in_the_tuples_arrays(flag, sum_):
    bundled = laid(OUTSIDE, value(flag))
    add_up(bundled)
    assert bundled.sums.tolist() == [sum_, 0, 0, 0]


def test_a_bundle_that_travels_is_laid_out_anew():
    travelled = pickle.loads(pickle.dumps(laid(OUTSIDE, value())))
    add_up(travelled)
    assert travelled.sums[0] == 5.0


@pytest.mark.parametrize(
    "sums", [np.zeros(4, dtype=np.float32), np.zeros((2, 2)), np.zeros(8)[::2]]
)
def test_arrays_of_another_type_or_layout_are_refused(sums):
    with pytest.raises(TypeError):
        laid(OUTSIDE, value()._replace(sums=sums))


def test_arrays_that_must_not_change_are_refused():
    sums = np.zeros(4)
    sums.flags.writeable = False
    with pytest.raises(TypeError, match="writeable"):
        laid(OUTSIDE, value()._replace(sums=sums))
