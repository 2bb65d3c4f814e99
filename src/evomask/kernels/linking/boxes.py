"""Nearest released records of targets, by a tree of bounding boxes.

Records are in an order that keeps similar ones together, sixteen to a leaf; every node has the
range of each number and a bit mask of the codes below it. Attributes that are not known cost
nothing, so one tree serves all sets of known attributes. Costs are those of ``linkage``; a *step*
costs nothing within a tolerance and its whole weight beyond it, and the reverse where the weight is
negative. Costs within the relative tolerance ``TIE`` are tied.
"""

from typing import NamedTuple

import numpy as np

from evomask.kernels.jit import (
    BOOL,
    INDICES,
    INT64,
    RW_CODE_ROWS,
    RW_FLOATS,
    RW_INDEX_ROWS,
    RW_INDICES,
    RW_POINTS,
    bundle,
    inner,
    kernel,
    lazy,
)
from evomask.kernels.linking.linkage import TIE, gap_between
from evomask.types import Codes, Floats, Indices, Points

LEAF = 16
"""Records in a leaf."""

ROUNDED = 1.0 - 1e-12
"""Factor on costs from which a part is taken away, because the difference is rounded."""

DEEPEST = 128
"""Size of the stack of nodes; a tree of 2^60 leaves needs less."""


class Boxes(NamedTuple):
    """Distinct released records in the order of the tree, and its nodes; the root is node 1.

    Args:
        counts: number of equal records.
        lows, highs: ends of each number's range, infinite where one is missing below the node.
        marks: for each code attribute a bit for each code below the node, codes modulo 64.
        filled: number of records below each node.
    """

    low: Points
    high: Points
    codes: Codes
    counts: Indices
    lows: Points
    highs: Points
    marks: Indices
    filled: Indices
    first_leaf: int


BOXES = bundle(
    Boxes, RW_POINTS, RW_POINTS, RW_CODE_ROWS, RW_INDICES, RW_POINTS, RW_POINTS,
    RW_INDEX_ROWS, RW_INDICES, INT64,
)  # fmt: skip


class Targets(NamedTuple):
    """Targets as an intruder knows them, and the released records that are theirs.

    Args:
        sizes: number of targets that are equal in all attributes that may be known.
        ends: target i has ``rows[ends[i]:ends[i + 1]]``, as often as in ``counts``.
    """

    numbers: Points
    codes: Codes
    sizes: Indices
    ends: Indices
    rows: Indices
    counts: Indices


TARGETS = bundle(Targets, RW_POINTS, RW_CODE_ROWS, RW_INDICES, RW_INDICES, RW_INDICES, RW_INDICES)


class Costs(NamedTuple):
    """Costs of differences in the known attributes.

    Args:
        known_numbers: 1 where a number is known.
        known_codes: known code attributes, the most discriminating first.
        weights: cost of a squared difference of 1, or of a step.
        tolerances: width of a step; negative for squared differences.
        missing: cost of a number that is missing on one side.
        tables: cost of a target's code (row) and a released one, one table an attribute.
        starts, widths: start of each table, and the length of its rows.
        rows: start of each table's rows in *free* and *least*.
        free: bit mask of the released codes that cost a target's code nothing.
        least: smallest positive cost in each row.
    """

    known_numbers: Indices
    known_codes: Indices
    weights: Floats
    tolerances: Floats
    missing: Floats
    tables: Floats
    starts: Indices
    widths: Indices
    rows: Indices
    free: Indices
    least: Floats


COSTS = bundle(
    Costs, RW_INDICES, RW_INDICES, RW_FLOATS, RW_FLOATS, RW_FLOATS, RW_FLOATS,
    RW_INDICES, RW_INDICES, RW_INDICES, RW_INDICES, RW_FLOATS,
)  # fmt: skip


class Search(NamedTuple):
    """Scratch arrays of one search at a time.

    Args:
        nodes, bounds: stack of nodes, and lower bounds on the costs of their records: whole costs,
            then those without any one part.
        found: the records found.
        numbers, codes: the known attributes.
        values: the target's known numbers.
        tables: start of the costs of the target's known codes.
        free, least: as in the costs, for the target's known codes.
        sizes: how many numbers and how many codes are known.
        parts: cost of one record in each known attribute, codes before numbers.
        leaves_out: 1 for the known attributes that are left out in turn.
        limits, amounts, without: without each of these, the least cost, the number of records at
            that cost, and the records.
    """

    nodes: Indices
    bounds: Floats
    found: Indices
    numbers: Indices
    codes: Indices
    values: Floats
    tables: Indices
    free: Indices
    least: Floats
    sizes: Indices
    parts: Floats
    leaves_out: Indices
    limits: Floats
    amounts: Indices
    without: Indices


