"""Linkage of records that are all codes, by a prefix tree.

Candidates are sorted by their codes, so that those with a common prefix are adjacent; sums over a
prefix are computed once, and where a sum exceeds the limit, all candidates with that prefix are
skipped. Distances and ties are those of ``linkage``.
"""

from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import copy_into
from evomask.kernels.jit import CODE_ROWS, FLOATS, INDEX_ROWS, INDICES, inner, kernel
from evomask.kernels.linking.linkage import TIE, Candidates, Terms
from evomask.types import Codes, Floats, Indices


class CodeTree(NamedTuple):
    """Candidates in the order of their codes.

    Args:
        attributes: order in which codes are compared.
        places: former position of each candidate.
        codes: one row a candidate, its attributes in that order.
        shared: length of the prefix that each candidate shares with the one before.
        beyond: for each candidate and code, the next candidate that does not share the prefix up to
            this code.
    """

    attributes: Indices
    places: Indices
    codes: Codes
    shared: Indices
    beyond: Indices


class PrefixSearch(NamedTuple):
    """Targets, candidates and distance tables of a search inside kernels; ``sums`` is scratch."""

    targets: Codes
    codes: Codes
    shared: Indices
    beyond: Indices
    tables: Floats
    starts: Indices
    widths: Indices
    sums: Floats


def build_code_tree(codes: Codes) -> CodeTree:
    """Return the tree of candidates; attributes with few codes come first."""
    attributes = np.argsort(codes.max(axis=0, initial=0), kind="stable")
    places = np.lexsort(codes[:, attributes[::-1]].T)
    ordered = np.ascontiguousarray(codes[places][:, attributes])
    return CodeTree(attributes, places, ordered, *_marks(ordered))


def ties_in_tree(targets: Codes, own: Indices, candidates: Candidates, terms: Terms) -> Indices:
    """Return for each target how many records are as near as its own one; 0 if any is nearer.

    The own record is the candidate at ``own``. Cost is O(targets · candidates · d) at worst.
    """
    tree = build_code_tree(candidates.rows.codes)
    now = np.empty_like(tree.places)
    now[tree.places] = np.arange(len(now))
    return _ties_in_tree(
        np.ascontiguousarray(targets[:, tree.attributes]), now[own], tree.codes,
        candidates.counts[tree.places], tree.shared, tree.beyond,
        terms.tables, terms.starts[tree.attributes], terms.widths[tree.attributes],
    )  # fmt: skip


def nearest_in_tree(
    targets: Codes, candidates: Candidates, terms: Terms
) -> tuple[Indices, Indices]:
    """Return all nearest candidates: target i has ``found[ends[i]:ends[i + 1]]``."""
    tree = build_code_tree(candidates.rows.codes)
    ends, found = _nearest_in_tree(
        np.ascontiguousarray(targets[:, tree.attributes]), tree.codes, tree.shared, tree.beyond,
        terms.tables, terms.starts[tree.attributes], terms.widths[tree.attributes],
    )  # fmt: skip
    return ends, tree.places[found]


@kernel(CODE_ROWS)
def _marks(codes: Codes) -> tuple[Indices, Indices]:
    """Shared prefix lengths, and the next candidates without each prefix."""
    count, d = codes.shape
    shared = np.zeros(count, dtype=np.int64)
    beyond = np.empty((count, d), dtype=np.int64)
    for j in range(count - 1, -1, -1):
        alike = 0
        while j > 0 and alike < d and codes[j, alike] == codes[j - 1, alike]:
            alike += 1
        shared[j] = alike
        for a in range(d):
            goes_on = j + 1 < count and shared[j + 1] > a
            beyond[j, a] = beyond[j + 1, a] if goes_on else j + 1
    return shared, beyond


@inner
def _begin(codes: Codes, target: Codes, i: int) -> int:
    """A candidate with a long common prefix with the target; a near one prunes others."""
    low, high = 0, codes.shape[0]
    for a in range(codes.shape[1]):
        column = codes[low:high, a]
        first = low + np.searchsorted(column, target[i, a])
        last = low + np.searchsorted(column, target[i, a], side="right")
        if first == last:
            return min(first, high - 1)
        low, high = first, last
    return low


@inner
def _end_of_run(targets: Codes, i: int) -> int:
    """The first target after i that differs from it."""
    end = i + 1
    while end < targets.shape[0] and np.all(targets[end] == targets[i]):
        end += 1
    return end


