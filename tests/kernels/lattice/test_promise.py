"""Margins and distances to a front against plain arrays of all pairs."""

import numpy as np
import pytest

from evomask.kernels.lattice.promise import distances, margins


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
