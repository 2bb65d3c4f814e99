"""Masked files as weighted plain records: each cell is replaced by the values that it covers.

Equal records are combined first. A record whose cells cover several values is split into one
piece for each combination of values; if these are too many, into pieces that are evenly spread
over the combinations (a lattice with a shift for each record), without random numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np

from evomask.data.schema import Attribute, Kind
from evomask.data.table import Column, Table
from evomask.measures.columns import CategoricalColumn, NumberColumn
from evomask.measures.disclosure.record_risk import survey_weights, weight_of
from evomask.types import Flags, Floats, Indices

MAX_PIECES = 1 << 17
"""Approximate number of pieces of all records that cover several combinations."""

MIN_PIECES = 2
"""Minimum number of pieces of a distinct record, if it covers as many combinations."""

LATTICE_STEPS = np.sqrt([5, 2, 3, 7, 11, 13, 17, 19, 23, 29, 31, 37]) % 1.0
"""Steps of the lattice as shares of its size: badly approximable numbers leave no gaps."""

SHIFT_BASE = np.e / 2
"""Its powers shift the lattice of each attribute independently."""

COUNTED_CLASSES = 1 << 20
"""Most combinations of cells that are counted; of more, those that occur are sorted."""


@dataclass(frozen=True, eq=False)
class CategorySupport:
    """Categories of all cells in one array, with their probabilities.

    Args:
        starts: position of the first category of each cell.
        ends: index of the cell plus the cumulative probability of each category.
        vague: share of the column's variation within each cell, 1 for one that covers everything:
            of the chance that two values differ, or of the variance of ordered ones' ranks.
        missing: whether each cell is a missing value.
    """

    keys: Indices
    sizes: Floats
    starts: Indices
    codes: Indices
    shares: Floats
    ends: Floats
    vague: Floats
    missing: Flags

    def nth(self, cells: Indices, places: Indices) -> tuple[Column, Floats]:
        at = self.starts[cells] + places
        return self.codes[at], self.shares[at]

    def quantile(self, cells: Indices, levels: Floats) -> Column:
        at = np.searchsorted(self.ends, cells + levels, "right")
        last = self.starts[cells] + self.sizes[cells].astype(np.int64) - 1
        return self.codes[np.clip(at, self.starts[cells], last)]


def _category_support(column: CategoricalColumn, masked: Table) -> CategorySupport:
    cells = column.cells(masked)
    rows, codes = np.nonzero(cells.spread)
    shares, sizes = cells.spread[rows, codes], np.bincount(rows, minlength=len(cells))
    starts = np.cumsum(sizes) - sizes
    sums = np.cumsum(shares)
    before = np.append(0.0, sums)[starts]
    ends = rows + sums - before[rows]
    keys = cells.codes.astype(np.int64)
    spread = np.vstack([cells.spread, column.counts / max(1, column.n_records)])
    if column.attribute.kind is Kind.ORDINAL:
        variation = spread @ column.mean_ranks**2 - (spread @ column.mean_ranks) ** 2
    else:
        variation = 1.0 - (spread**2).sum(axis=1)
    within, whole = np.where(sizes > 1, variation[:-1], 0.0), variation[-1]
    vague = np.clip(within / whole, 0.0, 1.0) if whole > 0 else np.zeros(len(cells))
    missing = (sizes == 1) & (cells.leaves.argmax(axis=1) >= column.attribute.domain_size)
    return CategorySupport(
        keys, sizes.astype(np.float64), starts, codes, shares, ends, vague, missing
    )


@dataclass(frozen=True, eq=False)
class NumberSupport:
    """Numbers, and intervals that cover the original values inside them.

    Args:
        first: position of an interval's first value in *ordered*; -1 for a number.
        centre: the number of a cell that is not an interval.
        ordered: the original values in increasing order.
        vague: share of the variance of ranks within each cell.
    """

    keys: Indices
    sizes: Floats
    first: Indices
    centre: Floats
    ordered: Floats
    vague: Floats

    @property
    def missing(self) -> Flags:
        """Whether each cell is a missing value."""
        return (self.first < 0) & np.isnan(self.centre)

    def nth(self, cells: Indices, places: Indices) -> tuple[Column, Floats]:
        sizes = self.sizes[cells]
        if not len(self.ordered):
            return self.centre[cells], 1.0 / sizes
        at = np.minimum(self.first[cells] + places, len(self.ordered) - 1)
        return np.where(self.first[cells] >= 0, self.ordered[at], self.centre[cells]), 1.0 / sizes

    def quantile(self, cells: Indices, levels: Floats) -> Column:
        return self.nth(cells, (levels * self.sizes[cells]).astype(np.int64))[0]


def _number_support(column: NumberColumn, masked: Table) -> NumberSupport:
    cells = column.cells(masked)
    sets = cells.are_sets
    keys = np.empty(len(sets), dtype=np.int64)
    numbers, keys[~sets] = np.unique(cells.centre[~sets], return_inverse=True)
    width = len(column.sorted) + 1
    spans, places = np.unique(cells.first[sets] * width + cells.last[sets], return_inverse=True)
    keys[sets] = len(numbers) + places
    first, last = spans // width, spans % width
    ordered = column.sorted
    is_wide = ordered[first] < ordered[last - 1] if len(spans) else np.zeros(0, dtype=bool)
    vague = np.where(is_wide, ((last - first) / max(1, len(ordered))) ** 2, 0.0)
    return NumberSupport(
        keys,
        np.append(np.ones(len(numbers)), (last - first).astype(np.float64)),
        np.append(np.full(len(numbers), -1), first),
        np.append(numbers, np.zeros(len(first))),
        ordered,
        np.append(np.zeros(len(numbers)), vague),
    )


Support = CategorySupport | NumberSupport
"""The values that each distinct cell of a masked column covers, with probabilities.

