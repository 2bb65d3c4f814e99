"""What the cells of a recoded column stand for.

A masking method may replace a value by something less precise: an ancestor in a hierarchy,
an interval, or nothing at all. Such a column holds codes, and a recoding tells for each
code which original values it may stand for.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Codes, Flags, Floats, Points
from evomask.data.schema import MISSING, Attribute
from evomask.errors import SchemaError

SUPPRESSED = "*"
"""How a suppressed cell is written: it may stand for any value."""

Cell = tuple[str, bytes]
"""How a cell is written, and what it stands for: two that are equal are the same cell."""


class Recoding(Protocol):
    """The cells of one column; what is told of all of them has an entry, or a row, for each."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The text of each cell as a released file writes it."""

    @property
    def is_categorical(self) -> bool:
        """Whether cells stand for categories; numbers otherwise."""

    @property
    def leaves(self) -> Flags:
        """Row c flags the categories that cell c may stand for; no columns for numbers."""

    @property
    def low(self) -> NDArray[Any]:
        """The least value that each cell may stand for: a number, or a category's code."""

    @property
    def high(self) -> NDArray[Any]:
        """The greatest value that each cell may stand for, like ``low``."""

    @property
    def wide(self) -> Flags:
        """Which cells may stand for more than one value."""

    @property
    def missing(self) -> Flags:
        """Which cells are released as a missing value."""

    @property
    def names(self) -> Mapping[Hashable, str]:
        """How a cell is written, by what it stands for: a row of flags as bytes, or two ends."""

    @property
    def cells(self) -> Sequence[Cell]:
        """Every cell in a form that can be compared with those of other recodings."""

    def of_cells(self, cells: Iterable[Cell]) -> Self:
        """Another recoding of the same kind, with the given cells in their order."""

    def with_suppressed_cell(self) -> Self:
        """The same cells, and one more that stands for all that any of them may."""

    def middles(self, attribute: Attribute) -> Floats:
        """The middle of each cell: of its ends, or the mean place of its known categories.

        NaN where a cell stands for a missing value alone.
        """

    def spread(self, weights: NDArray[Any]) -> Points:
        """How each cell spreads over the categories, in proportion to their *weights*.

        Equally over those of a cell where none of them has any weight.
        """

    def covered(self, code: int, values: Floats, scale: Floats) -> Floats:
        """Those of *values* that a cell may stand for; where there are none, what it holds.

        Args:
            scale: the number that each category is, where there are categories.
        """


@dataclass(frozen=True, eq=False)
class CategorySets:
    """Cells of an ordinal or nominal attribute, each a set of its categories.

    Args:
        labels: how each cell is written.
        leaves: row c flags the categories that cell c may stand for.
    """

    labels: tuple[str, ...]
    leaves: Flags

    is_categorical = True

    def __post_init__(self) -> None:
        if self.leaves.shape[0] != len(self.labels):
            raise SchemaError("a recoding needs one row of leaves for each label")
        if not self.leaves.any(axis=1).all():
            raise SchemaError("a recoded cell must stand for at least one category")

    @property
    def low(self) -> NDArray[np.intp]:
        """Code of the first category of each cell."""
        first: NDArray[np.intp] = self.leaves.argmax(axis=1)
        return first

    @property
    def high(self) -> NDArray[np.intp]:
        """Code of the last category of each cell."""
        last: NDArray[np.intp] = self.leaves.shape[1] - 1 - self.leaves[:, ::-1].argmax(axis=1)
        return last

    @property
    def wide(self) -> Flags:
        """Which cells hold more than one category."""
        return self.high > self.low

    @property
    def missing(self) -> Flags:
        """Which cells are written like the missing category."""
        return np.array([label == MISSING for label in self.labels], dtype=bool)

    @property
    def names(self) -> dict[Hashable, str]:
        """How each set is written, by the bytes of its flags."""
        return {meaning: label for label, meaning in self.cells}

    @property
    def cells(self) -> list[Cell]:
        """Labels with the bytes of their flags."""
        return [(n, row.tobytes()) for n, row in zip(self.labels, self.leaves, strict=True)]

    def of_cells(self, cells: Iterable[Cell]) -> "CategorySets":
        """Sets of the same categories, read from the bytes of their flags."""
        labels, meanings = zip(*cells, strict=True)
        return CategorySets(labels, np.vstack([np.frombuffer(m, dtype=bool) for m in meanings]))

    def with_suppressed_cell(self) -> "CategorySets":
        """The same sets, and one more that holds every category."""
        whole = np.ones((1, self.leaves.shape[1]), dtype=bool)
        return CategorySets((*self.labels, SUPPRESSED), np.vstack([self.leaves, whole]))

    def middles(self, attribute: Attribute) -> Floats:
        """The mean place of the known categories of each cell; NaN where it has none."""
        size = attribute.domain_size
        known = self.leaves[:, :size]
        count = known.sum(axis=1)
        places = np.full(len(known), np.nan)
        np.divide(known @ np.arange(size), count, out=places, where=count > 0)
        return places

    def spread(self, weights: NDArray[Any]) -> Points:
        """The share of each category (column) in each cell, by the categories' weights."""
        parts = self.leaves * weights
        weightless = parts.sum(axis=1) == 0
        if weightless.any():
            parts = np.where(weightless[:, None], self.leaves, parts)
        shares: Points = parts / parts.sum(axis=1, keepdims=True)
        return shares

    def covered(self, code: int, values: Floats, scale: Floats) -> Floats:
        """Those of *values* that are numbers of its categories; without any, these numbers."""
        numbers = scale[self.leaves[code]]
        inside = values[np.isin(values, numbers)]
        return inside if len(inside) else numbers


