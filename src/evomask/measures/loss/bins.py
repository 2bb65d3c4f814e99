"""Released columns in bins, for distributions and relations.

A category has a bin of its own; the rarest of many share one. A number has bins of equal size in
the original: twenty by itself, ten in tables of two columns, five in tables of three. A masked
cell that covers several values belongs to their bins in proportion to their frequency.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.data.recoding import SUPPRESSED
from evomask.data.table import Table
from evomask.measures.columns import (
    CategoricalColumn,
    CategoryCells,
    NumberColumn,
    OriginalColumn,
)
from evomask.measures.disclosure.released_columns import uninformative_cells
from evomask.types import Codes, Flags, Floats, Indices, Points

MOST_CATEGORIES = 21
"""Bins of a categorical column: the most frequent categories, and the rest."""

FINE, COARSE, ROUGH = 20, 10, 5
"""Bins of a number by itself, in tables of two and of three columns."""

ROUGH_CATEGORIES = 6
"""Bins of a categorical column in tables of three columns."""


@dataclass(frozen=True, eq=False)
class BinnedCells:
    """Cells of a masked column.

    Args:
        codes: cell of each record.
        spread: share of each level (columns) in each cell (rows); None where cell c is level c.
        hidden: cells that cover every value.
    """

    codes: Codes
    spread: Points | None
    hidden: Flags

    def shares(self, bins: Codes) -> Points:
        """Share of each bin in each cell, for bins of the levels."""
        n_bins = int(bins.max(initial=0)) + 1
        if self.spread is None:
            shares = np.zeros((len(bins), n_bins))
            shares[np.arange(len(bins)), bins] = 1.0
            return shares
        shares = np.zeros((len(self.spread), n_bins))
        np.add.at(shares.T, bins, self.spread.T)
        return shares


@dataclass(frozen=True, eq=False)
class BinnedColumn:
    """A released column of the original. Its levels are categories, or fine bins of a number.

    Args:
        codes: level of each original record.
        fine, coarse, rough: bin of each level by itself, in tables of two and of three columns.
        cuts: lowest value of each fine bin of a number but the first.
    """

    column: OriginalColumn
    codes: Codes
    fine: Codes
    coarse: Codes
    rough: Codes
    cuts: Floats

    @classmethod
    def of(cls, column: OriginalColumn) -> "BinnedColumn":
        """Bin a column of the original."""
        if isinstance(column, CategoricalColumn):
            fine, rough = (
                _bins_of_categories(column.counts, most)
                for most in (MOST_CATEGORIES, ROUGH_CATEGORIES)
            )
            return cls(column, column.codes, fine, fine, rough, np.empty(0))
        cuts = _cuts(column)
        counts = _level_counts(column, cuts)
        return cls(
            column,
            _fine_bins(column.values, cuts),
            np.arange(len(counts), dtype=np.int32),
            _merged_bins(counts, COARSE),
            _merged_bins(counts, ROUGH),
            cuts,
        )

    @property
    def n_levels(self) -> int:
        return len(self.fine)

    @cached_property
    def counts(self) -> Indices:
        """Number of original records of each level."""
        if isinstance(self.column, CategoricalColumn):
            return self.column.counts
        return _level_counts(self.column, self.cuts)

    def cells(self, masked: Table) -> BinnedCells:
        """Cells of this column in a masked table; all are hidden where the column is left out."""
        if isinstance(self.column, CategoricalColumn):
            return self._category_cells(self.column, masked)
        return self._number_cells(self.column, masked)

    def hidden_cells(self, n_records: int) -> BinnedCells:
        """Cells of a column that is not released."""
        spread = self.counts[None, :] / max(1, int(self.counts.sum()))
        return BinnedCells(np.zeros(n_records, np.int32), spread, np.ones(1, dtype=bool))

    def _category_cells(self, column: CategoricalColumn, masked: Table) -> BinnedCells:
        name = column.attribute.name
        if not masked.is_recoded(name) and not masked.suppressed.any():
            return BinnedCells(masked[name], None, np.zeros(column.size, dtype=bool))
        cells = column.cells(masked)
        return BinnedCells(cells.codes, cells.spread, hidden_cells(column, cells, masked))

    def _number_cells(self, column: NumberColumn, masked: Table) -> BinnedCells:
        if not masked.is_recoded(column.name) and not masked.suppressed.any():
            codes = _fine_bins(masked[column.name], self.cuts)
            return BinnedCells(codes, None, np.zeros(self.n_levels, dtype=bool))
        cells = column.cells(masked)
        codes = _fine_bins(cells.centre, self.cuts)
        sets = np.flatnonzero(cells.are_sets)
        ends, places = np.unique(
            np.column_stack([cells.first[sets], cells.last[sets]]), axis=0, return_inverse=True
        )
        codes[sets] = self.n_levels + places.ravel()
        starts = column.below(self.cuts)
        edges = np.concatenate([[0], starts, [column.n_known]])
        below = np.clip(edges[None, :], ends[:, :1], ends[:, 1:])
        within = np.diff(below, axis=1) / np.maximum(ends[:, 1:] - ends[:, :1], 1)
        spread = np.zeros((self.n_levels + len(ends), self.n_levels))
        spread[np.arange(self.n_levels), np.arange(self.n_levels)] = 1.0
        spread[self.n_levels :, :-1] = within
        hidden = np.zeros(len(spread), dtype=bool)
        hidden[self.n_levels :] = (ends[:, 0] == 0) & (ends[:, 1] == column.n_known)
        suppressed = suppressed_numbers(column.name, masked)
        if suppressed.any():
            codes[suppressed] = len(spread)
            usual = self.counts / max(1, int(self.counts.sum()))
            spread, hidden = np.vstack([spread, usual]), np.append(hidden, True)
        return BinnedCells(codes, spread, hidden)


def hidden_cells(column: CategoricalColumn, cells: CategoryCells, masked: Table) -> Flags:
    """Flag the cells that are suppressed, or cover every category that occurs."""
    hidden = uninformative_cells(column, cells)
    name = column.attribute.name
    if masked.is_recoded(name):
        starred = [label == SUPPRESSED for label in masked.labels(name)]
        hidden[: len(starred)] |= np.array(starred, dtype=bool)
    if masked.suppressed.any():
        hidden[-1] = True
    return hidden


def suppressed_numbers(name: str, masked: Table) -> Flags:
    """Flag the records whose number is suppressed."""
    if not masked.is_recoded(name):
        return masked.suppressed
    starred = np.array([label == SUPPRESSED for label in masked.labels(name)], dtype=bool)
    flags: Flags = masked.suppressed | starred[masked[name]]
    return flags


def _bins_of_categories(counts: Indices, most: int) -> Codes:
    """Bin of each category: the most frequent have one each, the others share the last."""
    bins = np.full(len(counts), most - 1, dtype=np.int32)
    if len(counts) <= most:
        return np.arange(len(counts), dtype=np.int32)
    bins[np.argsort(-counts, kind="stable")[: most - 1]] = np.arange(most - 1)
    return bins


def _cuts(column: NumberColumn) -> Floats:
    """Lowest value of each fine bin but the first; equal values are never divided."""
    if not column.n_known:
        return np.empty(0)
    cuts = np.unique(column.at(np.arange(1, FINE) * column.n_known // FINE))
    above: Floats = cuts[cuts > column.range[0]]
    return above


def _level_counts(column: NumberColumn, cuts: Floats) -> Indices:
    """Number of original records in each fine bin; the last is that of missing numbers."""
    values, times = column.value_counts
    counts = np.bincount(_fine_bins(values, cuts), times, len(cuts) + 2).astype(np.int64)
    counts[-1] = column.n_records - column.n_known
    return counts


def _fine_bins(values: Floats, cuts: Floats) -> Codes:
    """Fine bin of each number; missing ones have the last."""
    codes = np.searchsorted(cuts, values, "right").astype(np.int32)
    codes[np.isnan(values)] = len(cuts) + 1
    return codes


def _merged_bins(counts: Indices, most: int) -> Codes:
    """Bins of about equal size for consecutive levels; the last level, missing, is its own."""
    known = counts[:-1]
    middles = (np.cumsum(known) - known / 2) / max(1, int(known.sum()))
    places = np.minimum((middles * most).astype(np.int64), most - 1)
    merged = np.unique(places, return_inverse=True)[1]
    return np.append(merged, merged.max(initial=-1) + 1).astype(np.int32)