SEARCH = bundle(
    Search, RW_INDICES, RW_FLOATS, *[RW_INDICES] * 3, RW_FLOATS, RW_INDICES, RW_INDICES,
    RW_FLOATS, RW_INDICES, RW_FLOATS, RW_INDICES, RW_FLOATS, RW_INDICES, RW_INDEX_ROWS,
)  # fmt: skip


def create_search(n_rows: int, n_numbers: int, n_codes: int, *, leaves_out: bool = False) -> Search:
    """Return scratch arrays for the given numbers of records and attributes.

    Args:
        leaves_out: whether attributes will be left out in turn.
    """
    d = n_numbers + n_codes
    return Search(
        np.empty(DEEPEST, np.int64), np.empty(2 * DEEPEST), np.empty(n_rows, np.int64),
        np.empty(n_numbers, np.int64), np.empty(n_codes, np.int64), np.empty(n_numbers),
        np.empty(n_codes, np.int64), np.empty(n_codes, np.int64), np.empty(n_codes),
        np.zeros(2, np.int64), np.empty(d), np.zeros(d, np.int64), np.empty(d),
        np.zeros(d, np.int64), np.empty((d if leaves_out else 0, n_rows), np.int64),
    )  # fmt: skip


@inner
def _prepare(search: Search, costs: Costs, targets: Targets, i: int) -> None:
    """Collect the known attributes of a target."""
    size = 0
    for a in range(costs.known_numbers.size):
        if costs.known_numbers[a]:
            search.numbers[size] = a
            search.values[size] = targets.numbers[i, a]
            size += 1
    search.sizes[0] = size
    size = 0
    for j in costs.known_codes:
        code = targets.codes[i, j]
        search.codes[size] = j
        search.tables[size] = costs.starts[j] + code * costs.widths[j]
        search.free[size] = costs.free[costs.rows[j] + code]
        search.least[size] = costs.least[costs.rows[j] + code]
        size += 1
    search.sizes[1] = size


@inner
def _box_of_leaf(boxes: Boxes, node: int) -> None:
    start = (node - boxes.first_leaf) * LEAF
    stop = min(start + LEAF, boxes.counts.size)
    boxes.filled[node] = max(stop - start, 0)
    for row in range(start, stop):
        for a in range(boxes.low.shape[1]):
            if np.isnan(boxes.low[row, a]):
                boxes.lows[node, a] = -np.inf
                boxes.highs[node, a] = np.inf
            else:
                boxes.lows[node, a] = min(boxes.lows[node, a], boxes.low[row, a])
                boxes.highs[node, a] = max(boxes.highs[node, a], boxes.high[row, a])
        for j in range(boxes.codes.shape[1]):
            boxes.marks[node, j] |= 1 << (boxes.codes[row, j] & 63)


@inner
def _box_of_both(boxes: Boxes, node: int, left: int, right: int) -> None:
    boxes.filled[node] = boxes.filled[left] + boxes.filled[right]
    for a in range(boxes.low.shape[1]):
        boxes.lows[node, a] = min(boxes.lows[left, a], boxes.lows[right, a])
        boxes.highs[node, a] = max(boxes.highs[left, a], boxes.highs[right, a])
    for j in range(boxes.codes.shape[1]):
        boxes.marks[node, j] = boxes.marks[left, j] | boxes.marks[right, j]


@kernel(BOXES)
def fill_boxes(boxes: Boxes) -> None:
    """Compute the nodes from the leaves to the root; O(records · attributes)."""
    for node in range(2 * boxes.first_leaf - 1, 0, -1):
        if node >= boxes.first_leaf:
            _box_of_leaf(boxes, node)
        else:
            _box_of_both(boxes, node, 2 * node, 2 * node + 1)


@inner
def _number_cost(costs: Costs, a: int, value: float, low: float, high: float) -> float:
    weight = costs.weights[a]
    apart = np.isnan(value) != np.isnan(low)
    gap = 0.0
    if not apart and not np.isnan(value):
        gap = gap_between(value, value, low, high)
    if costs.tolerances[a] < 0.0:
        return costs.missing[a] if apart else weight * (gap * gap)
    agrees = not apart and gap <= costs.tolerances[a]
    if weight >= 0.0:
        return 0.0 if agrees else weight
    return -weight if agrees else 0.0


@inner
def _cost(boxes: Boxes, costs: Costs, search: Search, row: int, limit: float) -> float:
    """Cost of a released record for the target, partial once above *limit*."""
    total = 0.0
    for c in range(search.sizes[1]):
        total += costs.tables[search.tables[c] + boxes.codes[row, search.codes[c]]]
        if total > limit:
            return total
    for v in range(search.sizes[0]):
        a = search.numbers[v]
        value = search.values[v]
        total += _number_cost(costs, a, value, boxes.low[row, a], boxes.high[row, a])
        if total > limit:
            return total
    return total