``keys`` is the index of each record's cell, ``sizes`` the number of values of each cell. ``nth``
returns the value at a position of a cell and its probability, ``quantile`` the value at a level.
"""


@dataclass(frozen=True, eq=False)
class Records:
    """Plain values with the number of records that each row represents.

    Args:
        columns: numbers of continuous attributes, codes of others.
        count: number of records, possibly fractional.
        weight: sum of their survey weights; the count if there are none.
        square: sum of the squared weights.
    """

    columns: Mapping[str, Column]
    count: Floats
    weight: Floats
    square: Floats

    def where(self, flags: Flags) -> "Records":
        columns = {name: column[flags] for name, column in self.columns.items()}
        return Records(columns, self.count[flags], self.weight[flags], self.square[flags])

    @property
    def effective(self) -> float:
        """Kish's effective sample size."""
        square = float(self.square.sum())
        return float(self.weight.sum()) ** 2 / square if square > 0 else 0.0

    def numbers(self, attribute: Attribute) -> Floats:
        """Return the numbers of an attribute, NaN if missing."""
        column = self.columns[attribute.name]
        return scale_of(attribute)[column] if attribute.is_categorical else column


@dataclass(frozen=True, eq=False)
class OriginalFile:
    """The columns of an original, prepared once for all files that are compared with it."""

    table: Table
    _columns: dict[str, CategoricalColumn | NumberColumn] = field(default_factory=dict, repr=False)
    _supports: dict[str, Support] = field(default_factory=dict, repr=False)

    def support(self, name: str) -> Support:
        """Return the support of an unmasked column."""
        if name not in self._supports:
            self._supports[name] = self.support_in(self.table, name)
        return self._supports[name]

    def support_in(self, masked: Table, name: str) -> Support:
        """Return the support of a masked column, with frequencies of the original."""
        if name not in self._columns:
            kind = CategoricalColumn if self.table.attribute(name).is_categorical else NumberColumn
            self._columns[name] = kind.of(self.table, name)
        column = self._columns[name]
        if isinstance(column, CategoricalColumn):
            return _category_support(column, masked)
        return _number_support(column, masked)

    def against(self, masked: Table) -> "AnalysedFile":
        """Return a masked file whose analyses are compared with those of this one."""
        return AnalysedFile(self, masked)


