"""Numbers in bands that hold about as many people each, cut at round numbers."""

from collections.abc import Sequence

import numpy as np

from evomask.arrays import Floats
from evomask.data.bands import Bands
from evomask.data.hierarchy import Hierarchy, with_top
from evomask.data.schema import MISSING
from evomask.data.trees.intervals import numbers_of
from evomask.errors import ParameterError

FINEST = 64
"""Bands of the finest level, at most."""

LEEWAY = 0.2
"""How far a cut may be moved to a round number, as a share of its level's bands."""

SMALLEST = -300
"""Powers of ten below are not looked at: nothing is round there."""


def quantile_bands(numbers: Floats, finest: int = FINEST) -> Bands:
    """Two bands, four, eight, … of about as many *numbers* each, none of them missing."""
    if finest < 2:
        raise ParameterError(f"there must be at least 2 bands, got {finest}")
    if len(numbers) == 0:
        raise ParameterError("bands need numbers, and the column has none")
    ascending = np.sort(numbers)
    levels: list[tuple[float, ...]] = []
    cuts: set[float] = set()
    bands = 2
    while bands <= finest:
        places = np.arange(1, bands, 2) / bands
        cuts |= {_round_cut(ascending, place, LEEWAY / bands) for place in places.tolist()}
        cuts.discard(float(ascending[0]))  # nobody lies below it
        if cuts and (not levels or len(cuts) > len(levels[-1])):
            levels.append(tuple(sorted(cuts)))
        bands *= 2
    whole = bool(np.all(np.mod(ascending, 1.0) == 0.0))
    return Bands(tuple(reversed(levels)) or ((),), whole)


def _round_cut(ascending: Floats, place: float, leeway: float) -> float:
    """The roundest number near a quantile; below it lies about that share of the numbers."""
    low, high = np.quantile(ascending, [place - leeway, place + leeway], method="higher")
    return roundest(float(low), float(high))


def roundest(low: float, high: float) -> float:
    """The multiple of the largest power of ten, or of 5 or 2 times one, from low to high."""
    if low <= 0.0 <= high:
        return 0.0
    power = int(np.floor(np.log10(max(abs(low), abs(high)))))
    for exponent in range(power, max(power - 16, SMALLEST), -1):
        for step in (5.0, 2.0, 1.0):
            multiple = float(np.ceil(low / step / 10.0**exponent)) * step
            cut = multiple * 10.0**exponent if exponent >= 0 else multiple / 10.0**-exponent
            if low <= cut <= high:
                return cut
    return low


def quantiles(categories: Sequence[str], counts: Sequence[int], finest: int = FINEST) -> Hierarchy:
    """Values that are numbers, in bands of about as many records each.

    Args:
        counts: how many records have each category.
    """
    known = [c for c in categories if c != MISSING]
    often = [n for c, n in zip(categories, counts, strict=True) if c != MISSING]
    bands = quantile_bands(np.repeat(numbers_of(known), often), finest)
    return with_top(categories, len(bands.cuts), lambda text: bands.labels(float(text)))
