"""Distances of some people to all masked records at once, and who is nearest."""

from collections.abc import Iterator

import numpy as np

from evomask.arrays import Flags, Indices, Points
from evomask.kernels.linking.linkage import TIE, Rows, Terms

BLOCK_CELLS = 4_000_000
"""Distances held in memory at once."""


def blocks(people: Indices, n_candidates: int) -> Iterator[Indices]:
    """The people in parts whose distances fit into memory."""
    size = max(1, BLOCK_CELLS // max(1, n_candidates))
    for start in range(0, len(people), size):
        yield people[start : start + size]


def distances(targets: Rows, candidates: Rows, terms: Terms) -> Points:
    """Distance of every target (rows) to every candidate (columns), as the kernels define it."""
    total = np.zeros((len(targets), len(candidates)))
    plain = targets.are_plain and candidates.are_plain
    for a, weight in enumerate(terms.weights):
        if plain:
            total += weight * (candidates.low[:, a] - targets.low[:, a, None]) ** 2
        else:
            total += _gaps(targets, candidates, a, weight, terms.missing)
    for a, (start, width) in enumerate(zip(terms.starts, terms.widths, strict=True)):
        stop = terms.starts[a + 1] if a + 1 < len(terms.starts) else len(terms.tables)
        table = terms.tables[start:stop].reshape(-1, width)
        total += table[:, candidates.codes[:, a]][targets.codes[:, a]]
    return total


def _gaps(targets: Rows, candidates: Rows, a: int, weight: float, missing: float) -> Points:
    """What numbers add where some may be intervals or missing."""
    low, high = targets.low[:, a, None], targets.high[:, a, None]
    gaps = np.maximum(candidates.low[:, a] - high, low - candidates.high[:, a])
    only_one_known = np.isnan(low) != np.isnan(candidates.low[:, a])
    return np.where(only_one_known, missing, np.nan_to_num(weight * np.maximum(gaps, 0.0) ** 2))


def smallest(values: Points, among: Flags | None = None) -> Flags:
    """Which entries of each row are its smallest, but for rounding; only *among* some."""
    asked = values if among is None else np.where(among, values, np.inf)
    least: Flags = asked <= asked.min(axis=1, keepdims=True) * (1.0 + TIE)
    return least
