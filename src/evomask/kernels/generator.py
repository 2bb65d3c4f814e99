"""Random numbers in kernels: xorshift64* (Vigna, 2016), the same on every machine.

64 bits of state, one multiplication a number, seeded once per burst. Not for cryptography.
"""

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.jit import inner

RandomState = NDArray[np.uint64]
"""One number, the state of the generator; drawing changes it."""

_A, _B, _C = np.uint64(12), np.uint64(25), np.uint64(27)
_MULTIPLIER = np.uint64(0x2545F4914F6CDD1D)
_HALF = np.uint64(32)
_ELEVEN = np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0


def draw_seed(rng: np.random.Generator) -> int:
    """Return a seed for one burst; never 0, the generator's fixed point."""
    return int(rng.integers(1, 2**63))


@inner
def seed_state(seed: int) -> RandomState:
    """Return the state of a generator eight draws after its seed."""
    state = np.empty(1, dtype=np.uint64)
    state[0] = np.uint64(seed)
    for _ in range(8):
        draw_bits(state)
    return state


@inner
def draw_bits(state: RandomState) -> np.uint64:
    """Return the next 64 bits."""
    x = state[0]
    x ^= x >> _A
    x ^= x << _B
    x ^= x >> _C
    state[0] = x
    return x * _MULTIPLIER


@inner
def draw_below(state: RandomState, limit: int) -> int:
    """Return an integer in 0..limit-1, for limits up to 2³² (bias below limit / 2³²)."""
    return np.int64(((draw_bits(state) >> _HALF) * np.uint64(limit)) >> _HALF)  # type: ignore[return-value]


@inner
def draw_unit(state: RandomState) -> float:
    """Return a number in [0, 1)."""
    return np.float64(draw_bits(state) >> _ELEVEN) * _UNIT
