"""Distance-based record linkage with exact ties.

A record is a row of numbers, each an interval with equal ends for a plain number and NaN ends for a
missing value, and a row of codes. The distance of two records is the sum over numbers of weight
times squared gap, then over codes of an entry in a table; a number missing in one record only
counts as *missing*. Distances within the relative tolerance ``TIE`` are tied: on integers, exactly
the equal ones. No term is negative, so that a partial sum above a limit proves that the distance
is.

Candidates may be sorted along a line: a projection that never increases distances. The search for a
target starts at its own position on the line and stops where the line alone proves the rest to be
too far away.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evomask.kernels.compiler.arrays import full_ints, search_left, smallest
from evomask.kernels.jit import BOOL, CODE_ROWS, FLOAT64, FLOATS, INDICES, POINTS, inner, kernel
from evomask.types import Codes, Floats, Indices, Points

BLOCK = 64
"""Candidates whose distances are computed together."""

TIE = 1e-13
"""Distances that differ by a smaller share are equal up to rounding."""

SLACK = 1.0 + 1e-9
"""Factor on search limits, because projections are rounded."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Records as arrays: interval ends of their numbers, and their codes.

    Plain numbers have one array for both ends.
    """

    low: Points
    high: Points
    codes: Codes

    def __len__(self) -> int:
        return len(self.low)

    @cached_property
    def are_plain(self) -> bool:
        """Whether all numbers are known and none is an interval."""
        return self.low is self.high and not bool(np.isnan(self.low).any())

    def take(self, records: Indices) -> "Rows":
        low = np.take(self.low, records, axis=0)
        high = low if self.low is self.high else np.take(self.high, records, axis=0)
        return Rows(low, high, np.take(self.codes, records, axis=0))


class Terms(NamedTuple):
    """Contributions of the attributes to the distance of two records.

    ``tables`` has one table a code attribute, row by row: a target code selects a row of ``widths``
    entries, and a table begins at its entry of ``starts``.
    """

    weights: Floats
    missing: float
    tables: Floats
    starts: Indices
    widths: Indices


class Candidates(NamedTuple):
    """Distinct records with their frequencies in the file.

    Sorted by ``line``, their positions on the line; it is empty where there is none.
    """

    rows: Rows
    counts: Indices
    line: Floats


class Comparison(NamedTuple):
    """Targets and candidates inside kernels, and the terms of their distance.

    Args:
        t_low, t_high, t_codes: targets, one row a target.
        c_low, c_high, c_codes: candidates; numbers with one row an attribute.
        plain: whether all numbers are known and none is an interval.
        weights, missing, tables, starts, widths: as in `Terms`.
    """

    t_low: Points
    t_high: Points
    t_codes: Codes
    c_low: Points
    c_high: Points
    c_codes: Codes
    plain: bool
    weights: Floats
    missing: float
    tables: Floats
    starts: Indices
    widths: Indices


def tied_with_own(
    targets: Rows, places: Floats, own: Indices, candidates: Candidates, terms: Terms
) -> Indices:
    """Return for each target how many records are as near as its own one; 0 if any is nearer.

    The own record is the candidate at ``own``; ``places`` are the targets' positions on the
    candidates' line. Cost is O(targets x candidates) at worst and usually far less: a search ends
    with the first nearer record.
    """
    rows = candidates.rows
    low, high = as_columns(rows)
    return _ties_with_own(
        targets.low, targets.high, targets.codes, places, own, low, high, rows.codes,
        candidates.counts, candidates.line, targets.are_plain and rows.are_plain,
        terms.weights, terms.missing, terms.tables, terms.starts, terms.widths,
    )  # fmt: skip


def nearest_ties(
    targets: Rows, places: Floats, candidates: Candidates, terms: Terms
) -> tuple[Indices, Indices]:
    """Return all nearest candidates: target i has ``found[ends[i]:ends[i + 1]]``.

    Cost is O(targets x candidates) at worst.
    """
    rows = candidates.rows
    low, high = as_columns(rows)
    return _nearest_ties(
        targets.low, targets.high, targets.codes, places, low, high, rows.codes,
        candidates.line, targets.are_plain and rows.are_plain,
        terms.weights, terms.missing, terms.tables, terms.starts, terms.widths,
    )  # fmt: skip


def as_columns(rows: Rows) -> tuple[Points, Points]:
    """Return the numbers with one row an attribute, to compare many candidates at once."""
    low = np.ascontiguousarray(rows.low.T)
    return low, low if rows.low is rows.high else np.ascontiguousarray(rows.high.T)


@inner
def gap_between(t_low: float, t_high: float, c_low: float, c_high: float) -> float:
    """Return the distance between two intervals, 0 where they touch."""
    above = c_low - t_high
    below = t_low - c_high
    gap = above if above > below else below
    return gap if gap > 0.0 else 0.0


@inner
def _squares(pair: Comparison, i: int, start: int, stop: int, out: Floats) -> None:
    """Add the terms of plain numbers for the candidates start..stop."""
    for a in range(pair.weights.size):
        column = pair.c_low[a, start:stop]
        value = pair.t_low[i, a]
        weight = pair.weights[a]
        for s in range(stop - start):
            apart = column[s] - value
            out[s] += weight * (apart * apart)


@inner
def _gaps(pair: Comparison, i: int, start: int, stop: int, out: Floats) -> None:
    """Add the terms of numbers where some may be intervals or missing."""
    missing = pair.missing
    for a in range(pair.weights.size):
        lows = pair.c_low[a, start:stop]
        highs = pair.c_high[a, start:stop]
        low = pair.t_low[i, a]
        high = pair.t_high[i, a]
        weight = pair.weights[a]
        if np.isnan(low):
            for s in range(stop - start):
                out[s] += 0.0 if np.isnan(lows[s]) else missing
        else:
            for s in range(stop - start):
                gap = gap_between(low, high, lows[s], highs[s])
                out[s] += missing if np.isnan(lows[s]) else weight * (gap * gap)


@inner
def _distances(pair: Comparison, i: int, start: int, stop: int, limit: float, out: Floats) -> None:
    """Distances of target i to the candidates start..stop, partial once above *limit*."""
    for s in range(stop - start):
        out[s] = 0.0
    if pair.plain:
        _squares(pair, i, start, stop, out)
    else:
        _gaps(pair, i, start, stop, out)
    tables, starts, widths = pair.tables, pair.starts, pair.widths
    if starts.size > 0:
        for j in range(start, stop):
            total = out[j - start]
            for a in range(starts.size):
                if total > limit:
                    break
                total += tables[starts[a] + pair.t_codes[i, a] * widths[a] + pair.c_codes[j, a]]
            out[j - start] = total


@inner
def _start(line: Floats, place: float) -> int:
    """Start of a search; the first candidate without a position or a line."""
    return 0 if np.isnan(place) else search_left(line, place)


@inner
def _next_block(
    line: Floats, left: int, right: int, place: float, limit: float, n_candidates: int
) -> tuple[int, int]:
    """The next candidates to compare, start..stop; none where the rest is beyond *limit*.

    Candidates left..right were compared already. Along a line the nearer side comes next.
    """
    if line.size == 0 or np.isnan(place):
        return right, min(right + BLOCK, n_candidates)
    to_left = place - line[left - 1] if left > 0 else np.inf
    to_right = line[right] - place if right < line.size else np.inf
    nearer = min(to_left, to_right)
    if nearer == np.inf or nearer * nearer > limit * SLACK:
        return right, right
    if to_left < to_right:
        return max(left - BLOCK, 0), left
    return right, min(right + BLOCK, n_candidates)


@inner
def ties_with_own(
    pair: Comparison, places: Floats, own: Indices, counts: Indices, line: Floats
) -> Indices:
    """Return what `tied_with_own` returns; for kernels."""
    ties = full_ints(own.size, 0)
    block = np.empty(BLOCK)
    for i in range(own.size):
        _distances(pair, i, own[i], own[i] + 1, np.inf, block)
        limit = block[0]
        left = right = _start(line, places[i])
        tied = 0
        while True:
            start, stop = _next_block(line, left, right, places[i], limit, counts.size)
            if start == stop:
                break
            left, right = min(left, start), max(right, stop)
            _distances(pair, i, start, stop, limit * (1.0 + TIE), block)
            least = smallest(block, stop - start)
            if least < limit * (1.0 - TIE):
                tied = 0
                break
            if least <= limit * (1.0 + TIE):
                for j in range(start, stop):
                    if block[j - start] <= limit * (1.0 + TIE):
                        tied += counts[j]
        ties[i] = tied
    return ties


@kernel(
    POINTS, POINTS, CODE_ROWS, FLOATS, INDICES, POINTS, POINTS, CODE_ROWS, INDICES, FLOATS,
    BOOL, FLOATS, FLOAT64, FLOATS, INDICES, INDICES,
)  # fmt: skip
def _ties_with_own(
    t_low: Points,
    t_high: Points,
    t_codes: Codes,
    places: Floats,
    own: Indices,
    c_low: Points,
    c_high: Points,
    c_codes: Codes,
    counts: Indices,
    line: Floats,
    plain: bool,
    weights: Floats,
    missing: float,
    tables: Floats,
    starts: Indices,
    widths: Indices,
) -> Indices:
    pair = Comparison(
        t_low, t_high, t_codes, c_low, c_high, c_codes, plain,
        weights, missing, tables, starts, widths,
    )  # fmt: skip
    return ties_with_own(pair, places, own, counts, line)


@kernel(
    POINTS, POINTS, CODE_ROWS, FLOATS, POINTS, POINTS, CODE_ROWS, FLOATS,
    BOOL, FLOATS, FLOAT64, FLOATS, INDICES, INDICES,
)  # fmt: skip
def _nearest_ties(
    t_low: Points,
    t_high: Points,
    t_codes: Codes,
    places: Floats,
    c_low: Points,
    c_high: Points,
    c_codes: Codes,
    line: Floats,
    plain: bool,
    weights: Floats,
    missing: float,
    tables: Floats,
    starts: Indices,
    widths: Indices,
) -> tuple[Indices, Indices]:
    pair = Comparison(
        t_low, t_high, t_codes, c_low, c_high, c_codes, plain,
        weights, missing, tables, starts, widths,
    )  # fmt: skip
    n_targets = t_low.shape[0]
    n_candidates = c_codes.shape[0]
    ends = full_ints(n_targets + 1, 0)
    found = np.empty(4 * n_targets + n_candidates, dtype=np.int64)
    block = np.empty(BLOCK)
    for i in range(n_targets):
        begin = end = ends[i]
        if begin + n_candidates > found.size:
            larger = np.empty(2 * found.size + n_candidates, dtype=np.int64)
            for j in range(begin):
                larger[j] = found[j]
            found = larger
        limit = np.inf
        left = right = _start(line, places[i])
        while True:
            start, stop = _next_block(line, left, right, places[i], limit, n_candidates)
            if start == stop:
                break
            left, right = min(left, start), max(right, stop)
            _distances(pair, i, start, stop, limit * (1.0 + TIE), block)
            if smallest(block, stop - start) > limit * (1.0 + TIE):
                continue
            for j in range(start, stop):
                apart = block[j - start]
                if apart < limit * (1.0 - TIE):
                    end = begin
                if apart <= limit * (1.0 + TIE):
                    limit = min(limit, apart)
                    found[end] = j
                    end += 1
        ends[i + 1] = end
    return ends, found[: ends[n_targets]].copy()
