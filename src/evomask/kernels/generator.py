"""A small integer generator for kernels: seeded once per burst, the same on every machine.

It is xorshift64* (Vigna, 2016): 64 bits of state, one multiplication a number. Not for secrets.
"""

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.compiler import inner

State = NDArray[np.uint64]
"""The one number that is the generator's state; drawing changes it."""

_A, _B, _C = np.uint64(12), np.uint64(25), np.uint64(27)
_MULTIPLIER = np.uint64(0x2545F4914F6CDD1D)
_HALF = np.uint64(32)
_ELEVEN = np.uint64(11)
_UNIT = 1.0 / 9007199254740992.0


def seed_of(rng: np.random.Generator) -> int:
    """A seed for one burst; never 0, which the generator could not leave."""
    return int(rng.integers(1, 2**63))


@inner
def started(seed: int) -> State:
    """A generator in its first state, a few draws away from its seed."""
    state = np.empty(1, dtype=np.uint64)
    state[0] = np.uint64(seed)
    for _ in range(8):
        bits(state)
    return state


@inner
def bits(state: State) -> np.uint64:
    """The next 64 bits."""
    x = state[0]
    x ^= x >> _A
    x ^= x << _B
    x ^= x >> _C
    state[0] = x
    return x * _MULTIPLIER


@inner
def below(state: State, limit: int) -> int:
    """A whole number in 0..limit-1, for limits up to 2³² (bias below limit / 2³²)."""
    return np.int64(((bits(state) >> _HALF) * np.uint64(limit)) >> _HALF)  # type: ignore[return-value]


@inner
def unit(state: State) -> float:
    """A number in [0, 1)."""
    return np.float64(bits(state) >> _ELEVEN) * _UNIT