@inner
def _bound(boxes: Boxes, costs: Costs, search: Search, node: int, limit: float) -> float:
    """Lower bound on the cost of all records below a node, partial once above *limit*."""
    if boxes.filled[node] == 0:
        return np.inf
    total = 0.0
    for c in range(search.sizes[1]):
        if search.free[c] & boxes.marks[node, search.codes[c]] == 0:
            total += search.least[c]
    if total > limit:
        return total
    for v in range(search.sizes[0]):
        a, value = search.numbers[v], search.values[v]
        weight = costs.weights[a]
        if weight > 0.0 and not np.isnan(value):
            gap = gap_between(value, value, boxes.lows[node, a], boxes.highs[node, a])
            if costs.tolerances[a] < 0.0:
                total += weight * (gap * gap)
            elif gap > costs.tolerances[a]:
                total += weight
    return total


@inner
def find_nearest(
    boxes: Boxes, costs: Costs, targets: Targets, search: Search, i: int, strangers: bool
) -> tuple[int, float]:  # fmt: skip
    """Find the nearest records of a target; return their number and cost.

    A record of the target's own is evaluated first, if it has any: it is rarely far away. With
    *strangers*, records that equal the target in all known attributes are left out.
    """
    _prepare(search, costs, targets, i)
    limit = np.inf
    if not strangers and targets.ends[i] < targets.ends[i + 1]:
        limit = _cost(boxes, costs, search, targets.rows[targets.ends[i]], np.inf)
    size = 0
    search.nodes[0] = 1
    search.bounds[0] = 0.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = search.nodes[waiting]
        within = limit * (1.0 + TIE)
        if search.bounds[waiting] > within:
            continue
        if node < boxes.first_leaf:
            left = _bound(boxes, costs, search, 2 * node, within)
            right = _bound(boxes, costs, search, 2 * node + 1, within)
            first = 0 if left > right else 1
            for side in range(2):
                child = 2 * node + (first if side == 0 else 1 - first)
                bound = right if child & 1 else left
                if bound <= within:
                    search.nodes[waiting] = child
                    search.bounds[waiting] = bound
                    waiting += 1
            continue
        start = (node - boxes.first_leaf) * LEAF
        for row in range(start, start + boxes.filled[node]):
            apart = _cost(boxes, costs, search, row, limit * (1.0 + TIE))
            if apart <= limit * (1.0 + TIE) and not (strangers and apart == 0.0):
                if apart < limit * (1.0 - TIE):
                    size = 0
                limit = min(limit, apart)
                search.found[size] = row
                size += 1
    return size, limit


@inner
def _parts(
    boxes: Boxes, costs: Costs, search: Search, row: int, most: float, worst: float
) -> float:
    """Cost of a released record, and its part in every known attribute.

    Partial once it exceeds *most*, and *worst* without the largest part that is left out.
    """
    total = largest = 0.0
    for c in range(search.sizes[1]):
        part = costs.tables[search.tables[c] + boxes.codes[row, search.codes[c]]]
        search.parts[c] = part
        total += part
        if search.leaves_out[c]:
            largest = max(largest, part)
        if total > most and total * ROUNDED - largest > worst:
            return np.inf
    for v in range(search.sizes[0]):
        a, c = search.numbers[v], search.sizes[1] + v
        value = search.values[v]
        part = _number_cost(costs, a, value, boxes.low[row, a], boxes.high[row, a])
        search.parts[c] = part
        total += part
        if search.leaves_out[c]:
            largest = max(largest, part)
        if total > most and total * ROUNDED - largest > worst:
            return np.inf
    return total


@inner
def _bound_without(
    boxes: Boxes, costs: Costs, search: Search, node: int
) -> tuple[float, float]:  # fmt: skip
    """Lower bounds on the cost of all records below a node: whole, and without any one part."""
    if boxes.filled[node] == 0:
        return np.inf, np.inf
    total = largest = 0.0
    for c in range(search.sizes[1]):
        if search.free[c] & boxes.marks[node, search.codes[c]] == 0:
            total += search.least[c]
            if search.leaves_out[c]:
                largest = max(largest, search.least[c])
    for v in range(search.sizes[0]):
        a, value = search.numbers[v], search.values[v]
        weight = costs.weights[a]
        if weight > 0.0 and not np.isnan(value):
            gap = gap_between(value, value, boxes.lows[node, a], boxes.highs[node, a])
            part = 0.0
            if costs.tolerances[a] < 0.0:
                part = weight * (gap * gap)
            elif gap > costs.tolerances[a]:
                part = weight
            total += part
            if search.leaves_out[search.sizes[1] + v]:
                largest = max(largest, part)
    return total, total * ROUNDED - largest


