"""What a level of a hierarchy leaves of an attribute, as numbers; never a value of its own."""

import re
from collections.abc import Sequence
from itertools import pairwise

from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import MISSING

NAME = "generalization"

Coarseness = dict[str, int | float]

_BAND = re.compile(r"[\[(]?\s*(-?\d+(?:\.\d+)?)\s*(?:-|–|,|to|\.\.)\s*(-?\d+(?:\.\d+)?)\s*[\[\])]?")
_STARRED = re.compile(r"([^*]+)\*+")


def coarseness(tree: Hierarchy, level: int) -> Coarseness:
    """The level and how many labels it has; where they show it, also how exact they are.

    ``digits`` or ``characters`` is how much of a code such as 08*** is left; ``bands`` counts
    intervals such as 20-29, ``width`` is how far each begins after the other if all alike.
    """
    labels = [label for label in tree.labels(level) if label != MISSING]
    counts: Coarseness = {"level": level, "labels": len(labels)}
    if level == 0 or len(labels) < 2:
        return counts
    return counts | (_letters_kept(labels) or _bands(labels))


def _letters_kept(labels: Sequence[str]) -> Coarseness:
    """Labels such as 08*** by how much of a code they leave."""
    matches = [_STARRED.fullmatch(label) for label in labels]
    starts = [match.group(1) for match in matches if match]
    if len(starts) < len(labels) or len({len(start) for start in starts}) > 1:
        return {}
    unit = "digits" if all(start.isdigit() for start in starts) else "characters"
    return {unit: len(starts[0])}


def _bands(labels: Sequence[str]) -> Coarseness:
    """Labels such as 20-29 by how far one begins after the other; the last may be open."""
    matches = [_BAND.fullmatch(label) for label in labels]
    begins = sorted(float(match.group(1)) for match in matches if match)
    if len(begins) < max(2, len(labels) - 2):
        return {}
    widths = {later - earlier for earlier, later in pairwise(begins)}
    return {"bands": len(labels)} | ({"width": widths.pop()} if len(widths) == 1 else {})
