"""Columns of a released file as intruders compare them.

What follows from one column is computed once: candidates of a search share columns with those
before them, so the last few versions of each column are found again by the identity of their
arrays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from evomask.data.table import Column, Table
from evomask.measures.columns import CategoricalColumn, CategoryCells, NumberColumn
from evomask.measures.comparison_space import Space
from evomask.types import Codes, Flags, Floats, Indices, Points

DIGIT_BITS = 10
"""Bits per attribute in the sort key of the tree of records, at most."""

RECENT = 3
"""Versions of a column that are kept."""

T = TypeVar("T")


class CodeCosts(NamedTuple):
    """Costs of an original code (row) and a released cell, and where they are 0.

    Args:
        table: the costs.
        agrees, free, differing: which are 0, and bit masks of those that are and are not, by row.
        least: smallest positive cost of each row; 0 where there is none.
        has_agreeing, has_differing: whether a row has a cost of 0, and any other.
    """

    table: Points
    agrees: Flags
    free: Indices
    differing: Indices
    least: Floats
    has_agreeing: Flags
    has_differing: Flags

    @classmethod
    def of(cls, table: Points) -> "CodeCosts":
        """Prepare a table of costs."""
        agrees = table == 0.0
        least = np.where(agrees, np.inf, table).min(axis=1, initial=np.inf)
        return cls(
            table, agrees, _bit_masks(agrees), _bit_masks(~agrees),
            np.where(np.isinf(least), 0.0, least), agrees.any(axis=1), (~agrees).any(axis=1),
        )  # fmt: skip


def _bit_masks(flags: Flags) -> Indices:
    """For each row, a bit mask of the flagged columns, modulo 64."""
    bits = np.left_shift(np.int64(1), np.arange(flags.shape[1]) & 63)
    marks: Indices = np.bitwise_or.reduce(np.where(flags, bits, 0), axis=1)
    return marks


@dataclass(frozen=True, eq=False)
class CellMeaning:
    """What the cells of a released categorical column stand for."""

    column: CategoricalColumn
    cells: CategoryCells
    _costs: dict[tuple[int, bool], CodeCosts] = field(default_factory=dict, repr=False)

    @cached_property
    def are_plain(self) -> bool:
        return self.cells.are_plain

    @cached_property
    def wide(self) -> Flags:
        """Cells that cover several categories."""
        flags: Flags = self.cells.leaves.sum(axis=1) > 1
        return flags

    @cached_property
    def whole(self) -> Flags:
        """Cells that cover every category that occurs in the original."""
        return uninformative_cells(self.column, self.cells)

    def costs(self, unit: int, *, passing_over: bool) -> CodeCosts:
        """Costs of original codes (rows) and cells, in units.

        The distance of a generalized cell is that of its nearest leaf: 0 from what it covers.

        Args:
            passing_over: whether cells that cover every category are compared like missing ones.
        """
        key = unit, passing_over
        if key not in self._costs:
            table = np.round(self.column.distances * unit)
            if not self.are_plain:
                table = np.array([table[:, leaves].min(axis=1) for leaves in self.cells.leaves]).T
            if passing_over:
                table = np.where(self.whole, float(unit), table)
            self._costs[key] = CodeCosts.of(np.ascontiguousarray(table))
        return self._costs[key]


def uninformative_cells(column: CategoricalColumn, cells: CategoryCells) -> Flags:
    """Flag the cells that cover every category that occurs in the original."""
    every = (cells.leaves | (column.counts == 0)).all(axis=1)
    flags: Flags = every & (cells.leaves.sum(axis=1) > 1)
    return flags


@dataclass(frozen=True, eq=False)
class ReleasedCategory:
    """A released categorical column: the cell of each record."""

    meaning: CellMeaning
    codes: Codes

    @property
    def keys(self) -> Column:
        """Equal whole numbers for equal cells."""
        return self.codes

    @cached_property
    def digits(self) -> Indices:
        """Quantile of the records of each cell, in ten bits."""
        counts = np.bincount(self.codes)
        begin = np.cumsum(counts) - counts
        digits = begin * ((1 << DIGIT_BITS) - 1) // max(1, len(self.codes))
        return digits[self.codes]

    @cached_property
    def share_whole(self) -> float:
        """Share of the cells that cover every category."""
        plain = self.meaning.are_plain
        return 0.0 if plain else float(self.meaning.whole[self.codes].mean())


@dataclass(frozen=True, eq=False)
class ReleasedNumber:
    """A released continuous column: the ends of each cell, one array where they are equal."""

    column: NumberColumn
    low: Floats
    high: Floats

    @property
    def are_plain(self) -> bool:
        return self.low is self.high

    @cached_property
    def keys(self) -> Column:
        """Equal whole numbers for equal cells."""
        if self.are_plain:
            return _dense(self.low)
        low, high = _dense(self.low), _dense(self.high)
        return low * (int(high.max(initial=0)) + 1) + high

    @cached_property
    def ranks(self) -> tuple[Floats, Floats]:
        """Ranks of both ends among the original values."""
        low = self.column.places(self.low)
        return low, low if self.are_plain else self.column.places(self.high)

    @cached_property
    def middles(self) -> Floats:
        """Rank of each number; of an interval, of the median original value in it."""
        if self.are_plain:
            return self.ranks[0]
        column, low, high = self.column, self.low, self.high
        middles, wide = low.copy(), np.flatnonzero(low < high)
        first, last = column.below(low[wide]), column.up_to(high[wide])
        places = np.stack([(first + last - 1) // 2, (first + last) // 2])
        medians = column.at(np.clip(places, 0, column.n_known - 1)).mean(axis=0)
        middles[wide] = np.where(last > first, medians, low[wide] / 2 + high[wide] / 2)
        return column.places(middles)

    @cached_property
    def digits(self) -> Indices:
        """Quantile of each number among the original values, in ten bits."""
        low, high = self.ranks
        scale = ((1 << DIGIT_BITS) - 1) / max(1, self.column.n_known)
        middles = low if self.are_plain else (low + high) / 2
        digits = (np.nan_to_num(middles) * scale).astype(np.int64)
        return np.clip(digits, 0, (1 << DIGIT_BITS) - 1)

    @cached_property
    def whole(self) -> Flags:
        """Intervals that contain the whole original range."""
        flags: Flags = self.low < self.high
        if self.column.n_known:
            least, most = self.column.range
            flags &= (self.low <= least) & (self.high >= most)
        return flags

    @property
    def share_whole(self) -> float:
        """Share of the cells that cover the whole range."""
        return 0.0 if self.are_plain else float(self.whole.mean())

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        """Ends of the cells, as they are compared by who passes over whole cells."""
        whole = self.whole
        return np.where(whole, np.nan, self.low), np.where(whole, np.nan, self.high)


def _dense(values: Floats) -> Indices:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class ReleasedColumns:
    """The columns of a released file in a comparison space."""

    numbers: tuple[ReleasedNumber, ...]
    categories: tuple[ReleasedCategory, ...]
    n_records: int

    def __len__(self) -> int:
        return self.n_records

    def low(self, records: Indices) -> Points:
        """Lower ends of the numbers of some records."""
        return stacked([number.low for number in self.numbers], records)

    @cached_property
    def are_plain(self) -> bool:
        """Whether no cell covers several values."""
        plain = all(number.are_plain for number in self.numbers)
        return plain and all(one.meaning.are_plain for one in self.categories)

    @cached_property
    def are_misleading(self) -> bool:
        """Whether some but not all cells of any attribute are uninformative."""
        shares = [number.share_whole for number in self.numbers]
        shares += [one.share_whole for one in self.categories]
        return any(0.0 < share < 1.0 for share in shares)

    def joined(self, other: "ReleasedColumns") -> "ReleasedColumns":
        """Add the records of another chunk after these; cells have the meaning of the other's."""
        numbers = []
        for mine, more in zip(self.numbers, other.numbers, strict=True):
            low = np.concatenate([mine.low, more.low])
            plain = mine.are_plain and more.are_plain
            high = low if plain else np.concatenate([mine.high, more.high])
            numbers.append(ReleasedNumber(more.column, low, high))
        categories = tuple(
            ReleasedCategory(more.meaning, np.concatenate([mine.codes, more.codes]))
            for mine, more in zip(self.categories, other.categories, strict=True)
        )
        return ReleasedColumns(tuple(numbers), categories, len(self) + len(other))


