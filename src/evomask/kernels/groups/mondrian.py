"""Mondrian: regions of at least k records, made by cutting the widest side in two."""

import numpy as np

from evomask.arrays import Floats, Indices, Labels, Points
from evomask.kernels.compiler import FLOATS, POINTS, WHOLE, inner, kernel
from evomask.kernels.filled import copy_into
from evomask.kernels.sorting import in_order, stable_order


def mondrian(points: Points, spans: Floats, k: int, *, relaxed: bool = False) -> Labels:
    """Region of each record; every region holds k or more and cannot be cut again.

    A region is cut across its widest side, its length divided by the attribute's entry in
    *spans*; where that side allows no cut, across the next. Ties: the first attribute. A
    strict cut keeps equal values together and is the one nearest to halves (the lower of
    two); a relaxed one halves the records, of equal values those that come first go below.

    Cost is O(n d log² n) time for regions that halve.
    """
    columns = np.ascontiguousarray(points.T, dtype=np.float64)
    return _mondrian(columns, np.ascontiguousarray(spans), k, 1 if relaxed else 0)


@inner
def _widths(columns: Points, spans: Floats, members: Indices, widths: Floats) -> None:
    """Length of each side of the region over the attribute's span; 0 where it has none."""
    for j in range(columns.shape[0]):
        low = high = columns[j, members[0]]
        for i in members[1:]:
            low = min(low, columns[j, i])
            high = max(high, columns[j, i])
        widths[j] = (high - low) / spans[j] if spans[j] > 0 else 0.0


@inner
def _cut(ordered: Floats, k: int, relaxed: int) -> int:
    """How many of the ordered values go below the cut; 0 where none is allowed."""
    size = ordered.size
    if relaxed:
        return size // 2
    for away in range(size):
        below = size // 2 - away
        if below >= k and size - below >= k and ordered[below - 1] < ordered[below]:
            return below
        below = (size + 1) // 2 + away
        if below >= k and size - below >= k and ordered[below - 1] < ordered[below]:
            return below
        if size // 2 - away < k and (size + 1) // 2 + away > size - k:
            return 0
    return 0


@inner
def _split(
    columns: Points, spans: Floats, members: Indices, k: int, relaxed: int, widths: Floats
) -> int:
    """Reorder *members* so that those below the cut come first; how many, 0 if none is allowed."""
    _widths(columns, spans, members, widths)
    for _ in range(columns.shape[0]):
        side = int(np.argmax(widths))
        if widths[side] <= 0.0:
            return 0
        widths[side] = -1.0
        values = columns[side][members]
        order = stable_order(values)
        below = _cut(values[order], k, relaxed)
        if below > 0:
            copy_into(members, members[order])
            copy_into(members[:below], in_order(members[:below]))
            copy_into(members[below:], in_order(members[below:]))
            return below
    return 0


@kernel(POINTS, FLOATS, WHOLE, WHOLE)
def _mondrian(columns: Points, spans: Floats, k: int, relaxed: int) -> Labels:
    """Regions numbered from the lowest side up; a stack holds those still to be cut."""
    d, n = columns.shape
    members = np.arange(n)
    labels = np.empty(n, dtype=np.int64)
    widths = np.empty(d)
    starts = np.empty(n + 1, dtype=np.int64)
    stops = np.empty(n + 1, dtype=np.int64)
    starts[0], stops[0] = 0, n
    open_regions = 1
    region = 0
    while open_regions > 0:
        open_regions -= 1
        start, stop = starts[open_regions], stops[open_regions]
        below = 0
        if stop - start >= 2 * k:
            below = _split(columns, spans, members[start:stop], k, relaxed, widths)
        if below == 0:
            for i in range(start, stop):
                labels[members[i]] = region
            region += 1
            continue
        starts[open_regions], stops[open_regions] = start + below, stop
        starts[open_regions + 1], stops[open_regions + 1] = start, start + below
        open_regions += 2
    return labels
