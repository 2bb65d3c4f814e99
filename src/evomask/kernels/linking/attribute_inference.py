"""Attacks on people by the released records nearest to them: links, and inferred values.

Inferred are the median of a number, by ranks, the most frequent category (ties share), and the
median of an ordered category; they are believed if enough of the nearest records agree. Records
count as often as they occur in the file, and a cell that covers several values counts for each of
them with its probability.
"""

from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import argsort, fill, largest
from evomask.kernels.jit import (
    FLOAT64,
    FLOATS,
    INT64,
    RW_CODE_ROWS,
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
    find_nearest_without,
)
from evomask.types import Codes, Floats, Indices, Points

CLOSE = 1e-9
"""Relative tolerance for equally frequent categories, and for the share that must agree."""


class Cells(NamedTuple):
    """Released records, and what their cells mean.

    Args:
        low, high, middles: for each record and number the ranks of its ends, and of the median of
            its interval, among the original values; NaN where missing.
        codes: for each record and code attribute its cell.
        times: how often each record occurs.
        representatives: one record of each row of the tree.
        ends, records: row r of the tree stands for ``records[ends[r]:ends[r + 1]]``.
        window: a number is inferred right, or agrees, within so many ranks.
        spread: for each code attribute a matrix of cells (rows) by categories; empty where cell c
            is category c.
        spreads, cells, sizes: start of each matrix, numbers of cells (0 for no matrix) and of
            categories.
        close: for each code attribute, whether two categories agree.
        closes: start of each attribute's matrix in *close*.
        ordered: 1 where the median is inferred instead of the most frequent category.
        missing: category that stands for a missing value, or -1.
    """

    low: Points
    high: Points
    middles: Points
    codes: Codes
    times: Floats
    representatives: Indices
    ends: Indices
    records: Indices
    window: float
    spread: Floats
    spreads: Indices
    cells: Indices
    sizes: Indices
    close: Floats
    closes: Indices
    ordered: Indices
    missing: Indices


CELLS = bundle(
    Cells, *[RW_POINTS] * 3, RW_CODE_ROWS, RW_FLOATS, *[RW_INDICES] * 3, FLOAT64, RW_FLOATS,
    *[RW_INDICES] * 3, RW_FLOATS, *[RW_INDICES] * 3,
)  # fmt: skip


class Unknown(NamedTuple):
    """What is inferred of people.

    Args:
        leaves_out: task in which each attribute, numbers before codes, is left out of what is
            known and inferred; -1 for none.
        tasks, each: number of these tasks, and in how many each class of people takes part.
        ranks: ranks of the numbers of each class.
        numbers, attributes: numbers and code attributes that are not known.
        ends: class i has the people from ends[i] to ends[i + 1].
        member_ranks, member_codes: unknown values of each person.
        sure: share of the nearest records that must agree before a value is believed.
    """

    leaves_out: Indices
    tasks: int
    each: int
    ranks: Points
    numbers: Indices
    attributes: Indices
    ends: Indices
    member_ranks: Points
    member_codes: Codes
    sure: float


UNKNOWN = bundle(
    Unknown, RW_INDICES, INT64, INT64, RW_POINTS, *[RW_INDICES] * 3, RW_POINTS, RW_CODE_ROWS,
    FLOAT64,
)  # fmt: skip


class Scratch(NamedTuple):
    """Working memory: nearest records with their frequencies, and counts of categories."""

    rows: Indices
    weights: Floats
    values: Floats
    masses: Floats
    found: Floats
    counts: Floats
    shares: Floats


