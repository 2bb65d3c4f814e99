"""Few cells where a suppressed cell matches only a suppressed cell: k-anonymity as audited.

A greedy cover: each step takes the pattern of suppressed attributes that brings most records
at risk into classes of k for the fewest cells, where need be with records lent by larger
classes.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from evomask.data.classes import Classes, classes_of_columns
from evomask.kernels.arrays import Codes, Flags, Indices, Labels

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
    """Groups of one pattern that are closed together, at a price a record at risk."""

    price: float
    pattern: _Pattern
    groups: Flags
    borrowed: Indices


def category_cells(rows: Codes, k: int) -> Flags:
    """Cells to suppress so that every released row is shared by k or more records."""
    cells = np.zeros(rows.shape, dtype=bool)
    patterns = _patterns(rows)
    while True:
        classes = classes_of_columns(list(np.where(cells, -1, rows).T + 1), len(rows))
        sizes = classes.sizes_of_records
        if sizes.min() >= k:
            return cells
        steps = [_step(pattern, cells, classes, k) for pattern in patterns]
        best = min((s for s in steps if s is not None), key=lambda s: s.price, default=None)
        if best is None:
            _suppress_smallest_class(cells, classes, k)
        else:
            _apply(best, cells, classes, k)


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


def _step(pattern: _Pattern, cells: Flags, classes: Classes, k: int) -> _Step | None:
    """The cheapest groups that the pattern can close, if it can close any."""
    sizes = classes.sizes_of_records
    groups = len(pattern.sizes)
    at_risk = np.bincount(pattern.labels[sizes < k], minlength=groups)
    there = np.bincount(pattern.labels[_has(pattern, cells) & (sizes >= k)], minlength=groups)
    lent = np.bincount(pattern.labels, weights=_lendable(cells, classes, k), minlength=groups)
    borrowed = np.maximum(k - at_risk - there, 0)
    possible = (at_risk > 0) & (borrowed <= lent)
    if not possible.any():
        return None
    taken = np.maximum(at_risk, 1)
    prices = np.where(possible, len(pattern.dropped) * (taken + borrowed) / taken, np.inf)
    return _Step(float(prices.min()), pattern, prices == prices.min(), borrowed)


def _has(pattern: _Pattern, cells: Flags) -> Flags:
    """Records that are suppressed in exactly the pattern's attributes."""
    wanted = np.zeros(cells.shape[1], dtype=bool)
    wanted[list(pattern.dropped)] = True
    has: Flags = (cells == wanted).all(axis=1)
    return has


def _lendable(cells: Flags, classes: Classes, k: int) -> Flags:
    """Records that unsuppressed classes above k can spare: all but the first k of each."""
    order = np.argsort(classes.labels, kind="stable")
    starts = np.concatenate([[0], np.cumsum(classes.sizes)[:-1]])
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order)) - np.repeat(starts, classes.sizes)
    return (turn >= k) & ~cells.any(axis=1)


def _apply(step: _Step, cells: Flags, classes: Classes, k: int) -> None:
    chosen = step.groups[step.pattern.labels]
    moved = chosen & (classes.sizes_of_records < k)
    spare = np.flatnonzero(chosen & _lendable(cells, classes, k))
    for group in np.flatnonzero(step.groups & (step.borrowed > 0)):
        of_group = spare[step.pattern.labels[spare] == group]
        moved[of_group[: step.borrowed[group]]] = True
    cells[np.ix_(moved, np.array(step.pattern.dropped))] = True


def _suppress_smallest_class(cells: Flags, classes: Classes, k: int) -> None:
    """The last resort: what is at risk and the smallest class above it lose all their cells."""
    sizes = classes.sizes_of_records
    shown = ~cells.all(axis=1) & (sizes >= k)
    smallest = classes.labels[shown][np.argmin(sizes[shown])]
    cells[(sizes < k) | (classes.labels == smallest)] = True
