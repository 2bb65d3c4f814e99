"""Attribute inference: an intruder reads unknown values from the released records nearest to a
target.

Inferred are the median of a number, the most frequent category (ties share), and the median of an
ordered category. Records count as often as they occur in the file, and a generalized cell counts
for each of its categories with that category's probability.
"""

from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import argsort
from evomask.kernels.jit import (
    BOOL,
    INDICES,
    RW_FLOATS,
    RW_INDICES,
    RW_POINTS,
    bundle,
    inner,
    kernel,
)
from evomask.kernels.linking.boxes import (
    BOXES,
    COSTS,
    SEARCH,
    TARGETS,
    Boxes,
    Costs,
    Search,
    Targets,
    find_nearest,
)
from evomask.types import Floats, Indices, Points

CLOSE = 1e-9
"""Relative tolerance for equally frequent categories."""


class Cells(NamedTuple):
    """Meaning of released cells.

    Args:
        middles: for each record and number its value, or the median of its interval.
        spread: for each code attribute a matrix of cells (rows) by categories.
        spreads, cells, sizes: start of each matrix, its numbers of cells and of categories.
        places: start of each attribute's categories among all of them.
        ordered: 1 where the median is inferred instead of the most frequent category.
        missing: category that stands for a missing value, or -1.
        wanted_numbers, wanted_codes: 1 where an attribute is inferred.
    """

    middles: Points
    spread: Floats
    spreads: Indices
    cells: Indices
    sizes: Indices
    places: Indices
    ordered: Indices
    missing: Indices
    wanted_numbers: Indices
    wanted_codes: Indices


CELLS = bundle(Cells, RW_POINTS, RW_FLOATS, *[RW_INDICES] * 8)


@inner
def _median(values: Floats, weights: Floats, size: int) -> float:
    """Weighted median, the mean of both middles; missing where most values are."""
    known = 0
    total = missing = 0.0
    for s in range(size):
        if np.isnan(values[s]):
            missing += weights[s]
        else:
            values[known] = values[s]
            weights[known] = weights[s]
            total += weights[s]
            known += 1
    if known == 0 or missing > total:
        return np.nan
    order = argsort(values[:known])
    below = 0.0
    for s in range(known):
        below += weights[order[s]]
        if below * 2 > total or s == known - 1:
            return float(values[order[s]])
        if below * 2 == total:
            return float(values[order[s]] / 2 + values[order[s + 1]] / 2)
    return np.nan


@inner
def _share_among_most(counts: Floats, out: Floats) -> None:
    """Divide a share of 1 among the most frequent categories."""
    most = total = 0.0
    for v in range(counts.size):
        most = max(most, counts[v])
        total += counts[v]
    if total == 0.0:
        return
    tied = 0
    for v in range(counts.size):
        if counts[v] >= most - CLOSE * total:
            tied += 1
    for v in range(counts.size):
        if counts[v] >= most - CLOSE * total:
            out[v] = 1.0 / tied


@inner
def _share_of_middle(counts: Floats, missing: int, out: Floats) -> None:
    """Give a share of 1 to the median category, or to the missing one if most are missing."""
    known = 0.0
    for v in range(counts.size):
        if v != missing:
            known += counts[v]
    if missing >= 0 and counts[missing] > known:
        out[missing] = 1.0
        return
    below = 0.0
    for v in range(counts.size):
        if v != missing:
            below += counts[v]
            if below * 2 >= known * (1.0 - CLOSE):
                out[v] = 1.0
                return


@inner
def _read_category(
    boxes: Boxes, cells: Cells, search: Search, size: int, j: int, out: Floats
) -> None:  # fmt: skip
    domain = cells.sizes[j]
    found = np.zeros(cells.cells[j])
    for f in range(size):
        row = search.found[f]
        found[boxes.codes[row, j]] += boxes.counts[row]
    counts = np.zeros(domain)
    for c in range(found.size):
        if found[c] > 0.0:
            start = cells.spreads[j] + c * domain
            for v in range(domain):
                counts[v] += found[c] * cells.spread[start + v]
    if cells.ordered[j]:
        _share_of_middle(counts, cells.missing[j], out)
    else:
        _share_among_most(counts, out)


@kernel(BOXES, COSTS, TARGETS, SEARCH, CELLS, INDICES, BOOL)
def infer_values(
    boxes: Boxes, costs: Costs, targets: Targets, search: Search, cells: Cells, chosen: Indices,
    strangers: bool,
) -> tuple[Points, Points]:  # fmt: skip
    """Return for each chosen target the inferred numbers, and the shares of inferred categories.

    From the nearest records; or, with *strangers*, from the nearest records that do not equal the
    target. Cost is a tree search a target, plus O(nearest log nearest) an attribute.
    """
    n_codes = cells.sizes.size
    numbers = np.zeros((chosen.size, boxes.low.shape[1]))
    width = cells.places[n_codes]
    shares = np.zeros((chosen.size, width))
    values, weights = np.empty(boxes.counts.size), np.empty(boxes.counts.size)
    for t in range(chosen.size):
        size, _ = find_nearest(boxes, costs, targets, search, chosen[t], strangers)
        for a in range(boxes.low.shape[1]):
            if cells.wanted_numbers[a]:
                for f in range(size):
                    values[f] = cells.middles[search.found[f], a]
                    weights[f] = boxes.counts[search.found[f]]
                numbers[t, a] = _median(values, weights, size)
        for j in range(n_codes):
            if cells.wanted_codes[j]:
                out = shares[t, cells.places[j] : cells.places[j + 1]]
                _read_category(boxes, cells, search, size, j, out)
    return numbers, shares
