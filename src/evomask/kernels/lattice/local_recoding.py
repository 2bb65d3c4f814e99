"""Local recoding: groups of k or more records with little generalization.

Greedy k-member clustering (Byun et al., 2007): each group takes, one after another, the records
that raise its information loss least. Equal records are one candidate with a count. The common
ancestor of a group and another leaf is at the higher of two levels: the group's own, and that at
which the leaf meets any member.
"""

from typing import NamedTuple

import numba
import numpy as np

from evomask.kernels.compiler.arrays import copy_into, full_ints
from evomask.kernels.jit import CODE_ROWS, INDICES, INT64, inner, kernel
from evomask.kernels.lattice.classes import Layout, Rows
from evomask.types import Codes, Floats, Indices, Labels, Points


class Hierarchies(NamedTuple):
    """Hierarchies of all attributes, with the leaves of all in one row of positions.

    Args:
        starts: position of each attribute's first leaf, and the end.
        meets: by position and leaf, the lowest level at which the two have the same ancestor.
        losses: loss of a cell, by position and level.
    """

    starts: Indices
    meets: Codes
    losses: Points


HIERARCHIES = numba.types.NamedTuple(
    (numba.int64[::1], numba.int32[:, ::1], numba.float64[:, ::1]), Hierarchies
)


def build_hierarchies(layout: Layout, leaves: Indices, heights: Indices) -> Hierarchies:
    """Return the hierarchies of a lattice in the form that clustering needs."""
    starts = np.concatenate([[0], np.cumsum(leaves)])
    meets = np.zeros((int(starts[-1]), int(leaves.max())), dtype=np.int32)
    losses = np.zeros((int(starts[-1]), int(heights.max()) + 1))
    for a, n in enumerate(leaves):
        ancestors = layout.lowest[a, : int(heights[a]) + 1, :n]
        same = ancestors[:, :, None] == ancestors[:, None, :]
        here = slice(int(starts[a]), int(starts[a + 1]))
        meets[here, :n] = np.argmax(same, axis=0)
        losses[here] = (layout.below[a, :, :n] / layout.full[a]).T
    return Hierarchies(starts.astype(np.int64), meets, losses)


@inner
def _price(first: Codes, levels: Indices, hierarchies: Hierarchies, costs: Floats) -> None:
    """Loss of a group's cells after each leaf of each attribute would join."""
    for a in range(levels.size):
        row = hierarchies.starts[a] + first[a]
        for leaf in range(hierarchies.starts[a + 1] - hierarchies.starts[a]):
            level = max(levels[a], hierarchies.meets[row, leaf])
            costs[hierarchies.starts[a] + leaf] = hierarchies.losses[row, level]


@inner
def _join(first: Codes, leaves: Codes, hierarchies: Hierarchies, levels: Indices) -> None:
    for a in range(levels.size):
        levels[a] = max(levels[a], hierarchies.meets[hierarchies.starts[a] + first[a], leaves[a]])


@inner
def _cheapest(costs: Floats, places: Codes, left: Indices, count: int) -> int:
    """Position in *left* of the candidate that costs least; the first of equals."""
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
    leaves: Codes,
    size: int,
    hierarchies: Hierarchies,
    firsts: Codes,
    levels: Rows,
    sizes: Indices,
    count: int,
) -> int:
    """The group whose loss a candidate raises least; the first of equals."""
    least = np.inf
    found = -1
    for g in range(count):
        more = 0.0
        for a in range(leaves.size):
            row = hierarchies.starts[a] + firsts[g, a]
            level = max(levels[g, a], hierarchies.meets[row, leaves[a]])
            more += (sizes[g] + size) * hierarchies.losses[row, level]
            more -= sizes[g] * hierarchies.losses[row, levels[g, a]]
        if more < least:
            least = more
            found = g
    return found


@kernel(CODE_ROWS, INDICES, INDICES, HIERARCHIES, INT64)
def cluster_records(
    digits: Codes, sizes: Indices, order: Indices, hierarchies: Hierarchies, k: int
) -> Labels:
    """Return the group of each candidate; groups have k or more records, if the file has that many.

    Args:
        digits: candidates as rows of leaves.
        sizes: number of records of each candidate.
        order: candidates in the order in which they begin groups.

    The first candidate, or group, wins a tie. Cost is O(candidates² · attributes) time and
    O(candidates · attributes) memory.
    """
    n, s = digits.shape
    labels = full_ints(n, -1)
    firsts = np.empty((n, s), dtype=np.int32)
    levels = np.zeros((n, s), dtype=np.int64)
    records = np.zeros(n, dtype=np.int64)
    places = np.empty((n, s), dtype=np.int32)
    for a in range(s):
        for i in range(n):
            places[i, a] = digits[i, a] + hierarchies.starts[a]
    costs = np.empty(hierarchies.starts[s])
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
            _join(firsts[group], digits[candidate], hierarchies, levels[group])
            for i in range(taken, count - 1):
                left[i] = left[i + 1]
            count -= 1
            if records[group] >= k or count == 0:
                break
            _price(firsts[group], levels[group], hierarchies, costs)
            taken = _cheapest(costs, places, left, count)
        group += 1
    last = group - 1
    if records[last] < k and last > 0:
        for i in range(n):
            if labels[i] == last:
                g = _closest_group(digits[i], sizes[i], hierarchies, firsts, levels, records, last)
                labels[i] = g
                records[g] += sizes[i]
                _join(firsts[g], digits[i], hierarchies, levels[g])
    return labels
