"""Sorting inside kernels: one compiled sort for each kind of number, whatever the array."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Indices
from evomask.kernels.compiler import inner


@inner
def stable_order(values: NDArray[Any]) -> Indices:
    """The places of values in rising order, of equal ones the first first; O(n log n)."""
    own = np.empty(values.size, dtype=values.dtype)
    for i in range(values.size):
        own[i] = values[i]
    return np.argsort(own, kind="mergesort")
