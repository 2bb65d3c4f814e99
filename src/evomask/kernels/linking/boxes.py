"""Released records in a tree of boxes: which are nearest to a person, whatever is known of them.

Records stand in an order that keeps similar ones together, sixteen to a leaf; every node knows
the range of each number and marks of the codes below it. What a person is known by may differ
from search to search, so that one tree serves all of them: attributes that are not known cost
nothing. Costs are told in ``linkage``; a *step* costs nothing within a tolerance and its
whole weight beyond it, and the other way round where the weight is negative.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Codes, Floats, Indices, Points
from evomask.kernels.compiler import (
    FLOATS,
    OWN_CODE_ROWS,
    OWN_FLOATS,
    OWN_INDEX_ROWS,
    OWN_INDICES,
    OWN_POINTS,
    WHOLE,
    bundle,
    inner,
    kernel,
)
from evomask.kernels.linking.linkage import TIE, gap_between

LEAF = 16
"""Records in a leaf."""

DEEPEST = 128
"""Room for nodes that wait; a tree of 2^60 leaves needs less."""


class Boxes(NamedTuple):
    """Distinct released records in the order of the tree, and its nodes; the root is node 1.

    Args:
        counts: how many records are alike.
        lows, highs: ends of each number's box, infinite where one is missing below the node.
        marks: for each code attribute a bit for each code below the node, 64 taken together.
        filled: records below each node.
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
    Boxes, OWN_POINTS, OWN_POINTS, OWN_CODE_ROWS, OWN_INDICES, OWN_POINTS, OWN_POINTS,
    OWN_INDEX_ROWS, OWN_INDICES, WHOLE,
)  # fmt: skip


class People(NamedTuple):
    """What an intruder knows of people, and the released records that are theirs.

    Args:
        sizes: how many people are alike in everything an intruder may know.
        ends: person i has ``rows[ends[i]:ends[i + 1]]``, as often as in ``counts``.
    """

    numbers: Points
    codes: Codes
    sizes: Indices
    ends: Indices
    rows: Indices
    counts: Indices


PEOPLE = bundle(
    People, OWN_POINTS, OWN_CODE_ROWS, OWN_INDICES, OWN_INDICES, OWN_INDICES, OWN_INDICES
)


class Costs(NamedTuple):
    """What differences cost in the attributes that are known.

    Args:
        known_numbers: 1 where a number is known.
        known_codes: the code attributes that are known, those first that tell records apart most.
        weights: what a squared difference of 1 costs, or a step.
        tolerances: how far a step goes; negative for squared differences.
        missing: the cost of a number that is missing on one side.
        tables: cost of a person's code (row) and a released one, one table an attribute.
        starts, widths: where each table begins, and how long its rows are.
        rows: where the rows of each table begin in *free* and *least*.
        free: marks of the released codes that cost a person's code nothing.
        least: the smallest cost above 0 in each row.
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
    Costs, OWN_INDICES, OWN_INDICES, OWN_FLOATS, OWN_FLOATS, OWN_FLOATS, OWN_FLOATS,
    OWN_INDICES, OWN_INDICES, OWN_INDICES, OWN_INDICES, OWN_FLOATS,
)  # fmt: skip


class Search(NamedTuple):
    """Room for one search at a time.

    Args:
        nodes, bounds: nodes that wait, and what their records cost at least.
        found: the records found.
        numbers, codes: the known attributes.
        values: the person's known numbers.
        tables: where the costs of the person's known codes begin.
        free, least: as in the costs, of the person's known codes.
        sizes: how many numbers and how many codes are known.
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


SEARCH = bundle(
    Search, OWN_INDICES, OWN_FLOATS, *[OWN_INDICES] * 3, OWN_FLOATS, OWN_INDICES, OWN_INDICES,
    OWN_FLOATS, OWN_INDICES,
)  # fmt: skip


def search_in(n_rows: int, n_numbers: int, n_codes: int) -> Search:
    """Room for searches among so many records with so many attributes."""
    return Search(
        np.empty(DEEPEST, np.int64), np.empty(DEEPEST), np.empty(n_rows, np.int64),
        np.empty(n_numbers, np.int64), np.empty(n_codes, np.int64), np.empty(n_numbers),
        np.empty(n_codes, np.int64), np.empty(n_codes, np.int64), np.empty(n_codes),
        np.zeros(2, np.int64),
    )  # fmt: skip


@inner
def _prepare(search: Search, costs: Costs, people: People, i: int) -> None:
    """Note what is known of a person, so that nothing else is looked at."""
    size = 0
    for a in range(costs.known_numbers.size):
        if costs.known_numbers[a]:
            search.numbers[size] = a
            search.values[size] = people.numbers[i, a]
            size += 1
    search.sizes[0] = size
    size = 0
    for j in costs.known_codes:
        code = people.codes[i, j]
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
def close_boxes(boxes: Boxes) -> None:
    """Fill the nodes in, from the leaves to the root."""
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
    """What a released record costs the person searched for, partial once above *limit*."""
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
    """What every record below a node costs the person at least, partial once above *limit*."""
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
def seek(
    boxes: Boxes, costs: Costs, people: People, search: Search, i: int, strangers: bool
) -> tuple[int, float]:  # fmt: skip
    """Finds the nearest records of a person; how many there are, and what each costs.

    A record of the person's own is looked at first: it is rarely far away. Among *strangers*
    records that equal the person in all that is known are left out.
    """
    _prepare(search, costs, people, i)
    limit = np.inf
    if not strangers:
        limit = _cost(boxes, costs, search, people.rows[people.ends[i]], np.inf)
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


@kernel(BOXES, COSTS, PEOPLE, SEARCH, FLOATS)
def links(
    boxes: Boxes, costs: Costs, people: People, search: Search, covered: Floats
) -> Points:  # fmt: skip
    """For each person: records that are nearest, people alike whose own is, and the cost.

    Last comes the largest of the nearest records' entries in *covered*.
    """
    linked = np.zeros((people.sizes.size, 4))
    seen = np.full(boxes.counts.size, -1)
    strangers = False
    for i in range(people.sizes.size):
        size, limit = seek(boxes, costs, people, search, i, strangers)
        for f in range(size):
            row = search.found[f]
            seen[row] = i
            linked[i, 0] += boxes.counts[row]
            linked[i, 3] = max(linked[i, 3], covered[row])
        for place in range(people.ends[i], people.ends[i + 1]):
            if seen[people.rows[place]] == i:
                linked[i, 1] += people.counts[place]
        linked[i, 2] = limit
    return linked
