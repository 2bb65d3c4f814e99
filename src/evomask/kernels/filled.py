"""New arrays inside kernels: compiled once, not again for each way to call numpy."""

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.kernels.compiler import inner


@inner
def reals(size: int, value: float) -> Floats:
    """As many numbers, all of one value."""
    made = np.empty(size)
    for i in range(size):
        made[i] = value
    return made


@inner
def wholes(size: int, value: int) -> Indices:
    """As many whole numbers, all of one value."""
    made = np.empty(size, dtype=np.int64)
    for i in range(size):
        made[i] = value
    return made


@inner
def counted(size: int) -> Indices:
    """The whole numbers from 0, as many as wanted."""
    made = np.empty(size, dtype=np.int64)
    for i in range(size):
        made[i] = i
    return made
