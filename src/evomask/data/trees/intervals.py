"""Numbers in intervals of growing widths, with round ends."""

import math
from collections.abc import Sequence
from itertools import pairwise

from evomask.data.hierarchy import Hierarchy, with_top
from evomask.data.schema import MISSING
from evomask.errors import ParameterError, SchemaError

MOST_INTERVALS = 20
"""The finest automatic level has at most this many intervals."""


def intervals(categories: Sequence[str], widths: Sequence[float], origin: float = 0.0) -> Hierarchy:
    """Numbers in intervals of growing widths that start at *origin*, and one label for all.

    Each width must be a multiple of the one before, so that intervals lie within intervals.
    """
    if not widths or widths[0] <= 0:
        raise ParameterError("widths must be positive numbers; give at least one")
    for narrow, wide in pairwise(widths):
        if wide <= narrow or not math.isclose(wide / narrow, round(wide / narrow)):
            raise ParameterError(
                f"each width must be a multiple of the one before, and {wide:g} is not of "
                f"{narrow:g}"
            )
    whole = all(is_whole(number) for number in (*numbers_of(categories), *widths, origin))
    write = _whole_interval if whole else _real_interval

    def ancestors(text: str) -> list[str]:
        step = _step(float(text) - origin, widths[0])
        return [write(*_ends(step, widths[0], width, origin)) for width in widths]

    return with_top(categories, len(widths), ancestors)


def automatic_widths(categories: Sequence[str]) -> list[float]:
    """Widths of 1, 2 or 5 times a power of ten, doubled until two intervals are left."""
    numbers = numbers_of(categories)
    reach = max(numbers, default=0.0) - min(numbers, default=0.0)
    finest = _round_width(max(reach, 1e-9) / MOST_INTERVALS)
    if all(map(is_whole, numbers)):
        finest = max(finest, 2.0)
    doublings = max(0, math.ceil(math.log2(max(reach, 1e-9) / finest)))
    return [finest * 2**times for times in range(max(1, doublings))]


def _round_width(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-12))


def numbers_of(categories: Sequence[str]) -> list[float]:
    """The numbers that categories are; missing ones are passed over."""
    try:
        return [float(category) for category in categories if category != MISSING]
    except ValueError:
        raise SchemaError(
            "intervals need numbers, and some categories are text; use another kind of tree"
        ) from None


def is_whole(number: float) -> bool:
    """Whether a number has no decimals."""
    return float(number).is_integer()


def _step(distance: float, width: float) -> int:
    """How many whole widths lie below; what rounding left a hair below an end is on it."""
    return math.floor(distance / width + 1e-9)


def _ends(step: int, finest: float, width: float, origin: float) -> tuple[float, float]:
    """Ends of the interval [low, high) of the given width that holds a step of the finest."""
    per_interval = round(width / finest)
    low = origin + step // per_interval * per_interval * finest
    return low, low + width


def _whole_interval(low: float, high: float) -> str:
    return f"{low:.0f}-{high - 1:.0f}" if high - low > 1 else f"{low:.0f}"


def _real_interval(low: float, high: float) -> str:
    return f"[{low:.12g},{high:.12g}["
