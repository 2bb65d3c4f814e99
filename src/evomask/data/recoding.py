"""Recodings: the original values that each cell of a generalized column covers.

A masking method may replace a value by an ancestor in a hierarchy, an interval, or a suppressed
cell. Such a column holds codes; its recoding defines the label and the covered values of each.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evomask.data.schema import MISSING, Attribute
from evomask.errors import SchemaError
from evomask.types import Codes, Flags, Floats, Points

SUPPRESSED = "*"
"""Label of a suppressed cell, which covers all values."""

MOST_CATEGORIES = 65_536
"""Categories of a column, at most: recodings are tables of categories by categories."""

Cell = tuple[str, bytes]
"""Label of a cell and its covered values as bytes; equal pairs are the same cell."""


@dataclass(frozen=True, eq=False)
class CategorySets:
    """Cells of an ordinal or nominal attribute, each a set of categories.

    `Intervals` has the same members, with numbers in place of category codes.

    Args:
        labels: label of each cell in a released file.
        leaves: row c flags the categories that cell c covers.
    """

    labels: tuple[str, ...]
    leaves: Flags

    is_categorical = True

    def __post_init__(self) -> None:
        if self.leaves.shape[0] != len(self.labels):
            raise SchemaError("a recoding needs one row of category flags for each label")
        if not self.leaves.any(axis=1).all():
            raise SchemaError("a recoded cell must cover at least one category")

    @property
    def low(self) -> NDArray[Any]:
        """Code of the first category that each cell covers."""
        first: NDArray[Any] = self.leaves.argmax(axis=1)
        return first

    @property
    def high(self) -> NDArray[Any]:
        """Code of the last category that each cell covers."""
        last: NDArray[Any] = self.leaves.shape[1] - 1 - self.leaves[:, ::-1].argmax(axis=1)
        return last

    @property
    def wide(self) -> Flags:
        """Whether each cell covers more than one value."""
        return np.asarray(self.high > self.low)

    @property
    def missing(self) -> Flags:
        """Whether each cell is released as a missing value."""
        return np.array([label == MISSING for label in self.labels], dtype=bool)

    @property
    def names(self) -> dict[Hashable, str]:
        """Labels by covered values: the bytes of a row of flags, or the two ends."""
        return {meaning: label for label, meaning in self.cells}

    @property
    def cells(self) -> list[Cell]:
        """All cells in a form that can be compared across recodings."""
        return [(n, row.tobytes()) for n, row in zip(self.labels, self.leaves, strict=True)]

    def of_cells(self, cells: Iterable[Cell]) -> "CategorySets":
        """Return a recoding of the same kind with the given cells, in their order."""
        labels, meanings = zip(*cells, strict=True)
        return CategorySets(labels, np.vstack([np.frombuffer(m, dtype=bool) for m in meanings]))

    def with_suppressed_cell(self) -> "CategorySets":
        """Return a copy with an additional last cell that covers what all cells cover."""
        whole = np.ones((1, self.leaves.shape[1]), dtype=bool)
        return CategorySets((*self.labels, SUPPRESSED), np.vstack([self.leaves, whole]))

    def middles(self, attribute: Attribute) -> Floats:
        """Return the mean rank of each cell's categories, NaN if only missing values."""
        size = attribute.domain_size
        known = self.leaves[:, :size]
        count = known.sum(axis=1)
        places = np.full(len(known), np.nan)
        np.divide(known @ np.arange(size), count, out=places, where=count > 0)
        return places

    def spread(self, weights: NDArray[Any]) -> Points:
        """Return the share of each category (column) in each cell, proportional to *weights*.

        Shares are equal where all categories of a cell have weight 0.
        """
        parts = self.leaves * weights
        weightless = parts.sum(axis=1) == 0
        if weightless.any():
            parts = np.where(weightless[:, None], self.leaves, parts)
        shares: Points = parts / parts.sum(axis=1, keepdims=True)
        return shares

    def covered(self, code: int, values: Floats, scale: Floats) -> Floats:
        """Return the *values* inside a cell; if there are none, values that represent it.

        Args:
            scale: numeric value of each category, for categorical cells.
        """
        numbers = scale[self.leaves[code]]
        inside = values[np.isin(values, numbers)]
        return inside if len(inside) else numbers


