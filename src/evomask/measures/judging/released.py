"""A released file as intruders search it: its distinct records in a tree of boxes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from evomask.arrays import Codes, Flags, Floats, Indices, Points
from evomask.data.classes import Classes, classes_of_columns
from evomask.data.table import Column, Table
from evomask.kernels.bundles import laid
from evomask.kernels.linking.boxes import (
    BOXES,
    COSTS,
    LEAF,
    PEOPLE,
    SEARCH,
    Boxes,
    Costs,
    People,
    Search,
    close_boxes,
    search_in,
)
from evomask.kernels.linking.gathering import nearest_rows
from evomask.kernels.linking.linkage import Rows
from evomask.measures.judging.wide import are_whole, people_covered, whole_numbers
from evomask.measures.numbers import NumberColumn
from evomask.measures.people import Sample
from evomask.measures.risk.space import Masked, Space

KEY_BITS = 32
FINEST = 10
"""Bits of an attribute in the order of the tree, at most."""

FEW = 5_000
"""Numbers whose quantiles are taken for those of all."""


@dataclass(frozen=True, eq=False)
class Known:
    """Which attributes of a space an intruder knows."""

    numbers: Flags
    codes: Flags

    def __len__(self) -> int:
        return int(self.numbers.sum() + self.codes.sum())


@dataclass(frozen=True, eq=False)
class Steps:
    """What agreeing, instead of being near, is worth: costs of differing in each attribute.

    Negative where agreeing speaks against a match. Numbers agree within a tolerance.
    """

    numbers: Floats
    codes: Floats
    tolerances: Floats


@dataclass(frozen=True, eq=False)
class Distinct:
    """The distinct records of a released file, and which of them belong to whom.

    Args:
        rows: one for each.
        counts: how many are like it.
        labels: which of them each record is.
        ends, theirs, often: person i has the distinct records ``theirs[ends[i]:ends[i + 1]]``,
            each so often.
    """

    rows: Rows
    counts: Indices
    labels: Indices
    ends: Indices
    theirs: Indices
    often: Indices

    @classmethod
    def of(cls, rows: Rows, sample: Sample) -> "Distinct":
        """Of all records, and of the people of a sample."""
        classes = classes_of_columns(_columns(rows), len(rows))
        records, places = sample.members
        keys = places * len(classes) + classes.labels[records]
        return cls._of(rows, classes, classes.sizes, keys, np.ones(len(keys), np.int64), sample)

    @classmethod
    def gathered(cls, rows: Rows, counts: Indices, theirs: Rows, sample: Sample) -> "Distinct":
        """Of some records of a file, each there so often, and of the people's own ones.

        Args:
            theirs: a record for each member of the sample; it counts where it is among *rows*.
        """
        both = joined_rows([rows, theirs])
        classes = classes_of_columns(_columns(both), len(both))
        sizes = np.bincount(classes.labels[: len(rows)], counts, len(classes)).astype(np.int64)
        records, places = sample.members
        keys = places * len(classes) + classes.labels[len(rows) :][records]
        return cls._of(both, classes, sizes, keys, sample.often, sample)

    @classmethod
    def _of(
        cls, rows: Rows, classes: Classes, counts: Indices, keys: Indices, often: Indices,
        sample: Sample,
    ) -> "Distinct":  # fmt: skip
        """Of keys that name a person and the distinct record of one of the person's."""
        pairs, places = np.unique(keys, return_inverse=True)
        ends = np.searchsorted(pairs // len(classes), np.arange(len(sample.chosen) + 1))
        return cls(
            rows.take(classes.representatives), counts, classes.labels,
            ends.astype(np.int64), (pairs % len(classes)).astype(np.int64),
            np.bincount(places, often, len(pairs)).astype(np.int64),
        )  # fmt: skip

    @cached_property
    def digits(self) -> tuple[list[Codes], list[Codes]]:
        """The place of each row among all, by each number and by each code, in ten bits."""
        middles = (self.rows.low / 2 + self.rows.high / 2).T
        numbers = [_digits(values) for values in middles]
        return numbers, [_digits_of_codes(codes) for codes in self.rows.codes.T]


@dataclass(frozen=True, eq=False)
class Released:
    """A masked table, laid out for searches by the people of a sample."""

    space: Space
    sample: Sample
    masked: Masked
    distinct: Distinct = field(repr=False)
    ordering: Known
    """The attributes by which the tree is ordered."""
    passing_over: bool = False
    """Whether cells that may be anything are passed over like missing ones (see ``wide``)."""
    steps: "Mapping[bool, Steps]" = field(default_factory=dict, repr=False)
    """What agreeing is worth, by whether such cells are passed over, where it is known before."""

    @classmethod
    def of(cls, space: Space, sample: Sample, table: Table, ordering: Known) -> "Released":
        """The released table in a space."""
        masked = space.masked(table)
        return cls(space, sample, masked, Distinct.of(masked.rows, sample), ordering)

    def ordered_by(self, known: Known) -> "Released":
        """The same in another order, which suits searches by other attributes."""
        other = replace(self, ordering=known)
        other.__dict__.update(tables=self.tables, _middles=self._middles)
        return other

    def passing_over_whole_cells(self) -> "Released":
        """The same records to an intruder who passes over cells that may be anything."""
        other = replace(self, passing_over=True)
        shared = {"_order": self._order, "people": self.people, "search": self.search}
        other.__dict__.update(shared, _rows=self._rows, _middles=self._middles)
        return other

    @cached_property
    def _order(self) -> Indices:
        """The distinct records in the order of the tree."""
        return _in_order(_keys(self.distinct, self.ordering))

    @cached_property
    def _places(self) -> Indices:
        """Where each distinct record stands in the tree."""
        places = np.empty_like(self._order)
        places[self._order] = np.arange(len(places))
        return places

    @cached_property
    def _rows(self) -> Rows:
        """The distinct records as rows of the tree."""
        return self.distinct.rows.take(self._order)

    @cached_property
    def boxes(self) -> Boxes:
        """The tree of the distinct records."""
        rows = self._rows
        counts = self.distinct.counts[self._order]
        leaves = 1 << max(0, int(np.ceil(np.log2(max(1, -(-len(rows) // LEAF))))))
        shape = (2 * leaves, rows.low.shape[1])
        low, high = self._ends
        tree = Boxes(
            _own(low), _own(high), np.array(rows.codes, np.int32, order="C"),
            np.array(counts, np.int64), np.full(shape, np.inf), np.full(shape, -np.inf),
            np.zeros((2 * leaves, rows.codes.shape[1]), np.int64), np.zeros(2 * leaves, np.int64),
            leaves,
        )  # fmt: skip
        boxes = laid(BOXES, tree)
        close_boxes(boxes)
        return boxes

    @cached_property
    def _ends(self) -> tuple[Points, Points]:
        """Both ends of the numbers of each row of the tree, as they are compared."""
        rows = self._rows
        if not self.passing_over:
            return rows.low, rows.high
        whole = whole_numbers(self.space, rows)
        return np.where(whole, np.nan, rows.low), np.where(whole, np.nan, rows.high)

    def nearest(self, costs: Costs, chosen: Indices, *, strangers: bool = False) -> Flags:
        """Which distinct records are nearest to any of the chosen people."""
        marks = nearest_rows(self.boxes, costs, self.people, self.search, chosen, strangers)
        flags = np.zeros(len(marks), dtype=bool)
        flags[self._order[marks > 0]] = True
        return flags

    def covered(self, known: Known) -> Floats:
        """How many people the wide cells of each row may cover; 0 where there are none."""
        flags = np.concatenate([known.numbers, known.codes])
        return people_covered(self.space, self.masked, self._rows, flags)

    @cached_property
    def search(self) -> Search:
        """Room for one search at a time."""
        rows = self.masked.rows
        room = search_in(len(self._order), rows.low.shape[1], rows.codes.shape[1])
        return laid(SEARCH, room)

    @cached_property
    def people(self) -> People:
        """The people of the sample and the rows of the tree that are theirs."""
        rows = self.space.originals.take(self.sample.representatives)
        people = People(
            _own(rows.low), np.array(rows.codes, np.int32, order="C"),
            np.array(self.sample.sizes, np.int64), self.distinct.ends,
            self._places[self.distinct.theirs], self.distinct.often,
        )  # fmt: skip
        return laid(PEOPLE, people)

    def ends(self, a: int) -> tuple[Floats, Floats]:
        """Both ends of a number in every record, as they are compared."""
        low, high = self._ends
        rows = self._places[self.distinct.labels]
        return low[rows, a], high[rows, a]

    @cached_property
    def tables(self) -> list[Points]:
        """What each code of a person (rows) and a released one cost, for each attribute."""
        terms = self.space.terms(self.masked, from_originals=True)
        ends = np.append(terms.starts, terms.tables.size)
        tables = [
            terms.tables[ends[j] : ends[j + 1]].reshape(-1, width)
            for j, width in enumerate(terms.widths.tolist())
        ]
        if self.passing_over:
            parts = zip(tables, self.space.categories, self.masked.cells, strict=True)
            unit = float(self.space.unit)
            tables = [np.where(are_whole(column, cells), unit, t) for t, column, cells in parts]
        return tables

    def distances(self, known: Known) -> Costs:
        """Costs of being apart in what is known."""
        tables = self.tables
        d = len(self.space.numbers)
        unit = float(self.space.unit)
        return self._costs(known, tables, self.space.weights, np.full(d, -1.0), np.full(d, unit))

    def differences(self, known: Known, steps: Steps) -> Costs:
        """Costs of differing in what is known."""
        pairs = zip(self.tables, steps.codes, strict=True)
        tables = [np.where(t == 0.0, max(0.0, -w), max(0.0, w)) for t, w in pairs]
        return self._costs(known, tables, steps.numbers, steps.tolerances, np.abs(steps.numbers))

    def _costs(
        self, known: Known, tables: Sequence[Points], weights: Floats, tolerances: Floats,
        missing: Floats,
    ) -> Costs:  # fmt: skip
        sizes = np.array([len(table) for table in tables], dtype=np.int64)
        widths = np.array([table.shape[1] for table in tables], dtype=np.int64)
        starts = np.cumsum(sizes * widths) - sizes * widths
        flat = np.concatenate([t.ravel() for t in tables]) if tables else np.empty(0)
        telling = np.argsort([-float(table.mean()) for table in tables], kind="stable")
        costs = Costs(
            known.numbers.astype(np.int64), telling[known.codes[telling]], _own(weights),
            _own(tolerances), _own(missing), _own(flat), starts, widths, np.cumsum(sizes) - sizes,
            np.concatenate([_free(table) for table in tables] or [np.empty(0, np.int64)]),
            np.concatenate([_least(table) for table in tables] or [np.empty(0)]),
        )  # fmt: skip
        return laid(COSTS, costs)

    @cached_property
    def middles(self) -> Points:
        """For each row of the tree its numbers; of an interval the median original value in it."""
        return np.take(self._middles, self._order, axis=0)

    @cached_property
    def _middles(self) -> Points:
        low, high = self.distinct.rows.low, self.distinct.rows.high
        middles = _own(low)
        for a, column in enumerate(self.space.numbers):
            wide = np.flatnonzero(low[:, a] < high[:, a])
            first, last = column.below(low[wide, a]), column.up_to(high[wide, a])
            inside = _medians(column, first, last)
            halfway = low[wide, a] / 2 + high[wide, a] / 2
            middles[wide, a] = np.where(last > first, inside, halfway)
        return middles


def _medians(column: NumberColumn, first: Indices, last: Indices) -> Floats:
    """Of sorted values from each *first* up to *last*; anything where there are none."""
    middles = np.stack([(first + last - 1) // 2, (first + last) // 2])
    medians: Floats = column.at(np.clip(middles, 0, column.n_known - 1)).mean(axis=0)
    return medians


def _own(array: Points) -> Points:
    """A copy that kernels accept: contiguous and writable."""
    return np.array(array, dtype=np.float64, order="C")


def joined_rows(parts: Sequence[Rows]) -> Rows:
    """The records of several parts, one after another."""
    low, codes = (np.concatenate([getattr(p, name) for p in parts]) for name in ("low", "codes"))
    plain = all(part.low is part.high for part in parts)
    return Rows(low, low if plain else np.concatenate([part.high for part in parts]), codes)


def _columns(rows: Rows) -> list[Column]:
    ends: list[Column] = [*rows.low.T]
    ends += [] if rows.low is rows.high else [*rows.high.T]
    return [*ends, *rows.codes.T]


def _free(table: Points) -> Indices:
    """Marks of the released codes that cost nothing, for each code of a person."""
    bits = np.left_shift(np.int64(1), np.arange(table.shape[1]) & 63)
    marks: Indices = np.bitwise_or.reduce(np.where(table == 0.0, bits, 0), axis=1)
    return marks


def _least(table: Points) -> Floats:
    """The smallest cost above 0 of each row; 0 where there is none."""
    positive = np.where(table > 0.0, table, np.inf).min(axis=1, initial=np.inf)
    return np.where(np.isinf(positive), 0.0, positive)


def _keys(distinct: Distinct, ordering: Known) -> Indices:
    """Numbers by which similar records stand together: bits of all attributes in turn."""
    numbers, codes = distinct.digits
    chosen = [codes[j] for j in np.flatnonzero(ordering.codes)]
    chosen += [numbers[a] for a in np.flatnonzero(ordering.numbers)]
    bits = max(1, min(FINEST, KEY_BITS // max(1, len(chosen))))
    keys = np.zeros(len(distinct.counts), dtype=np.int64)
    own = chosen[:KEY_BITS]
    for place, digit in enumerate(own):
        keys |= _spread(place, len(own), bits)[digit]
    return keys


def _spread(place: int, count: int, bits: int) -> Indices:
    """For each digit its first bits as they stand in a key, in turn with those of others."""
    digits = np.arange(1 << FINEST)
    spread = np.zeros(len(digits), dtype=np.int64)
    for bit in range(bits):
        turn = count * (bits - 1 - bit) + count - 1 - place
        spread |= (digits >> (FINEST - 1 - bit) & 1) << turn
    return spread


def _in_order(keys: Indices) -> Indices:
    """The stable order of whole numbers of 32 bits, by their lower and then their upper half."""
    by_lower = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")
    upper = (keys >> 16).astype(np.uint16)
    return by_lower[np.argsort(upper[by_lower], kind="stable")]


def _digits(values: Floats) -> Codes:
    """The place of each number among all, in ten bits."""
    known = np.sort(values[~np.isnan(values)][:: max(1, len(values) // FEW)])
    if len(known) == 0:
        return np.zeros(len(values), dtype=np.int32)
    cuts = known[np.arange(1, 1 << FINEST) * len(known) >> FINEST]
    return np.searchsorted(cuts, np.where(np.isnan(values), known[0], values)).astype(np.int32)


def _digits_of_codes(codes: Codes) -> Codes:
    """The place of each code's records among all, in ten bits."""
    counts = np.bincount(codes)
    begin = np.cumsum(counts) - counts
    digits: Codes = (begin * ((1 << FINEST) - 1) // max(1, len(codes))).astype(np.int32)
    return digits[codes]
