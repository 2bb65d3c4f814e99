"""Named tuples passed to kernels as one pointer."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest

from evomask.kernels import jit
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.jit import BOOL, FLOAT64, INT64, RW_FLOATS, RW_INDEX_ROWS, bundle, lazy


class Inside(NamedTuple):
    flag: bool
    table: np.ndarray


class Outside(NamedTuple):
    count: int
    share: float
    inside: Inside
    sums: np.ndarray


OUTSIDE = bundle(Outside, INT64, FLOAT64, bundle(Inside, BOOL, RW_INDEX_ROWS), RW_FLOATS)


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
    monkeypatch.setattr(jit, "CACHE", tmp_path_factory.getbasetemp() / "kernels")


def test_a_kernel_reads_every_kind_of_field():
    assert add_up(bundle_tuple(OUTSIDE, value())) == 3.5 + 23


@pytest.mark.parametrize(("flag", "sum_"), [(True, 5.0), (False, -1.0)])
def test_a_kernel_changes_the_arrays_of_the_tuple(flag, sum_):
    bundled = bundle_tuple(OUTSIDE, value(flag))
    add_up(bundled)
    assert bundled.sums.tolist() == [sum_, 0, 0, 0]


def test_a_bundle_is_rebuilt_in_another_process():
    rebuilt = pickle.loads(pickle.dumps(bundle_tuple(OUTSIDE, value())))
    add_up(rebuilt)
    assert rebuilt.sums[0] == 5.0


@pytest.mark.parametrize(
    "sums", [np.zeros(4, dtype=np.float32), np.zeros((2, 2)), np.zeros(8)[::2]]
)
def test_arrays_of_another_type_or_layout_are_refused(sums):
    with pytest.raises(TypeError):
        bundle_tuple(OUTSIDE, value()._replace(sums=sums))


def test_arrays_that_must_not_change_are_refused():
    sums = np.zeros(4)
    sums.flags.writeable = False
    with pytest.raises(TypeError, match="writeable"):
        bundle_tuple(OUTSIDE, value()._replace(sums=sums))
