"""Keys and merging, against records grouped one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.lattice.classes import (
    LAYOUT,
    EquivalenceClasses,
    Layout,
    fields,
    membership,
    merge,
    pack_keys,
)
from evomask.kernels.lattice.classes import unpack_keys as digits_of


def layout_of(leaves):
    """Two levels each: the leaves, then pairs of neighbours."""
    widest = max(leaves)
    lowest = np.zeros((len(leaves), 2, widest), dtype=np.int64)
    lowest[:, 0] = np.arange(widest)
    lowest[:, 1] = np.arange(widest) // 2 * 2
    sizes = np.array(leaves)
    full = np.maximum(sizes - 1, 1)
    return bundle_tuple(LAYOUT, Layout(*fields(sizes), lowest, np.zeros_like(lowest), full))


def bottom_of(rows, layout, counts=None):
    rows = np.asarray(rows, dtype=np.int64)
    if counts is None:
        counts = np.zeros((len(rows), 0), dtype=np.int32)
    return EquivalenceClasses(pack_keys(rows, layout), np.ones(len(rows), dtype=np.int64), counts)


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=20), st.integers(0, 2**32 - 1))
def test_digits_come_back_from_keys(leaves, seed):
    rows = np.random.default_rng(seed).integers(leaves, size=(7, len(leaves)))
    layout = layout_of(leaves)
    assert np.array_equal(digits_of(pack_keys(rows, layout), layout), rows)


def test_many_attributes_fill_several_words():
    layout = layout_of([1000] * 15)
    assert layout.word.max() == 2


@pytest.mark.parametrize("leaves", [[6, 4, 5], [1000] * 15], ids=["one word", "three words"])
@pytest.mark.parametrize("seed", range(5))
def test_merging_groups_records_whose_ancestors_agree(leaves, seed):
    rng = np.random.default_rng(seed)
    layout = layout_of(leaves)
    rows = rng.integers(np.minimum(leaves, 4), size=(300, len(leaves)))
    rows[:, 3:] = 0
    values = rng.integers(3, size=300)
    merged = merge(bottom_of(rows, layout, np.eye(3, dtype=np.int32)[values]), 1, 1, layout)
    expected = {}
    for row, value in zip(rows, values, strict=True):
        row[1] -= row[1] % 2
        expected.setdefault(tuple(row), [0, 0, 0])[value] += 1
    found = digits_of(merged.keys, layout)
    assert [tuple(row) for row in found] == list(expected)
    assert merged.counts.tolist() == list(expected.values())
    assert merged.sizes.tolist() == [sum(counts) for counts in expected.values()]


def test_membership_finds_the_class_of_every_finer_one():
    layout = layout_of([6, 4])
    finer = bottom_of([[0, 0], [1, 0], [4, 3], [5, 2], [0, 0]], layout)
    coarser = merge(merge(finer, 0, 1, layout), 1, 1, layout)
    found = membership(coarser, finer, layout, np.array([1, 1]))
    assert found.tolist() == [0, 0, 1, 1, 0]
