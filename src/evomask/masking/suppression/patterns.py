"""Sets of attributes whose cells may be suppressed together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from evomask.arrays import Codes, Floats

MOST_PATTERNS = 5_000
MOST_PATTERN_ROWS = 40_000_000
"""Above so many patterns, or patterns times rows, larger sets are not all tried."""


@dataclass(frozen=True, order=True)
class Pattern:
    """A set of suppressed attributes, and what their cells in one record are worth."""

    cost: float
    dropped: tuple[int, ...]


def patterns_by_size(rows: Codes, costs: Floats) -> Iterator[list[Pattern]]:
    """All sets of one attribute, of two, and so on.

    Where there are too many of a size, one set of that size is tried and of each larger one:
    the cheapest attributes, of equal ones those with most values.
    """
    width = rows.shape[1]
    most = min(MOST_PATTERNS, max(width, MOST_PATTERN_ROWS // max(len(rows), 1)))
    order = sorted(range(width), key=lambda j: (costs[j], -len(np.unique(rows[:, j]))))
    for size in range(1, width + 1):
        most -= comb(width, size)
        sets = combinations(range(width), size) if most >= 0 else [tuple(sorted(order[:size]))]
        yield [_pattern(dropped, costs) for dropped in sets]


def _pattern(dropped: Sequence[int], costs: Floats) -> Pattern:
    return Pattern(float(costs[list(dropped)].sum()), tuple(dropped))
