"""Original columns and the cells of their masked versions: categories, numbers, intervals.

A categorical cell may be one category, several (generalized) or all of them (suppressed). A
continuous cell may be a number, an interval or missing. Where a measure needs single values, a
cell stands for the original values that it covers (its leaves), weighted by their frequency; an
interval without any stands for its midpoint.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.distance import category_distances
from evomask.data.schema import Attribute
from evomask.data.table import Table
from evomask.types import Codes, Flags, Floats, Indices


@dataclass(frozen=True, eq=False)
class CategoryCells:
    """Cells of one masked categorical column.

    Args:
        codes: cell of each record.
        leaves: row c flags the categories of cell c.
        spread: row c holds the probability of each category in cell c.
    """

    codes: Codes
    leaves: Flags
    spread: Floats

    def __len__(self) -> int:
        return len(self.leaves)

    @cached_property
    def are_plain(self) -> bool:
        """Whether cell c is category c, for all cells."""
        size = self.leaves.shape[1]
        return len(self) == size and bool(np.array_equal(self.leaves, np.eye(size, dtype=bool)))


@dataclass(frozen=True, eq=False)
class CategoricalColumn:
    """One categorical column of the original, prepared for comparison with masked ones."""

    attribute: Attribute
    codes: Codes

    @classmethod
    def of(cls, original: Table, name: str) -> "CategoricalColumn":
        return cls(original.attribute(name), original.codes(name))

    @property
    def size(self) -> int:
        """Number of categories, the missing one included."""
        return len(self.attribute.categories)

    @property
    def n_records(self) -> int:
        return int(self.counts.sum())

    @cached_property
    def counts(self) -> Indices:
        """Number of original records in each category."""
        return np.bincount(self.codes, minlength=self.size).astype(np.int64)

    @cached_property
    def distances(self) -> Floats:
        """Distance between every two categories, by the kind of the attribute."""
        return category_distances(self.attribute)

    @cached_property
    def mean_ranks(self) -> Floats:
        """Mean rank of the records of each category, in the order of the domain."""
        ends = np.cumsum(self.counts)
        ranks: Floats = ends - self.counts / 2 + 0.5
        return ranks

    def nearness(self, window: float) -> Flags:
        """Whether the mean ranks of two categories differ by *window* at most.

        A missing value is near to a missing value only.
        """
        near: Flags = np.abs(self.mean_ranks[:, None] - self.mean_ranks[None, :]) <= window
        if self.attribute.has_missing:
            near[-1, :-1] = near[:-1, -1] = False
        return near

    def cells(self, masked: Table) -> CategoryCells:
        """Cells of this column in a masked table; a suppressed record may have every category."""
        name = self.attribute.name
        recoding, codes = masked.recoding(name), masked[name]
        if masked.suppressed.any():
            codes = np.where(masked.suppressed, len(recoding.labels), codes).astype(np.int32)
            recoding = recoding.with_suppressed_cell()
        return CategoryCells(codes, recoding.leaves, recoding.spread(self.counts))

    def joint_counts(self, cells: CategoryCells) -> Indices:
        """Number of records of each original category (rows) in each masked cell (columns)."""
        keys = self.codes.astype(np.int64) * len(cells) + cells.codes
        counts = np.bincount(keys, minlength=self.size * len(cells))
        return counts.reshape(self.size, len(cells)).astype(np.int64)

    def mean_over_records(self, cells: CategoryCells, of_categories: Floats | Flags) -> float:
        """Mean over records of a categories-by-categories matrix, spread over leaves."""
        return mean_over_joint(self.joint_counts(cells), cells, of_categories)


def mean_over_joint(joint: Indices, cells: CategoryCells, of_categories: Floats | Flags) -> float:
    """Mean over records of a categories-by-categories matrix, from joint counts."""
    return float(np.sum(joint * (of_categories @ cells.spread.T))) / int(joint.sum())


@dataclass(frozen=True, eq=False)
class NumberCells:
    """Cells of one masked continuous column, one for each record.

    Args:
        low, high: ends of the cell; equal for a number, NaN for a missing value.
        first, last: the leaves are the sorted original values first..last; where these are equal
            the cell is the number ``centre``.
    """

    low: Floats
    high: Floats
    centre: Floats
    first: Indices
    last: Indices

    @cached_property
    def are_sets(self) -> Flags:
        """Whether each cell stands for several original values."""
        sets: Flags = self.last > self.first
        return sets

    def take(self, records: Indices) -> "NumberCells":
        return NumberCells(
            self.low[records], self.high[records], self.centre[records],
            self.first[records], self.last[records],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """One continuous column of the original, prepared for comparison with masked ones."""

    name: str
    values: Floats

    @classmethod
    def of(cls, original: Table, name: str) -> "NumberColumn":
        return cls(name, original.values(name))

    @property
    def n_records(self) -> int:
        return len(self.values)

    @property
    def n_known(self) -> int:
        """Number of values that are not missing."""
        return len(self.sorted)

    @cached_property
    def known(self) -> Flags:
        """Whether each value is not missing."""
        return ~np.isnan(self.values)

    @cached_property
    def sorted(self) -> Floats:
        """The known values in ascending order."""
        return np.sort(self.values[self.known])

    @cached_property
    def value_counts(self) -> tuple[Floats, Indices]:
        """The distinct known values in ascending order, and their numbers of records."""
        values, counts = np.unique(self.sorted, return_counts=True)
        return values, counts.astype(np.int64)

    def ranked(self) -> "NumberColumn":
        """The column with values replaced by their ranks."""
        return NumberColumn(self.name, self.ranks)

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
        return self.places(self.sorted)

    @property
    def range(self) -> tuple[float, float]:
        return float(self.sorted[0]), float(self.sorted[-1])

    @property
    def mean(self) -> float:
        """Mean of the known values; 0 where there are none."""
        return float(self.sorted.mean()) if self.n_known else 0.0

    def below(self, numbers: Floats) -> Indices:
        """Number of known values smaller than each number."""
        return np.searchsorted(self.sorted, numbers, "left")

    def up_to(self, numbers: Floats) -> Indices:
        """Number of known values not greater than each number."""
        return np.searchsorted(self.sorted, numbers, "right")

    def at(self, places: Indices) -> Floats:
        """Sorted values at the given positions, from 0."""
        values: Floats = self.sorted[places]
        return values

    def ranks_at(self, places: Indices) -> Floats:
        """Mean ranks of the sorted values at the given positions."""
        ranks: Floats = self.sorted_ranks[places]
        return ranks

    def sums_to(self, places: Indices) -> Floats:
        """Sums of the sorted values before each position."""
        sums: Floats = self.sums[places]
        return sums

    def squares_to(self, places: Indices) -> Floats:
        """Sums of squares of the sorted values before each position."""
        sums: Floats = self.squares[places]
        return sums

    def places(self, numbers: Floats) -> Floats:
        """Mean rank that each number would have among the original values."""
        places = np.full(len(numbers), np.nan)
        known = np.flatnonzero(~np.isnan(numbers))
        known = known[np.argsort(numbers[known])]
        ascending = numbers[known]  # sorted queries are much faster: cache locality
        places[known] = (self.below(ascending) + self.up_to(ascending) + 1) / 2
        return places

    def cells(self, masked: Table) -> NumberCells:
        """Cells of this column in a masked table; a suppressed record covers the whole range."""
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
        """For each record, the share of its leaves inside [low, high]; no cell may be missing."""
        inside: Floats = ((cells.centre >= low) & (cells.centre <= high)).astype(np.float64)
        sets = np.flatnonzero(cells.are_sets)
        first, last = cells.first[sets], cells.last[sets]
        start = np.clip(self.below(low[sets]), first, last)
        stop = np.clip(self.up_to(high[sets]), first, last)
        inside[sets] = np.maximum(stop - start, 0) / (last - first)
        return inside

    def shares_near(self, cells: NumberCells, ranks: Floats, windows: Floats) -> Floats:
        """For each cell, the share of its leaves with a near rank, averaged over *windows*.

        Near is at most a window away from the rank at the same position in *ranks*. A missing cell
        is near to a missing rank only.
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
        """For each record, the expected |x - leaf| / scale, each term capped at 1.

        With a scale of 0 every difference counts as 1. A value that is missing in one of the two
        files only counts as 1, in both as 0.
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
        """E min(1, |x - leaf| / scale), by prefix sums of the sorted values."""
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


OriginalColumn = CategoricalColumn | NumberColumn


def column_of(original: Table, name: str) -> OriginalColumn:
    """A column of the original, by its kind."""
    is_categorical = original.attribute(name).is_categorical
    return (CategoricalColumn if is_categorical else NumberColumn).of(original, name)


ColumnOf = Callable[[Table, str], OriginalColumn]
"""Returns a column of an original; `column_of`, or that of a file of which a table is a chunk."""
