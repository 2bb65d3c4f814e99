"""Ordered values grouped with their neighbours."""

from collections.abc import Sequence

from evomask.data.hierarchy import Hierarchy, with_top
from evomask.data.schema import MISSING
from evomask.errors import ParameterError


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

    return with_top(categories, len(sizes), ancestors)


def _span(group: Sequence[str]) -> str:
    return group[0] if len(group) == 1 else f"{group[0]} to {group[-1]}"
