"""Accuracy: how far masked cells are from the true values.

A distance is scaled so that a column permuted at random loses 100: nominal cells by the chance that
two values differ, ordered ones and numbers by the mean difference of two ranks. A suppressed cell
has lost everything. A cell that covers several values is at the expected distance, by their
frequency.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.measures.columns import CategoricalColumn, NumberCells, NumberColumn
from evomask.measures.loss.bins import hidden_cells, suppressed_numbers
from evomask.types import Flags, Floats, Points

MOST_LEVELS = 2_000
"""Ordered categories whose pairwise distances are tabulated, at most."""


@dataclass(frozen=True, eq=False)
class CategoryAccuracy:
    """Distances of the cells of a categorical column."""

    column: CategoricalColumn

    @cached_property
    def ranks(self) -> Floats:
        """Mean rank of each category, in (0, 1]; the missing category has none."""
        return self.column.mean_ranks / max(1, self.column.n_records)

    @cached_property
    def is_ordered(self) -> bool:
        return self.column.attribute.kind is Kind.ORDINAL

    @cached_property
    def missing(self) -> int:
        """The missing category of an ordered column; -1 where there is none."""
        has_missing = self.is_ordered and self.column.attribute.has_missing
        return self.column.size - 1 if has_missing else -1

    @cached_property
    def scale(self) -> float:
        """Expected distance of two random records; 0 for a constant column."""
        shares = self.column.counts / max(1, self.column.n_records)
        if not self.is_ordered:
            return float(1.0 - np.sum(shares**2))
        known = np.delete(shares, self.missing) if self.missing >= 0 else shares
        ranks = np.delete(self.ranks, self.missing) if self.missing >= 0 else self.ranks
        return _expected_difference(ranks, known) * _share_of_pairs(float(known.sum()))

    @cached_property
    def missing_cost(self) -> float:
        """Distance of the missing category from any other."""
        gone = self.column.counts[self.missing] if self.missing >= 0 else 0
        return _missing_cost(1.0 - gone / max(1, len(self.column.codes)))

    @cached_property
    def table(self) -> Points:
        """Distance between every two categories, on the scale."""
        if not self.is_ordered:
            return _scaled(1.0 - np.eye(self.column.size), self.scale)
        apart = _scaled(np.abs(self.ranks[:, None] - self.ranks[None, :]), self.scale)
        if self.missing >= 0:
            apart[self.missing, :] = apart[:, self.missing] = self.missing_cost
            apart[self.missing, self.missing] = 0.0
        return apart

    def total(self, masked: Table) -> float:
        """Sum of the distances of all cells."""
        return float(self.by_record(masked).sum())

    def by_record(self, masked: Table) -> Floats:
        """Distance of the cell of each record."""
        column, name = self.column, self.column.attribute.name
        if not masked.is_recoded(name) and not masked.suppressed.any():
            codes = masked[name]
            if not self.is_ordered:
                return _scaled((codes != column.codes).astype(np.float64), self.scale)
            if column.size <= MOST_LEVELS:
                return np.asarray(self.table[column.codes, codes])
            return _scaled(np.abs(self.ranks[column.codes] - self.ranks[codes]), self.scale)
        cells = column.cells(masked)
        hidden = hidden_cells(column, cells, masked)
        if not self.is_ordered:
            apart = 1.0 - cells.spread[cells.codes, column.codes]
            distances = _scaled(apart, self.scale)
        elif column.size <= MOST_LEVELS:
            distances = (self.table @ cells.spread.T)[column.codes, cells.codes]
        else:
            middles = cells.spread @ self.ranks
            distances = _scaled(np.abs(self.ranks[column.codes] - middles[cells.codes]), self.scale)
        return np.where(hidden[cells.codes], 1.0, distances)


@dataclass(frozen=True, eq=False)
class NumberAccuracy:
    """Distances of the cells of a continuous column."""

    column: NumberColumn

    @cached_property
    def distinct(self) -> tuple[Floats, Floats, Floats]:
        """Distinct values, their mean ranks in (0, 1], and the ranks between them."""
        values, counts = self.column.value_counts
        ends = np.cumsum(counts)
        n = max(1, self.column.n_known)
        return values, (ends - counts / 2 + 0.5) / n, np.append(0.0, ends) / n + 0.5 / n

    def ranks_of(self, numbers: Floats) -> Floats:
        """Rank that each number would have among the original values; NaN where missing."""
        values, ranks, between = self.distinct
        if not len(values):
            return np.full(len(numbers), np.nan)
        places = np.searchsorted(values, numbers, "left")
        inside = np.minimum(places, len(values) - 1)
        found = np.where(values[inside] == numbers, ranks[inside], between[places])
        return np.where(np.isnan(numbers), np.nan, found)

    @cached_property
    def ranks(self) -> Floats:
        """Rank of each original value; NaN where missing."""
        return self.ranks_of(self.column.values)

    @cached_property
    def known(self) -> float:
        """Share of the values that are not missing."""
        return self.column.n_known / max(1, self.column.n_records)

    @cached_property
    def scale(self) -> float:
        """Expected distance of two random records; 0 for a constant column."""
        _, ranks, _ = self.distinct
        shares = self.column.value_counts[1] / max(1, self.column.n_known)
        return _expected_difference(ranks, shares * self.known) * _share_of_pairs(self.known)

    @cached_property
    def missing_cost(self) -> float:
        """Distance of a missing value from any other."""
        return _missing_cost(self.known)

    def total(self, masked: Table) -> float:
        """Sum of the distances of all cells."""
        return float(self.by_record(masked).sum())

    def by_record(self, masked: Table) -> Floats:
        """Distance of the cell of each record."""
        plain = not masked.is_recoded(self.column.name) and not masked.suppressed.any()
        if plain:
            return self.distances(masked[self.column.name])
        cells = self.column.cells(masked)
        distances = self.distances(cells.centre)
        sets = np.flatnonzero(cells.are_sets)
        if len(sets):
            distances[sets] = self._over_intervals(cells.take(sets), self.ranks[sets])
        distances[suppressed_numbers(self.column.name, masked)] = 1.0
        return distances

    def distances(self, numbers: Floats) -> Floats:
        """Distance of each number from the original value of its record."""
        distances = _scaled(np.abs(self.ranks_of(numbers) - self.ranks), self.scale)
        unknown = np.isnan(distances)
        if unknown.any():
            both = np.isnan(numbers) & np.isnan(self.ranks)
            distances[unknown] = np.where(both, 0.0, self.missing_cost)[unknown]
        return distances

    def _over_intervals(self, cells: NumberCells, ranks: Floats) -> Floats:
        """Expected distance over the original values in each interval."""
        first, last = cells.first, cells.last
        of_values, counts = self.distinct[1], self.column.value_counts[1]
        starts = np.append(0, np.cumsum(counts))
        sums = np.append(0.0, np.cumsum(of_values * counts))
        middle = np.clip(starts[np.searchsorted(of_values, ranks, "left")], first, last)
        to_first, to_middle, to_last = (
            sums[np.searchsorted(starts, places)] for places in (first, middle, last)
        )
        below = ranks * (middle - first) - (to_middle - to_first)
        above = to_last - to_middle - ranks * (last - middle)
        expected = _scaled((below + above) / np.maximum(last - first, 1), self.scale)
        expected = np.where(np.isnan(ranks), self.missing_cost, expected)
        hidden: Flags = (first == 0) & (last == self.column.n_known)
        return np.where(hidden, 1.0, expected)


def _expected_difference(ranks: Floats, shares: Floats) -> float:
    """Expected difference of the ranks of two random records, by ascending ranks."""
    shares = shares / max(float(shares.sum()), 1e-300)
    below = np.cumsum(shares) - shares
    weighted = np.cumsum(shares * ranks) - shares * ranks
    return float(2.0 * np.sum(shares * (ranks * below - weighted)))


def _share_of_pairs(known: float) -> float:
    """Expected scaled distance of two random records, where a value may be missing in one."""
    return known**2 + 2.0 * known * (1.0 - known)


def _missing_cost(known: float) -> float:
    """Distance of a missing value from any other, equal to the mean distance of known ones."""
    return 1.0 / max(_share_of_pairs(known), 1e-300) if known > 0 else 1.0


def _scaled(distances: Floats, scale: float) -> Floats:
    """Divide by the scale; in a constant column any difference counts as 1."""
    if scale > 0:
        return distances / scale
    return np.where(np.isnan(distances), np.nan, (distances > 0).astype(np.float64))
