import numpy as np
import pytest

from evomask.kernels.lattice.bounds import bounds_between


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
