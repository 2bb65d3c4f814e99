"""Privacy models and information loss of lattice nodes from their equivalence classes."""

from typing import NamedTuple

import numba
import numpy as np

from evomask.kernels.compiler.arrays import copy_into, fill, full_ints
from evomask.kernels.jit import INDEX_ROWS, INDICES, INT64, inner, kernel, lazy
from evomask.kernels.lattice.classes import (
    EQUIVALENCE_CLASSES,
    LAYOUT,
    EquivalenceClasses,
    Layout,
    Rows,
    allocate_slots,
    merge_into,
)
from evomask.types import Flags, Floats, Indices, Points

K, SUPPRESSED, CLASSES, SQUARES, DISTINCT, AGREEING, MAJORITY = range(7)
LOSSES = 7
"""Columns of a node's integers; those from LOSSES on are the attributes' losses."""

AGREEMENT, ENTROPY, CLOSENESS = range(3)
"""Columns of a node's real numbers."""

_MANY = 2**62


class Rule(NamedTuple):
    """Suppression rule, and the meaning of the counts.

    Args:
        limit: maximum number of suppressed records; used where *k* is 0.
        k: smallest size of a class that is not suppressed, 0 to derive it from the limit.
        distinct: smallest number of sensitive values in a class that is not suppressed.
        sensitive: number of columns of the counts with sensitive values; the others are labels.
        shares: 0 omits entropy and closeness, 1 computes them, 2 with ordered sensitive values.
    """

    limit: int
    k: int
    distinct: int
    sensitive: int
    shares: int


class TableCounts(NamedTuple):
    """Frequencies of sensitive values and labels in the table, and its number of records."""

    counts: Indices
    records: int


RULE = numba.types.NamedUniTuple(INT64, 5, Rule)


@inner
def _smallest_kept(sizes: Indices, n: int, limit: int, tally: Indices) -> int:
    """Smallest class size that remains when at most *limit* records are suppressed."""
    for size in range(limit + 1):
        tally[size] = 0
    least = _MANY
    for i in range(n):
        if sizes[i] <= limit:
            tally[sizes[i]] += sizes[i]
        else:
            least = min(least, sizes[i])
    gone = 0
    for size in range(1, limit + 1):
        gone += tally[size]
        if gone > limit:
            return size
    return least


@inner
def _read_sizes(sizes: Indices, stays: Flags, n: int, records: int) -> tuple[int, int, int, int]:
    """Smallest remaining class, suppressed records, remaining classes, sum of squared sizes."""
    smallest = records
    gone = 0
    kept = 0
    squares = 0
    for i in range(n):
        if stays[i]:
            smallest = min(smallest, sizes[i])
            kept += 1
            squares += sizes[i] * sizes[i]
        else:
            gone += sizes[i]
    return smallest, gone, kept, squares


@inner
def _add_suppressed(
    classes: EquivalenceClasses,
    stays: Flags,
    n: int,
    levels: Indices,
    layout: Layout,
    losses: Indices,
) -> None:
    """Add the maximum loss for each cell of a suppressed class."""
    for a in range(levels.size):
        keys = classes.keys[layout.word[a]]
        shift, mask, full = layout.shift[a], layout.mask[a], layout.full[a]
        below = layout.below[a, levels[a]]
        for i in range(n):
            if not stays[i]:
                losses[a] += classes.sizes[i] * (full - below[(keys[i] >> shift) & mask])


@inner
def _read_counts(
    classes: EquivalenceClasses, stays: Flags, n: int, sensitive: int
) -> tuple[int, int, int, float]:
    """Return four counts over the classes of a node.

    The fewest distinct sensitive values of a class, the sum of squared counts, the records with the
    most frequent value of their class, and the sum of squared counts over class sizes.
    """
    sizes, counts = classes.sizes, classes.counts
    distinct = sensitive
    agreeing = 0
    majority = 0
    agreement = 0.0
    for i in range(n):
        if stays[i]:
            values = 0
            squares = 0
            for v in range(sensitive):
                count = int(counts[i, v])
                values += count > 0
                squares += count * count
            distinct = min(distinct, values)
            agreeing += squares
            agreement += squares / sizes[i]
            most = 0
            for v in range(sensitive, counts.shape[1]):
                most = max(most, counts[i, v])
            majority += most
    return distinct, agreeing, majority, agreement