@dataclass(frozen=True, eq=False)
class Intervals:
    """Cells of a continuous attribute, each a closed interval.

    A cell whose ends are both NaN is a missing value.
    """

    labels: tuple[str, ...]
    low: Floats
    high: Floats

    is_categorical = False

    def __post_init__(self) -> None:
        if not len(self.labels) == len(self.low) == len(self.high):
            raise SchemaError(
                "a recoding of a number needs a lower and an upper end for each label"
            )
        if np.any(self.low > self.high):
            raise SchemaError("the lower end of an interval must not exceed its upper end")

    @property
    def leaves(self) -> Flags:
        return np.zeros((len(self.labels), 0), dtype=bool)

    @property
    def wide(self) -> Flags:
        wide: Flags = self.high > self.low
        return wide

    @property
    def missing(self) -> Flags:
        return np.isnan(self.low)

    @property
    def names(self) -> dict[Hashable, str]:
        return dict(zip(zip(self.low, self.high, strict=True), self.labels, strict=True))

    @property
    def cells(self) -> list[Cell]:
        ends = np.column_stack([self.low, self.high])
        return [(name, row.tobytes()) for name, row in zip(self.labels, ends, strict=True)]

    def of_cells(self, cells: Iterable[Cell]) -> "Intervals":
        labels, meanings = zip(*cells, strict=True)
        ends = np.vstack([np.frombuffer(meaning, dtype=np.float64) for meaning in meanings])
        return Intervals(labels, ends[:, 0].copy(), ends[:, 1].copy())

    def with_suppressed_cell(self) -> "Intervals":
        return Intervals(
            (*self.labels, SUPPRESSED),
            np.append(self.low, np.fmin.reduce(self.low)),
            np.append(self.high, np.fmax.reduce(self.high)),
        )

    def middles(self, attribute: Attribute) -> Floats:
        middles: Floats = (self.low + self.high) / 2
        return middles

    def spread(self, weights: NDArray[Any]) -> Points:
        return np.zeros((len(self.labels), 0))

    def covered(self, code: int, values: Floats, scale: Floats) -> Floats:
        low, high = self.low[code], self.high[code]
        inside = values[(values >= low) & (values <= high)]
        return inside if len(inside) else np.array([(low + high) / 2])


Recoding: TypeAlias = CategorySets | Intervals
"""Cells of one recoded column; arrays have one entry, or row, per cell."""


def is_uninformative(recoding: Recoding) -> Flags:
    """Return which cells are suppressed or missing."""
    return np.array([label in (SUPPRESSED, MISSING) for label in recoding.labels], dtype=bool)


def merge_recodings(recodings: Sequence[Recoding]) -> tuple[Recoding, list[Codes]]:
    """Return one recoding for all chunks of a column, and the new codes of each chunk's cells.

    Cells are numbered in the order of their first occurrence.
    """
    numbers: dict[Cell, int] = {}
    codes = [
        np.array([numbers.setdefault(cell, len(numbers)) for cell in own.cells], dtype=np.int32)
        for own in recodings
    ]
    return recodings[0].of_cells(numbers), codes


def identity_recoding(attribute: Attribute) -> CategorySets:
    """Return the recoding that changes nothing: cell c is category c."""
    count = len(attribute.categories)
    if count > MOST_CATEGORIES:
        raise SchemaError(
            f"column {attribute.name!r} has {count:,} categories, and at most {MOST_CATEGORIES:,} "
            "can be masked; give it another role, or coarser values"
        )
    return CategorySets(attribute.categories, np.eye(count, dtype=bool))
