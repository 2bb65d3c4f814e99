"""Few cells where a suppressed cell matches only a suppressed cell: k-anonymity as audited.

A greedy cover: each step takes the pattern of suppressed attributes that brings most records
at risk into classes of k for the fewest cells, where need be with records lent by larger
classes.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evomask.arrays import Codes, Flags, Indices, Labels
from evomask.data.classes import Classes, classes_of_columns

MOST_PATTERNS = 256
"""Patterns of suppressed attributes that are tried, the smallest first."""


@dataclass(frozen=True, eq=False)
class _Pattern:
    """A set of suppressed attributes, and which records agree on the others."""

    dropped: tuple[int, ...]
    labels: Labels
    sizes: Indices


@dataclass(frozen=True, eq=False)
class _Step:
    """Groups of one pattern that are closed together, at a price for each record at risk."""

    price: float
    closed: int
    pattern: _Pattern
    groups: Flags
    borrowed: Indices

    def beats(self, other: "_Step") -> bool:
        return (self.price, -self.closed) < (other.price, -other.closed)


@dataclass(frozen=True, eq=False)
class _Suppression:
    """The records as they would be released with the cells suppressed so far."""

    cells: Flags
    classes: Classes
    at_risk: Flags
    lendable: Flags

    @classmethod
    def of(cls, rows: Codes, cells: Flags, k: int) -> "_Suppression":
        classes = classes_of_columns(list(np.where(cells, -1, rows).T + 1), len(rows))
        at_risk = classes.sizes_of_records < k
        return cls(cells, classes, at_risk, (_turns(classes) >= k) & ~cells.any(axis=1))


def _turns(classes: Classes) -> Indices:
    """For each record how many of its class come before it."""
    order = np.argsort(classes.labels, kind="stable")
    starts = np.cumsum(classes.sizes) - classes.sizes
    turns = np.empty(len(order), dtype=np.int64)
    turns[order] = np.arange(len(order)) - np.repeat(starts, classes.sizes)
    return turns


def category_cells(rows: Codes, k: int) -> Flags:
    """Cells to suppress so that every released row is shared by k or more records."""
    cells = np.zeros(rows.shape, dtype=bool)
    patterns = _patterns(rows)
    while True:
        release = _Suppression.of(rows, cells, k)
        if not release.at_risk.any():
            return cells
        step = _cheapest(patterns, release, k)
        if step is None:
            _suppress_smallest_class(release)
        else:
            _apply(step, release)


def _cheapest(patterns: list[_Pattern], release: _Suppression, k: int) -> _Step | None:
    """The cheapest step, of equals the one that closes most, then the first.

    A pattern costs at least its size, so most need not be looked at.
    """
    best: _Step | None = None
    for pattern in patterns:
        if best is not None and best.price < len(pattern.dropped):
            break
        step = _step(pattern, release, k)
        if step is not None and (best is None or step.beats(best)):
            best = step
    return best


def _patterns(rows: Codes) -> list[_Pattern]:
    width = rows.shape[1]
    dropped: list[tuple[int, ...]] = []
    for count in range(1, width):
        more = list(combinations(range(width), count))
        if len(dropped) + len(more) > MOST_PATTERNS:
            break
        dropped += more
    return [_pattern(rows, d) for d in [*dropped, tuple(range(width))]]


def _pattern(rows: Codes, dropped: tuple[int, ...]) -> _Pattern:
    kept = [rows[:, j] for j in range(rows.shape[1]) if j not in dropped]
    classes = classes_of_columns(kept, len(rows))
    return _Pattern(dropped, classes.labels, classes.sizes)


def _step(pattern: _Pattern, release: _Suppression, k: int) -> _Step | None:
    """The cheapest groups that the pattern can close, if it can close any."""
    groups = len(pattern.sizes)
    there = _has(pattern, release.cells) & ~release.at_risk
    at_risk, there_already, lent = (
        np.bincount(pattern.labels[flags], minlength=groups)
        for flags in (release.at_risk, there, release.lendable)
    )
    borrowed = np.maximum(k - at_risk - there_already, 0)
    possible = (at_risk > 0) & (borrowed <= lent)
    if not possible.any():
        return None
    taken = np.maximum(at_risk, 1)
    prices = np.where(possible, len(pattern.dropped) * (taken + borrowed) / taken, np.inf)
    chosen = prices == prices.min()
    return _Step(float(prices.min()), int(at_risk[chosen].sum()), pattern, chosen, borrowed)


def _has(pattern: _Pattern, cells: Flags) -> Flags:
    """Records that are suppressed in exactly the pattern's attributes."""
    wanted = np.zeros(cells.shape[1], dtype=bool)
    wanted[list(pattern.dropped)] = True
    has: Flags = (cells == wanted).all(axis=1)
    return has


def _apply(step: _Step, release: _Suppression) -> None:
    chosen = step.groups[step.pattern.labels]
    moved = chosen & release.at_risk
    spare = np.flatnonzero(chosen & release.lendable)
    for group in np.flatnonzero(step.groups & (step.borrowed > 0)):
        of_group = spare[step.pattern.labels[spare] == group]
        moved[of_group[: step.borrowed[group]]] = True
    release.cells[np.ix_(moved, np.array(step.pattern.dropped))] = True


def _suppress_smallest_class(release: _Suppression) -> None:
    """The last resort: what is at risk and the smallest class above it lose all their cells."""
    sizes = release.classes.sizes_of_records
    shown = ~release.cells.all(axis=1) & ~release.at_risk
    smallest = release.classes.labels[shown][np.argmin(sizes[shown])]
    release.cells[release.at_risk | (release.classes.labels == smallest)] = True
