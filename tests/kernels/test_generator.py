"""The random generator against the same arithmetic in Python integers."""

import numpy as np
import pytest

from evomask.kernels.generator import draw_below, draw_seed, draw_unit, seed_state

MASK = 2**64 - 1


def slow_bits(state):
    state ^= state >> 12
    state = (state ^ (state << 25)) & MASK
    state ^= state >> 27
    return state, (state * 0x2545F4914F6CDD1D) & MASK


def slow_units(seed, count):
    state, units = seed, []
    for _ in range(8 + count):
        state, bits = slow_bits(state)
        units.append((bits >> 11) / 2**53)
    return units[8:]


@pytest.mark.parametrize("seed", [1, 2, 12345678901234567, 2**63 - 1])
def test_draws_are_those_of_the_slow_twin(seed):
    state = seed_state(seed)
    assert [draw_unit(state) for _ in range(50)] == slow_units(seed, 50)


def test_whole_numbers_cover_their_range_and_no_more():
    state = seed_state(3)
    assert {draw_below(state, 7) for _ in range(500)} == set(range(7))


def test_whole_numbers_are_evenly_spread():
    state = seed_state(5)
    counts = np.bincount([draw_below(state, 10) for _ in range(20_000)], minlength=10)
    assert np.sum((counts - 2000) ** 2 / 2000) < 27.9  # chi squared, 9 degrees, 0.1 %


def test_a_seed_is_never_zero():
    assert min(draw_seed(np.random.default_rng(i)) for i in range(50)) > 0
