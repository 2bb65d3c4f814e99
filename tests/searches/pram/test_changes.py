"""Small changes of matrices keep what must be kept."""

import numpy as np
import pytest

from evomask.kernels.pram.transitions import mutate_matrices
from evomask.masking.randomization.pram import frequency_shift, normalize_rows
from evomask.masking.randomization.transition_limits import TransitionLimits
from evomask.searches.pram.genome import Layout, Limits, allowed_changes
from tests.measures.files import categories

NO_LIMITS = TransitionLimits()
CASES = {
    "plain": Limits(),
    "range": Limits(0.3, 0.6),
    "band": Limits(band=1),
    "invariant": Limits(invariant=True),
    "all": Limits(0.3, 0.8, band=2, invariant=True),
    "forbidden": Limits(),
    "forbidden both ways": Limits(0.3, 0.9, invariant=True),
}
FORBIDDEN = TransitionLimits(("a:a->b", "a:d->*", "b:*->c"))


def laid_out(limits, transitions=NO_LIMITS):
    rng = np.random.default_rng(1)
    a = [*range(5), *rng.choice(5, 95, p=[0.4, 0.1, 0.0, 0.3, 0.2]).tolist()]
    table = categories(ordinal=True, a=a, b=[*range(3), *rng.integers(0, 3, 97).tolist()])
    return Layout(table, ("a", "b"), limits, transitions)


@pytest.fixture(params=CASES.items(), ids=CASES.keys())
def layout(request):
    name, limits = request.param
    return laid_out(limits, FORBIDDEN if "forbidden" in name else NO_LIMITS)


def walked(layout, steps=500):
    rng = np.random.default_rng(2)
    weights = {
        name: normalize_rows(rng.random((size, size)) ** 3)
        for name, size in zip(layout.attributes, layout.sizes, strict=True)
    }
    flat = first = layout.shaped(weights)
    for seed in range(1, steps + 1):
        flat = mutate_matrices(flat, layout.bounds, 0.2, seed)
    return first, flat


def test_matrices_stay_within_their_limits(layout):
    first, last = walked(layout)
    assert not np.array_equal(first, last)
    for name, matrix in layout.matrices(last).items():
        limits = layout.limits[name]
        assert (matrix >= 0).all()
        assert matrix.sum(axis=1) == pytest.approx(1.0, abs=1e-10)
        stays = np.diagonal(matrix)
        assert stays.min() >= limits.low - 1e-10
        assert stays.max() <= limits.high + 1e-10
        assert not matrix[~allowed_changes(len(matrix), limits)].any()


@pytest.mark.parametrize("case", ["invariant", "all"])
def test_invariant_matrices_stay_invariant(case):
    layout = laid_out(CASES[case])
    _, last = walked(layout)
    for name, matrix in layout.matrices(layout.tidied(last)).items():
        assert frequency_shift(matrix, layout.frequencies[name]) < 1e-12


def test_the_same_seed_makes_the_same_change_and_leaves_its_parent_alone(layout):
    first, _ = walked(layout, 0)
    kept = first.copy()
    one, other = (mutate_matrices(first, layout.bounds, 0.2, 9) for _ in range(2))
    assert np.array_equal(one, other)
    assert np.array_equal(first, kept)
