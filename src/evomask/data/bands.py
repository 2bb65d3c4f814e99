"""Numbers in bands: cuts of their range, level by level, with no line for each value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from evomask.arrays import Codes, Floats
from evomask.data.hierarchy import Hierarchy, Line, of_lines
from evomask.data.recoding import SUPPRESSED
from evomask.data.schema import MISSING

Cuts: TypeAlias = tuple[float, ...]


@dataclass(frozen=True)
class Bands:
    """The value tree of a number with many values; its leaves are the finest bands.

    Args:
        cuts: for each level, from the finest, where bands begin, in ascending order; every
            level has some of the cuts of the level before.
        whole: whether all numbers are whole, and bands are written so.
    """

    cuts: tuple[Cuts, ...]
    whole: bool

    @cached_property
    def lowest(self) -> Floats:
        """The cuts of the finest level as an array."""
        return np.array(self.cuts[0], dtype=np.float64)

    def hierarchy(self, *, missing: bool) -> Hierarchy:
        """The tree of the bands, with a leaf for missing values where there are some."""
        begins = (-np.inf, *self.cuts[0])
        lines = [(*self.labels(begin), SUPPRESSED) for begin in begins]
        return of_lines([*lines, (*[MISSING] * len(self.cuts), SUPPRESSED)] if missing else lines)

    def labels(self, number: float) -> list[str]:
        """The band of a number at each level, in words."""
        return [_label(level, number, whole=self.whole) for level in self.cuts]

    def codes(self, numbers: Floats) -> Codes:
        """The finest band of each number, counted from below; one more for missing values."""
        codes = np.searchsorted(self.lowest, numbers, "right")
        return np.where(np.isnan(numbers), len(self.lowest) + 1, codes).astype(np.int32)


ValueTrees: TypeAlias = Mapping[str, Sequence[Line] | Bands]
"""Value trees by attribute: lines as files hold them, or bands of a number."""


def _label(cuts: Cuts, number: float, *, whole: bool) -> str:
    place = int(np.searchsorted(cuts, number, "right"))
    low = cuts[place - 1] if place else None
    high = cuts[place] if place < len(cuts) else None
    if low is None or high is None:
        return _open_label(low, high)
    if not whole:
        return f"[{low:.12g},{high:.12g}["
    return f"{low:.0f}-{high - 1:.0f}" if high - low > 1 else f"{low:.0f}"


def _open_label(low: float | None, high: float | None) -> str:
    """The first or the last band, which has no end; or all there is."""
    if low is not None:
        return f"{low:.12g} or more"
    return SUPPRESSED if high is None else f"below {high:.12g}"