@dataclass(frozen=True, eq=False)
class Intervals:
    """Cells of a continuous attribute, each an interval with both ends included.

    A cell whose ends are both NaN stands for a missing value.
    """

    labels: tuple[str, ...]
    low: Floats
    high: Floats

    is_categorical = False

    def __post_init__(self) -> None:
        if not len(self.labels) == len(self.low) == len(self.high):
            raise SchemaError("a recoding needs two ends for each label")
        if np.any(self.low > self.high):
            raise SchemaError("an interval's lower end must not lie above its upper end")

    @property
    def leaves(self) -> Flags:
        """No category at all: an array without columns."""
        return np.zeros((len(self.labels), 0), dtype=bool)

    @property
    def wide(self) -> Flags:
        """Which intervals are longer than a point."""
        wide: Flags = self.high > self.low
        return wide

    @property
    def missing(self) -> Flags:
        """Which cells are missing: those without ends."""
        return np.isnan(self.low)

    @property
    def names(self) -> dict[Hashable, str]:
        """How each interval is written, by its two ends; a missing cell is never found."""
        return dict(zip(zip(self.low, self.high, strict=True), self.labels, strict=True))

    @property
    def cells(self) -> list[Cell]:
        """Labels with the bytes of both ends, so that missing cells are alike."""
        ends = np.column_stack([self.low, self.high])
        return [(name, row.tobytes()) for name, row in zip(self.labels, ends, strict=True)]

    def of_cells(self, cells: Iterable[Cell]) -> "Intervals":
        """Intervals read from the bytes of both ends."""
        labels, meanings = zip(*cells, strict=True)
        ends = np.vstack([np.frombuffer(meaning, dtype=np.float64) for meaning in meanings])
        return Intervals(labels, ends[:, 0].copy(), ends[:, 1].copy())

    def with_suppressed_cell(self) -> "Intervals":
        """The same intervals, and one more from the least end to the greatest."""
        return Intervals(
            (*self.labels, SUPPRESSED),
            np.append(self.low, np.fmin.reduce(self.low)),
            np.append(self.high, np.fmax.reduce(self.high)),
        )

    def middles(self, attribute: Attribute) -> Floats:
        """The number half way between both ends; NaN for a missing cell."""
        middles: Floats = (self.low + self.high) / 2
        return middles

    def spread(self, weights: NDArray[Any]) -> Points:
        """No share of any category: an array without columns."""
        return np.zeros((len(self.labels), 0))

    def covered(self, code: int, values: Floats, scale: Floats) -> Floats:
        """Those of *values* between both ends; without any, the middle."""
        low, high = self.low[code], self.high[code]
        inside = values[(values >= low) & (values <= high)]
        return inside if len(inside) else np.array([(low + high) / 2])


def says_nothing(recoding: Recoding) -> Flags:
    """Which cells are written as suppressed or as missing."""
    return np.array([label in (SUPPRESSED, MISSING) for label in recoding.labels], dtype=bool)


def united(recodings: Sequence[Recoding]) -> tuple[Recoding, list[Codes]]:
    """One recoding for all parts of a column, and for each part the new codes of its cells.

    Cells are numbered in the order in which the parts name them first.
    """
    places: dict[Cell, int] = {}
    codes = [
        np.array([places.setdefault(cell, len(places)) for cell in part.cells], dtype=np.int32)
        for part in recodings
    ]
    return recodings[0].of_cells(places), codes


def single_categories(attribute: Attribute) -> CategorySets:
    """The recoding that changes nothing: cell c is category c."""
    return CategorySets(attribute.categories, np.eye(len(attribute.categories), dtype=bool))
