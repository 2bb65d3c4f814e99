"""A few words on what was done to attributes; they name attributes, never a value."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import MISSING

MOST_NAMED = 8
"""Names that a list spells out; of the rest it tells how many they are."""

WITHHELD = "withheld"

_BAND = re.compile(r"[\[(]?\s*(-?\d+(?:\.\d+)?)\s*(?:-|–|,|to|\.\.)\s*(-?\d+(?:\.\d+)?)\s*[\[\])]?")
_STARRED = re.compile(r"([^*]+)\*+")


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Names in a row: a, b and c; of very many the first, and how many more there are."""
    shown, left = list(names[:most]), len(names) - most
    if left > 0:
        shown.append(f"{left} more")
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def percent(share: float) -> str:
    """A share from 0 to 1 in whole percent; what is neither none nor all does not look so."""
    if 0.0 < share < 0.01:
        return "under 1 %"
    return "over 99 %" if 0.99 < share < 1.0 else f"{100 * share:.0f} %"


def extremes(shares: Mapping[str, float]) -> str:
    """The attribute with the largest share and the one with the smallest, where they differ."""
    most = max(shares, key=lambda name: shares[name])
    least = min(shares, key=lambda name: shares[name])
    if percent(shares[most]) == percent(shares[least]):
        return ""
    return f" ({most} {percent(shares[most])}, {least} {percent(shares[least])})"


def levels_in_words(trees: Mapping[str, Hierarchy], levels: Sequence[int]) -> str:
    """What became of attributes that go up so many levels each; those left alone unmentioned."""
    told = {
        name: level_in_words(tree, level)
        for (name, tree), level in zip(trees.items(), levels, strict=True)
        if level
    }
    recoded = [f"{name} {words}" for name, words in told.items() if words != WITHHELD]
    withheld = [name for name, words in told.items() if words == WITHHELD]
    parts = [*recoded, *([f"{WITHHELD}: {listed(withheld, len(withheld))}"] if withheld else [])]
    return ", ".join(parts) or "none, values as they are"


def level_in_words(tree: Hierarchy, level: int) -> str:
    """What became of an attribute that goes up so many levels of its hierarchy."""
    if level == 0:
        return "as it is"
    labels = [label for label in tree.labels(level) if label != MISSING]
    if len(labels) < 2:
        return WITHHELD
    return _letters_kept(labels) or _width(labels) or f"to {len(labels)} groups"


def _letters_kept(labels: Sequence[str]) -> str:
    """Labels such as 08*** by how much of a code they leave."""
    found = [_STARRED.fullmatch(label) for label in labels]
    starts = [match.group(1) for match in found if match]
    if len(starts) < len(labels) or len({len(start) for start in starts}) > 1:
        return ""
    what = "digit" if all(start.isdigit() for start in starts) else "character"
    count = len(starts[0])
    return f"to {count} {what}{'s' * (count > 1)}"


def _width(labels: Sequence[str]) -> str:
    """Labels such as 20-29 by how far one begins after the other; the last may be open."""
    found = [_BAND.fullmatch(label) for label in labels]
    begins = sorted(float(match.group(1)) for match in found if match)
    if len(begins) < max(2, len(labels) - 2):
        return ""
    steps = {later - earlier for earlier, later in pairwise(begins)}
    return f"to bands of {steps.pop():g}" if len(steps) == 1 else f"to {len(labels)} bands"