@inner
def _least_entropy(classes: EquivalenceClasses, stays: Flags, n: int, sensitive: int) -> float:
    """Smallest exponential of a class's entropy: its effective number of sensitive values."""
    least = np.log(sensitive)
    for i in range(n):
        if stays[i]:
            entropy = 0.0
            for v in range(sensitive):
                if classes.counts[i, v] > 0:
                    share = classes.counts[i, v] / classes.sizes[i]
                    entropy -= share * np.log(share)
            least = min(least, entropy)
    return np.exp(least)


@inner
def _farthest(
    classes: EquivalenceClasses, stays: Flags, n: int, rule: Rule, table: TableCounts
) -> float:
    """Largest earth mover's distance between the sensitive values of a class and the table."""
    ordered = rule.shares == 2
    scale = 1.0 / max(rule.sensitive - 1, 1) if ordered else 0.5
    farthest = 0.0
    for i in range(n):
        if stays[i]:
            apart = 0.0
            carried = 0.0
            for v in range(rule.sensitive):
                share = table.counts[v] / table.records
                difference = classes.counts[i, v] / classes.sizes[i] - share
                carried = carried + difference if ordered else difference
                apart += abs(carried)
            farthest = max(farthest, apart * scale)
    return farthest


@inner
def _flag_kept(
    classes: EquivalenceClasses, n: int, rule: Rule, stays: Flags, tally: Indices
) -> None:
    least = rule.k if rule.k > 0 else _smallest_kept(classes.sizes, n, rule.limit, tally)
    for i in range(n):
        stays[i] = classes.sizes[i] >= least
    if rule.distinct > 1:
        for i in range(n):
            values = 0
            for v in range(rule.sensitive):
                values += classes.counts[i, v] > 0
            stays[i] &= values >= rule.distinct


@inner
def _read_into(
    classes: EquivalenceClasses,
    n: int,
    levels: Indices,
    layout: Layout,
    base: Indices,
    rule: Rule,
    table: TableCounts,
    stays: Flags,
    tally: Indices,
    whole: Indices,
    real: Floats,
) -> None:
    """Compute a node's numbers; without remaining classes k and l have their best values."""
    _flag_kept(classes, n, rule, stays, tally)
    smallest, gone, kept, squares = _read_sizes(classes.sizes, stays, n, table.records)
    whole[K], whole[SUPPRESSED], whole[CLASSES], whole[SQUARES] = smallest, gone, kept, squares
    copy_into(whole[LOSSES:], base)
    if gone > 0:
        _add_suppressed(classes, stays, n, levels, layout, whole[LOSSES:])
    if classes.counts.shape[1] > 0:
        distinct, agreeing, majority, agreement = _read_counts(classes, stays, n, rule.sensitive)
        whole[DISTINCT], whole[AGREEING], whole[MAJORITY] = distinct, agreeing, majority
        real[AGREEMENT] = agreement
    if rule.shares > 0:
        real[ENTROPY] = _least_entropy(classes, stays, n, rule.sensitive)
        real[CLOSENESS] = _farthest(classes, stays, n, rule, table)


@inner
def _table(classes: EquivalenceClasses) -> TableCounts:
    counts = np.zeros(classes.counts.shape[1], dtype=np.int64)
    for i in range(classes.sizes.size):
        for v in range(counts.size):
            counts[v] += classes.counts[i, v]
    records = 0
    for i in range(classes.sizes.size):
        records += classes.sizes[i]
    return TableCounts(counts, records)


