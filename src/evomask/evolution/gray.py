"""Gray code: neighbouring whole numbers differ in one bit."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Whole = TypeVar("Whole", int, NDArray[np.int64])


def gray(value: Whole) -> Whole:
    """The Gray code of a whole number from 0 on, or of each in an array."""
    return value ^ (value >> 1)


def from_gray(code: Whole) -> Whole:
    """The number a Gray code stands for (below 2^63), or each in an array."""
    value = code
    for shift in (1, 2, 4, 8, 16, 32):
        value = value ^ (value >> shift)
    return value
