"""Continuous cells of a masked column: numbers, intervals, or missing.

Where a measure needs single numbers, an interval stands for the original values inside it,
each as likely as another; an interval with none inside stands for its middle.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.arrays import Flags, Floats, Indices
from evomask.data.table import Table


@dataclass(frozen=True, eq=False)
class NumberCells:
    """One masked column, a cell for each record.

    Args:
        low, high: ends of the cell; equal for a number, NaN for a missing value.
        first, last: the leaves are the sorted original values at first..last; where they are
            equal the cell is the number ``centre``.
    """

    low: Floats
    high: Floats
    centre: Floats
    first: Indices
    last: Indices

    @cached_property
    def are_sets(self) -> Flags:
        """Which cells stand for several original values."""
        sets: Flags = self.last > self.first
        return sets

    def take(self, records: Indices) -> "NumberCells":
        """The cells of the records at the given positions."""
        return NumberCells(
            self.low[records], self.high[records], self.centre[records],
            self.first[records], self.last[records],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """One original column, prepared to be compared with masked ones."""

    name: str
    values: Floats

    @classmethod
    def of(cls, original: Table, name: str) -> "NumberColumn":
        """The column *name* of the original."""
        return cls(name, original.values(name))

    @property
    def n_records(self) -> int:
        """How many records the original has."""
        return len(self.values)

    @property
    def n_known(self) -> int:
        """How many of them hold a number."""
        return len(self.sorted)

    @cached_property
    def known(self) -> Flags:
        """Which cells hold a number, not a missing value."""
        return ~np.isnan(self.values)

    @cached_property
    def sorted(self) -> Floats:
        """The known values in ascending order."""
        return np.sort(self.values[self.known])

    @cached_property
    def sums(self) -> Floats:
        """Sums of the first 0, 1, 2, … sorted values."""
        return np.concatenate([[0.0], np.cumsum(self.sorted)])

    @cached_property
    def squares(self) -> Floats:
        """Sums of squares of the first 0, 1, 2, … sorted values."""
        return np.concatenate([[0.0], np.cumsum(self.sorted**2)])

    @cached_property
    def deviation(self) -> float:
        """Population standard deviation; exactly 0 for a constant attribute."""
        constant = len(self.sorted) == 0 or self.sorted[0] == self.sorted[-1]
        return 0.0 if constant else float(np.std(self.sorted))

    @cached_property
    def ranks(self) -> Floats:
        """Mean rank of each value among all known ones, from 1; NaN where missing."""
        return self.places(self.values)

    @cached_property
    def sorted_ranks(self) -> Floats:
        """Mean ranks of the sorted values."""
        return self.places(self.sorted)

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest of the known values."""
        return float(self.sorted[0]), float(self.sorted[-1])

    @property
    def mean(self) -> float:
        """Mean of the known values; 0 where there are none."""
        return float(self.sorted.mean()) if self.n_known else 0.0

    def below(self, numbers: Floats) -> Indices:
        """How many known values are smaller than each number."""
        return np.searchsorted(self.sorted, numbers, "left")

    def up_to(self, numbers: Floats) -> Indices:
        """How many known values are no greater than each number."""
        return np.searchsorted(self.sorted, numbers, "right")

    def at(self, places: Indices) -> Floats:
        """The values at places among the sorted ones, counted from 0."""
        values: Floats = self.sorted[places]
        return values

    def ranks_at(self, places: Indices) -> Floats:
        """Mean ranks of the values at such places."""
        ranks: Floats = self.sorted_ranks[places]
        return ranks

    def sums_to(self, places: Indices) -> Floats:
        """Sums of the sorted values before each place."""
        sums: Floats = self.sums[places]
        return sums

    def squares_to(self, places: Indices) -> Floats:
        """Sums of squares of the sorted values before each place."""
        sums: Floats = self.squares[places]
        return sums

    def places(self, numbers: Floats) -> Floats:
        """Where numbers would stand among the original values, as a mean rank."""
        places = np.full(len(numbers), np.nan)
        known = np.flatnonzero(~np.isnan(numbers))
        known = known[np.argsort(numbers[known])]
        ascending = numbers[known]  # neighbours end up at neighbouring places: much faster
        places[known] = (self.below(ascending) + self.up_to(ascending) + 1) / 2
        return places

    def cells(self, masked: Table) -> NumberCells:
        """The same column of a masked table; a suppressed record covers the whole range."""
        low, high = self.ends(masked)
        sets = np.flatnonzero(low < high)
        first, last = np.zeros((2, len(low)), dtype=np.int64)
        centre = low.copy()
        first[sets], last[sets] = self.below(low[sets]), self.up_to(high[sets])
        centre[sets] = low[sets] / 2 + high[sets] / 2
        return NumberCells(low, high, centre, first, last)

    def ends(self, masked: Table) -> tuple[Floats, Floats]:
        """Lower and upper end of every masked cell."""
        low, high = masked.ends(self.name)
        if masked.suppressed.any() and self.n_known:
            least, most = self.range
            low = np.where(masked.suppressed, least, low)
            high = np.where(masked.suppressed, most, high)
        return low, high

    def shares_between(self, cells: NumberCells, low: Floats, high: Floats) -> Floats:
        """For each record the share of its cell's leaves inside [low, high]; no missing cells."""
        inside: Floats = ((cells.centre >= low) & (cells.centre <= high)).astype(np.float64)
        sets = np.flatnonzero(cells.are_sets)
        first, last = cells.first[sets], cells.last[sets]
        start = np.clip(self.below(low[sets]), first, last)
        stop = np.clip(self.up_to(high[sets]), first, last)
        inside[sets] = np.maximum(stop - start, 0) / (last - first)
        return inside

    def shares_near(self, cells: NumberCells, ranks: Floats, windows: Floats) -> Floats:
        """For each cell the share of its leaves whose rank is near, averaged over *windows*.

        Near is at most a window away from the rank at the same place in *ranks*. A missing
        cell is near to a missing rank only.
        """
        apart = np.abs(self.places(cells.centre) - ranks)
        shares: Floats = 1.0 - np.searchsorted(windows, apart, "left") / len(windows)
        shares[np.isnan(cells.low) & np.isnan(ranks)] = 1.0
        sets = np.flatnonzero(cells.are_sets & ~np.isnan(ranks))
        first, last, middle = cells.first[sets], cells.last[sets], ranks[sets]
        shares[sets] = np.mean([self._leaves_near(first, last, middle, w) for w in windows], axis=0)
        return shares

    def _leaves_near(self, first: Indices, last: Indices, middle: Floats, window: float) -> Floats:
        start = np.clip(np.searchsorted(self.sorted_ranks, middle - window, "left"), first, last)
        stop = np.clip(np.searchsorted(self.sorted_ranks, middle + window, "right"), first, last)
        shares: Floats = np.maximum(stop - start, 0) / (last - first)
        return shares

    def expected_distances(self, cells: NumberCells, scale: Floats) -> Floats:
        """For each record the expected |x - leaf| / scale, each capped at 1.

        A scale of 0 makes every difference count as 1. A value that is missing in one of
        the two files only counts as 1, in both as 0.
        """
        apart = np.abs(self.values - cells.centre)
        capped = np.ones_like(apart)
        np.divide(apart, scale, out=capped, where=scale > 0)
        capped = np.where(apart == 0, 0.0, np.minimum(capped, 1.0))
        one_missing = self.known == np.isnan(cells.low)
        capped = np.where(np.isnan(apart), one_missing.astype(np.float64), capped)
        sets = np.flatnonzero(cells.are_sets & self.known)
        capped[sets] = self._expected_over_leaves(cells, scale, sets)
        return capped

    def _expected_over_leaves(self, cells: NumberCells, scale: Floats, sets: Indices) -> Floats:
        """E min(1, |x - leaf| / scale) by prefix sums of the sorted values."""
        x, reach = self.values[sets], scale[sets]
        first, last = cells.first[sets], cells.last[sets]
        start = np.clip(self.below(x - reach), first, last)
        stop = np.clip(self.up_to(x + reach), start, last)
        middle = np.clip(self.below(x), start, stop)
        below = x * (middle - start) - (self.sums_to(middle) - self.sums_to(start))
        above = self.sums_to(stop) - self.sums_to(middle) - x * (stop - middle)
        near = np.divide(below + above, reach, out=np.zeros_like(x), where=reach > 0)
        expected: Floats = (near + (last - first) - (stop - start)) / (last - first)
        return np.clip(expected, 0.0, 1.0)
