"""Linkage of records that are all codes, by a tree that shares their beginnings.

Candidates are sorted by their codes, so that those which begin alike stand together; sums over
a common beginning are made once, and where such a sum is too large already, all that begin so
are passed over. What is a distance, and when two are tied, is told in ``linkage``.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Codes, Floats, Indices
from evomask.kernels.compiler import CODE_ROWS, FLOATS, INDEX_ROWS, INDICES, inner, kernel
from evomask.kernels.filled import copy_into
from evomask.kernels.linking.linkage import TIE, Candidates, Terms


class CodeTree(NamedTuple):
    """Candidates in the order of their codes.

    Args:
        attributes: in the order in which codes are compared.
        places: where each candidate stood before.
        codes: one row a candidate, its attributes in that order.
        shared: how many codes each candidate shares with the one before, from the first on.
        beyond: for each candidate and each code, the next candidate that does not share all
            codes up to this one.
    """

    attributes: Indices
    places: Indices
    codes: Codes
    shared: Indices
    beyond: Indices


def tree_of(codes: Codes) -> CodeTree:
    """The tree of candidates; attributes with few codes come first, as they are shared most."""
    attributes = np.argsort(codes.max(axis=0, initial=0), kind="stable")
    places = np.lexsort(codes[:, attributes[::-1]].T)
    ordered = np.ascontiguousarray(codes[places][:, attributes])
    return CodeTree(attributes, places, ordered, *_marks(ordered))


def ties_in_tree(targets: Codes, own: Indices, candidates: Candidates, terms: Terms) -> Indices:
    """For each target, how many records are as near to it as its own one; 0 if any is nearer.

    The own record is the candidate at ``own``.
    """
    tree = tree_of(candidates.rows.codes)
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
    """All nearest candidates of each target: target i has ``found[ends[i]:ends[i + 1]]``."""
    tree = tree_of(candidates.rows.codes)
    ends, found = _nearest_in_tree(
        np.ascontiguousarray(targets[:, tree.attributes]), tree.codes, tree.shared, tree.beyond,
        terms.tables, terms.starts[tree.attributes], terms.widths[tree.attributes],
    )  # fmt: skip
    return ends, tree.places[found]


@kernel(CODE_ROWS)
def _marks(codes: Codes) -> tuple[Indices, Indices]:
    """What each candidate shares with the one before, and where it shares no more."""
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
    """A candidate that begins like the target, if there is one: near ones make others far."""
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
def _next_within(
    targets: Codes,
    i: int,
    j: int,
    stop: int,
    fresh: bool,
    limit: float,
    codes: Codes,
    shared: Indices,
    beyond: Indices,
    tables: Floats,
    starts: Indices,
    widths: Indices,
    sums: Floats,
) -> int:
    """The first of the candidates j..stop that is within *limit* of target i; stop if none.

    ``sums[a]`` is the sum over the first a codes of the candidate looked at last; they count
    for nothing where the walk is *fresh*.
    """
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
    """A walk from a promising candidate to the last, and from the first up to it.

    Equal targets that stand together have one walk, within the distance of the nearest own.
    """
    count, d = codes.shape
    ties = np.zeros(own.size, dtype=np.int64)
    apart = np.empty(own.size)
    sums = np.zeros(d + 1)
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
                j = _next_within(
                    targets, i, j, stop, fresh, limit * (1.0 + TIE), codes, shared, beyond,
                    tables, starts, widths, sums,
                )  # fmt: skip
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
    """A walk from a promising candidate to the last, and from the first up to it."""
    n_targets = targets.shape[0]
    count, d = codes.shape
    ends = np.zeros(n_targets + 1, dtype=np.int64)
    found = np.empty(4 * n_targets + count, dtype=np.int64)
    sums = np.zeros(d + 1)
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
                j = _next_within(
                    targets, i, j, stop, fresh, limit * (1.0 + TIE), codes, shared, beyond,
                    tables, starts, widths, sums,
                )  # fmt: skip
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
