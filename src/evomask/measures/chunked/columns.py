"""Columns with the records of one chunk and the value counts of the whole file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from evomask.data.table import Table
from evomask.measures.columns import (
    CategoricalColumn,
    CategoryCells,
    NumberColumn,
    OriginalColumn,
)
from evomask.types import Floats, Indices


def _no_counts() -> Indices:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class CountedNumbers(NumberColumn):
    """Numbers of some records; ranks, moments and quantiles are those of the whole file.

    Args:
        distinct: known values of the whole file, in order.
        often: number of records with each value.
        missing: number of records without a value.
    """

    distinct: Floats = field(default_factory=lambda: np.empty(0))
    often: Indices = field(default_factory=_no_counts)
    missing: int = 0

    @property
    def n_records(self) -> int:
        return self.n_known + self.missing

    @cached_property
    def n_known(self) -> int:
        return int(self.often.sum())

    @cached_property
    def sorted(self) -> Floats:
        """All known values of the whole file; as long as the file, so not used here."""
        return np.repeat(self.distinct, self.often)

    @property
    def value_counts(self) -> tuple[Floats, Indices]:
        return self.distinct, self.often

    def ranked(self) -> "CountedNumbers":
        return replace(self, values=self.ranks, distinct=self.places(self.distinct))

    @cached_property
    def _starts(self) -> Indices:
        """Start of each value among the sorted ones, and their total number."""
        return np.concatenate([[0], np.cumsum(self.often)]).astype(np.int64)

    @cached_property
    def _sums(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.distinct * self.often)])

    @cached_property
    def _squares(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.distinct**2 * self.often)])

    @property
    def range(self) -> tuple[float, float]:
        return float(self.distinct[0]), float(self.distinct[-1])

    @property
    def mean(self) -> float:
        return float((self.distinct * self.often).sum()) / self.n_known if self.n_known else 0.0

    @cached_property
    def deviation(self) -> float:
        """Population standard deviation; exactly 0 for a constant attribute."""
        if len(self.distinct) < 2:
            return 0.0
        squares = (self.distinct - self.mean) ** 2 * self.often
        return float(np.sqrt(squares.sum() / self.n_known))

    def below(self, numbers: Floats) -> Indices:
        """Number of known values smaller than each number."""
        return self._starts[np.searchsorted(self.distinct, numbers, "left")]

    def up_to(self, numbers: Floats) -> Indices:
        """Number of known values not greater than each number."""
        return self._starts[np.searchsorted(self.distinct, numbers, "right")]

    def at(self, places: Indices) -> Floats:
        """Values at positions among the sorted ones, counted from 0."""
        return self.distinct[np.searchsorted(self._starts[1:], places, "right")]

    def ranks_at(self, places: Indices) -> Floats:
        return self.places(self.at(places))

    def sums_to(self, places: Indices) -> Floats:
        """Sums of the sorted values before each position, which is a start or an end."""
        return self._sums[np.searchsorted(self._starts, places)]

    def squares_to(self, places: Indices) -> Floats:
        return self._squares[np.searchsorted(self._starts, places)]


@dataclass(frozen=True, eq=False)
class CountedCategories(CategoricalColumn):
    """Categories of some records; frequencies are those of the whole file.

    Args:
        often: number of records of the whole file with each category.
        suppresses: whether any record of the masked file is suppressed, in whatever chunk, so that
            every chunk has the same cells.
    """

    often: Indices = field(default_factory=_no_counts)
    suppresses: bool = False

    @cached_property
    def counts(self) -> Indices:
        return self.often

    def cells(self, masked: Table) -> CategoryCells:
        """The masked column; the last cell is that of suppressed records."""
        if not self.suppresses:
            return super().cells(masked)
        name = self.attribute.name
        recoding = masked.recoding(name)
        last = len(recoding.labels)
        codes = np.where(masked.suppressed, last, masked[name]).astype(np.int32)
        recoding = recoding.with_suppressed_cell()
        return CategoryCells(codes, recoding.leaves, recoding.spread(self.counts))


@dataclass(frozen=True, eq=False)
class WholeFile:
    """Columns of a whole original by name, without its records."""

    numbers: Mapping[str, CountedNumbers]
    categories: Mapping[str, CountedCategories]
    n_records: int

    def column(self, table: Table, name: str) -> OriginalColumn:
        """A column of some records of the original."""
        is_number = name in self.numbers
        return self.number(table, name) if is_number else self.category(table, name)

    def number(self, table: Table, name: str) -> CountedNumbers:
        return replace(self.numbers[name], values=table.values(name))

    def category(self, table: Table, name: str) -> CountedCategories:
        return replace(self.categories[name], codes=table.codes(name))

    def cells(self, masked: Table, names: Sequence[str]) -> tuple[CategoryCells, ...]:
        """Meaning of the cells of masked categories, without records."""
        blank = masked.take(np.empty(0, dtype=np.int64))
        return tuple(self.categories[name].cells(blank) for name in names)

    def suppressing(self) -> "WholeFile":
        """The same, for comparison with a masked file that has suppressed records."""
        changed = {name: replace(c, suppresses=True) for name, c in self.categories.items()}
        return replace(self, categories=changed)
