"""What a masking method may need to know of a whole file, where it gets only a part of it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats, Indices


@dataclass(frozen=True, eq=False)
class NumberStatistics:
    """The known values of a number in the whole file, with how many records have each.

    Args:
        values: different ones, in order.
        missing: how many records have none.
    """

    values: Floats
    counts: Indices
    missing: int = 0

    @property
    def deviation(self) -> float:
        """The standard deviation (ddof 0), missing values counted as the median."""
        values, counts = self.values, self.counts.astype(np.float64)
        if self.missing and len(values):
            values = np.append(values, self.median)
            counts = np.append(counts, self.missing)
        total = counts.sum()
        if not total:
            return 0.0
        mean = float((values * counts).sum() / total)
        return float(np.sqrt((((values - mean) ** 2) * counts).sum() / total))

    @property
    def median(self) -> float:
        """The middle of the known values."""
        total = int(self.counts.sum())
        return (self.at((total - 1) // 2) + self.at(total // 2)) / 2.0

    @property
    def mean(self) -> float:
        """The mean of the known values."""
        return float((self.values * self.counts).sum() / max(1, int(self.counts.sum())))

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest value."""
        if not len(self.values):
            return np.nan, np.nan
        return float(self.values[0]), float(self.values[-1])

    def at(self, place: int) -> float:
        """The value of the record at a place, counted from 0, were they sorted."""
        return float(self.values[np.searchsorted(np.cumsum(self.counts), place, side="right")])

    def lowest(self, percent: float) -> float:
        """The value up to which the lowest *percent* of the known values lie."""
        total = int(self.counts.sum())
        return self.at(max(int(np.ceil(total * percent / 100)), 1) - 1) if total else np.nan

    def highest(self, percent: float) -> float:
        """The value from which the highest *percent* of the known values lie."""
        total = int(self.counts.sum())
        cut = max(int(np.ceil(total * percent / 100)), 1)
        return self.at(total - cut) if total else np.nan


@dataclass(frozen=True, eq=False)
class Statistics:
    """Numbers by their values, categories by their frequencies; by name of the attribute."""

    numbers: Mapping[str, NumberStatistics]
    frequencies: Mapping[str, Floats]
