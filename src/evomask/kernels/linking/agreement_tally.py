"""Number of record pairs with each agreement pattern, where all attributes are codes.

Where codes agree only with themselves, no pair is visited: records that are equal on a set of
attributes are counted, set by set, and agreement on exactly a set follows by inclusion and
exclusion. Otherwise attributes are divided into two halves. A file has far fewer distinct halves
than records, so the patterns of halves are computed once, and a pair of records only combines two
of them.
"""

from dataclasses import dataclass

import numpy as np

from evomask.kernels.compiler.arrays import copy_into, fill
from evomask.kernels.jit import CODE_ROWS, FLOATS, INDICES, INT64, inner, kernel
from evomask.kernels.linking.linkage import Terms
from evomask.types import Codes, Floats, Indices, Labels


@dataclass(frozen=True, eq=False)
class DistinctRecords:
    """Distinct records as codes, and their frequencies in the file."""

    codes: Codes
    counts: Indices


def agreement_tally(targets: DistinctRecords, rows: DistinctRecords, terms: Terms) -> Floats:
    """Return for every pattern (bit j: attribute j agrees) the number of pairs that show it.

    Attributes agree where their table entry is 0. Cost is O(2^d (targets + rows)) by sets, at most
    O(targets · rows) by halves.
    """
    if _agrees_with_itself_only(terms) and _sets_are_few(targets, rows):
        return _tally_by_sets(targets, rows)
    return _tally_by_halves(targets, rows, terms)


def _agrees_with_itself_only(terms: Terms) -> bool:
    ends = np.append(terms.starts[1:], terms.tables.size)
    for start, end, width in zip(terms.starts, ends, terms.widths, strict=True):
        agrees = terms.tables[start:end].reshape(-1, width) == 0.0
        if not np.array_equal(agrees, np.eye(*agrees.shape, dtype=np.bool_)):
            return False
    return True


def _sets_are_few(targets: DistinctRecords, rows: DistinctRecords) -> bool:
    """Whether visiting all sets of attributes is cheaper than all pairs of records."""
    n_targets, n_rows = len(targets.counts), len(rows.counts)
    return (n_targets + n_rows) << targets.codes.shape[1] < n_targets * n_rows // 4


def _tally_by_sets(targets: DistinctRecords, rows: DistinctRecords) -> Floats:
    codes = np.concatenate([targets.codes, rows.codes])
    none = np.zeros(len(codes), dtype=np.int64)
    ours, theirs = none.copy(), none
    ours[: len(targets.counts)] = targets.counts
    theirs[len(targets.counts) :] = rows.counts
    tally = _equal_on_sets(np.ascontiguousarray(codes), ours, theirs)
    for a in range(codes.shape[1]):
        by_bit = tally.reshape(-1, 2, 1 << a)
        by_bit[:, 0] -= by_bit[:, 1]
    return tally


@inner
def _refine(
    before: Labels,
    codes: Codes,
    a: int,
    after: Labels,
    keys: Indices,
    classes: Indices,
    used_in: Indices,
    stamp: int,
) -> None:
    """Divide the classes *before* by attribute *a*, with a hash table.

    A slot of the table is empty unless it was used with the current *stamp*.
    """
    last = keys.size - 1
    count = 0
    for i in range(before.size):
        key = before[i] << 32 | codes[i, a]
        place = (key ^ key >> 29) * 0x2545F4914F6CDD1D >> 20 & last
        while used_in[place] == stamp and keys[place] != key:
            place = (place + 1) & last
        if used_in[place] != stamp:
            used_in[place], keys[place], classes[place] = stamp, key, count
            count += 1
        after[i] = classes[place]


@kernel(CODE_ROWS, INDICES, INDICES)
def _equal_on_sets(codes: Codes, ours: Indices, theirs: Indices) -> Floats:
    """For each set of attributes as bits, the number of pairs that are equal on it."""
    n, d = codes.shape
    pairs = np.zeros(1 << d)
    places = 1
    while places < 4 * n:
        places *= 2
    keys = np.empty(places, dtype=np.int64)
    classes = np.empty(places, dtype=np.int64)
    used_in = np.zeros(places, dtype=np.int64)
    labels = np.zeros((d + 1, n), dtype=np.int64)
    stamp = 0
    for chosen in range(1 << d):
        # Classes by the highest attributes hold until a set differs there from the one before.
        changed = chosen ^ (chosen - 1) if chosen > 0 else (1 << d) - 1
        for a in range(d - 1, -1, -1):
            if changed >> a & 1 and chosen >> a & 1:
                stamp += 1
                _refine(labels[a + 1], codes, a, labels[a], keys, classes, used_in, stamp)
            elif changed >> a & 1:
                copy_into(labels[a], labels[a + 1])
        our_sizes = np.zeros(n)
        their_sizes = np.zeros(n)
        for i in range(n):
            our_sizes[labels[0, i]] += ours[i]
            their_sizes[labels[0, i]] += theirs[i]
        pairs[chosen] = np.sum(our_sizes * their_sizes)
    return pairs


