"""Arrays made, filled and copied inside kernels: compiled once, not for each way to call numpy.

Assigning to a slice would also translate all that words the error of unequal shapes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

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


@inner
def fill(values: NDArray[Any], value: float) -> None:
    """Write one value into all places."""
    for i in range(values.size):
        values[i] = value


@inner
def copy_into(values: NDArray[Any], others: NDArray[Any]) -> None:
    """Write other values, as many, into an array."""
    for i in range(values.size):
        values[i] = others[i]


@inner
def largest(values: Indices) -> int:
    """The largest of whole numbers that are not negative."""
    found = values[0]
    for i in range(1, values.size):
        found = max(found, values[i])
    return found