@kernel(EQUIVALENCE_CLASSES, INDICES, LAYOUT, INDICES, RULE)
def evaluate_node(
    classes: EquivalenceClasses, levels: Indices, layout: Layout, base: Indices, rule: Rule
) -> tuple[Indices, Floats]:
    """Return a node's integers and real numbers; O(classes · (attributes + sensitive values)).

    *base* are the attributes' losses without suppression.
    """
    whole = np.zeros(LOSSES + levels.size, dtype=np.int64)
    real = np.zeros(3)
    n = classes.sizes.size
    stays = np.empty(n, dtype=np.bool_)
    tally = np.empty(rule.limit + 1, dtype=np.int64)
    _read_into(
        classes, n, levels, layout, base, rule, _table(classes), stays, tally, whole, real
    )  # fmt: skip
    return whole, real


@inner
def _strides(heights: Indices) -> tuple[Indices, int]:
    """Distance in lexicographic order of nodes that differ by one level; number of nodes."""
    strides = np.empty(heights.size, dtype=np.int64)
    nodes = 1
    for a in range(heights.size - 1, -1, -1):
        strides[a] = nodes
        nodes *= heights[a] + 1
    return strides, nodes


@inner
def _next_node(levels: Indices, order: Indices, heights: Indices) -> int:
    """Step *levels* on, the last of *order* fastest; the depth that rose, or -1 at the end."""
    depth = levels.size - 1
    while depth >= 0 and levels[order[depth]] == heights[order[depth]]:
        levels[order[depth]] = 0
        depth -= 1
    if depth >= 0:
        levels[order[depth]] += 1
    return depth


@lazy(EQUIVALENCE_CLASSES, INDICES, INDICES, LAYOUT, INDEX_ROWS, RULE)
def sweep(
    classes: EquivalenceClasses,
    order: Indices,
    heights: Indices,
    layout: Layout,
    bases: Rows,
    rule: Rule,
) -> tuple[Rows, Points]:
    """Return the numbers of every node, nodes in the lexicographic order of their levels.

    The lattice is traversed depth first, the last attribute of *order* fastest, and every node is
    merged from the one before it along one attribute. Memory is O(classes · attributes).

    Buffer d + 1 has the classes with the first d + 1 attributes of *order* at their levels. An
    attribute at level 0 needs no buffer: ``source`` is the buffer with its classes.
    """
    s, n = heights.size, classes.sizes.size
    strides, nodes = _strides(heights)
    whole = np.zeros((nodes, LOSSES + s), dtype=np.int64)
    real = np.zeros((nodes, 3))
    keys = np.empty((s + 1, classes.keys.shape[0], n), dtype=np.int64)
    sizes = np.empty((s + 1, n), dtype=np.int64)
    counts = np.empty((s + 1, n, classes.counts.shape[1]), dtype=np.int32)
    for w in range(keys.shape[1]):
        copy_into(keys[0, w], classes.keys[w])
    for i in range(n):
        copy_into(counts[0, i], classes.counts[i])
    copy_into(sizes[0], classes.sizes)
    lengths = full_ints(s + 1, n)
    source = np.zeros(s + 1, dtype=np.int64)
    levels = np.zeros(s, dtype=np.int64)
    base = np.empty(s, dtype=np.int64)
    places = allocate_slots(n)
    table = _table(classes)
    stays = np.empty(n, dtype=np.bool_)
    tally = np.empty(rule.limit + 1, dtype=np.int64)
    depth = 0
    while depth >= 0:
        node = 0
        for a in range(s):
            base[a] = bases[a, levels[a]]
            node += levels[a] * strides[a]
        at = source[s]
        here = EquivalenceClasses(keys[at], sizes[at], counts[at])
        _read_into(
            here, lengths[at], levels, layout, base, rule, table, stays, tally,
            whole[node], real[node],
        )  # fmt: skip
        depth = _next_node(levels, order, heights)
        if depth >= 0:
            a = order[depth]
            came = depth + 1 if levels[a] > 1 else source[depth]
            finer = EquivalenceClasses(keys[came], sizes[came], counts[came])
            out = EquivalenceClasses(keys[depth + 1], sizes[depth + 1], counts[depth + 1])
            lengths[depth + 1] = merge_into(
                finer, lengths[came], a, levels[a], layout, out, places
            )  # fmt: skip
            fill(source[depth + 1 :], depth + 1)
    return whole, real
