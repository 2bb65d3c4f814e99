"""Sorting and searching inside kernels: compiled once for each kind of number.

numpy's own functions would be translated again for each kernel and each kind of array.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Floats, Indices
from evomask.kernels.compiler import inner


@inner
def stable_order(values: NDArray[Any]) -> Indices:
    """The places of values in rising order, of equal ones the first first; O(n log n)."""
    own = np.empty(values.size, dtype=values.dtype)
    for i in range(values.size):
        own[i] = values[i]
    return np.argsort(own, kind="mergesort")


@inner
def place_before(ordered: Floats, value: float) -> int:
    """Where a number belongs among ordered ones, before equal ones; NaN: at the end."""
    low, high = 0, ordered.size
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] >= value:
            high = middle
        else:
            low = middle + 1
    return low


@inner
def place_behind(ordered: Floats, value: float) -> int:
    """Where a number belongs among ordered ones, behind equal ones; NaN: at the end."""
    low, high = 0, ordered.size
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] > value:
            high = middle
        else:
            low = middle + 1
    return low
