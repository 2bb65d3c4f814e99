"""Means, variances, covariances and correlations of continuous columns, and their changes.

Everything is computed on values standardised by the original, where differences of the
squares of large numbers do no harm. A cell that stands for several values contributes their
mean and their mean square; a statistic is taken over the records that have the values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from evomask.arrays import Flags, Floats, Points
from evomask.data.table import Table
from evomask.measures.comparability import check_original
from evomask.measures.numbers import NumberCells, NumberColumn

ROOT_TWO = float(np.sqrt(2.0))


class Related(Protocol):
    """What is known of several columns together, however it was added up."""

    @property
    def counts(self) -> Points:
        """Records known in both attributes of a pair."""

    @property
    def means(self) -> Floats:
        """Mean of each attribute; 0 where nothing is known."""

    @property
    def covariances(self) -> Points:
        """Population covariance of each pair; 0 where nothing is known."""

    @property
    def correlations(self) -> Points:
        """Correlation of each pair; 0 with an attribute that does not vary."""


@dataclass(frozen=True, eq=False)
class Moments:
    """First and second moments of several standardised columns.

    Args:
        values: records as rows, 0 where missing.
        squares: expected squares of the cells, 0 where missing.
        known: 1 where a value is known.
    """

    values: Points
    squares: Points
    known: Points

    @cached_property
    def counts(self) -> Points:
        """Records known in both attributes of a pair."""
        return self.known.T @ self.known

    @cached_property
    def means(self) -> Floats:
        """Mean of each attribute; 0 where nothing is known."""
        means: Floats = self.values.sum(axis=0) / np.maximum(np.diag(self.counts), 1)
        return means

    @cached_property
    def covariances(self) -> Points:
        """Population covariance of each pair; 0 where nothing is known."""
        return covariances_of(self.counts, self.products, self.values.T @ self.known)

    @property
    def products(self) -> Points:
        """Sums of products of each pair, of squares of each attribute with itself."""
        products: Points = self.values.T @ self.values
        np.fill_diagonal(products, self.squares.sum(axis=0))
        return products

    @cached_property
    def correlations(self) -> Points:
        """Correlation of each pair; 0 with an attribute that does not vary."""
        return correlations_of(self.covariances)


def covariances_of(counts: Points, products: Points, sums: Points) -> Points:
    """Covariances from how many records a pair has, their products and their sums."""
    counts = np.maximum(counts, 1)
    matrix: Points = products / counts - (sums / counts) * (sums.T / counts)
    np.fill_diagonal(matrix, np.maximum(np.diag(matrix), 0.0))
    return matrix


def correlations_of(covariances: Points) -> Points:
    """Correlations from covariances; 0 with an attribute that does not vary."""
    deviations = np.sqrt(np.diag(covariances))
    scale = np.outer(deviations, deviations)
    ratios = np.divide(covariances, scale, out=np.zeros_like(scale), where=scale > 1e-12)
    bounded: Points = np.clip(ratios, -1.0, 1.0)
    return bounded


@dataclass(frozen=True, eq=False)
class Columns:
    """Several continuous columns of an original, prepared for comparison."""

    columns: tuple[NumberColumn, ...]

    @classmethod
    def of(cls, original: Table, names: Sequence[str]) -> "Columns":
        """The continuous columns of these names, prepared for moments."""
        check_original(original, names)
        return cls(tuple(NumberColumn.of(original, name) for name in names))

    @cached_property
    def means(self) -> Floats:
        """Mean of each column's known values, in original units."""
        return np.array([column.mean for column in self.columns])

    @cached_property
    def deviations(self) -> Floats:
        """Standard deviation of each column; 0 for a constant one."""
        return np.array([column.deviation for column in self.columns])

    @cached_property
    def scales(self) -> Floats:
        """Deviations to divide by: 1 for a constant column."""
        return np.where(self.deviations > 0, self.deviations, 1.0)

    @cached_property
    def moments(self) -> Moments:
        """Moments of the original itself."""
        values = np.column_stack([column.values for column in self.columns])
        return self._moments(values, values**2)

    def masked_moments(self, cells: Sequence[NumberCells]) -> Moments:
        """Moments of a masked table's cells."""
        pairs = [_mean_and_square(c, masked) for c, masked in zip(self.columns, cells, strict=True)]
        values, squares = (np.column_stack(columns) for columns in zip(*pairs, strict=True))
        return self._moments(values, squares)

    def _moments(self, values: Points, squares: Points) -> Moments:
        known = ~np.isnan(values)
        centred = np.where(known, (values - self.means) / self.scales, 0.0)
        spread = np.where(known, squares - values**2, 0.0) / self.scales**2
        return Moments(centred, centred**2 + spread, known.astype(np.float64))

    def cells(self, masked: Table) -> tuple[NumberCells, ...]:
        """The masked cells of every column."""
        return tuple(column.cells(masked) for column in self.columns)


def _mean_and_square(column: NumberColumn, cells: NumberCells) -> tuple[Floats, Floats]:
    """Expected value and expected square of each cell."""
    sets = np.flatnonzero(cells.are_sets)
    first, last = cells.first[sets], cells.last[sets]
    means, squares = cells.centre.copy(), cells.centre**2
    means[sets] = (column.sums_to(last) - column.sums_to(first)) / (last - first)
    squares[sets] = (column.squares_to(last) - column.squares_to(first)) / (last - first)
    return means, squares


def relative_changes(before: Floats, after: Floats, fallback: Floats) -> Floats:
    """|before - after| / |before|, each capped at 1; *fallback* divides where before is 0."""
    scale = np.where(before != 0, np.abs(before), fallback)
    apart = np.abs(before - after)
    changes = np.ones_like(apart)
    np.divide(apart, scale, out=changes, where=scale > 0)
    return np.where(apart == 0, 0.0, np.minimum(changes, 1.0))


def lost_or(changes: Floats, before: Floats, after: Floats) -> Floats:
    """*changes*, and 1 where a statistic can be taken from the one file only."""
    gone: Flags = (before > 0) != (after > 0)
    return np.where(gone, 1.0, changes)