def stacked(columns: Sequence[Floats], records: Indices) -> Points:
    """Some records of several columns, contiguous and writable, as kernels accept them."""
    rows = np.empty((len(records), len(columns)))
    for a, column in enumerate(columns):
        rows[:, a] = column[records]
    return rows


def stacked_codes(columns: Sequence[Codes], records: Indices) -> Codes:
    """Some records of several columns of codes."""
    rows = np.empty((len(records), len(columns)), dtype=np.int32)
    for j, column in enumerate(columns):
        rows[:, j] = column[records]
    return rows


@dataclass(frozen=True, eq=False)
class ColumnMemory:
    """What was computed of the last few versions of each column, by the identity of its array.

    The arrays are held, so that no other can take their place in memory.
    """

    _found: dict[tuple[str, str], list[tuple[Any, Any, Any]]] = field(default_factory=dict)

    def recall(self, what: str, masked: Table, name: str, compute: Callable[[], T]) -> T:
        """Return what was computed of a column under the name *what*, or compute it."""
        if masked.suppressed.any():
            return compute()
        array, recoding = masked[name], masked.recodings.get(name)
        entries = self._found.setdefault((what, name), [])
        for entry in entries:
            if entry[0] is array and entry[1] is recoding:
                found: T = entry[2]
                return found
        value = compute()
        entries.insert(0, (array, recoding, value))
        del entries[RECENT:]
        return value

    def number(self, column: NumberColumn, masked: Table) -> ReleasedNumber:
        """A released continuous column."""
        return self.recall(
            "column", masked, column.name, lambda: ReleasedNumber(column, *column.ends(masked))
        )

    def category(self, column: CategoricalColumn, masked: Table) -> ReleasedCategory:
        """A released categorical column."""
        name = column.attribute.name
        return self.recall("column", masked, name, lambda: self._category(column, masked))

    def _category(self, column: CategoricalColumn, masked: Table) -> ReleasedCategory:
        name = column.attribute.name
        entries = self._found.setdefault(("meaning", name), [])
        recoding = masked.recodings.get(name)
        if not masked.suppressed.any():
            for _, of, meaning in entries:
                if of is recoding and len(meaning.cells) == len(masked.labels(name)):
                    return ReleasedCategory(meaning, masked[name])
        cells = column.cells(masked)
        meaning = CellMeaning(column, cells)
        if len(cells) != len(masked.labels(name)):
            return ReleasedCategory(meaning, cells.codes)
        entries.insert(0, (None, recoding, meaning))
        del entries[RECENT:]
        return ReleasedCategory(meaning, cells.codes)

    def columns(self, space: Space, masked: Table) -> ReleasedColumns:
        """The columns of a masked table in a comparison space."""
        return ReleasedColumns(
            tuple(self.number(column, masked) for column in space.numbers),
            tuple(self.category(column, masked) for column in space.categories),
            len(masked),
        )