@dataclass(frozen=True, eq=False)
class AnalysedFile:
    """A masked file; the support of each column is computed once for all analyses.

    Args:
        replicate: weights of the records in place of the survey weights.
    """

    original: OriginalFile
    masked: Table
    _supports: dict[str, Support] = field(default_factory=dict, repr=False)
    replicate: Floats | None = None

    @cached_property
    def weights(self) -> Floats:
        """Survey weights of the records, or the replicate weights."""
        if self.replicate is not None:
            return self.replicate
        return weights_of(self.original.table, self.masked)

    @cached_property
    def changed(self) -> frozenset[str]:
        """Columns with another value than in the original, and those that are recoded."""
        before, after = self.original.table, self.masked
        if before.suppressed.any() or after.suppressed.any():
            return frozenset(before.schema.names)
        return frozenset(
            name
            for name in after.schema.names
            if after.is_recoded(name) or not _are_equal(before[name], after[name])
        )

    def has_changed(self, names: Sequence[str]) -> bool:
        """Whether a figure of some columns, or the weights that it takes, may have changed."""
        weight = weight_of(self.original.table)
        return not self.changed.isdisjoint((*names, *([weight] if weight else [])))

    def support(self, name: str) -> Support:
        """Return the support of a column."""
        if name not in self.changed:
            return self.original.support(name)
        if name not in self._supports:
            self._supports[name] = self.original.support_in(self.masked, name)
        return self._supports[name]

    def vague(self, names: Sequence[str]) -> float:
        """Share of the variation of some columns that the file does not show.

        It lies within generalized and suppressed cells, or the value has become missing. Records
        are spread over the values of such cells by frequencies of the original, which users of
        the file do not have; so a figure is at best right for the rest.
        """
        return 1.0 - prod(1.0 - self._vague(name) for name in dict.fromkeys(names))

    def _vague(self, name: str) -> float:
        if name not in self.changed:
            return 0.0
        before, after = self.original.support(name), self.support(name)
        lost = after.missing[after.keys] & ~before.missing[before.keys]
        shares = np.where(lost, 1.0, after.vague[after.keys])
        return float(np.maximum(shares - before.vague[before.keys], 0.0).mean())

    def records(self, names: Sequence[str]) -> Records:
        """Return some attributes, with each cell as the values that it covers."""
        supports = [self.support(name) for name in names]
        rows, labels = _distinct([support.keys for support in supports])
        count = np.bincount(labels, minlength=len(rows)).astype(np.float64)
        weight = square = count
        if weight_of(self.original.table) is not None or self.replicate is not None:
            weight, square = (
                np.bincount(labels, part, len(rows)).astype(np.float64)
                for part in (self.weights, self.weights**2)
            )
        cells = [support.keys[rows] for support in supports]
        sizes = np.array([s.sizes[c] for s, c in zip(supports, cells, strict=True)])
        if sizes.max(initial=1.0) == 1.0:
            plain = np.zeros(len(rows), dtype=np.int64)
            single = [s.nth(c, plain)[0] for s, c in zip(supports, cells, strict=True)]
            return Records(dict(zip(names, single, strict=True)), count, weight, square)
        piece = _Pieces.of(sizes, count)
        shares = np.where(piece.whole, 1.0, 1.0 / piece.pieces)
        columns = {}
        for place, (name, support) in enumerate(zip(names, supports, strict=True)):
            columns[name], probability = piece.values(place, support, cells[place])
            shares *= probability
        return Records(columns, *(part[piece.row] * shares for part in (count, weight, square)))


def _are_equal(before: Column, after: Column) -> bool:
    return before is after or np.array_equal(before, after, equal_nan=before.dtype.kind == "f")


def weights_of(original: Table, masked: Table) -> Floats:
    """Survey weights of a masked file, or 1; the original ones if they were masked."""
    name = weight_of(original)
    is_there = name is not None and name in masked.schema and not masked.is_recoded(name)
    return survey_weights(masked if is_there else original, name)


