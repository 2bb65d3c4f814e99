"""Sufficient statistics: moments of numbers and counts of categories.

The losses are functions of these, whether a file is evaluated as a whole, in chunks,
incrementally or in expectation. Moments are computed on values standardised by the original,
so that differences of the squares of large numbers do not cancel. A cell that stands for several
values contributes their mean and mean square. A statistic of a pair of attributes is taken over
the records that have both values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Protocol

import numpy as np

from evomask.data.table import Table
from evomask.measures.columns import CategoryCells, NumberCells, NumberColumn
from evomask.measures.measure import check_original
from evomask.types import Codes, Flags, Floats, Indices, Points

ROOT_TWO = float(np.sqrt(2.0))


class MomentStatistics(Protocol):
    """Counts, means, covariances and correlations of several columns."""

    @property
    def counts(self) -> Points:
        """Number of records known in both attributes of a pair."""

    @property
    def means(self) -> Floats:
        """Mean of each attribute; 0 where nothing is known."""

    @property
    def covariances(self) -> Points:
        """Population covariance of each pair; 0 where nothing is known."""

    @property
    def correlations(self) -> Points:
        """Correlation of each pair; 0 with a constant attribute."""


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
        return self.known.T @ self.known

    @cached_property
    def means(self) -> Floats:
        means: Floats = self.values.sum(axis=0) / np.maximum(np.diag(self.counts), 1)
        return means

    @cached_property
    def covariances(self) -> Points:
        return covariances_of(self.counts, self.products, self.values.T @ self.known)

    @property
    def products(self) -> Points:
        """Sums of products of each pair; on the diagonal, sums of expected squares."""
        products: Points = self.values.T @ self.values
        np.fill_diagonal(products, self.squares.sum(axis=0))
        return products

    @cached_property
    def correlations(self) -> Points:
        return correlations_of(self.covariances)


def covariances_of(counts: Points, products: Points, sums: Points) -> Points:
    """Compute covariances from the counts, sums of products and sums of each pair."""
    counts = np.maximum(counts, 1)
    matrix: Points = products / counts - (sums / counts) * (sums.T / counts)
    np.fill_diagonal(matrix, np.maximum(np.diag(matrix), 0.0))
    return matrix


def correlations_of(covariances: Points) -> Points:
    """Compute correlations from covariances; 0 with a constant attribute."""
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
        check_original(original, names)
        return cls(tuple(NumberColumn.of(original, name) for name in names))

    @cached_property
    def means(self) -> Floats:
        """Mean of the known values of each column, in original units."""
        return np.array([column.mean for column in self.columns])

    @cached_property
    def deviations(self) -> Floats:
        """Standard deviation of each column; 0 for a constant one."""
        return np.array([column.deviation for column in self.columns])

    @cached_property
    def scales(self) -> Floats:
        """Divisors of standardisation: the standard deviation, 1 for a constant column."""
        return np.where(self.deviations > 0, self.deviations, 1.0)

    @cached_property
    def moments(self) -> Moments:
        """Moments of the original itself."""
        values = np.column_stack([column.values for column in self.columns])
        return self._moments(values, values**2)

    def masked_moments(self, cells: Sequence[NumberCells]) -> Moments:
        """Moments of the cells of a masked table."""
        pairs = [_mean_and_square(c, masked) for c, masked in zip(self.columns, cells, strict=True)]
        values, squares = (np.column_stack(columns) for columns in zip(*pairs, strict=True))
        return self._moments(values, squares)

    def _moments(self, values: Points, squares: Points) -> Moments:
        known = ~np.isnan(values)
        centred = np.where(known, (values - self.means) / self.scales, 0.0)
        spread = np.where(known, squares - values**2, 0.0) / self.scales**2
        return Moments(centred, centred**2 + spread, known.astype(np.float64))

    def cells(self, masked: Table) -> tuple[NumberCells, ...]:
        """Cells of every column in a masked table."""
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
    """*changes*, and 1 where a statistic can be computed in one of the two files only."""
    gone: Flags = (before > 0) != (after > 0)
    return np.where(gone, 1.0, changes)


def contingency_counts(codes: Sequence[Codes], sizes: tuple[int, ...]) -> Floats:
    """Contingency table of several columns of codes, as floats."""
    keys = np.ravel_multi_index(tuple(codes), sizes)
    return np.bincount(keys, minlength=prod(sizes)).reshape(sizes).astype(np.float64)


def spread_over_leaves(counts: Floats, cells: Sequence[CategoryCells]) -> Floats:
    """Turn counts of masked cells into counts of categories; an axis for each attribute."""
    for axis, masked in enumerate(cells):
        if not masked.are_plain:
            counts = np.moveaxis(np.tensordot(counts, masked.spread, axes=(axis, 0)), -1, axis)
    return counts


def relative_entropy(joint: Indices) -> float:
    """Conditional entropy of the original category given the masked cell, over log(categories).

    Args:
        joint: number of records of each original category (rows) in each masked cell.
    """
    if len(joint) < 2:
        return 0.0
    counts = joint.astype(np.float64)
    shares = counts / np.maximum(counts.sum(axis=0), 1.0)
    logarithms = np.log(np.where(shares > 0, shares, 1.0))
    entropy = -float(np.sum(counts * logarithms)) / int(joint.sum())
    return max(0.0, min(1.0, entropy / float(np.log(len(joint)))))
