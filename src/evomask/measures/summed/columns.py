"""Columns of which some records are at hand, and of the whole file how often each value occurs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.data.table import Table
from evomask.measures.categories import CategoricalColumn, Cells
from evomask.measures.numbers import NumberColumn
from evomask.measures.risk.space import Space


def _no_counts() -> Indices:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class CountedNumbers(NumberColumn):
    """Numbers of some records; ranks, moments and quantiles are those of the whole file.

    Args:
        distinct: the known values of the whole file, in order.
        often: how many records have each.
        missing: how many have none.
    """

    distinct: Floats = field(default_factory=lambda: np.empty(0))
    often: Indices = field(default_factory=_no_counts)
    missing: int = 0

    @property
    def n_records(self) -> int:
        """How many records the whole file has."""
        return self.n_known + self.missing

    @cached_property
    def n_known(self) -> int:
        """How many of them hold a number."""
        return int(self.often.sum())

    @cached_property
    def sorted(self) -> Floats:
        """All known values of the whole file; as long as the file, so nothing here asks for it."""
        return np.repeat(self.distinct, self.often)

    @cached_property
    def _starts(self) -> Indices:
        """Where the records of each value begin among the sorted ones, and where all end."""
        return np.concatenate([[0], np.cumsum(self.often)]).astype(np.int64)

    @cached_property
    def _sums(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.distinct * self.often)])

    @cached_property
    def _squares(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.distinct**2 * self.often)])

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest of the known values."""
        return float(self.distinct[0]), float(self.distinct[-1])

    @property
    def mean(self) -> float:
        """Mean of the known values; 0 where there are none."""
        return float((self.distinct * self.often).sum()) / self.n_known if self.n_known else 0.0

    @cached_property
    def deviation(self) -> float:
        """Population standard deviation; exactly 0 for a constant attribute."""
        if len(self.distinct) < 2:
            return 0.0
        squares = (self.distinct - self.mean) ** 2 * self.often
        return float(np.sqrt(squares.sum() / self.n_known))

    def below(self, numbers: Floats) -> Indices:
        """How many known values are smaller than each number."""
        return self._starts[np.searchsorted(self.distinct, numbers, "left")]

    def up_to(self, numbers: Floats) -> Indices:
        """How many known values are no greater than each number."""
        return self._starts[np.searchsorted(self.distinct, numbers, "right")]

    def at(self, places: Indices) -> Floats:
        """The values at places among the sorted ones, counted from 0."""
        return self.distinct[np.searchsorted(self._starts[1:], places, "right")]

    def ranks_at(self, places: Indices) -> Floats:
        """Mean ranks of the values at such places."""
        return self.places(self.at(places))

    def sums_to(self, places: Indices) -> Floats:
        """Sums of the sorted values before each place, which is where a value begins or ends."""
        return self._sums[np.searchsorted(self._starts, places)]

    def squares_to(self, places: Indices) -> Floats:
        """Sums of squares likewise."""
        return self._squares[np.searchsorted(self._starts, places)]


@dataclass(frozen=True, eq=False)
class CountedCategories(CategoricalColumn):
    """Categories of some records; frequencies are those of the whole file.

    Args:
        often: how many records of the whole file have each category.
        suppresses: whether any record of the masked file is suppressed, at hand or not, so that
            every part has the same cells.
    """

    often: Indices = field(default_factory=_no_counts)
    suppresses: bool = False

    @cached_property
    def counts(self) -> Indices:
        """How many records of the whole file have each category."""
        return self.often

    def cells(self, masked: Table) -> Cells:
        """The same column of a masked table; the last cell is that of suppressed records."""
        if not self.suppresses:
            return super().cells(masked)
        name = self.attribute.name
        recoding = masked.recoding(name)
        last = len(recoding.labels)
        codes = np.where(masked.suppressed, last, masked[name]).astype(np.int32)
        recoding = recoding.with_suppressed_cell()
        return Cells(codes, recoding.leaves, recoding.spread(self.counts))


@dataclass(frozen=True, eq=False)
class WholeFile:
    """What is known of the columns of a whole original, by name, without any of its records."""

    numbers: Mapping[str, CountedNumbers]
    categories: Mapping[str, CountedCategories]
    n_records: int

    def space(self, table: Table, names: Sequence[str]) -> Space:
        """The space of some attributes, with the records of a table."""
        return Space(
            tuple(self.number(table, name) for name in names if name in self.numbers),
            tuple(self.category(table, name) for name in names if name in self.categories),
            self.n_records,
        )

    def number(self, table: Table, name: str) -> CountedNumbers:
        """A column of numbers of a table."""
        return replace(self.numbers[name], values=table.values(name))

    def category(self, table: Table, name: str) -> CountedCategories:
        """A column of categories of a table."""
        return replace(self.categories[name], codes=table.codes(name))

    def cells(self, masked: Table, names: Sequence[str]) -> tuple[Cells, ...]:
        """What the cells of masked categories stand for, whatever records have them."""
        blank = masked.take(np.empty(0, dtype=np.int64))
        return tuple(self.categories[name].cells(blank) for name in names)

    def suppressing(self) -> "WholeFile":
        """The same, compared with a masked file in which some records are suppressed."""
        changed = {name: replace(c, suppresses=True) for name, c in self.categories.items()}
        return replace(self, categories=changed)