@inner
def _next_within(search: PrefixSearch, i: int, j: int, stop: int, fresh: bool, limit: float) -> int:
    """The first of the candidates j..stop that is within *limit* of target i; stop if none.

    ``sums[a]`` is the sum over the first a codes of the previous candidate; it is invalid where the
    search is *fresh*.
    """
    targets, codes, shared, beyond = search.targets, search.codes, search.shared, search.beyond
    tables, starts, widths, sums = search.tables, search.starts, search.widths, search.sums
    d = codes.shape[1]
    depth = 0 if fresh else shared[j] if j < stop else 0
    while j < stop:
        a = depth
        while a < d:
            total = sums[a] + tables[starts[a] + targets[i, a] * widths[a] + codes[j, a]]
            if total > limit:
                break
            a += 1
            sums[a] = total
        if a == d:
            return j
        j = beyond[j, a]
        if j < stop:
            depth = shared[j]
    return stop


@kernel(CODE_ROWS, INDICES, CODE_ROWS, INDICES, INDICES, INDEX_ROWS, FLOATS, INDICES, INDICES)
def _ties_in_tree(
    targets: Codes,
    own: Indices,
    codes: Codes,
    counts: Indices,
    shared: Indices,
    beyond: Indices,
    tables: Floats,
    starts: Indices,
    widths: Indices,
) -> Indices:
    """Search from a promising candidate to the last, and from the first up to it.

    Equal adjacent targets share one search, within the distance of the nearest own record.
    """
    count, d = codes.shape
    ties = np.zeros(own.size, dtype=np.int64)
    apart = np.empty(own.size)
    sums = np.zeros(d + 1)
    search = PrefixSearch(targets, codes, shared, beyond, tables, starts, widths, sums)
    after = 0
    while after < own.size:
        i, after = after, _end_of_run(targets, after)
        limit = np.inf
        for same in range(i, after):
            apart[same] = 0.0
            for a in range(d):
                place = starts[a] + targets[i, a] * widths[a] + codes[own[same], a]
                apart[same] += tables[place]
            limit = min(limit, apart[same])
        begin = _begin(codes, targets, i)
        nearer = False
        tied = 0
        for part in range(2):
            j, stop = (begin, count) if part == 0 else (0, begin)
            fresh = True
            while not nearer:
                j = _next_within(search, i, j, stop, fresh, limit * (1.0 + TIE))
                if j == stop:
                    break
                nearer = float(sums[d]) < limit * (1.0 - TIE)
                tied += counts[j]
                j += 1
                fresh = False
        for same in range(i, after):
            if not nearer and apart[same] <= limit * (1.0 + TIE):
                ties[same] = tied
    return ties


@kernel(CODE_ROWS, CODE_ROWS, INDICES, INDEX_ROWS, FLOATS, INDICES, INDICES)
def _nearest_in_tree(
    targets: Codes,
    codes: Codes,
    shared: Indices,
    beyond: Indices,
    tables: Floats,
    starts: Indices,
    widths: Indices,
) -> tuple[Indices, Indices]:
    """Search from a promising candidate to the last, and from the first up to it."""
    n_targets = targets.shape[0]
    count, d = codes.shape
    ends = np.zeros(n_targets + 1, dtype=np.int64)
    found = np.empty(4 * n_targets + count, dtype=np.int64)
    sums = np.zeros(d + 1)
    search = PrefixSearch(targets, codes, shared, beyond, tables, starts, widths, sums)
    for i in range(n_targets):
        first = end = ends[i]
        if first + count > found.size:
            larger = np.empty(2 * found.size + count, dtype=np.int64)
            copy_into(larger[:first], found)
            found = larger
        limit = np.inf
        begin = _begin(codes, targets, i)
        for part in range(2):
            j, stop = (begin, count) if part == 0 else (0, begin)
            fresh = True
            while True:
                j = _next_within(search, i, j, stop, fresh, limit * (1.0 + TIE))
                if j == stop:
                    break
                apart = float(sums[d])
                if apart < limit * (1.0 - TIE):
                    end = first
                limit = min(limit, apart)
                found[end] = j
                end += 1
                j += 1
                fresh = False
        ends[i + 1] = end
    return ends, found[: ends[n_targets]].copy()
