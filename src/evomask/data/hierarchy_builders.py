"""Value trees built by rule: intervals, masked characters, neighbours in order."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from evomask.data.hierarchy import Hierarchy, flat, of_lines
from evomask.data.recoding import SUPPRESSED
from evomask.data.schema import MISSING, Attribute, Kind, Storage
from evomask.errors import ParameterError, SchemaError

MOST_INTERVALS = 20
"""The finest automatic level has at most this many intervals."""

Ancestors = Callable[[str], Sequence[str]]


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
    whole = all(_is_whole(number) for number in (*_numbers(categories), *widths, origin))
    write = _whole_interval if whole else _real_interval

    def ancestors(text: str) -> list[str]:
        step = _step(float(text) - origin, widths[0])
        return [write(*_ends(step, widths[0], width, origin)) for width in widths]

    return _built(categories, len(widths), ancestors)


def prefixes(categories: Sequence[str], mask: str = SUPPRESSED) -> Hierarchy:
    """Codes that lose their last characters one by one, as 8166* and 816** for 81667.

    A shorter code keeps its length and is masked as a whole when its characters end.
    """
    longest = max((len(category) for category in categories), default=0)
    height = max(0, longest - 1)
    return _built(
        categories, height, lambda text: [_masked(text, n, mask) for n in range(1, longest)]
    )


def _masked(text: str, n_characters: int, mask: str) -> str:
    kept = max(0, len(text) - n_characters)
    return text[:kept] + mask * (len(text) - kept)


def neighbours(categories: Sequence[str], fanout: int = 2) -> Hierarchy:
    """Ordered values grouped with their neighbours, *fanout* groups at a time, up to all.

    A group is written by its first and last value.
    """
    if fanout < 2:
        raise ParameterError(f"fanout must be at least 2, got {fanout}")
    known = [category for category in categories if category != MISSING]
    sizes = [fanout**level for level in range(1, 64) if fanout**level < len(known)]
    place = {category: rank for rank, category in enumerate(known)}

    def ancestors(category: str) -> list[str]:
        starts = [(place[category] // size * size, size) for size in sizes]
        return [_span(known[start : start + size]) for start, size in starts]

    return _built(categories, len(sizes), ancestors)


def _span(group: Sequence[str]) -> str:
    return group[0] if len(group) == 1 else f"{group[0]} to {group[-1]}"


def automatic(attribute: Attribute) -> Hierarchy:
    """A tree that fits: intervals for numbers, neighbours for ordered values, else only a top."""
    if not attribute.is_categorical:
        raise SchemaError(
            f"{attribute.name!r} is continuous and has no categories; declare it ordinal"
        )
    if attribute.kind is Kind.NOMINAL:
        return flat(attribute.categories)
    if attribute.storage in (Storage.INTEGER, Storage.REAL):
        return intervals(attribute.categories, automatic_widths(attribute.categories))
    return neighbours(attribute.categories)


def automatic_widths(categories: Sequence[str]) -> list[float]:
    """Widths of 1, 2 or 5 times a power of ten, doubled until two intervals are left."""
    numbers = _numbers(categories)
    reach = max(numbers, default=0.0) - min(numbers, default=0.0)
    finest = _round_width(max(reach, 1e-9) / MOST_INTERVALS)
    if all(map(_is_whole, numbers)):
        finest = max(finest, 2.0)
    doublings = max(0, math.ceil(math.log2(max(reach, 1e-9) / finest)))
    return [finest * 2**times for times in range(max(1, doublings))]


def _round_width(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least * (1 - 1e-12))


def _built(categories: Sequence[str], height: int, ancestors: Ancestors) -> Hierarchy:
    """The tree of all categories; a missing value stays missing up to the common top."""
    return of_lines(
        [
            (category, *([MISSING] * height if category == MISSING else ancestors(category)),
             SUPPRESSED)
            for category in categories
        ]
    )  # fmt: skip


def _numbers(categories: Sequence[str]) -> list[float]:
    try:
        return [float(category) for category in categories if category != MISSING]
    except ValueError:
        raise SchemaError(
            "intervals need numbers, and some categories are text; use another kind of tree"
        ) from None


def _is_whole(number: float) -> bool:
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
