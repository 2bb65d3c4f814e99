"""Layout of the information loss in three parts for incremental updates.

Columns of bins are numbered: first every released column in tables of two, then every one in tables
of three, then the masked ones by themselves, then two unmasked columns together, which a table of
three with a single masked column compares with that one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from evomask.data.table import Table
from evomask.errors import DataError
from evomask.kernels.incremental.information_loss import InformationLoss, LossPlaces
from evomask.kernels.tables import count_pairs, count_triples, pair_products, triple_products
from evomask.measures.incremental.allocation import Allocation
from evomask.measures.loss.accuracy import MOST_LEVELS, CategoryAccuracy, NumberAccuracy
from evomask.measures.loss.loss import PAIRS_SHARE, LossReading
from evomask.types import Codes, Floats, Indices, Points


class BinColumn(NamedTuple):
    """Bins of the levels of one released column, or of two together.

    Args:
        places: positions of the released columns.
        bins: bin of each level, for each of them.
    """

    places: tuple[int, ...]
    bins: tuple[Codes, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(int(bins.max(initial=0)) + 1 for bins in self.bins)

    @property
    def size(self) -> int:
        return int(np.prod(self.sizes))

    def codes(self, levels: Sequence[Codes]) -> Codes:
        """Bin of each record."""
        codes = [bins[levels[place]] for place, bins in zip(self.places, self.bins, strict=True)]
        return np.ravel_multi_index(codes, self.sizes).astype(np.int32)


class TrackedTable(NamedTuple):
    """Columns of bins of a table, its first cell, and the stride of each column."""

    columns: tuple[int, ...]
    first: int
    strides: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class LossLayout:
    """The information loss against one original, laid out for single changes."""

    reading: LossReading

    @cached_property
    def columns(self) -> tuple[BinColumn, ...]:
        """Columns of bins, in the order that the module describes."""
        released = self.reading.columns
        of_pairs = [BinColumn((place,), (c.coarse,)) for place, c in enumerate(released)]
        of_triples = [BinColumn((place,), (c.rough,)) for place, c in enumerate(released)]
        alone = [BinColumn((place,), (released[place].fine,)) for place in self.reading.places]
        together = [
            BinColumn(others, tuple(released[place].rough for place in others))
            for _, others in self._with_one_masked
        ]
        return (*of_pairs, *of_triples, *alone, *together)

    @cached_property
    def _with_one_masked(self) -> list[tuple[int, tuple[int, ...]]]:
        """The masked column and the two others of each table of three that has one."""
        relations, found = self.reading.relations, []
        for triple in relations.triples:
            masked = [place for place in triple if relations.masked[place]]
            if len(masked) == 1:
                found.append((masked[0], tuple(p for p in triple if p != masked[0])))
        return found

    @cached_property
    def sizes(self) -> Indices:
        """Number of bins of each column."""
        return np.array([column.size for column in self.columns], dtype=np.int64)

    @cached_property
    def tables(self) -> tuple[tuple[TrackedTable, ...], tuple[TrackedTable, ...]]:
        """Tables of two columns of bins, and of three."""
        relations, d = self.reading.relations, len(self.reading.columns)
        start = 2 * d + len(self.reading.places)
        pairs = [tuple(pair) for pair in relations.pairs]
        pairs += [(d + one, start + k) for k, (one, _) in enumerate(self._with_one_masked)]
        triples = [
            tuple(d + place for place in triple)
            for triple in relations.triples
            if relations.masked[list(triple)].sum() > 1
        ]
        first, tables = 0, []
        for columns in (*pairs, *triples):
            sizes = [int(self.sizes[c]) for c in columns]
            strides = tuple(int(np.prod(sizes[k + 1 :])) for k in range(len(sizes)))
            tables.append(TrackedTable(columns, first, strides))
            first += int(np.prod(sizes))
        return tuple(tables[: len(pairs)]), tuple(tables[len(pairs) :])

    @cached_property
    def ends(self) -> tuple[int, int]:
        """Number of cells of tables of two columns of bins, and of all."""
        cells = [
            int(np.prod(self.sizes[list(table.columns)])) for part in self.tables for table in part
        ]
        return sum(cells[: len(self.tables[0])]), sum(cells)

    def codes(self, levels: Sequence[Codes]) -> Codes:
        """Bin of each record (column) in each column of bins (row)."""
        return np.array([column.codes(levels) for column in self.columns], dtype=np.int32)

    def counts(self, codes: Codes) -> Floats:
        """Weighted counts of the cells of all tables."""
        two, three = self.tables
        of_two, of_all = self.ends
        weights, sizes = self.reading.weights, self.sizes
        pairs = [(*t.columns, t.first, sizes[t.columns[1]]) for t in two]
        triples = [(*t.columns, t.first - of_two, *sizes[list(t.columns[1:])]) for t in three]
        return np.concatenate(
            [
                count_pairs(codes, _integers(pairs, 4), weights, of_two),
                count_triples(codes, _integers(triples, 6), weights, of_all - of_two),
            ]
        )

    def dependence(self, counts: Floats) -> Floats:
        """Weighted count of each cell minus the product of the marginals."""
        two, three = self.tables
        of_two, _ = self.ends
        total, sizes = self._total, self.sizes
        shares = counts / total
        pairs = [(t.first, *sizes[list(t.columns)]) for t in two]
        triples = [(t.first - of_two, *sizes[list(t.columns)], -1) for t in three]
        products = (
            pair_products(shares[:of_two], _integers(pairs, 3)),
            triple_products(shares[of_two:], _integers(triples, 5)),
        )
        expected: Floats = total * np.concatenate(products)
        return counts - expected

    @property
    def _total(self) -> float:
        return float(self.reading.weights.sum())

    @cached_property
    def _original_codes(self) -> Codes:
        return self.codes([column.codes for column in self.reading.columns])

    @cached_property
    def _original_dependence(self) -> Floats:
        return self.dependence(self.counts(self._original_codes))

    def _column_counts(self, codes: Codes) -> Floats:
        """Weighted count of each bin, column by column."""
        weights = self.reading.weights
        counts = [np.bincount(row, weights, n) for row, n in zip(codes, self.sizes, strict=True)]
        return np.concatenate(counts)

    @cached_property
    def entries(self) -> tuple[Indices, Indices]:
        """Tables of each column that a change can alter, and where those of each column end."""
        masked, two, three = self.reading.relations.masked, *self.tables
        rows: list[list[tuple[int, ...]]] = [[] for _ in self.columns]
        for t, table in enumerate((*two, *three)):
            for k, column in enumerate(table.columns):
                places = self.columns[column].places
                others = [i for i in range(len(table.columns)) if i != k][::-1]
                rest = [part for i in others for part in (table.columns[i], table.strides[i])]
                rest += [-1, 0] * (2 - len(others))
                if len(places) == 1 and masked[places[0]]:
                    rows[column].append((t, table.first, table.strides[k], *rest))
        ends = np.cumsum([0, *(len(own) for own in rows)]).astype(np.int64)
        return _integers([row for own in rows for row in own], 7), ends

    @property
    def most_writes(self) -> int:
        """Largest number of tracked values that one change of a cell can overwrite."""
        entries, ends = self.entries
        return 16 + 4 * 3 * int(np.diff(ends).max(initial=0)) if len(entries) else 16

    @cached_property
    def _members(self) -> Indices:
        """Columns of single attributes of each table; -1 for none."""
        d, rows = len(self.reading.columns), []
        for table in (table for part in self.tables for table in part):
            places = [(c, self.columns[c].places) for c in table.columns]
            single = [m for c, p in places for m in ([c] if len(p) == 1 else [d + i for i in p])]
            rows.append((*single, *[-1] * (3 - len(single))))
        return _integers(rows, 3)

    @cached_property
    def _chance(self) -> Floats:
        """Squared change of dependence in each table by chance if all of its records move."""
        relations = self.reading.relations
        alone = {triple: relations.masked[list(triple)].sum() == 1 for triple in relations.triples}
        order = sorted(range(len(relations.triples)), key=lambda t: not alone[relations.triples[t]])
        chance = np.concatenate([relations.chance.pairs, relations.chance.triples[order]])
        return chance * (2.0 * self._total) ** 2

    @cached_property
    def _at_random(self) -> Floats:
        """Weight of the records that a random permutation of each single column moves."""
        two, three = self._total * self.reading.relations.moved_at_random
        rest = len(self.columns) - len(two) - len(three)
        return np.concatenate([two, three, np.ones(rest)])

    def facts(self, allocation: Allocation) -> InformationLoss:
        """Everything that kernels need but the values of a masked file."""
        columns = self.columns
        bins = [c.bins[0] if len(c.places) == 1 else np.empty(0, np.int32) for c in columns]
        ranks, scales, missing, category_ranks, cuts, starts = self._accuracies()
        entries, ends = self.entries
        d, n = ranks.shape
        tables = len(self._chance)
        parts = (d, d, int(self.sizes.sum()), self.ends[-1], tables, len(columns))
        codes = allocation.wholes_for(n * len(columns))
        places = LossPlaces._make([*map(allocation.reals_for, parts), codes])
        there = self.reading.relations.there
        return InformationLoss(
            ranks, scales, missing, category_ranks, cuts, starts, self._columns_of_attributes,
            _concatenated(bins), _starts(bins), self.sizes,
            np.cumsum(self.sizes) - self.sizes, self._column_counts(self._original_codes),
            np.ascontiguousarray(self._original_codes.T), entries, ends,
            np.array(self.reading.weights), self._total, self._members,
            len(self.reading.relations.pairs), self._chance, self._at_random,
            2.0 * self._total * np.array([float(part.sum()) for part in there]), self._parts,
            places,
        )  # fmt: skip

    @cached_property
    def _columns_of_attributes(self) -> Indices:
        """Columns of each masked attribute: by itself, in tables of two and of three."""
        released = self.reading.columns
        _, ends = self.entries
        used = np.diff(ends) > 0
        rows = []
        for a, place in enumerate(self.reading.places):
            alone = 2 * len(released) + a
            if released[place].fine is released[place].coarse:
                alone = place
            others = [c if used[c] else -1 for c in (place, len(released) + place)]
            rows.append((alone, *others))
        return _integers(rows, 3)

    @cached_property
    def _parts(self) -> Floats:
        """Weights of accuracy, distributions, and relations in tables of two and of three."""
        there = self.reading.relations.there
        accuracy, distributions, relations = self.reading.measure.weights.checked()
        relations *= len(there.pairs) > 0
        total = accuracy + distributions + relations
        pairs = PAIRS_SHARE if len(there.triples) else 1.0
        shares = np.array([accuracy, distributions, pairs * relations, (1.0 - pairs) * relations])
        shares[2:] *= [part.sum() > 0 for part in there]
        return shares / total if total > 0 else np.zeros(4)

    def _accuracies(self) -> tuple[Points, Floats, Floats, Floats, Floats, Indices]:
        """Original ranks, scales and costs of the attributes, and ranks or cuts of their values."""
        category_ranks, cuts = [np.empty(0)], [np.empty(0)]
        ranks, starts, scales, missing = [], [], [], []
        for place, accuracy in zip(self.reading.places, self.reading.accuracies, strict=True):
            missing.append(accuracy.missing_cost)
            if isinstance(accuracy, NumberAccuracy):
                scale = accuracy.scale * max(1, accuracy.column.n_known)
                ranks.append(accuracy.column.ranks)
                parts, own = cuts, self.reading.columns[place].cuts
            else:
                scale = accuracy.scale * (len(accuracy.column.codes) if accuracy.is_ordered else -1)
                own, parts = _ranks_of_categories(accuracy), category_ranks
                ranks.append(own[accuracy.column.codes])
            scales.append(1.0 / scale if scale != 0 else -1.0)
            start = sum(map(len, parts))
            starts.append((start, start + len(own)))
            parts.append(own)
        return (
            np.array(ranks, dtype=np.float64), np.array(scales), np.array(missing),
            np.concatenate(category_ranks), np.concatenate(cuts), _integers(starts, 2),
        )  # fmt: skip

    def write(
        self, masked: Table, facts: InformationLoss, reals: Floats, wholes: Indices
    ) -> None:  # fmt: skip
        """Write the bins, counts and sums of a masked file into the memory."""
        at = facts.at
        codes = self.codes(self._levels(masked))
        counts, of_columns = self.counts(codes), self._column_counts(codes)
        moved = np.abs(of_columns - facts.original)
        apart = np.abs(self.dependence(counts) - self._original_dependence)
        for a, accuracy in enumerate(self.reading.accuracies):
            column = facts.columns[a, 0]
            start = facts.firsts[column]
            reals[at.distances + a] = accuracy.total(masked)
            reals[at.moved + a] = moved[start : start + facts.sizes[column]].sum()
        reals[at.counts : at.counts + len(of_columns)] = of_columns
        reals[at.tables : at.tables + len(counts)] = counts - self._original_dependence
        firsts = [table.first for part in self.tables for table in part]
        lost = np.add.reduceat(apart, firsts) if firsts else np.empty(0)
        away = (codes != self._original_codes) @ self.reading.weights
        reals[at.lost : at.lost + len(lost)] = lost
        reals[at.away : at.away + len(away)] = away
        wholes[at.codes : at.codes + codes.size] = codes.T.ravel()

    def _levels(self, masked: Table) -> list[Codes]:
        """Level of each record in each released column."""
        levels = []
        for name, column in zip(self.reading.released, self.reading.columns, strict=True):
            if name not in masked.schema:
                raise DataError(f"the masked file has no column {name!r}; it cannot be tracked")
            if masked.is_recoded(name):
                raise DataError(f"column {name!r} is generalized; only plain values can be tracked")
            levels.append(column.cells(masked).codes)
        return levels


def no_loss() -> InformationLoss:
    """Return facts without any attribute, for states that do not track this loss."""
    none, whole, rows = np.empty(0), np.empty(0, np.int64), np.empty((0, 0), np.int64)
    places = LossPlaces._make([0] * len(LossPlaces._fields))
    return InformationLoss._make(
        [np.empty((0, 0)), *[none] * 4, rows, rows, *[whole] * 4, none,
         np.empty((0, 0), np.int32), rows, whole, none, 1.0, rows, 0, *[none] * 4, places]
    )  # fmt: skip


def _ranks_of_categories(accuracy: CategoryAccuracy) -> Floats:
    """Rank of each ordered category; position of each nominal one."""
    column = accuracy.column
    if not accuracy.is_ordered:
        return np.arange(column.size, dtype=np.float64)
    ranks = column.mean_ranks.astype(np.float64)
    if accuracy.missing >= 0 and column.size <= MOST_LEVELS:
        ranks[accuracy.missing] = np.nan
    return ranks


def _integers(rows: Sequence[Sequence[int]], width: int) -> Indices:
    return np.array(rows, dtype=np.int64).reshape(-1, width)


def _concatenated(parts: Sequence[Codes]) -> Indices:
    return np.concatenate(parts).astype(np.int64)


def _starts(parts: Sequence[Codes]) -> Indices:
    sizes = np.array([len(part) for part in parts], dtype=np.int64)
    starts: Indices = np.cumsum(sizes) - sizes
    return starts
