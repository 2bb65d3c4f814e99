"""Search index of a released file: its distinct records in a tree of bounding boxes.

Records are distinct in what an intruder knows. Released cells may cover several values (intervals,
generalized or suppressed cells). The distance of such a cell is that of the nearest value in it.
Where some cells of an attribute cover every value and others do not, an intruder who uses that
distance is misled by records that fit anybody. A second intruder therefore treats uninformative
cells as missing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

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
from evomask.measures.columns import NumberColumn
from evomask.measures.comparison_space import Space
from evomask.measures.disclosure.released_columns import (
    DIGIT_BITS,
    CodeCosts,
    ReleasedCategory,
    ReleasedColumns,
    ReleasedNumber,
    stacked,
    stacked_codes,
)
from evomask.measures.targets import TargetSample
from evomask.types import Codes, Flags, Floats, Indices, Labels, Points

KEY_BITS = 32
"""Bits of the sort key of the tree."""

SMALL = 1 << 16
"""Numbers below this are sorted digit by digit."""


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
    """Records of a released file that are distinct in what is known, in the order of the tree.

    Args:
        representatives: a record equal to each row of the tree.
        counts: number of records equal to each row.
        labels: row of each record.
    """

    representatives: Indices
    counts: Indices
    labels: Indices

    @classmethod
    def of(
        cls, released: ReleasedColumns, known: Knowledge, counts: Indices | None
    ) -> "DistinctRecords":
        """Build from the records of a file.

        Args:
            counts: number of times that each record occurs; once by default.
        """
        numbers = [n for n, flag in zip(released.numbers, known.numbers, strict=True) if flag]
        codes = [c for c, flag in zip(released.categories, known.codes, strict=True) if flag]
        columns: list[ReleasedCategory | ReleasedNumber] = [*codes, *numbers]
        classes = classes_of_columns([column.keys for column in columns], len(released))
        sizes, representatives = classes.sizes, classes.representatives
        if counts is not None:
            sizes = np.bincount(classes.labels, counts, len(classes)).astype(np.int64)
        order = _ascending(_sort_keys([c.digits[representatives] for c in columns], len(classes)))
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        return cls(representatives[order], sizes[order], places[classes.labels])

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def members(self) -> tuple[Indices, Indices]:
        """Ends and records: row r stands for ``records[ends[r]:ends[r + 1]]``."""
        sizes = np.bincount(self.labels, minlength=len(self))
        ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        labels = self.labels.astype(np.uint16) if len(self) < SMALL else self.labels
        return ends, np.argsort(labels, kind="stable")


@dataclass(frozen=True, eq=False)
class ReleaseIndex:
    """A masked table, indexed for nearest-record searches from the targets of a sample.

    Args:
        known: the attributes in which records are compared.
        constants: what depends on the original alone.
        passing_over: whether uninformative cells are compared like missing ones.
        ranked: whether numbers are compared by their ranks; *space* then holds ranks.
        steps: agreement weights by ``passing_over``, where they are known in advance.
        counts: number of times that each record occurs; once by default.
        rest: class of each record on all that is neither known nor masked; None if anything of it
            differs from the original.
    """

    space: Space
    sample: TargetSample
    released: ReleasedColumns
    known: Knowledge
    constants: "Constants"
    distinct: DistinctRecords = field(repr=False)
    passing_over: bool = False
    ranked: bool = False
    steps: "Mapping[bool, AgreementWeights]" = field(default_factory=dict, repr=False)
    counts: Indices | None = field(default=None, repr=False)
    rest: Labels | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        released: ReleasedColumns,
        constants: "Constants",
        counts: Indices | None = None,
        rest: Labels | None = None,
    ) -> "ReleaseIndex":
        """Index the records of a released table."""
        known = constants.known
        distinct = DistinctRecords.of(released, known, counts)
        space, sample = constants.space, constants.sample
        return cls(space, sample, released, known, constants, distinct, counts=counts, rest=rest)

    def passing_over_whole_cells(self) -> "ReleaseIndex":
        """Return the index of an intruder who treats uninformative cells as missing."""
        return self._varied(replace(self, passing_over=True))

    def by_ranks(self) -> "ReleaseIndex":
        """Return the search index of an intruder who compares numbers by their ranks."""
        return self._varied(
            replace(self, space=self.constants.ranked_space, ranked=True, passing_over=False)
        )

    def _varied(self, other: "ReleaseIndex") -> "ReleaseIndex":
        other.__dict__.update(search=self.search, covered=self.covered)
        if not other.ranked:
            other.__dict__.update(targets=self.targets)
        if "members_elsewhere" in self.__dict__:
            other.__dict__.update(members_elsewhere=self.members_elsewhere)
        return other

    @cached_property
    def boxes(self) -> Boxes:
        """The tree of bounding boxes over the distinct records."""
        rows, released = self.distinct.representatives, self.released
        leaves = 1 << max(0, int(np.ceil(np.log2(max(1, -(-len(rows) // LEAF))))))
        d = len(released.numbers)
        ends = [self._ends(number) for number in released.numbers]
        low = stacked([one for one, _ in ends], rows)
        plain = all(one is other for one, other in ends)
        tree = Boxes(
            low, low if plain else stacked([other for _, other in ends], rows),
            stacked_codes([one.codes for one in released.categories], rows),
            self.distinct.counts, np.full((2 * leaves, d), np.inf),
            np.full((2 * leaves, d), -np.inf),
            np.zeros((2 * leaves, len(released.categories)), np.int64),
            np.zeros(2 * leaves, np.int64), leaves,
        )  # fmt: skip
        boxes = bundle_tuple(BOXES, tree)
        fill_boxes(boxes)
        return boxes

    def _ends(self, number: ReleasedNumber) -> tuple[Floats, Floats]:
        """Lower and upper end of a number in every record, as they are compared."""
        if self.ranked:
            return number.ranks
        if self.passing_over and not number.are_plain:
            return number.ends
        return number.low, number.high

    def ends(self, a: int) -> tuple[Floats, Floats]:
        """Lower and upper end of a number in every record, as they are compared."""
        return self._ends(self.released.numbers[a])

    def nearest(self, costs: Costs, targets: Targets, chosen: Indices) -> Flags:
        """Flag the records that are nearest to any of the chosen targets."""
        strangers = False
        marks = nearest_rows(self.boxes, costs, targets, self.search, chosen, strangers)
        flags: Flags = (marks > 0)[self.distinct.labels]
        return flags

    @cached_property
    def covered(self) -> Floats:
        """Expected number of individuals that fit each row, assuming independent attributes.

        0 for rows without a cell that covers several values.
        """
        rows, n = self.distinct.representatives, self.space.n_records
        if self.released.are_plain:
            return np.zeros(len(rows))
        shares, wide = np.ones(len(rows)), np.zeros(len(rows), dtype=bool)
        for a in np.flatnonzero(self.known.numbers).tolist():
            number = self.released.numbers[a]
            low, high = number.low[rows], number.high[rows]
            shares *= _share_between(self.constants.space.numbers[a], low, high)
            wide |= low < high
        for j in np.flatnonzero(self.known.codes).tolist():
            one = self.released.categories[j]
            counts, codes = self.space.categories[j].counts, one.codes[rows]
            shares *= (one.meaning.cells.leaves @ counts / n)[codes]
            wide |= one.meaning.wide[codes]
        covered: Floats = np.where(wide, n * shares, 0.0)
        return covered

    @cached_property
    def members_elsewhere(self) -> Floats:
        """For each class of targets the members whose record is at another place in the release.

        Their own record differs from them, and another one is equal in all that is known. As all
        else is in its place, the other record is theirs only if it is equal in that too. Some are
        by chance: the share that is beyond chance counts, by two standard errors too large.
        """
        assert self.rest is not None  # noqa: S101
        n, sizes = len(self.released), np.bincount(self.rest)
        before, after = self._classes_of_both
        equal = np.bincount(after, minlength=int(before.max(initial=0)) + 1)[before]
        members, places = self.sample.members
        moved = members[((before != after) & (equal > 0))[members]]
        concerned = np.zeros(int(max(before.max(), after.max())) + 1, dtype=bool)
        concerned[before[moved]] = True
        others = np.flatnonzero(concerned[after])
        alike = np.isin(
            before[moved] * len(sizes) + self.rest[moved],
            after[others] * len(sizes) + self.rest[others],
        )
        by_chance = 1.0 - (1.0 - sizes[self.rest[moved]] / n) ** equal[moved]
        found = np.zeros(n, dtype=bool)
        found[moved[alike]] = True
        counts = np.bincount(places, found[members], len(self.sample.chosen)).astype(np.float64)
        return counts * _share_beyond(alike, by_chance)

    @property
    def _classes_of_both(self) -> tuple[Labels, Labels]:
        """Classes of the original and the released records on all that is known."""
        known, numbers = self.known, self.constants.ranked_space.numbers
        columns: list[Column] = []
        for a in np.flatnonzero(known.numbers).tolist():
            ranks = np.concatenate([numbers[a].values, self.released.numbers[a].ranks[0]])
            columns.append(np.nan_to_num(2.0 * ranks + 1.0, nan=0.0).astype(np.int64))
        for j in np.flatnonzero(known.codes).tolist():
            pair = self.space.categories[j].codes, self.released.categories[j].codes
            columns.append(np.concatenate(pair))
        n = len(self.released)
        labels = classes_of_columns(columns, 2 * n).labels
        return labels[:n], labels[n:]

    @cached_property
    def search(self) -> Search:
        """Working memory of one search."""
        return self.constants.search(len(self.distinct))

    @cached_property
    def targets(self) -> Targets:
        """The targets of the sample and the rows of the tree that are theirs."""
        ends, records = self.sample.own_records
        originals = self.constants.ranked_people if self.ranked else self.constants.people
        targets = Targets(
            *originals, np.array(self.sample.sizes, np.int64), ends,
            self.distinct.labels[records], np.ones(len(records), np.int64),
        )  # fmt: skip
        return bundle_tuple(TARGETS, targets)

    @cached_property
    def codes(self) -> list[CodeCosts]:
        """Costs of original codes and released cells, for each categorical attribute."""
        unit = self.space.unit
        return [
            one.meaning.costs(unit, passing_over=self.passing_over and not one.meaning.are_plain)
            for one in self.released.categories
        ]

    def distances(self, known: Knowledge) -> Costs:
        """Costs by distance in the known attributes."""
        d = len(self.space.numbers)
        missing = np.full(d, float(self.space.unit))
        return self.constants.costs(
            self.codes, self.space.weights, np.full(d, -1.0), missing, known
        )

    def differences(self, known: Knowledge, weights: AgreementWeights) -> Costs:
        """Costs by disagreement in the known attributes."""
        costs = self.constants.steps(self.codes, weights, known)
        return bundle_tuple(COSTS, costs)


@dataclass(frozen=True, eq=False)
class Constants:
    """What the indices of all masked versions of an original share.

    Args:
        known: the attributes in which records are compared.
        leaves_out: whether these are left out in turn.
    """

    space: Space
    sample: TargetSample
    known: Knowledge
    leaves_out: bool = False
    _costs: dict[tuple[int, ...], tuple[Any, ...]] = field(default_factory=dict, repr=False)
    _searches: dict[int, Search] = field(default_factory=dict, repr=False)

    @cached_property
    def ranked_space(self) -> Space:
        """The space with numbers replaced by their ranks."""
        numbers = tuple(column.ranked() for column in self.space.numbers)
        return Space(numbers, self.space.categories, self.space.n_records)

    @cached_property
    def people(self) -> tuple[Points, Codes]:
        """Numbers and codes of a target of each class."""
        return self._people(self.space)

    @cached_property
    def ranked_people(self) -> tuple[Points, Codes]:
        """Ranks and codes of a target of each class."""
        return self._people(self.ranked_space)

    def _people(self, space: Space) -> tuple[Points, Codes]:
        chosen = self.sample.representatives
        return (
            stacked([column.values for column in space.numbers], chosen),
            stacked_codes([column.codes for column in space.categories], chosen),
        )

    def search(self, n_rows: int) -> Search:
        """Working memory for so many rows or more."""
        for size, search in self._searches.items():
            if size >= n_rows:
                return search
        self._searches.clear()
        numbers, codes = len(self.known.numbers), len(self.known.codes)
        memory = create_search(n_rows, numbers, codes, leaves_out=self.leaves_out)
        self._searches[n_rows] = bundle_tuple(SEARCH, memory)
        return self._searches[n_rows]

    def costs(
        self, codes: list[CodeCosts], weights: Floats, tolerances: Floats, missing: Floats,
        known: Knowledge,
    ) -> Costs:  # fmt: skip
        """Costs by distance; those of the same cells are computed once."""
        key = (id(weights), id(known), *(id(one) for one in codes))
        if key not in self._costs:
            if len(self._costs) >= MOST_COSTS:
                self._costs.clear()
            costs = _restricted(_costs(codes, weights, tolerances, missing), known)
            self._costs[key] = bundle_tuple(COSTS, costs), codes, weights, known
        found: Costs = self._costs[key][0]
        return found

    def steps(self, codes: list[CodeCosts], weights: AgreementWeights, known: Knowledge) -> Costs:
        """Costs by disagreement."""
        numbers = weights.numbers
        return _restricted(_step_costs(codes, weights.codes, numbers, weights.tolerances), known)


MOST_COSTS = 16
"""Costs by distance that are kept."""


def _costs(
    codes: list[CodeCosts], weights: Floats, tolerances: Floats, missing: Floats
) -> Costs:  # fmt: skip
    """Costs of differences in all attributes."""
    tables = [one.table for one in codes]
    return _joined(
        [one.table for one in codes], [one.free for one in codes], [one.least for one in codes],
        [float(table.mean()) for table in tables], weights, tolerances, missing,
    )  # fmt: skip


def _step_costs(
    codes: list[CodeCosts], steps: Floats, weights: Floats, tolerances: Floats
) -> Costs:
    """Costs of disagreement, or of agreement where that is evidence against a match."""
    tables, free, least, means = [], [], [], []
    for one, step in zip(codes, steps.tolist(), strict=True):
        table = np.where(one.agrees, max(0.0, -step), max(0.0, step))
        tables.append(table)
        if step > 0.0:
            free.append(one.free)
            least.append(np.where(one.has_differing, step, 0.0))
        elif step < 0.0:
            free.append(one.differing)
            least.append(np.where(one.has_agreeing, -step, 0.0))
        else:
            free.append(one.free | one.differing)
            least.append(np.zeros(len(table)))
        means.append(float(table.mean()))
    return _joined(tables, free, least, means, weights, tolerances, np.abs(weights))


def _joined(
    tables: list[Points], free: list[Indices], least: list[Floats], means: list[float],
    weights: Floats, tolerances: Floats, missing: Floats,
) -> Costs:  # fmt: skip
    """Costs in all attributes, those of codes one after another."""
    sizes = np.array([len(table) for table in tables], dtype=np.int64)
    widths = np.array([table.shape[1] for table in tables], dtype=np.int64)
    starts = np.cumsum(sizes * widths) - sizes * widths
    return Costs(
        np.ones(len(weights), dtype=np.int64),
        np.argsort([-mean for mean in means], kind="stable").astype(np.int64),
        np.array(weights), np.array(tolerances), np.array(missing),
        np.concatenate([table.ravel() for table in tables]) if tables else np.empty(0),
        starts, widths, np.cumsum(sizes) - sizes,
        np.concatenate(free or [np.empty(0, np.int64)]),
        np.concatenate(least or [np.empty(0)]),
    )  # fmt: skip


def _restricted(costs: Costs, known: Knowledge) -> Costs:
    """Keep the costs of disagreement in the known attributes, the most selective first."""
    order = costs.known_codes
    return costs._replace(
        known_numbers=known.numbers.astype(np.int64), known_codes=order[known.codes[order]]
    )


def _share_beyond(found: Flags, chances: Floats) -> float:
    """Share of what was found that is not by chance, by two standard errors too large."""
    if not found.any():
        return 0.0
    share, chance = float(found.mean()), float(chances.mean())
    share_above = share - chance + 2.0 * np.sqrt(chance * (1.0 - chance) / len(found))
    if share_above >= 1.0 - chance:
        return 1.0
    return float(np.clip(share_above / (1.0 - chance) / share, 0.0, 1.0))


def _share_between(column: NumberColumn, low: Floats, high: Floats) -> Floats:
    """Share of the original values inside each cell; a missing cell covers missing values."""
    inside = column.up_to(high) - column.below(low)
    missing = column.n_records - column.n_known
    shares: Floats = np.where(np.isnan(low), missing, inside) / column.n_records
    return shares


def _ascending(keys: Indices) -> Indices:
    """Stable order of 32-bit keys, lower half first."""
    by_lower = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")
    upper = (keys >> 16).astype(np.uint16)
    return by_lower[np.argsort(upper[by_lower], kind="stable")]


def _sort_keys(digits: list[Indices], n_rows: int) -> Indices:
    """Z-order keys: interleaved bits of all attributes, so that similar records are adjacent."""
    bits = max(1, min(DIGIT_BITS, KEY_BITS // max(1, len(digits))))
    keys = np.zeros(n_rows, dtype=np.int64)
    used = digits[:KEY_BITS]
    for place, digit in enumerate(used):
        keys |= _interleaved(place, len(used), bits)[digit]
    return keys


@cache
def _interleaved(place: int, count: int, bits: int) -> Indices:
    """For each digit, its leading bits at their positions in the key of *count* attributes."""
    digits = np.arange(1 << DIGIT_BITS)
    spread = np.zeros(len(digits), dtype=np.int64)
    for bit in range(bits):
        shift = count * (bits - 1 - bit) + count - 1 - place
        spread |= (digits >> (DIGIT_BITS - 1 - bit) & 1) << shift
    return spread