@inner
def _sum_without(search: Search, left_out: int) -> float:
    """Cost of a record without one of the known attributes, added in their order."""
    total = 0.0
    for c in range(search.sizes[0] + search.sizes[1]):
        if c != left_out:
            total += search.parts[c]
    return total


@inner
def _largest_limit(search: Search) -> float:
    worst = 0.0
    for c in range(search.sizes[0] + search.sizes[1]):
        if search.leaves_out[c]:
            worst = max(worst, search.limits[c])
    return worst * (1.0 + TIE)


@inner
def _enter(search: Search, row: int, total: float) -> bool:
    """Add a record to those that are nearest without an attribute; whether a limit fell."""
    fell = False
    for c in range(search.sizes[0] + search.sizes[1]):
        if not search.leaves_out[c]:
            continue
        limit = search.limits[c]
        if total * ROUNDED - search.parts[c] > limit * (1.0 + TIE):
            continue
        apart = _sum_without(search, c)
        if apart <= limit * (1.0 + TIE):
            if apart < limit * (1.0 - TIE):
                search.amounts[c] = 0
            if apart < limit:
                search.limits[c] = apart
                fell = True
            search.without[c, search.amounts[c]] = row
            search.amounts[c] += 1
    return fell


@inner
def find_nearest_without(
    boxes: Boxes, costs: Costs, targets: Targets, search: Search, i: int, leaves_out: Indices
) -> tuple[int, float]:  # fmt: skip
    """Find the nearest records of a target, and those without each attribute that is left out.

    One search finds all: without one attribute a record costs its whole cost less one part, so
    records are passed over whose cost less its largest part is above all limits.

    Args:
        leaves_out: 1 for attributes that are left out, numbers before codes.
    """
    _prepare(search, costs, targets, i)
    n_codes = search.sizes[1]
    for c in range(search.sizes[0] + n_codes):
        a = search.numbers[c - n_codes] if c >= n_codes else search.codes[c]
        search.leaves_out[c] = leaves_out[a if c >= n_codes else costs.known_numbers.size + a]
        search.limits[c] = np.inf
        search.amounts[c] = 0
    limit = np.inf
    if targets.ends[i] < targets.ends[i + 1]:
        limit = _parts(boxes, costs, search, targets.rows[targets.ends[i]], np.inf, np.inf)
        for c in range(search.sizes[0] + n_codes):
            search.limits[c] = _sum_without(search, c)
    worst = _largest_limit(search)
    size = 0
    search.nodes[0] = 1
    search.bounds[0] = search.bounds[DEEPEST] = 0.0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = search.nodes[waiting]
        most = limit * (1.0 + TIE)
        if search.bounds[waiting] > most and search.bounds[DEEPEST + waiting] > worst:
            continue
        if node < boxes.first_leaf:
            left, left_part = _bound_without(boxes, costs, search, 2 * node)
            right, right_part = _bound_without(boxes, costs, search, 2 * node + 1)
            first = 0 if left > right else 1
            for side in range(2):
                child = 2 * node + (first if side == 0 else 1 - first)
                bound, part = (right, right_part) if child & 1 else (left, left_part)
                if bound <= most or part <= worst:
                    search.nodes[waiting] = child
                    search.bounds[waiting] = bound
                    search.bounds[DEEPEST + waiting] = part
                    waiting += 1
            continue
        start = (node - boxes.first_leaf) * LEAF
        for row in range(start, start + boxes.filled[node]):
            total = _parts(boxes, costs, search, row, limit * (1.0 + TIE), worst)
            if total == np.inf:
                continue
            if _enter(search, row, total):
                worst = _largest_limit(search)
            if total <= limit * (1.0 + TIE):
                if total < limit * (1.0 - TIE):
                    size = 0
                limit = min(limit, total)
                search.found[size] = row
                size += 1
    return size, limit


@lazy(BOXES, COSTS, TARGETS, SEARCH, INDICES, BOOL)
def nearest_rows(
    boxes: Boxes, costs: Costs, targets: Targets, search: Search, chosen: Indices, strangers: bool
) -> Indices:  # fmt: skip
    """Return marks of the records nearest to any chosen target, or of the nearest strangers."""
    marks = np.zeros(boxes.counts.size, np.int64)
    for t in range(chosen.size):
        size, _ = find_nearest(boxes, costs, targets, search, chosen[t], strangers)
        for f in range(size):
            marks[search.found[f]] = 1
    return marks