def scale_of(attribute: Attribute) -> Floats:
    """Numeric value of each ordinal category, NaN for missing; empty if one is not numeric."""
    if attribute.kind is not Kind.ORDINAL:
        return np.empty(0)
    try:
        known = [float(category) for category in attribute.categories[: attribute.domain_size]]
    except ValueError:
        return np.empty(0)
    return np.array([*known, *[np.nan] * attribute.has_missing])


def is_number(attribute: Attribute) -> bool:
    """Whether means of the attribute can be computed."""
    return not attribute.is_categorical or len(scale_of(attribute)) > 0


@dataclass(frozen=True, eq=False)
class _Pieces:
    """The pieces that distinct records are split into.

    Args:
        sizes: number of values that each attribute (row) of each record (column) covers.
        row: record of each piece.
        number: index of the piece in its record.
        pieces: number of pieces of its record.
        whole: whether the pieces are all combinations of the record's values.
    """

    sizes: Floats
    row: Indices
    number: Indices
    pieces: Indices
    whole: Flags

    @classmethod
    def of(cls, sizes: Floats, count: Floats) -> "_Pieces":
        """Allocate pieces to distinct records in proportion to their frequency."""
        combinations = sizes.prod(axis=0)
        wide = combinations > 1
        share = MAX_PIECES * count / max(float(count[wide].sum()), 1.0)
        most = np.exp2(np.floor(np.log2(np.maximum(share, MIN_PIECES))))
        pieces = np.minimum(combinations, most).astype(np.int64)
        row = np.repeat(np.arange(len(pieces)), pieces)
        number = np.arange(len(row)) - (np.cumsum(pieces) - pieces)[row]
        return cls(sizes, row, number, pieces[row], (combinations <= most)[row])

    def values(self, place: int, support: Support, cells: Indices) -> tuple[Column, Floats]:
        """Return an attribute's value in each piece, and its probability (1 on a lattice)."""
        own = cells[self.row]
        below = self.sizes[:place].prod(axis=0)[self.row]
        digits = np.where(self.whole, self.number // below, 0).astype(np.int64)
        values, shares = support.nth(own, digits % self.sizes[place][self.row].astype(np.int64))
        if self.whole.all():
            return values, shares
        spread = support.quantile(own, self._levels(place))
        return np.where(self.whole, values, spread), np.where(self.whole, shares, 1.0)

    def _levels(self, place: int) -> Floats:
        """Position of each piece on the lattice, with a shift for each record."""
        step = 2 * np.floor(self.pieces * LATTICE_STEPS[place % len(LATTICE_STEPS)] / 2) + 1
        shift = (self.row + 0.5) * (SHIFT_BASE ** (place + 1) % 1.0)
        levels: Floats = (self.number * step / self.pieces + shift) % 1.0
        return levels


def _distinct(keys: Sequence[Indices]) -> tuple[Indices, Indices]:
    """Return the first record of each equivalence class, and the class of each record."""
    sizes = [int(column.max(initial=0)) + 1 for column in keys]
    if len(keys) and prod(sizes) <= COUNTED_CLASSES:
        return _counted(np.ravel_multi_index(tuple(keys), sizes), prod(sizes))
    labels = keys[0]
    for column, size in zip(keys[1:], sizes[1:], strict=True):
        labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
        labels = labels * size + column
    _, rows, places = np.unique(labels, return_index=True, return_inverse=True)
    return rows.astype(np.int64), places.astype(np.int64)


def _counted(labels: Indices, size: int) -> tuple[Indices, Indices]:
    """First record and number of each label below *size* that occurs, without sorting."""
    first = np.full(size, -1)
    first[labels[::-1]] = np.arange(len(labels))[::-1]
    there = np.flatnonzero(first >= 0)
    numbers = np.empty(size, dtype=np.int64)
    numbers[there] = np.arange(len(there))
    return first[there], numbers[labels]
