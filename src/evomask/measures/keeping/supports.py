"""The values that the cells of a masked column may stand for, each with its probability."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.data.table import Column, Table
from evomask.measures.categories import CategoricalColumn
from evomask.measures.numbers import NumberColumn


class Support(Protocol):
    """One column by its distinct cells.

    ``keys`` tells which cell each record has, ``sizes`` how many values each cell covers.
    """

    @property
    def keys(self) -> Indices:
        """The number of the cell of each record."""
        ...

    @property
    def sizes(self) -> Floats:
        """How many values each cell covers, 1 or more."""
        ...

    def nth(self, cells: Indices, places: Indices) -> tuple[Column, Floats]:
        """The value at a place among those of a cell, and its probability."""
        ...

    def quantile(self, cells: Indices, levels: Floats) -> Column:
        """The value below which a cell has a share of its probability; levels in [0, 1)."""
        ...


def support_of(original: Table, masked: Table, name: str) -> Support:
    """What the cells of a masked column stand for, by the frequencies of the original."""
    if original.attribute(name).is_categorical:
        return _of_categories(original, masked, name)
    return _of_numbers(NumberColumn.of(original, name), masked)


@dataclass(frozen=True, eq=False)
class CategorySupport:
    """Categories of each cell, one after the other, with their probabilities.

    Args:
        starts: where the categories of each cell begin.
        ends: the cell's number plus the probability up to and with each category.
    """

    keys: Indices
    sizes: Floats
    starts: Indices
    codes: Indices
    shares: Floats
    ends: Floats

    def nth(self, cells: Indices, places: Indices) -> tuple[Column, Floats]:
        """The category at a place of a cell, and its probability."""
        at = self.starts[cells] + places
        return self.codes[at], self.shares[at]

    def quantile(self, cells: Indices, levels: Floats) -> Column:
        """The category in which a level falls, categories in their order."""
        at = np.searchsorted(self.ends, cells + levels, "right")
        last = self.starts[cells] + self.sizes[cells].astype(np.int64) - 1
        return self.codes[np.clip(at, self.starts[cells], last)]


def _of_categories(original: Table, masked: Table, name: str) -> CategorySupport:
    cells = CategoricalColumn.of(original, name).cells(masked)
    rows, codes = np.nonzero(cells.spread)
    shares, sizes = cells.spread[rows, codes], np.bincount(rows, minlength=len(cells))
    starts = np.cumsum(sizes) - sizes
    sums = np.cumsum(shares)
    before = np.append(0.0, sums)[starts]
    return CategorySupport(
        cells.codes.astype(np.int64), sizes.astype(np.float64), starts, codes, shares,
        rows + sums - before[rows],
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class NumberSupport:
    """Numbers, and intervals that stand for the original values inside them.

    Args:
        first: where the values of an interval begin among the *ordered* original ones.
        centre: the number of a cell that is no interval.
    """

    keys: Indices
    sizes: Floats
    first: Indices
    centre: Floats
    ordered: Floats

    def nth(self, cells: Indices, places: Indices) -> tuple[Column, Floats]:
        """The value at a place of a cell, all as likely as one another."""
        sizes = self.sizes[cells]
        if not len(self.ordered):
            return self.centre[cells], 1.0 / sizes
        at = np.minimum(self.first[cells] + places, len(self.ordered) - 1)
        return np.where(self.first[cells] >= 0, self.ordered[at], self.centre[cells]), 1.0 / sizes

    def quantile(self, cells: Indices, levels: Floats) -> Column:
        """The value at a level of a cell's values in their order."""
        return self.nth(cells, (levels * self.sizes[cells]).astype(np.int64))[0]


def _of_numbers(column: NumberColumn, masked: Table) -> NumberSupport:
    cells = column.cells(masked)
    sets = cells.are_sets
    keys = np.empty(len(sets), dtype=np.int64)
    numbers, keys[~sets] = np.unique(cells.centre[~sets], return_inverse=True)
    width = len(column.sorted) + 1
    spans, places = np.unique(cells.first[sets] * width + cells.last[sets], return_inverse=True)
    keys[sets] = len(numbers) + places
    first, last = spans // width, spans % width
    return NumberSupport(
        keys,
        np.append(np.ones(len(numbers)), (last - first).astype(np.float64)),
        np.append(np.full(len(numbers), -1), first),
        np.append(numbers, np.zeros(len(first))),
        column.sorted,
    )
