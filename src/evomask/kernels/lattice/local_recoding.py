"""Groups of k or more records that need little generalization to look alike.

Each group takes, one after another, the records that raise its loss least (greedy k-member
clustering, Byun et al., 2007). Equal records are one candidate with
a count. In a tree the common ancestor of a group and one more leaf lies where the group's own
and the leaf's path to any of its members end: one lookup.
"""

from typing import NamedTuple

import numba
import numpy as np

from evomask.arrays import Codes, Floats, Indices, Labels, Points
from evomask.kernels.compiler import CODE_ROWS, INDICES, WHOLE, inner, kernel
from evomask.kernels.filled import copy_into, wholes
from evomask.kernels.lattice.classes import Layout, Rows


class Trees(NamedTuple):
    """All attributes' leaves in one row of places.

    Args:
        starts: place of each attribute's first leaf, and the end.
        meets: by place and leaf, the lowest level at which the two have the same ancestor.
        losses: loss of a cell, by place and level.
    """

    starts: Indices
    meets: Codes
    losses: Points


TREES = numba.types.NamedTuple(
    (numba.int64[::1], numba.int32[:, ::1], numba.float64[:, ::1]), Trees
)


def trees_of(layout: Layout, leaves: Indices, heights: Indices) -> Trees:
    """The trees of a lattice, laid out for grouping."""
    starts = np.concatenate([[0], np.cumsum(leaves)])
    meets = np.zeros((int(starts[-1]), int(leaves.max())), dtype=np.int32)
    losses = np.zeros((int(starts[-1]), int(heights.max()) + 1))
    for a, n in enumerate(leaves):
        ancestors = layout.lowest[a, : int(heights[a]) + 1, :n]
        same = ancestors[:, :, None] == ancestors[:, None, :]
        here = slice(int(starts[a]), int(starts[a + 1]))
        meets[here, :n] = np.argmax(same, axis=0)
        losses[here] = (layout.below[a, :, :n] / layout.full[a]).T
    return Trees(starts.astype(np.int64), meets, losses)


def group_alike(digits: Codes, sizes: Indices, order: Indices, trees: Trees, k: int) -> Labels:
    """Group of each candidate; every group holds k or more records, unless there are fewer.

    Args:
        digits: candidates as rows of leaves.
        sizes: records of each candidate.
        order: candidates in the order in which they begin groups.

    Cost is O(candidates² · attributes) time and O(candidates · attributes) memory.
    """
    return _group_alike(digits, sizes, order, trees, k)


@inner
def _price(first: Codes, levels: Indices, trees: Trees, costs: Floats) -> None:
    """What each leaf of each attribute would make of the loss of a group's cells."""
    for a in range(levels.size):
        row = trees.starts[a] + first[a]
        for leaf in range(trees.starts[a + 1] - trees.starts[a]):
            level = max(levels[a], trees.meets[row, leaf])
            costs[trees.starts[a] + leaf] = trees.losses[row, level]


@inner
def _join(first: Codes, leaves: Codes, trees: Trees, levels: Indices) -> None:
    for a in range(levels.size):
        levels[a] = max(levels[a], trees.meets[trees.starts[a] + first[a], leaves[a]])


@inner
def _cheapest(costs: Floats, places: Codes, left: Indices, count: int) -> int:
    """Which of *left* costs least to join; the first of equals."""
    least = np.inf
    found = -1
    for i in range(count):
        candidate = left[i]
        cost = 0.0
        for a in range(places.shape[1]):
            cost += costs[places[candidate, a]]
        if cost < least:
            least = cost
            found = i
    return found


@inner
def _closest_group(
    leaves: Codes, size: int, trees: Trees, firsts: Codes, levels: Rows, sizes: Indices, count: int
) -> int:
    """The group that a candidate makes lose least more; the first of equals."""
    least = np.inf
    found = -1
    for g in range(count):
        more = 0.0
        for a in range(leaves.size):
            row = trees.starts[a] + firsts[g, a]
            level = max(levels[g, a], trees.meets[row, leaves[a]])
            more += (sizes[g] + size) * trees.losses[row, level]
            more -= sizes[g] * trees.losses[row, levels[g, a]]
        if more < least:
            least = more
            found = g
    return found


@kernel(CODE_ROWS, INDICES, INDICES, TREES, WHOLE)
def _group_alike(digits: Codes, sizes: Indices, order: Indices, trees: Trees, k: int) -> Labels:
    """*left* holds the candidates without a group, in the order in which they begin one."""
    n, s = digits.shape
    labels = wholes(n, -1)
    firsts = np.empty((n, s), dtype=np.int32)
    levels = np.zeros((n, s), dtype=np.int64)
    records = np.zeros(n, dtype=np.int64)
    places = np.empty((n, s), dtype=np.int32)
    for a in range(s):
        for i in range(n):
            places[i, a] = digits[i, a] + trees.starts[a]
    costs = np.empty(trees.starts[s])
    left = order.copy()
    count = n
    group = 0
    while count > 0:
        seed = left[0]
        copy_into(firsts[group], digits[seed])
        taken = 0
        while True:
            candidate = left[taken]
            labels[candidate] = group
            records[group] += sizes[candidate]
            _join(firsts[group], digits[candidate], trees, levels[group])
            for i in range(taken, count - 1):
                left[i] = left[i + 1]
            count -= 1
            if records[group] >= k or count == 0:
                break
            _price(firsts[group], levels[group], trees, costs)
            taken = _cheapest(costs, places, left, count)
        group += 1
    last = group - 1
    if records[last] < k and last > 0:
        for i in range(n):
            if labels[i] == last:
                g = _closest_group(digits[i], sizes[i], trees, firsts, levels, records, last)
                labels[i] = g
                records[g] += sizes[i]
                _join(firsts[g], digits[i], trees, levels[g])
    return labels
