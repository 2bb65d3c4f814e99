"""Nearest records with exact ties.

A record is a row of numbers, each an interval with equal ends for a plain number and NaN
ends for a missing value, and a row of codes. The distance of two records is the sum over
numbers of weight times squared gap, then over codes of an entry in a table; a number missing
in one record only counts as *missing*. Distances closer than rounding can tell apart (see
``TIE``) are tied: on whole numbers, just those that are equal. No term is negative, so that a
partial sum above a limit proves the distance to be; whatever is skipped could not have
mattered.

Candidates may be sorted along a line: a projection in which two records are never farther
apart than by their distance. A target then walks outwards from its own place on the line and
stops where the line alone proves the rest to be too far away.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evomask.arrays import Codes, Floats, Indices, Points
from evomask.kernels.compiler import (
    CODE_ROWS,
    FLOATS,
    INDICES,
    POINTS,
    REAL,
    TRUTH,
    extreme,
    inner,
    kernel,
)
from evomask.kernels.filled import wholes
from evomask.kernels.sorting import place_before

BLOCK = 64
"""Candidates whose distances are computed together."""

TIE = 1e-13
"""Distances that differ by less than this share of themselves are equal but for rounding."""

SLACK = 1.0 + 1e-9
"""A walk goes on a little beyond its limit, because projections are rounded."""


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
        """Whether every number is one, and none is missing."""
        return self.low is self.high and not bool(np.isnan(self.low).any())

    def take(self, records: Indices) -> "Rows":
        """The records at the given positions."""
        low = np.take(self.low, records, axis=0)
        high = low if self.low is self.high else np.take(self.high, records, axis=0)
        return Rows(low, high, np.take(self.codes, records, axis=0))


class Terms(NamedTuple):
    """What the attributes of two records add to their distance.

    ``tables`` holds one table a code attribute, row by row: target codes are rows of
    ``widths`` entries, and a table begins at its entry of ``starts``.
    """

    weights: Floats
    missing: float
    tables: Floats
    starts: Indices
    widths: Indices


class Candidates(NamedTuple):
    """Distinct records with the number of times each stands in the file.

    Sorted by ``line``, their places on the line; an empty line means that they have none.
    """

    rows: Rows
    counts: Indices
    line: Floats


def tied_with_own(
    targets: Rows, places: Floats, own: Indices, candidates: Candidates, terms: Terms
) -> Indices:
    """For each target, how many records are as near to it as its own one; 0 if any is nearer.

    The own record is the candidate at ``own``; ``places`` are the targets' places on the
    candidates' line. Cost is O(targets x candidates) at worst and usually far less: a walk
    ends with the first nearer record.
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
    """All nearest candidates of each target: target i has ``found[ends[i]:ends[i + 1]]``."""
    rows = candidates.rows
    low, high = as_columns(rows)
    return _nearest_ties(
        targets.low, targets.high, targets.codes, places, low, high, rows.codes,
        candidates.line, targets.are_plain and rows.are_plain,
        terms.weights, terms.missing, terms.tables, terms.starts, terms.widths,
    )  # fmt: skip


def as_columns(rows: Rows) -> tuple[Points, Points]:
    """Numbers with one attribute a row, so that many candidates are compared at once."""
    low = np.ascontiguousarray(rows.low.T)
    return low, low if rows.low is rows.high else np.ascontiguousarray(rows.high.T)


@inner
def gap_between(t_low: float, t_high: float, c_low: float, c_high: float) -> float:
    """Distance between two intervals, 0 where they touch."""
    above = c_low - t_high
    below = t_low - c_high
    gap = above if above > below else below
    return gap if gap > 0.0 else 0.0


@inner
def _squares(
    t_low: Points, i: int, c_low: Points, start: int, stop: int, weights: Floats, out: Floats
) -> None:
    """What plain numbers add for the candidates start..stop; several at once."""
    for a in range(weights.size):
        column = c_low[a, start:stop]
        value = t_low[i, a]
        weight = weights[a]
        for s in range(stop - start):
            apart = column[s] - value
            out[s] += weight * (apart * apart)


