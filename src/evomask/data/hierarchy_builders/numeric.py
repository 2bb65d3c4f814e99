"""Hierarchies of numbers: intervals of growing width, and quantile bands with round cuts."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from evomask.data.hierarchy import Bands, Hierarchy, hierarchy_with_top, interval_label
from evomask.data.schema import MISSING
from evomask.errors import ParameterError, SchemaError
from evomask.types import Floats

MOST_INTERVALS = 20
"""Largest number of intervals of the finest automatic level."""

FINEST = 64
"""Largest number of bands of the finest level."""

LEEWAY = 0.2
"""How far a cut may be moved to a round number, as a share of a band of its level."""

SMALLEST_EXPONENT = -300
"""Least power of ten that is tried for a round number."""


def interval_hierarchy(
    categories: Sequence[str], widths: Sequence[float], origin: float = 0.0
) -> Hierarchy:
    """Group numbers into intervals of growing widths that start at *origin*, and a common top.

    Each width must be a multiple of the one before, so that intervals are nested.
    """
    if not widths or widths[0] <= 0:
        raise ParameterError("widths must be positive numbers; give at least one")
    for narrow, wide in pairwise(widths):
        if wide <= narrow or not math.isclose(wide / narrow, round(wide / narrow)):
            raise ParameterError(
                f"each width must be a multiple of the one before, and {wide:g} is not of "
                f"{narrow:g}"
            )
    numbers = (*parse_numbers(categories), *widths, origin)
    whole = all(float(number).is_integer() for number in numbers)

    def ancestors(text: str) -> list[str]:
        # the tolerance puts a number that rounding left just below an end on that end
        step = math.floor((float(text) - origin) / widths[0] + 1e-9)
        return [interval_label(*_ends(step, widths[0], w, origin), whole=whole) for w in widths]

    return hierarchy_with_top(categories, len(widths), ancestors)


def automatic_widths(categories: Sequence[str]) -> list[float]:
    """Widths of 1, 2 or 5 times a power of ten, doubled until two intervals are left."""
    numbers = parse_numbers(categories)
    reach = max(numbers, default=0.0) - min(numbers, default=0.0)
    finest = _round_width(max(reach, 1e-9) / MOST_INTERVALS)
    if all(number.is_integer() for number in numbers):
        finest = max(finest, 2.0)
    doublings = max(0, math.ceil(math.log2(max(reach, 1e-9) / finest)))
    return [finest * 2**times for times in range(max(1, doublings))]


def _round_width(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-12))


def parse_numbers(categories: Sequence[str]) -> list[float]:
    """Convert categories to numbers; missing ones are left out."""
    try:
        return [float(category) for category in categories if category != MISSING]
    except ValueError:
        raise SchemaError(
            "intervals need numbers, and some categories are text; choose another hierarchy rule"
        ) from None


def _ends(step: int, finest: float, width: float, origin: float) -> tuple[float, float]:
    per_interval = round(width / finest)
    low = origin + step // per_interval * per_interval * finest
    return low, low + width


def quantile_bands(numbers: Floats, finest: int = FINEST) -> Bands:
    """Cut *numbers* (none missing) into 2, 4, 8, ... bands of about equal frequency."""
    if finest < 2:
        raise ParameterError(f"there must be at least 2 bands, got {finest}")
    if len(numbers) == 0:
        raise ParameterError("bands need numbers, and the column has none")
    ascending = np.sort(numbers)
    levels: list[tuple[float, ...]] = []
    cuts: set[float] = set()
    bands = 2
    while bands <= finest:
        shares = np.arange(1, bands, 2) / bands
        cuts |= {_round_cut(ascending, share, LEEWAY / bands) for share in shares.tolist()}
        cuts.discard(float(ascending[0]))  # the band below it would be empty
        if cuts and (not levels or len(cuts) > len(levels[-1])):
            levels.append(tuple(sorted(cuts)))
        bands *= 2
    whole = bool(np.all(np.mod(ascending, 1.0) == 0.0))
    return Bands(tuple(reversed(levels)) or ((),), whole)


def _round_cut(ascending: Floats, share: float, leeway: float) -> float:
    low, high = np.quantile(ascending, [share - leeway, share + leeway], method="higher")
    return roundest(float(low), float(high))


def roundest(low: float, high: float) -> float:
    """Multiple of the largest 1, 2 or 5 times a power of ten from *low* to *high*."""
    if low <= 0.0 <= high:
        return 0.0
    power = int(np.floor(np.log10(max(abs(low), abs(high)))))
    for exponent in range(power, max(power - 16, SMALLEST_EXPONENT), -1):
        for step in (5.0, 2.0, 1.0):
            multiple = float(np.ceil(low / step / 10.0**exponent)) * step
            cut = multiple * 10.0**exponent if exponent >= 0 else multiple / 10.0**-exponent
            if low <= cut <= high:
                return cut
    return low


def quantile_hierarchy(
    categories: Sequence[str], counts: Sequence[int], finest: int = FINEST
) -> Hierarchy:
    """Group numeric categories into bands of about equal frequency.

    Args:
        counts: number of records of each category.
    """
    known = [c for c in categories if c != MISSING]
    known_counts = [n for c, n in zip(categories, counts, strict=True) if c != MISSING]
    bands = quantile_bands(np.repeat(parse_numbers(known), known_counts), finest)
    return hierarchy_with_top(categories, len(bands.cuts), lambda text: bands.labels(float(text)))
