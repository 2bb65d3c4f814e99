"""Attribute inference: unknown values of a target, from the released records nearest to it.

Inferred are the median of a number, by ranks, the most frequent category (ties share), and the
median of an ordered category; and the share of the nearest records that agree with it. Records
count as often as they occur in the file, and a cell that covers several values counts for each of
them with its probability.
"""

from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import argsort
from evomask.kernels.jit import (
    FLOAT64,
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
        low, high, middles: for each record and number the ranks of its ends, and of the median of
            its interval, among the original values; NaN where missing.
        window: a number is inferred right, or agrees, within so many ranks.
        spread: for each code attribute a matrix of cells (rows) by categories.
        spreads, cells, sizes: start of each matrix, its numbers of cells and of categories.
        places: start of each attribute's categories among all of them.
        close: for each code attribute, whether two categories agree.
        closes: start of each attribute's matrix in *close*.
        ordered: 1 where the median is inferred instead of the most frequent category.
        missing: category that stands for a missing value, or -1.
        wanted_numbers, wanted_codes: 1 where an attribute is inferred.
    """

    low: Points
    high: Points
    middles: Points
    window: float
    spread: Floats
    spreads: Indices
    cells: Indices
    sizes: Indices
    places: Indices
    close: Floats
    closes: Indices
    ordered: Indices
    missing: Indices
    wanted_numbers: Indices
    wanted_codes: Indices


CELLS = bundle(
    Cells, *[RW_POINTS] * 3, FLOAT64, RW_FLOATS, *[RW_INDICES] * 4, RW_FLOATS, *[RW_INDICES] * 5
)


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
def _infer_number(
    boxes: Boxes, cells: Cells, search: Search, size: int, a: int, values: Floats, weights: Floats
) -> tuple[float, float]:  # fmt: skip
    """Return the median rank of a number in the nearest records, and the share that agrees."""
    total = 0.0
    for f in range(size):
        row = search.found[f]
        values[f] = cells.middles[row, a]
        weights[f] = boxes.counts[row]
        total += weights[f]
    middle = _median(values, weights, size)
    agreeing = 0.0
    for f in range(size):
        row = search.found[f]
        low, high = cells.low[row, a], cells.high[row, a]
        if np.isnan(middle) or np.isnan(low):
            share = 1.0 if np.isnan(middle) and np.isnan(low) else 0.0
        elif high > low:
            within = min(high, middle + cells.window) - max(low, middle - cells.window)
            share = max(within, 0.0) / (high - low)
        else:
            share = 1.0 if abs(low - middle) <= cells.window else 0.0
        agreeing += share * boxes.counts[row]
    return middle, agreeing / total


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
def _infer_category(
    boxes: Boxes, cells: Cells, search: Search, size: int, j: int, out: Floats
) -> float:  # fmt: skip
    """Write the shares of the inferred categories; return the share of records that agrees."""
    domain = cells.sizes[j]
    found = np.zeros(cells.cells[j])
    for f in range(size):
        row = search.found[f]
        found[boxes.codes[row, j]] += boxes.counts[row]
    counts = np.zeros(domain)
    total = 0.0
    for c in range(found.size):
        if found[c] > 0.0:
            total += found[c]
            start = cells.spreads[j] + c * domain
            for v in range(domain):
                counts[v] += found[c] * cells.spread[start + v]
    if cells.ordered[j]:
        _share_of_middle(counts, cells.missing[j], out)
    else:
        _share_among_most(counts, out)
    agreeing = 0.0
    for v in range(domain):
        if out[v] > 0.0:
            start = cells.closes[j] + v * domain
            for w in range(domain):
                agreeing += out[v] * cells.close[start + w] * counts[w]
    return agreeing / total


@kernel(BOXES, COSTS, TARGETS, SEARCH, CELLS, INDICES)
def infer_values(
    boxes: Boxes, costs: Costs, targets: Targets, search: Search, cells: Cells, chosen: Indices
) -> tuple[Points, Points, Points]:  # fmt: skip
    """Return for each chosen target the ranks of inferred numbers, the shares of inferred
    categories, and the share of the nearest records that agrees with each, numbers first.

    Cost is a tree search a target, plus O(nearest log nearest) an attribute.
    """
    n_numbers, n_codes = boxes.low.shape[1], cells.sizes.size
    numbers = np.zeros((chosen.size, n_numbers))
    shares = np.zeros((chosen.size, cells.places[n_codes]))
    agreements = np.zeros((chosen.size, n_numbers + n_codes))
    values, weights = np.empty(boxes.counts.size), np.empty(boxes.counts.size)
    strangers = False
    for t in range(chosen.size):
        size, _ = find_nearest(boxes, costs, targets, search, chosen[t], strangers)
        for a in range(n_numbers):
            if cells.wanted_numbers[a]:
                middle, agreeing = _infer_number(boxes, cells, search, size, a, values, weights)
                numbers[t, a] = middle
                agreements[t, a] = agreeing
        for j in range(n_codes):
            if cells.wanted_codes[j]:
                out = shares[t, cells.places[j] : cells.places[j + 1]]
                agreements[t, n_numbers + j] = _infer_category(boxes, cells, search, size, j, out)
    return numbers, shares, agreements
