"""Regression and classification trees on binned predictors, whose leaves are drawn from.

Greedy binary splits (Breiman et al., 1984) with histograms. Numbers and classes share one
criterion: with one-hot classes the decrease of the Gini impurity is that of a sum of squares.
"""

import numpy as np
from numpy.typing import NDArray

from evomask.kernels.compiler.arrays import arange, full_ints
from evomask.kernels.jit import CODE_ROWS, CODES, FLOATS, INDICES, INT64, inner, kernel
from evomask.types import Codes, Floats, Indices, Points

LEAST_GAIN = 1e-8
"""Smallest decrease of the impurity by a split, as a share of that of the whole file."""


@kernel(CODE_ROWS, INDICES, INDICES, FLOATS, CODES, INT64, INT64, CODE_ROWS, FLOATS)
def draw_from_leaves(
    bins: Codes, sizes: Indices, nominal: Indices, values: Floats, classes: Codes, leaf: int,
    depth: int, new: Codes, chances: Floats,
) -> Indices:  # fmt: skip
    """Grow a tree; return for each new record a member of the leaf that it falls into.

    Args:
        bins: bin of each record, a predictor a row.
        sizes: number of bins of each predictor.
        nominal: 1 for predictors whose bins have no order: they are ordered by the mean of the
            response, or by the share of the node's most frequent class.
        values: the response of each record, centred; 1 for classes.
        classes: the class of each record; 0 for numbers.
        leaf: smallest number of records in a leaf.
        depth: largest number of splits on a path.
        new: bins of the new records, a predictor a row.
        chances: for each new record a number in [0, 1) that chooses the member.

    Ties go to the first predictor and to the lowest bin. A bin that a node has no record of goes to
    the side of the next lower one, or to the larger side if bins have no order. Cost is
    O(records · predictors · levels).
    """
    n, width, n_classes = classes.size, 1, 1
    for p in range(sizes.size):
        width = max(width, sizes[p])
    for i in range(n):
        n_classes = max(n_classes, classes[i] + 1)
    most = 2 * (n // leaf) + 3
    split, child = full_ints(most, -1), full_ints(most, 0)
    goes_left = np.empty((most, width), dtype=np.int8)
    begins, ends, levels = full_ints(most, 0), full_ints(most, n), full_ints(most, 0)
    order, buffer = arange(n), arange(n)
    counts, ranked = full_ints(width, 0), arange(width)
    sums, scores = np.zeros((width, n_classes)), np.zeros(width)
    total, left = np.zeros(n_classes), np.zeros(n_classes)
    least, made, node = -1.0, 1, 0
    while node < made:
        begin, end = begins[node], ends[node]
        size = end - begin
        if size >= 2 * leaf and levels[node] < depth:
            spread = _sum_up(order, begin, end, values, classes, total)
            least = LEAST_GAIN * spread if least < 0 else least
            best, best_cut = least, -1
            for p in range(sizes.size) if spread > least else range(0):
                used = _count(bins, p, order, begin, end, values, classes, counts, sums, ranked,
                              sizes[p])  # fmt: skip
                if nominal[p] == 1:
                    _rank_bins(ranked, used, counts, sums, total, scores)
                cut, gain = _best_cut(ranked, used, counts, sums, total, left, size, leaf)
                if gain > best:
                    best, best_cut, split[node] = gain, cut, p
                    _mark(goes_left, node, ranked, used, cut, counts, nominal[p], sizes[p])
                _clear(ranked, used, counts, sums)
            if best_cut >= 0:
                middle = _part(order, buffer, begin, end, bins, split[node], goes_left, node)
                child[node] = made
                begins[made], ends[made], levels[made] = begin, middle, levels[node] + 1
                begins[made + 1], ends[made + 1] = middle, end
                levels[made + 1] = levels[node] + 1
                made += 2
        node += 1
    donors = np.empty(chances.size, dtype=np.int64)
    for i in range(chances.size):
        node = 0
        while child[node] > 0:
            node = child[node] + (0 if goes_left[node, new[split[node], i]] == 1 else 1)
        donors[i] = order[begins[node] + int(chances[i] * (ends[node] - begins[node]))]
    return donors


@inner
def _sum_up(
    order: Indices, begin: int, end: int, values: Floats, classes: Codes, total: Floats
) -> float:
    """Sum the responses of a node by class; return their sum of squares around the mean."""
    squares, between = 0.0, 0.0
    for c in range(total.size):
        total[c] = 0.0
    for place in range(begin, end):
        i = order[place]
        total[classes[i]] += values[i]
        squares += values[i] * values[i]
    for c in range(total.size):
        between += total[c] * total[c]
    return squares - between / (end - begin)


@inner
def _count(
    bins: Codes, p: int, order: Indices, begin: int, end: int, values: Floats, classes: Codes,
    counts: Indices, sums: Points, ranked: Indices, size: int,
) -> int:  # fmt: skip
    """Sum the responses of a node by bin and class; list the used bins in order."""
    low, high = size, -1
    for place in range(begin, end):
        i = order[place]
        b = bins[p, i]
        counts[b] += 1
        sums[b, classes[i]] += values[i]
        low, high = min(low, b), max(high, b)
    used = 0
    for b in range(low, high + 1):
        if counts[b] > 0:
            ranked[used] = b
            used += 1
    return used


@inner
def _rank_bins(
    ranked: Indices, used: int, counts: Indices, sums: Points, total: Floats, scores: Floats
) -> None:
    """Order the used bins by the mean response, or by the share of the most frequent class."""
    top = 0
    for c in range(total.size):
        if total[c] > total[top]:
            top = c
    for place in range(used):
        b = ranked[place]
        scores[b] = sums[b, top] / counts[b]
        i = place
        while i > 0 and scores[ranked[i - 1]] > scores[b]:
            ranked[i] = ranked[i - 1]
            i -= 1
        ranked[i] = b


@inner
def _best_cut(
    ranked: Indices, used: int, counts: Indices, sums: Points, total: Floats, left: Floats,
    size: int, leaf: int,
) -> tuple[int, float]:  # fmt: skip
    """Find the number of bins on the left, and the decrease of the impurity; -1 without a cut."""
    of_left, of_right, before = 0.0, 0.0, 0.0
    for c in range(total.size):
        left[c] = 0.0
        before += total[c] * total[c]
    of_right, best, best_cut, taken = before, 0.0, -1, 0
    for place in range(used - 1):
        b = ranked[place]
        taken += counts[b]
        for c in range(total.size):
            moved = sums[b, c]
            if moved != 0.0:
                rest = total[c] - left[c]
                of_left += moved * (2.0 * left[c] + moved)
                of_right += moved * (moved - 2.0 * rest)
                left[c] += moved
        if taken >= leaf and size - taken >= leaf:
            gain = of_left / taken + of_right / (size - taken) - before / size
            if gain > best:
                best, best_cut = gain, place + 1
    return best_cut, best


@inner
def _mark(
    goes_left: NDArray[np.int8], node: int, ranked: Indices, used: int, cut: int, counts: Indices,
    is_nominal: int, size: int,
) -> None:  # fmt: skip
    """Note the side of every bin at a node."""
    taken = 0
    for place in range(used):
        taken += counts[ranked[place]] if place < cut else -counts[ranked[place]]
    larger = 1 if taken >= 0 else 0
    for b in range(size):
        goes_left[node, b] = larger if is_nominal == 1 else (1 if b <= ranked[cut - 1] else 0)
    for place in range(used):
        goes_left[node, ranked[place]] = 1 if place < cut else 0


@inner
def _clear(ranked: Indices, used: int, counts: Indices, sums: Points) -> None:
    for place in range(used):
        counts[ranked[place]] = 0
        for c in range(sums.shape[1]):
            sums[ranked[place], c] = 0.0


@inner
def _part(
    order: Indices, buffer: Indices, begin: int, end: int, bins: Codes, p: int,
    goes_left: NDArray[np.int8], node: int,
) -> int:  # fmt: skip
    """Move the records of the left child before the others; return where the others begin."""
    middle, others = begin, 0
    for place in range(begin, end):
        i = order[place]
        if goes_left[node, bins[p, i]] == 1:
            order[middle] = i
            middle += 1
        else:
            buffer[others] = i
            others += 1
    for place in range(others):
        order[middle + place] = buffer[place]
    return middle
