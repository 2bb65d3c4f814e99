"""Labels of cells that cover several values, in the styles of evomask, ARX, sdcMicro and by hand.

Intervals are ``[20,29]``, ``[20, 30[``, ``(19,29]``, ``20-29``, ``20 to 29``, ``<30``, ``>=65`` and
``65+``, sets ``{a,b}`` and ``a|b``, and suppressed cells ``*``.
"""

import re
from collections.abc import Sequence

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.recoding import SUPPRESSED
from evomask.data.schema import MISSING
from evomask.types import Codes, Flags, Floats

NUMBER = r"([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
BETWEEN = re.compile(rf"([\[(\]]?)\s*{NUMBER}\s*(?:,|;|-|–|\.\.|:|to)\s*{NUMBER}\s*([\])\[]?)")
BELOW = re.compile(rf"(<=?|≤)\s*{NUMBER}")
ABOVE = re.compile(rf"(>=?|≥)\s*{NUMBER}")
FROM = re.compile(rf"{NUMBER}\s*\+")
OPEN_LOW, OPEN_HIGH = ("(", "]"), (")", "[")


def interval_of(label: str, known: Floats) -> tuple[float, float] | None:
    """Return the two ends of an interval or number; None if the label is neither.

    An open end is the next value of the original inside it.

    Args:
        known: the sorted distinct values of the original.
    """
    ends = _written_ends(label.strip())
    if ends is None:
        return None
    low, high, low_is_open, high_is_open = ends
    first = float(known[0]) if low == -np.inf else low
    last = float(known[-1]) if high == np.inf else high
    if low_is_open:
        above = known[known > low]
        first = float(above[0]) if len(above) else low
    if high_is_open:
        below = known[known < high]
        last = float(below[-1]) if len(below) else high
    if first > last and (low_is_open or high_is_open) and low <= high:
        return low, high  # no value of the original is inside
    return (first, last) if first <= last else None


def _written_ends(label: str) -> tuple[float, float, bool, bool] | None:
    written: tuple[float, float, bool, bool] | None = None
    if found := BETWEEN.fullmatch(label):
        before, low, high, after = found.groups()
        if bool(before) == bool(after):
            written = float(low), float(high), before in OPEN_LOW, after in OPEN_HIGH
    elif found := BELOW.fullmatch(label):
        written = -np.inf, float(found[2]), False, found[1] == "<"
    elif found := ABOVE.fullmatch(label):
        written = float(found[2]), np.inf, found[1] == ">", False
    elif found := FROM.fullmatch(label):
        written = float(found[1]), np.inf, False, False
    elif re.fullmatch(NUMBER, label):
        written = float(label), float(label), False, False
    return written


def categories_of(
    names: Sequence[str], label: str, hierarchies: Sequence[Hierarchy] = ()
) -> Flags | None:
    """Return flags of the categories that a cell covers; None if the label is unknown.

    Args:
        hierarchies: those whose labels the cell may hold; the first that knows it decides.
    """
    if label in names:
        return _flags(names, [label])
    if label in (SUPPRESSED, MISSING):
        return np.ones(len(names), dtype=bool)
    if label.startswith("[") and label.endswith("]"):
        ends = _two_of(names, label[1:-1])
        if ends:
            return _flags(names, names[ends[0] : ends[1] + 1])
    for members in _written_sets(label):
        if set(members) <= set(names):
            return _flags(names, members)
    for hierarchy in hierarchies:
        for level in hierarchy.levels:
            if label in level:
                return np.array([ancestor == label for ancestor in level])
    return _numbers_within(names, label)


def _written_sets(label: str) -> list[list[str]]:
    """Return the ways to read a label as a set of categories."""
    if label.startswith("{") and label.endswith("}"):
        members = label[1:-1].split(",")
    elif "|" in label:
        members = label.split("|")
    else:
        return []
    exact = [MISSING if name == "missing" else name for name in members]
    return [exact, [name.strip() for name in exact]]


def _numbers_within(names: Sequence[str], label: str) -> Flags | None:
    """Flags of the categories that are numbers within an interval."""
    try:
        values = np.array([np.nan if name == MISSING else float(name) for name in names])
    except ValueError:
        return None
    known = np.unique(values[~np.isnan(values)])
    ends = interval_of(label, known) if len(known) else None
    if ends is None:
        return None
    inside = np.asarray((values >= ends[0]) & (values <= ends[1]))
    return inside if inside.any() else None


def recoded_categories(
    labels: Sequence[str], codes: Codes, original: Codes, size: int
) -> list[Flags] | None:
    """Categories of each label, from records in the order of the original.

    None unless every category of the original has one label, suppressed cells apart, and every
    label has two records or more for each of its categories: that is how files are recoded
    globally, whatever the labels are.

    Args:
        codes: label of each masked record; *original* the category of each original record.
        size: number of categories.
    """
    if len(codes) != len(original):
        return None
    covers = np.zeros((len(labels), size), dtype=bool)
    covers[codes, original] = True
    plain = [label not in (SUPPRESSED, MISSING) for label in labels]
    records = np.bincount(codes, minlength=len(labels))
    if (covers[plain].sum(axis=0) > 1).any() or (records < 2 * covers.sum(axis=1))[plain].any():
        return None
    return [
        row if known else np.ones(size, dtype=bool)
        for row, known in zip(covers, plain, strict=True)
    ]


def _flags(names: Sequence[str], members: Sequence[str]) -> Flags:
    return np.array([name in members for name in names])


def _two_of(names: Sequence[str], text: str) -> tuple[int, int] | None:
    """Return the indices of two names joined by a comma; names may contain commas too."""
    for i, character in enumerate(text):
        first, second = text[:i], text[i + 1 :]
        if character == "," and first in names and second in names:
            return names.index(first), names.index(second)
    return None
