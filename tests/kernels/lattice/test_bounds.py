"""Bounds, margins and distances of lattice nodes against arrays of all pairs."""

import numpy as np
import pytest

from evomask.kernels.lattice.bounds import bounds_between, distances, margins


@pytest.mark.parametrize("seed", range(5))
def test_bounds_are_the_extremes_of_comparable_nodes(seed):
    rng = np.random.default_rng(seed)
    known, others = rng.integers(4, size=(30, 3)), rng.integers(4, size=(50, 3))
    values = rng.normal(size=30)
    least, most = bounds_between(known, values, others)
    for other, low, high in zip(others, least, most, strict=True):
        coarser = values[(known >= other).all(axis=1)]
        finer = values[(known <= other).all(axis=1)]
        assert low == coarser.max(initial=-np.inf)
        assert high == finer.min(initial=np.inf)


@pytest.mark.parametrize("seed", range(5))
def test_a_margin_is_the_least_of_the_most_that_any_objective_is_better_by(seed):
    rng = np.random.default_rng(seed)
    front, expected = rng.normal(size=(7, 3)), rng.normal(size=(40, 3))
    slowly = (front[:, None] - expected[None]).max(axis=2).min(axis=0)
    assert np.array_equal(margins(front, expected), slowly)


@pytest.mark.parametrize("seed", range(5))
def test_distances_are_those_to_the_nearest_node(seed):
    rng = np.random.default_rng(seed)
    nodes, front = rng.integers(5, size=(40, 4)), rng.integers(5, size=(6, 4))
    slowly = np.abs(nodes[:, None] - front[None]).sum(axis=2).min(axis=1)
    assert np.array_equal(distances(nodes, front), slowly)