@inner
def _create_scratch(boxes: Boxes, cells: Cells) -> Scratch:
    n = max(boxes.counts.size, cells.times.size)
    n_cells = n_categories = 0
    for j in range(cells.sizes.size):
        n_cells, n_categories = max(n_cells, cells.cells[j]), max(n_categories, cells.sizes[j])
    return Scratch(
        np.empty(n, np.int64), np.empty(n), np.empty(n), np.empty(n), np.zeros(n_cells),
        np.empty(n_categories), np.empty(n_categories),
    )  # fmt: skip


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
    if known == 1:
        return float(values[0])
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
def _infer_number(cells: Cells, near: Scratch, size: int, a: int) -> tuple[float, float]:
    """Return the median rank of a number in the nearest records, and the share that agrees."""
    total = 0.0
    for f in range(size):
        near.values[f] = cells.middles[near.rows[f], a]
        near.masses[f] = near.weights[f]
        total += near.weights[f]
    middle = _median(near.values, near.masses, size)
    agreeing = 0.0
    for f in range(size):
        row = near.rows[f]
        low, high = cells.low[row, a], cells.high[row, a]
        if np.isnan(middle) or np.isnan(low):
            share = 1.0 if np.isnan(middle) and np.isnan(low) else 0.0
        elif high > low:
            within = min(high, middle + cells.window) - max(low, middle - cells.window)
            share = max(within, 0.0) / (high - low)
        else:
            share = 1.0 if abs(low - middle) <= cells.window else 0.0
        agreeing += share * near.weights[f]
    return middle, agreeing / total


@inner
def _share_among_most(counts: Floats, out: Floats) -> None:
    """Divide a share of 1 among the most frequent categories."""
    total = 0.0
    for v in range(counts.size):
        total += counts[v]
    if total == 0.0:
        return
    most = largest(counts, counts.size)
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
def _count_categories(cells: Cells, near: Scratch, size: int, j: int) -> float:
    """Count the categories of the nearest records; return the number of records."""
    total, domain = 0.0, cells.sizes[j]
    counts = near.counts[:domain]
    fill(counts, 0.0)
    for f in range(size):
        code = cells.codes[near.rows[f], j]
        total += near.weights[f]
        if cells.cells[j]:
            near.found[code] += near.weights[f]
        else:
            counts[code] += near.weights[f]
    for c in range(cells.cells[j]):
        if near.found[c] > 0.0:
            start = cells.spreads[j] + c * domain
            for v in range(domain):
                counts[v] += near.found[c] * cells.spread[start + v]
            near.found[c] = 0.0
    return total


@inner
def _infer_category(cells: Cells, near: Scratch, size: int, j: int) -> float:
    """Write the shares of the inferred categories; return the share of records that agrees."""
    total, domain = _count_categories(cells, near, size, j), cells.sizes[j]
    counts, out = near.counts[:domain], near.shares[:domain]
    fill(out, 0.0)
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


@inner
def _is_near(cells: Cells, middle: float, rank: float) -> float:
    """Whether an inferred rank is right; missing is right for missing."""
    if np.isnan(middle) or np.isnan(rank):
        return 1.0 if np.isnan(middle) and np.isnan(rank) else 0.0
    return 1.0 if abs(middle - rank) <= cells.window else 0.0


@inner
def _share_right(cells: Cells, near: Scratch, j: int, code: int) -> float:
    """Share of the inferred categories that agree with the true one."""
    right, domain = 0.0, cells.sizes[j]
    for v in range(domain):
        if near.shares[v] > 0.0:
            right += near.shares[v] * cells.close[cells.closes[j] + v * domain + code]
    return right


@inner
def _infer_left_out(
    boxes: Boxes, targets: Targets, search: Search, cells: Cells, unknown: Unknown,
    near: Scratch, i: int,
) -> float:  # fmt: skip
    """Mean success on one class of people over the attributes that are left out in turn."""
    n_codes = search.sizes[1]
    success, count = 0.0, 0
    for c in range(search.sizes[0] + n_codes):
        if not search.leaves_out[c]:
            continue
        size = search.amounts[c]
        for f in range(size):
            row = search.without[c, f]
            near.rows[f] = cells.representatives[row]
            near.weights[f] = boxes.counts[row]
        count += 1
        if c >= n_codes:
            a = search.numbers[c - n_codes]
            middle, agreeing = _infer_number(cells, near, size, a)
            if agreeing >= unknown.sure - CLOSE:
                success += _is_near(cells, middle, unknown.ranks[i, a])
        else:
            j = search.codes[c]
            if _infer_category(cells, near, size, j) >= unknown.sure - CLOSE:
                success += _share_right(cells, near, j, targets.codes[i, j])
    return success / count if count else 0.0