def _tally_by_halves(targets: DistinctRecords, rows: DistinctRecords, terms: Terms) -> Floats:
    order = np.argsort(rows.codes.max(axis=0, initial=0), kind="stable")
    some, others = order[0::2].copy(), order[1::2].copy()
    by_others = _sorted_by(targets, others)
    by_some = _sorted_by(rows, some)
    return _agreement_tally(
        np.ascontiguousarray(by_others.codes), by_others.counts,
        _halves(by_others.codes, others),
        *_distinct(by_some.codes, some), *_distinct(by_some.codes, others), by_some.counts,
        some, others, terms.tables, terms.starts, terms.widths, 1 << len(order),
    )  # fmt: skip


def _sorted_by(records: DistinctRecords, attributes: Indices) -> DistinctRecords:
    order = np.argsort(_halves(records.codes, attributes), kind="stable")
    return DistinctRecords(records.codes[order], records.counts[order])


def _halves(codes: Codes, attributes: Indices) -> Indices:
    """For each record, the index of its distinct combination of the attributes."""
    return _distinct(codes, attributes)[1]


def _distinct(codes: Codes, attributes: Indices) -> tuple[Codes, Indices]:
    """Distinct combinations of the attributes, and the index of each record's combination."""
    held = codes[:, attributes]
    order = np.lexsort(held.T) if attributes.size else np.arange(len(held))
    held = held[order]
    differs = np.ones(len(held), dtype=np.bool_)
    differs[1:] = (held[1:] != held[:-1]).any(axis=1)
    held_by = np.empty(len(held), dtype=np.int64)
    held_by[order] = np.cumsum(differs) - 1
    return np.ascontiguousarray(held[differs]), held_by


@inner
def _half_patterns(
    targets: Codes,
    i: int,
    halves: Codes,
    attributes: Indices,
    tables: Floats,
    starts: Indices,
    widths: Indices,
    patterns: Indices,
) -> None:
    """Pattern of target i against every distinct half."""
    for h in range(halves.shape[0]):
        pattern = 0
        for place in range(attributes.size):
            a = attributes[place]
            if tables[starts[a] + targets[i, a] * widths[a] + halves[h, place]] == 0.0:
                pattern |= 1 << a
        patterns[h] = pattern


@kernel(
    CODE_ROWS, INDICES, INDICES, CODE_ROWS, INDICES, CODE_ROWS, INDICES, INDICES, INDICES,
    INDICES, FLOATS, INDICES, INDICES, INT64,
)  # fmt: skip
def _agreement_tally(
    targets: Codes,
    target_counts: Indices,
    target_halves: Indices,
    some_halves: Codes,
    some_of: Indices,
    other_halves: Codes,
    other_of: Indices,
    counts: Indices,
    some: Indices,
    others: Indices,
    tables: Floats,
    starts: Indices,
    widths: Indices,
    n_patterns: int,
) -> Floats:
    """Targets with the same second half are adjacent, so its patterns are computed once."""
    tally = np.zeros(n_patterns)
    own = np.zeros(n_patterns, dtype=np.int64)
    of_some = np.zeros(some_halves.shape[0], dtype=np.int64)
    of_others = np.zeros(other_halves.shape[0], dtype=np.int64)
    for i in range(targets.shape[0]):
        _half_patterns(targets, i, some_halves, some, tables, starts, widths, of_some)
        if i == 0 or target_halves[i] != target_halves[i - 1]:
            _half_patterns(targets, i, other_halves, others, tables, starts, widths, of_others)
        fill(own, 0)
        for j in range(counts.size):
            own[of_some[some_of[j]] | of_others[other_of[j]]] += counts[j]
        for pattern in range(n_patterns):
            tally[pattern] += own[pattern] * target_counts[i]
    return tally
