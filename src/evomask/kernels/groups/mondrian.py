"""Mondrian partitioning: regions of at least k records, cut across their widest side."""

import numpy as np

from evomask.kernels.compiler.arrays import argsort, copy_into, sort
from evomask.kernels.jit import FLOATS, INT64, POINTS, inner, kernel
from evomask.types import Floats, Indices, Labels, Points


def mondrian(points: Points, spans: Floats, k: int, *, relaxed: bool = False) -> Labels:
    """Return the region of each record; every region has k or more and cannot be cut again.

    A region is cut across its widest side, relative to the attribute's entry in *spans*; where that
    side has no valid cut, across the next. The first attribute wins a tie. A strict cut keeps equal
    values together and is the one nearest to the median (the lower of two); a relaxed one halves
    the records, and of equal values the first records go below.

    Cost is O(n d log² n) time for regions that halve.
    """
    columns = np.ascontiguousarray(points.T, dtype=np.float64)
    return _mondrian(columns, np.ascontiguousarray(spans), k, 1 if relaxed else 0)


@inner
def _widths(columns: Points, spans: Floats, members: Indices, widths: Floats) -> None:
    """Length of each side of a region relative to the attribute's span; 0 without a span."""
    for j in range(columns.shape[0]):
        low = high = columns[j, members[0]]
        for i in members[1:]:
            low = min(low, columns[j, i])
            high = max(high, columns[j, i])
        widths[j] = (high - low) / spans[j] if spans[j] > 0 else 0.0


@inner
def _cut(ordered: Floats, k: int, relaxed: int) -> int:
    """Number of sorted values below the cut; 0 where no cut is valid."""
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
    """Reorder *members* so that those below the cut come first; their number, 0 without a cut."""
    _widths(columns, spans, members, widths)
    for _ in range(columns.shape[0]):
        side = int(np.argmax(widths))
        if widths[side] <= 0.0:
            return 0
        widths[side] = -1.0
        values = columns[side][members]
        order = argsort(values)
        below = _cut(values[order], k, relaxed)
        if below > 0:
            copy_into(members, members[order])
            copy_into(members[:below], sort(members[:below]))
            copy_into(members[below:], sort(members[below:]))
            return below
    return 0


@kernel(POINTS, FLOATS, INT64, INT64)
def _mondrian(columns: Points, spans: Floats, k: int, relaxed: int) -> Labels:
    """Number the regions from the lowest side up; a stack has those still to be cut."""
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
