# ruff: noqa: ANN401
"""Array functions for kernels: creation, filling, copying, extremes, sorting, binary search.

Each is compiled once for each type of number. numpy's functions would be compiled again for each
kernel and each type of array, and an assignment to a slice also compiles its error message.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.jit import extreme, inner
from evomask.types import Floats, Indices, Points

Number = TypeVar("Number", bound=np.generic)

SHORT = 16
"""Length of the runs that are sorted by insertion before they are merged."""


@inner
def full_floats(size: int, value: float) -> Floats:
    """Return an array of *size* real numbers that all equal *value*."""
    made = np.empty(size)
    for i in range(size):
        made[i] = value
    return made


@inner
def full_ints(size: int, value: int) -> Indices:
    """Return an array of *size* integers that all equal *value*."""
    made = np.empty(size, dtype=np.int64)
    for i in range(size):
        made[i] = value
    return made


@inner
def arange(size: int) -> Indices:
    """Return the integers 0 to size-1."""
    made = np.empty(size, dtype=np.int64)
    for i in range(size):
        made[i] = i
    return made


@inner
def fill(values: NDArray[Any], value: float) -> None:
    """Set every element to *value*."""
    for i in range(values.size):
        values[i] = value


@inner
def copy_into(values: NDArray[Any], others: NDArray[Any]) -> None:
    """Overwrite *values* with the first elements of *others*."""
    for i in range(values.size):
        values[i] = others[i]


@extreme
def largest(values: NDArray[Any], count: int) -> Any:
    """Return the largest of the first *count* values; at least one, none NaN."""
    found = values[0]
    for i in range(1, count):
        found = max(found, values[i])
    return found


@extreme
def smallest(values: Floats, count: int) -> float:
    """Return the smallest of the first *count* values; at least one, none NaN."""
    found = values[0]
    for i in range(1, count):
        found = min(found, values[i])
    return found


@inner
def column_sums(points: Points) -> Floats:
    """Return the sum of each attribute, added record by record."""
    sums = np.zeros(points.shape[1])
    for i in range(points.shape[0]):
        for j in range(sums.size):
            sums[j] += points[i, j]
    return sums


@inner
def argsort(values: NDArray[Any]) -> Indices:
    """Return the stable ascending order of the values, NaN last; O(n log n).

    Runs of `SHORT` elements are sorted by insertion, then merged pairwise.
    """
    own = np.empty(values.size, dtype=values.dtype)
    for i in range(values.size):
        own[i] = values[i]
    order, merged = arange(own.size), np.empty(own.size, dtype=np.int64)
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
def sort(values: NDArray[Number]) -> NDArray[Number]:
    """Return the values in ascending order, NaN last."""
    order = argsort(values)
    sorted_values = np.empty(values.size, dtype=values.dtype)
    for i in range(values.size):
        sorted_values[i] = values[order[i]]
    return sorted_values


@inner
def _insert(values: NDArray[Any], order: Indices, start: int, stop: int) -> None:
    """Sort order[start:stop] by insertion."""
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
    """Merge the runs start..middle and middle..stop, both cut at the end of the array."""
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
    """Compare two values; NaN is the largest."""
    return value < other or (other != other and value == value)  # noqa: PLR0124


@inner
def search_left(ordered: Floats, value: float) -> int:
    """Return the position before which all elements are smaller; the end for NaN."""
    low, high = 0, ordered.size
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] >= value:
            high = middle
        else:
            low = middle + 1
    return low


@inner
def search_right(ordered: Floats, value: float) -> int:
    """Return the position before which all elements are smaller or equal; the end for NaN."""
    low, high = 0, ordered.size
    while low < high:
        middle = (low + high) // 2
        if ordered[middle] > value:
            high = middle
        else:
            low = middle + 1
    return low