@inner
def _gather(cells: Cells, found: Indices, size: int, near: Scratch) -> int:
    """Collect the records of some rows of the tree; return their number."""
    count = 0
    for f in range(size):
        for place in range(cells.ends[found[f]], cells.ends[found[f] + 1]):
            record = cells.records[place]
            if cells.times[record] > 0.0:
                near.rows[count] = record
                near.weights[count] = cells.times[record]
                count += 1
    return count


@inner
def _infer_unknown(
    cells: Cells, unknown: Unknown, near: Scratch, size: int, classes: Indices, out: Points
) -> None:
    """Mean success on the members of some classes, in each unknown attribute."""
    d = unknown.numbers.size if size else -unknown.attributes.size
    for u in range(d + unknown.attributes.size):
        middle, j = 0.0, 0
        if u < d:
            middle, agreeing = _infer_number(cells, near, size, unknown.numbers[u])
        else:
            j = unknown.attributes[u - d]
            agreeing = _infer_category(cells, near, size, j)
        if agreeing < unknown.sure - CLOSE:
            continue
        for i in classes:
            right, first, last = 0.0, unknown.ends[i], unknown.ends[i + 1]
            for m in range(first, last):
                if u < d:
                    right += _is_near(cells, middle, unknown.member_ranks[m, unknown.numbers[u]])
                else:
                    right += _share_right(cells, near, j, unknown.member_codes[m, j])
            out[u, i] = right / (last - first)


@inner
def _leaves_out(unknown: Unknown, i: int, out: Indices) -> bool:
    """Flag the attributes that are left out in the tasks of a class; whether there are any."""
    found = False
    for a in range(out.size):
        task, each = unknown.leaves_out[a], unknown.each
        takes_part = each >= unknown.tasks or (i * each + task) % unknown.tasks < each
        out[a] = 1 if task >= 0 and takes_part else 0
        found = found or out[a] == 1
    return found


@kernel(BOXES, COSTS, TARGETS, SEARCH, CELLS, UNKNOWN, FLOATS)
def attack_people(
    boxes: Boxes, costs: Costs, targets: Targets, search: Search, cells: Cells, unknown: Unknown,
    covered: Floats,
) -> tuple[Points, Floats, Points]:  # fmt: skip
    """Return links, and the mean success on each class of people: over the attributes that are
    left out in turn, and for each unknown attribute, numbers first.

    Links are for each class: nearest records, members whose own record is among them, their cost,
    and the maximum of *covered* over them. Cost is a tree search a class, O(records) at worst, plus
    O(nearest log nearest) an attribute.
    """
    n = targets.sizes.size
    linked, left_out = np.zeros((n, 4)), np.zeros(n)
    n_unknown = unknown.numbers.size + unknown.attributes.size
    inferred = np.zeros((n_unknown, n))
    seen, alone = np.full(boxes.counts.size, -1), np.full(n, -1)
    without = np.empty(unknown.leaves_out.size, np.int64)
    near, one = _create_scratch(boxes, cells), np.empty(1, np.int64)
    strangers = False
    for i in range(n):
        if _leaves_out(unknown, i, without):
            size, limit = find_nearest_without(boxes, costs, targets, search, i, without)
            left_out[i] = _infer_left_out(boxes, targets, search, cells, unknown, near, i)
        else:
            size, limit = find_nearest(boxes, costs, targets, search, i, strangers)
        for f in range(size):
            row = search.found[f]
            seen[row] = i
            linked[i, 0] += boxes.counts[row]
            linked[i, 3] = max(linked[i, 3], covered[row])
        for place in range(targets.ends[i], targets.ends[i + 1]):
            if seen[targets.rows[place]] == i:
                linked[i, 1] += targets.counts[place]
        linked[i, 2] = limit
        if size == 1:
            alone[i] = search.found[0]
        elif n_unknown:
            one[0] = i
            count = _gather(cells, search.found, size, near)
            _infer_unknown(cells, unknown, near, count, one, inferred)
    if n_unknown:
        order = argsort(alone)
        start = 0
        while start < n:
            stop = start + 1
            while stop < n and alone[order[stop]] == alone[order[start]]:
                stop += 1
            if alone[order[start]] >= 0:
                one[0] = alone[order[start]]
                count = _gather(cells, one, 1, near)
                _infer_unknown(cells, unknown, near, count, order[start:stop], inferred)
            start = stop
    return linked, left_out, inferred
