"""How many pairs of records agree in which attributes, where all attributes are codes.

Attributes are dealt into two halves. A file holds far fewer distinct halves than records, so
patterns of halves are made once, and a pair of records only puts two of them together.
"""

from dataclasses import dataclass

import numpy as np

from evomask.kernels.arrays import Codes, Floats, Indices
from evomask.kernels.compiler import CODE_ROWS, FLOATS, INDICES, WHOLE, inner, kernel
from evomask.kernels.linkage import Terms


@dataclass(frozen=True, eq=False)
class Counted:
    """Distinct records as codes, and how often each stands in its file."""

    codes: Codes
    counts: Indices


def agreement_tally(targets: Counted, rows: Counted, terms: Terms) -> Floats:
    """For every pattern (bit j: attribute j agrees), the number of pairs that show it.

    Attributes agree where their table says 0.
    """
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


def _sorted_by(counted: Counted, attributes: Indices) -> Counted:
    order = np.argsort(_halves(counted.codes, attributes), kind="stable")
    return Counted(counted.codes[order], counted.counts[order])


def _halves(codes: Codes, attributes: Indices) -> Indices:
    """For each record, which distinct combination of the attributes it holds."""
    return _distinct(codes, attributes)[1]


def _distinct(codes: Codes, attributes: Indices) -> tuple[Codes, Indices]:
    """The distinct combinations of the attributes, and which of them each record holds."""
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
    """The pattern of target i against every distinct half."""
    for h in range(halves.shape[0]):
        pattern = 0
        for place in range(attributes.size):
            a = attributes[place]
            if tables[starts[a] + targets[i, a] * widths[a] + halves[h, place]] == 0.0:
                pattern |= 1 << a
        patterns[h] = pattern


@kernel(
    CODE_ROWS, INDICES, INDICES, CODE_ROWS, INDICES, CODE_ROWS, INDICES, INDICES, INDICES,
    INDICES, FLOATS, INDICES, INDICES, WHOLE,
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
    """Targets that share their other half stand together, so its patterns are made once."""
    tally = np.zeros(n_patterns)
    own = np.zeros(n_patterns, dtype=np.int64)
    of_some = np.zeros(some_halves.shape[0], dtype=np.int64)
    of_others = np.zeros(other_halves.shape[0], dtype=np.int64)
    for i in range(targets.shape[0]):
        _half_patterns(targets, i, some_halves, some, tables, starts, widths, of_some)
        if i == 0 or target_halves[i] != target_halves[i - 1]:
            _half_patterns(targets, i, other_halves, others, tables, starts, widths, of_others)
        own[:] = 0
        for j in range(counts.size):
            own[of_some[some_of[j]] | of_others[other_of[j]]] += counts[j]
        for pattern in range(n_patterns):
            tally[pattern] += own[pattern] * target_counts[i]
    return tally
