"""What an intruder reads of people from the released records that are nearest to them.

Of a number the median is read, of a category the most frequent one (ties share), of an ordered
category the median; records count as often as they stand in the file, and a cell that covers
several categories counts for each as often as that is likely.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.kernels.compiler import (
    INDICES,
    OWN_FLOATS,
    OWN_INDICES,
    OWN_POINTS,
    TRUTH,
    bundle,
    inner,
    kernel,
)
from evomask.kernels.linking.boxes import (
    BOXES,
    COSTS,
    PEOPLE,
    SEARCH,
    Boxes,
    Costs,
    People,
    Search,
    seek,
)
from evomask.kernels.sorting import stable_order

CLOSE = 1e-9
"""Categories whose shares differ by less than this part of all are as frequent."""


class Cells(NamedTuple):
    """What released cells stand for.

    Args:
        middles: for each record and number its value, or the median of what it covers.
        spread: for each code attribute a table of cells (rows) and categories.
        spreads, cells, sizes: where each table begins, its number of cells, of categories.
        places: where the categories of each attribute begin among all of them.
        ordered: 1 where the median is read instead of the most frequent category.
        missing: the category that stands for a missing value, or -1.
        wanted_numbers, wanted_codes: 1 where an attribute is read.
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


CELLS = bundle(Cells, OWN_POINTS, OWN_FLOATS, *[OWN_INDICES] * 8)


@inner
def _median(values: Floats, weights: Floats, size: int) -> float:
    """The weighted median, the mean of both middles; missing where most values are."""
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
    order = stable_order(values[:known])
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
    """Give a share of 1 to the median category; to the missing one where most are missing."""
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


@kernel(BOXES, COSTS, PEOPLE, SEARCH, CELLS, INDICES, TRUTH)
def readings(
    boxes: Boxes, costs: Costs, people: People, search: Search, cells: Cells, chosen: Indices,
    strangers: bool,
) -> tuple[Points, Points]:  # fmt: skip
    """For each chosen person the numbers read, and the shares of the categories read.

    From the nearest records; or from the nearest *strangers*, who do not equal the person.
    """
    n_codes = cells.sizes.size
    numbers = np.zeros((chosen.size, boxes.low.shape[1]))
    width = cells.places[n_codes]
    shares = np.zeros((chosen.size, width))
    values, weights = np.empty(boxes.counts.size), np.empty(boxes.counts.size)
    for t in range(chosen.size):
        size, _ = seek(boxes, costs, people, search, chosen[t], strangers)
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
