"""Search index of a released file: its distinct records in a tree of bounding boxes.

Released cells may cover several values (intervals, generalized or suppressed cells). The distance
of such a cell is that of the nearest value in it. Where some cells of an attribute cover every
value and others do not, an intruder who uses that distance is misled by records that fit anybody.
A second intruder therefore treats uninformative cells as missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from evomask.data.classes import classes_of_columns
from evomask.data.table import Column
from evomask.kernels.compiler.bundles import bundle_tuple
from evomask.kernels.linking.boxes import (
    BOXES,
    COSTS,
    LEAF,
    SEARCH,
    TARGETS,
    Boxes,
    Costs,
    Search,
    Targets,
    create_search,
    fill_boxes,
    nearest_rows,
)
from evomask.kernels.linking.linkage import Rows
from evomask.measures.columns import CategoricalColumn, CategoryCells, NumberColumn
from evomask.measures.comparison_space import Masked, Space
from evomask.measures.targets import TargetSample
from evomask.types import Codes, Flags, Floats, Indices, Points

KEY_BITS = 32
DIGIT_BITS = 10
"""Bits per attribute in the sort key of the tree, at most."""

QUANTILE_SAMPLE = 5_000
"""Numbers from which the quantiles of a column are estimated."""


def uninformative_cells(column: CategoricalColumn, cells: CategoryCells) -> Flags:
    """Flag the cells that cover every category that occurs in the original."""
    every = (cells.leaves | (column.counts == 0)).all(axis=1)
    flags: Flags = every & (cells.leaves.sum(axis=1) > 1)
    return flags


def uninformative_numbers(space: Space, rows: Rows) -> Flags:
    """Flag the intervals (row, attribute) that contain the whole original range."""
    flags: Flags = rows.low < rows.high
    for a, column in enumerate(space.numbers):
        if column.n_known:
            least, most = column.range
            flags[:, a] &= rows.low[:, a] <= least
            flags[:, a] &= rows.high[:, a] >= most
    return flags


def has_misleading_cells(space: Space, masked: Masked) -> bool:
    """Whether some but not all cells of any attribute are uninformative."""
    shares = [float(flags.mean()) for flags in uninformative_numbers(space, masked.rows).T]
    parts = zip(space.categories, masked.cells, masked.rows.codes.T, strict=True)
    shares += [
        float(uninformative_cells(column, cells)[codes].mean()) for column, cells, codes in parts
    ]
    return any(0.0 < share < 1.0 for share in shares)


def covered_counts(space: Space, masked: Masked, rows: Rows, known: Flags) -> Floats:
    """Expected number of individuals that fit each row, assuming independent attributes.

    0 for rows without a cell that covers several values.

    Args:
        known: the attributes that count, numbers before categories.
    """
    pairs = zip(masked.cells, rows.codes.T, strict=True)
    has_intervals = rows.low is not rows.high and bool(np.any(rows.low < rows.high))
    if not has_intervals and not any(
        not cells.are_plain and _are_wide(cells)[codes].any() for cells, codes in pairs
    ):
        return np.zeros(len(rows))
    shares, wide = np.ones((2, len(rows)))
    for a in np.flatnonzero(known[: len(space.numbers)]).tolist():
        low, high = rows.low[:, a], rows.high[:, a]
        shares *= _share_between(space.numbers[a], low, high)
        wide *= ~(low < high)
    for j in np.flatnonzero(known[len(space.numbers) :]).tolist():
        cells, codes = masked.cells[j], rows.codes[:, j]
        counts = space.categories[j].counts
        shares *= (cells.leaves @ counts / space.n_records)[codes]
        wide *= ~_are_wide(cells)[codes]
    covered: Floats = np.where(wide == 1.0, 0.0, space.n_records * shares)
    return covered


def _are_wide(cells: CategoryCells) -> Flags:
    wide: Flags = cells.leaves.sum(axis=1) > 1
    return wide


def _share_between(column: NumberColumn, low: Floats, high: Floats) -> Floats:
    """Share of the original values inside each cell; a missing cell covers missing values."""
    inside = column.up_to(high) - column.below(low)
    missing = column.n_records - column.n_known
    shares: Floats = np.where(np.isnan(low), missing, inside) / column.n_records
    return shares


@dataclass(frozen=True, eq=False)
class Knowledge:
    """Attributes of a comparison space, flagged: those that an intruder knows or infers."""

    numbers: Flags
    codes: Flags

    def __len__(self) -> int:
        return int(self.numbers.sum() + self.codes.sum())


@dataclass(frozen=True, eq=False)
class AgreementWeights:
    """Fellegi-Sunter weights of agreement by attribute; numbers agree within a tolerance.

    A weight is negative where agreement is evidence against a match.
    """

    numbers: Floats
    codes: Floats
    tolerances: Floats


@dataclass(frozen=True, eq=False)
class DistinctRecords:
    """The distinct records of a released file, and those that belong to each target.

    Args:
        rows: one for each distinct record.
        counts: number of records equal to it.
        labels: distinct record of each released record.
        ends, theirs, often: target i owns the distinct records ``theirs[ends[i]:ends[i + 1]]``
            with the multiplicities in ``often``.
    """

    rows: Rows
    counts: Indices
    labels: Indices
    ends: Indices
    theirs: Indices
    often: Indices

    @classmethod
    def of(
        cls, rows: Rows, sample: TargetSample, counts: Indices | None = None
    ) -> "DistinctRecords":
        """Build from the records of a file.

        Args:
            counts: number of times that each record occurs; once by default.
        """
        classes = classes_of_columns(_columns(rows), len(rows))
        sizes = classes.sizes
        if counts is not None:
            sizes = np.bincount(classes.labels, counts, len(classes)).astype(np.int64)
        records, places = sample.members
        keys = places * len(classes) + classes.labels[records]
        pairs, often = np.unique(keys, return_counts=True)
        ends = np.searchsorted(pairs // len(classes), np.arange(len(sample.chosen) + 1))
        return cls(
            rows.take(classes.representatives), sizes, classes.labels, ends.astype(np.int64),
            (pairs % len(classes)).astype(np.int64), often.astype(np.int64),
        )  # fmt: skip

    @cached_property
    def digits(self) -> tuple[list[Codes], list[Codes]]:
        """Quantile of each row in each number and each code, in ten bits."""
        middles = (self.rows.low / 2 + self.rows.high / 2).T
        numbers = [_digits(values) for values in middles]
        return numbers, [_digits_of_codes(codes) for codes in self.rows.codes.T]


@dataclass(frozen=True, eq=False)
class ReleaseIndex:
    """A masked table, indexed for nearest-record searches from the targets of a sample.

    Args:
        ordering: the attributes by which the tree is ordered.
        passing_over: whether uninformative cells are compared like missing ones.
        steps: agreement weights by ``passing_over``, where they are known in advance.
        counts: number of times that each record occurs; once by default.
    """

    space: Space
    sample: TargetSample
    masked: Masked
    distinct: DistinctRecords = field(repr=False)
    ordering: Knowledge
    passing_over: bool = False
    steps: "Mapping[bool, AgreementWeights]" = field(default_factory=dict, repr=False)
    counts: Indices | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, space: Space, sample: TargetSample, masked: Masked, ordering: Knowledge,
        counts: Indices | None = None,
    ) -> "ReleaseIndex":  # fmt: skip
        """Index the records of a released table."""
        distinct = DistinctRecords.of(masked.rows, sample, counts)
        return cls(space, sample, masked, distinct, ordering, counts=counts)

    def passing_over_whole_cells(self) -> "ReleaseIndex":
        """Return the index of an intruder who treats uninformative cells as missing."""
        other = replace(self, passing_over=True)
        shared = {"_order": self._order, "targets": self.targets, "search": self.search}
        other.__dict__.update(shared, rows=self.rows, _middles=self._middles)
        return other

    @cached_property
    def _order(self) -> Indices:
        """The distinct records in the order of the tree."""
        keys = _sort_keys(self.distinct, self.ordering)
        # stable order of 32-bit keys, lower half first
        by_lower = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")
        upper = (keys >> 16).astype(np.uint16)
        return by_lower[np.argsort(upper[by_lower], kind="stable")]

    @cached_property
    def _places(self) -> Indices:
        """Position of each distinct record in the tree."""
        places = np.empty_like(self._order)
        places[self._order] = np.arange(len(places))
        return places

    @cached_property
    def rows(self) -> Rows:
        """The distinct records in the order of the tree."""
        return self.distinct.rows.take(self._order)

    @cached_property
    def boxes(self) -> Boxes:
        """The tree of bounding boxes over the distinct records."""
        rows = self.rows
        counts = self.distinct.counts[self._order]
        leaves = 1 << max(0, int(np.ceil(np.log2(max(1, -(-len(rows) // LEAF))))))
        shape = (2 * leaves, rows.low.shape[1])
        low, high = self._ends
        tree = Boxes(
            _contiguous(low), _contiguous(high), np.array(rows.codes, np.int32, order="C"),
            np.array(counts, np.int64), np.full(shape, np.inf), np.full(shape, -np.inf),
            np.zeros((2 * leaves, rows.codes.shape[1]), np.int64), np.zeros(2 * leaves, np.int64),
            leaves,
        )  # fmt: skip
        boxes = bundle_tuple(BOXES, tree)
        fill_boxes(boxes)
        return boxes

    @cached_property
    def _ends(self) -> tuple[Points, Points]:
        """Lower and upper ends of the numbers of each row of the tree, as they are compared."""
        rows = self.rows
        if not self.passing_over:
            return rows.low, rows.high
        flags = uninformative_numbers(self.space, rows)
        return np.where(flags, np.nan, rows.low), np.where(flags, np.nan, rows.high)

    def nearest(self, costs: Costs, targets: Targets, chosen: Indices) -> Flags:
        """Flag the records that are nearest to any of the chosen targets."""
        strangers = False
        marks = nearest_rows(self.boxes, costs, targets, self.search, chosen, strangers)
        flags: Flags = (marks > 0)[self._places[self.distinct.labels]]
        return flags

    def covered(self, known: Knowledge) -> Floats:
        """Expected number of individuals that fit each row; 0 without wide cells."""
        flags = np.concatenate([known.numbers, known.codes])
        return covered_counts(self.space, self.masked, self.rows, flags)

    @cached_property
    def search(self) -> Search:
        """Working memory of one search."""
        rows = self.masked.rows
        memory = create_search(len(self._order), rows.low.shape[1], rows.codes.shape[1])
        return bundle_tuple(SEARCH, memory)

    @cached_property
    def targets(self) -> Targets:
        """The targets of the sample and the rows of the tree that are theirs."""
        rows = self.space.originals.take(self.sample.representatives)
        targets = Targets(
            _contiguous(rows.low), np.array(rows.codes, np.int32, order="C"),
            np.array(self.sample.sizes, np.int64), self.distinct.ends,
            self._places[self.distinct.theirs], self.distinct.often,
        )  # fmt: skip
        return bundle_tuple(TARGETS, targets)

    def ends(self, a: int) -> tuple[Floats, Floats]:
        """Lower and upper end of a number in every record, as they are compared."""
        low, high = self._ends
        rows = self._places[self.distinct.labels]
        return low[rows, a], high[rows, a]

    @cached_property
    def tables(self) -> list[Points]:
        """For each categorical attribute, costs of original codes (rows) and released codes."""
        terms = self.space.terms(self.masked, from_originals=True)
        ends = np.append(terms.starts, terms.tables.size)
        tables = [
            terms.tables[ends[j] : ends[j + 1]].reshape(-1, width)
            for j, width in enumerate(terms.widths.tolist())
        ]
        if self.passing_over:
            parts = zip(tables, self.space.categories, self.masked.cells, strict=True)
            unit = float(self.space.unit)
            tables = [np.where(uninformative_cells(c, cells), unit, t) for t, c, cells in parts]
        return tables

    def distances(self, known: Knowledge) -> Costs:
        """Costs by distance in the known attributes."""
        return bundle_tuple(COSTS, _restricted(self._distances, known))

    @cached_property
    def _distances(self) -> Costs:
        """Costs by distance in all attributes."""
        d = len(self.space.numbers)
        missing = np.full(d, float(self.space.unit))
        return _costs(self.tables, self.space.weights, np.full(d, -1.0), missing)

    def differences(self, known: Knowledge, weights: AgreementWeights) -> Costs:
        """Costs by disagreement in the known attributes."""
        pairs = zip(self.tables, weights.codes, strict=True)
        tables = [np.where(t == 0.0, max(0.0, -w), max(0.0, w)) for t, w in pairs]
        numbers = weights.numbers
        costs = _costs(tables, numbers, weights.tolerances, np.abs(numbers))
        return bundle_tuple(COSTS, _restricted(costs, known))

    @cached_property
    def middles(self) -> Points:
        """Numbers of each row of the tree; of an interval, the median original value in it."""
        return np.take(self._middles, self._order, axis=0)

    @cached_property
    def _middles(self) -> Points:
        low, high = self.distinct.rows.low, self.distinct.rows.high
        middles = _contiguous(low)
        for a, column in enumerate(self.space.numbers):
            wide = np.flatnonzero(low[:, a] < high[:, a])
            first, last = column.below(low[wide, a]), column.up_to(high[wide, a])
            places = np.stack([(first + last - 1) // 2, (first + last) // 2])
            medians = column.at(np.clip(places, 0, column.n_known - 1)).mean(axis=0)
            halfway = low[wide, a] / 2 + high[wide, a] / 2
            middles[wide, a] = np.where(last > first, medians, halfway)
        return middles


def _costs(
    tables: Sequence[Points], weights: Floats, tolerances: Floats, missing: Floats
) -> Costs:  # fmt: skip
    """Costs of differences in all attributes."""
    sizes = np.array([len(table) for table in tables], dtype=np.int64)
    widths = np.array([table.shape[1] for table in tables], dtype=np.int64)
    starts = np.cumsum(sizes * widths) - sizes * widths
    return Costs(
        np.ones(len(weights), dtype=np.int64),
        np.argsort([-float(table.mean()) for table in tables], kind="stable").astype(np.int64),
        _contiguous(weights), _contiguous(tolerances), _contiguous(missing),
        np.concatenate([table.ravel() for table in tables]) if tables else np.empty(0),
        starts, widths, np.cumsum(sizes) - sizes,
        np.concatenate([_free(table) for table in tables] or [np.empty(0, np.int64)]),
        np.concatenate([_least(table) for table in tables] or [np.empty(0)]),
    )  # fmt: skip


def _restricted(costs: Costs, known: Knowledge) -> Costs:
    """Costs in the known attributes alone, the most selective categories first."""
    order = costs.known_codes
    return costs._replace(
        known_numbers=known.numbers.astype(np.int64), known_codes=order[known.codes[order]]
    )


def _contiguous(array: Points) -> Points:
    """Copy into an array that kernels accept: contiguous and writable."""
    return np.array(array, dtype=np.float64, order="C")


def joined_rows(parts: Sequence[Rows]) -> Rows:
    """Concatenate the records of several chunks."""
    low, codes = (np.concatenate([getattr(p, name) for p in parts]) for name in ("low", "codes"))
    plain = all(part.low is part.high for part in parts)
    return Rows(low, low if plain else np.concatenate([part.high for part in parts]), codes)


def _columns(rows: Rows) -> list[Column]:
    ends: list[Column] = [*rows.low.T]
    ends += [] if rows.low is rows.high else [*rows.high.T]
    return [*ends, *rows.codes.T]


def _free(table: Points) -> Indices:
    """For each original code, a bit mask of the released codes at cost 0."""
    bits = np.left_shift(np.int64(1), np.arange(table.shape[1]) & 63)
    marks: Indices = np.bitwise_or.reduce(np.where(table == 0.0, bits, 0), axis=1)
    return marks


def _least(table: Points) -> Floats:
    """Smallest positive cost of each row; 0 where there is none."""
    positive = np.where(table > 0.0, table, np.inf).min(axis=1, initial=np.inf)
    return np.where(np.isinf(positive), 0.0, positive)


def _sort_keys(distinct: DistinctRecords, ordering: Knowledge) -> Indices:
    """Z-order keys: interleaved bits of all attributes, so that similar records are adjacent."""
    numbers, codes = distinct.digits
    chosen = [codes[j] for j in np.flatnonzero(ordering.codes)]
    chosen += [numbers[a] for a in np.flatnonzero(ordering.numbers)]
    bits = max(1, min(DIGIT_BITS, KEY_BITS // max(1, len(chosen))))
    keys = np.zeros(len(distinct.counts), dtype=np.int64)
    used = chosen[:KEY_BITS]
    for place, digit in enumerate(used):
        keys |= _interleaved(place, len(used), bits)[digit]
    return keys


def _interleaved(place: int, count: int, bits: int) -> Indices:
    """For each digit, its leading bits at their positions in the key of *count* attributes."""
    digits = np.arange(1 << DIGIT_BITS)
    spread = np.zeros(len(digits), dtype=np.int64)
    for bit in range(bits):
        shift = count * (bits - 1 - bit) + count - 1 - place
        spread |= (digits >> (DIGIT_BITS - 1 - bit) & 1) << shift
    return spread


def _digits(values: Floats) -> Codes:
    """Quantile of each number, in ten bits."""
    known = np.sort(values[~np.isnan(values)][:: max(1, len(values) // QUANTILE_SAMPLE)])
    if len(known) == 0:
        return np.zeros(len(values), dtype=np.int32)
    cuts = known[np.arange(1, 1 << DIGIT_BITS) * len(known) >> DIGIT_BITS]
    return np.searchsorted(cuts, np.where(np.isnan(values), known[0], values)).astype(np.int32)


def _digits_of_codes(codes: Codes) -> Codes:
    """Quantile of the records of each code, in ten bits."""
    counts = np.bincount(codes)
    begin = np.cumsum(counts) - counts
    digits: Codes = (begin * ((1 << DIGIT_BITS) - 1) // max(1, len(codes))).astype(np.int32)
    return digits[codes]