@inner
def _gaps(
    t_low: Points,
    t_high: Points,
    i: int,
    c_low: Points,
    c_high: Points,
    start: int,
    stop: int,
    weights: Floats,
    missing: float,
    out: Floats,
) -> None:
    """What numbers add where some may be intervals or missing; several at once too."""
    for a in range(weights.size):
        lows = c_low[a, start:stop]
        highs = c_high[a, start:stop]
        low = t_low[i, a]
        high = t_high[i, a]
        weight = weights[a]
        if np.isnan(low):
            for s in range(stop - start):
                out[s] += 0.0 if np.isnan(lows[s]) else missing
        else:
            for s in range(stop - start):
                gap = gap_between(low, high, lows[s], highs[s])
                out[s] += missing if np.isnan(lows[s]) else weight * (gap * gap)


@inner
def _distances(
    t_low: Points,
    t_high: Points,
    t_codes: Codes,
    i: int,
    c_low: Points,
    c_high: Points,
    c_codes: Codes,
    start: int,
    stop: int,
    plain: bool,
    weights: Floats,
    missing: float,
    tables: Floats,
    starts: Indices,
    widths: Indices,
    limit: float,
    out: Floats,
) -> None:
    """Distances of target i to the candidates start..stop, partial once above *limit*."""
    for s in range(stop - start):
        out[s] = 0.0
    if plain:
        _squares(t_low, i, c_low, start, stop, weights, out)
    else:
        _gaps(t_low, t_high, i, c_low, c_high, start, stop, weights, missing, out)
    if starts.size > 0:
        for j in range(start, stop):
            total = out[j - start]
            for a in range(starts.size):
                if total > limit:
                    break
                total += tables[starts[a] + t_codes[i, a] * widths[a] + c_codes[j, a]]
            out[j - start] = total


@extreme
def _smallest(values: Floats, count: int) -> float:
    smallest = values[0]
    for s in range(1, count):
        smallest = min(smallest, values[s])
    return smallest


@inner
def _start(line: Floats, place: float) -> int:
    """Where a walk begins; at the first candidate where there is no place or no line."""
    return 0 if np.isnan(place) else place_before(line, place)


@inner
def _next_block(
    line: Floats, left: int, right: int, place: float, limit: float, n_candidates: int
) -> tuple[int, int]:
    """The next candidates to look at, start..stop; none where the rest is beyond *limit*.

    Candidates left..right have been looked at. Along a line the nearer side comes next.
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
    """As `tied_with_own`; long because the compiler wants its arrays one by one."""
    ties = wholes(own.size, 0)
    block = np.empty(BLOCK)
    for i in range(own.size):
        _distances(
            t_low, t_high, t_codes, i, c_low, c_high, c_codes, own[i], own[i] + 1, plain,
            weights, missing, tables, starts, widths, np.inf, block,
        )  # fmt: skip
        limit = block[0]
        left = right = _start(line, places[i])
        tied = 0
        while True:
            start, stop = _next_block(line, left, right, places[i], limit, counts.size)
            if start == stop:
                break
            left, right = min(left, start), max(right, stop)
            _distances(
                t_low, t_high, t_codes, i, c_low, c_high, c_codes, start, stop, plain,
                weights, missing, tables, starts, widths, limit * (1.0 + TIE), block,
            )  # fmt: skip
            smallest = _smallest(block, stop - start)
            if smallest < limit * (1.0 - TIE):
                tied = 0
                break
            if smallest <= limit * (1.0 + TIE):
                for j in range(start, stop):
                    if block[j - start] <= limit * (1.0 + TIE):
                        tied += counts[j]
        ties[i] = tied
    return ties


@kernel(
    POINTS, POINTS, CODE_ROWS, FLOATS, INDICES, POINTS, POINTS, CODE_ROWS, INDICES, FLOATS,
    TRUTH, FLOATS, REAL, FLOATS, INDICES, INDICES,
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
    """The same for all targets of a file, called from outside."""
    return ties_with_own(
        t_low, t_high, t_codes, places, own, c_low, c_high, c_codes, counts, line, plain,
        weights, missing, tables, starts, widths,
    )  # fmt: skip


@kernel(
    POINTS, POINTS, CODE_ROWS, FLOATS, POINTS, POINTS, CODE_ROWS, FLOATS,
    TRUTH, FLOATS, REAL, FLOATS, INDICES, INDICES,
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
    """Long because the compiler wants its arrays one by one."""
    n_targets = t_low.shape[0]
    n_candidates = c_codes.shape[0]
    ends = wholes(n_targets + 1, 0)
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
            _distances(
                t_low, t_high, t_codes, i, c_low, c_high, c_codes, start, stop, plain,
                weights, missing, tables, starts, widths, limit * (1.0 + TIE), block,
            )  # fmt: skip
            if _smallest(block, stop - start) > limit * (1.0 + TIE):
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
