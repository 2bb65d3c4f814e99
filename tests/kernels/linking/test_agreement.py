"""The fit against a slow twin in plain matrices."""

import numpy as np
import pytest

from evomask.kernels.linking.agreement import fit_agreement


def slow_fit(agreements, pairs, matches, m, u, smallest, steps):
    def likelihoods(probabilities):
        chosen = np.where(agreements == 1, probabilities, 1 - probabilities)
        return chosen.prod(axis=1)

    for _ in range(steps):
        ours, others = matches * likelihoods(m), (1 - matches) * likelihoods(u)
        linked = pairs * ours / (ours + others)
        matches = linked.sum() / pairs.sum()
        m = np.clip(linked @ agreements / linked.sum(), smallest, 1 - smallest)
        u = np.clip((pairs - linked) @ agreements / (pairs - linked).sum(), smallest, 1 - smallest)
    return matches, m, u


@pytest.mark.parametrize("seed", range(5))
def test_so_many_steps_lead_where_the_slow_twin_gets(seed):
    rng = np.random.default_rng(seed)
    agreements = rng.integers(0, 2, (30, 5)).astype(float)
    pairs = rng.integers(1, 1000, 30).astype(float)
    begin = 0.1, np.full(5, 0.9), np.full(5, 0.1), 1e-9
    found = fit_agreement(agreements, pairs, *begin, 0.0, 25)
    expected = slow_fit(agreements, pairs, *begin, 25)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-9)


def test_it_ends_where_nothing_moves():
    agreements, pairs = np.array([[1.0], [0.0]]), np.array([1.0, 99.0])
    start = 0.1, np.full(1, 0.9), np.full(1, 0.1), 1e-9
    settled = fit_agreement(agreements, pairs, *start, 1e-12, 100_000)
    longer = fit_agreement(agreements, pairs, *start, 1e-12, 200_000)
    assert all(np.array_equal(a, b) for a, b in zip(settled, longer, strict=True))
