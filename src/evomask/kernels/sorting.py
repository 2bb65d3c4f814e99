"""Sorting and searching inside kernels: compiled once for each kind of number.

numpy's own functions would be translated again for each kernel and each kind of array.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Floats, Indices
from evomask.kernels.compiler import inner
from evomask.kernels.filled import counted

Number = TypeVar("Number", bound=np.generic)

SHORT = 16
"""Runs of this length are put in order by insertion."""


@inner
def stable_order(values: NDArray[Any]) -> Indices:
    """The places of values in rising order, of equal ones the first first; O(n log n).

    NaN comes last. Short runs are put in order by insertion and merged, ever longer ones.
    """
    own = np.empty(values.size, dtype=values.dtype)
    for i in range(values.size):
        own[i] = values[i]
    order, merged = counted(own.size), np.empty(own.size, dtype=np.int64)
    for start in range(0, own.size, SHORT):
        _insert(own, order, start, min(start + SHORT, own.size))
    length = SHORT
    while length < own.size:
        for start in range(0, own.size, 2 * length):
            _merge(own, order, merged, start, start + length, start + 2 * length)
        order, merged = merged, order
        length *= 2
    return order


@inner
def in_order(values: NDArray[Number]) -> NDArray[Number]:
    """The values in rising order."""
    order = stable_order(values)
    sorted_values = np.empty(values.size, dtype=values.dtype)
    for i in range(values.size):
        sorted_values[i] = values[order[i]]
    return sorted_values


@inner
def _insert(values: NDArray[Any], order: Indices, start: int, stop: int) -> None:
    """Put a short run of places in order."""
    for i in range(start + 1, stop):
        place = order[i]
        k = i
        while k > start and _comes_before(values[place], values[order[k - 1]]):
            order[k] = order[k - 1]
            k -= 1
        order[k] = place


@inner
def _merge(
    values: NDArray[Any], order: Indices, merged: Indices, start: int, middle: int, stop: int
) -> None:
    """Merge two runs of places; what would lie behind the end is not there."""
    middle, stop = min(middle, values.size), min(stop, values.size)
    left, right = start, middle
    for k in range(start, stop):
        if left < middle and (
            right >= stop or not _comes_before(values[order[right]], values[order[left]])
        ):
            merged[k] = order[left]
            left += 1
        else:
            merged[k] = order[right]
            right += 1


@inner
def _comes_before(value: Any, other: Any) -> bool:
    """Whether a value is smaller than another one; NaN is the largest."""
    return value < other or (other != other and value == value)  # noqa: PLR0124


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
