"""Relations: the dependence between released columns that is lost.

The dependence of two columns is the part of their table of shares that the marginals do not
explain, P(a, b) - P(a) P(b); of three columns P(a, b, c) - P(a) P(b) P(c), or P(a, b, c) - P(a)
P(b, c) where only the first is masked. Lost is the distance of the dependence after masking from
that of the original, as a share of the latter, both beyond what is sampling error: cells of tables
that count few records change most by chance, so that a small file would lose more than a large one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np

from evomask.kernels.tables import (
    count_pairs,
    count_triples,
    divide_among_triples,
    pair_products,
    triple_products,
    weight_moved,
)
from evomask.measures.loss.bins import BinnedCells, BinnedColumn
from evomask.measures.targets import FIXED_SEED
from evomask.types import Codes, Flags, Floats, Indices, Points

MOST_TRIPLES = 20
"""Tables of three columns, at most; a fixed random choice."""

MOST_CELLS = 64
"""Cells of a masked column that are counted one by one; columns with more use their shares."""

ROWS = 1 << 14
"""Records whose shares are multiplied at once."""

HALF_RELIABLE = 2_500
"""Records of a file of which half of the chance is taken away."""

SAMPLING_ERROR = 0.5 * float(np.sqrt(2.0 / np.pi))
"""Half the mean absolute value of a standard normal variable."""


class Tables(NamedTuple):
    """Shares of the cells of tables, one after another: of two columns, and of three."""

    pairs: Floats
    triples: Floats


@dataclass(frozen=True, eq=False)
class Relations:
    """Tables of released columns of which at least one is masked, prepared for one original.

    Args:
        columns: the released columns.
        masked: which of them are masked.
        weights: survey weight of each record, with a mean of 1.
        reference: shares of the original's tables, if not all of its records are at hand.
    """

    columns: tuple[BinnedColumn, ...]
    masked: Flags
    weights: Floats
    reference: Tables | None = None

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Positions of the columns of each table of two."""
        every = combinations(range(len(self.columns)), 2)
        return [pair for pair in every if self.masked[list(pair)].any()]

    @cached_property
    def triples(self) -> list[tuple[int, ...]]:
        """Positions of the columns of each table of three, a fixed random choice."""
        chosen: set[tuple[int, ...]] = set()
        places = np.arange(len(self.columns))
        rng = np.random.default_rng(FIXED_SEED)
        for _ in range(4 * MOST_TRIPLES if len(places) >= 3 else 0):
            triple = tuple(sorted(rng.choice(places, 3, replace=False).tolist()))
            if self.masked[list(triple)].any() and len(chosen) < MOST_TRIPLES:
                chosen.add(triple)
        return sorted(chosen)

    @cached_property
    def sizes(self) -> tuple[Indices, Indices]:
        """Bins of each column in tables of two and of three."""
        coarse = [int(column.coarse.max(initial=0)) + 1 for column in self.columns]
        rough = [int(column.rough.max(initial=0)) + 1 for column in self.columns]
        return np.array(coarse, dtype=np.int64), np.array(rough, dtype=np.int64)

    @cached_property
    def layout(self) -> tuple[Indices, Indices]:
        """Position of each table of two and of three among all cells."""
        coarse, rough = self.sizes
        pairs = [0, *(int(coarse[a] * coarse[b]) for a, b in self.pairs)]
        triples = [0, *(int(np.prod(rough[list(t)])) for t in self.triples)]
        return np.cumsum(pairs).astype(np.int64), np.cumsum(triples).astype(np.int64)

    @cached_property
    def original(self) -> Tables:
        """Tables of the original."""
        if self.reference is not None:
            return self.reference
        unmasked: Mapping[int, BinnedCells] = {}
        return self.tables(unmasked)

    @cached_property
    def errors(self) -> Tables:
        """Sampling error of each table: mean dependence in a file of independent columns."""
        tables = self.original
        return Tables(
            self._errors(tables.pairs, self.layout[0], self.sizes[0], self.pairs),
            self._errors(tables.triples, self.layout[1], self.sizes[1], self.triples),
        )

    def _errors(
        self, shares: Floats, starts: Indices, sizes: Indices, tables: Sequence[Sequence[int]]
    ) -> Floats:
        spreads = [
            _spread(
                shares[starts[t] : starts[t + 1]].reshape(sizes[list(places)]),
                _alone(self.masked[list(places)]),
            )
            for t, places in enumerate(tables)
        ]
        errors: Floats = np.array(spreads) * (SAMPLING_ERROR / np.sqrt(self._n_records))
        return errors

    @cached_property
    def chance(self) -> Tables:
        """Squared change of dependence in each table by chance if all records move at random.

        The dependences of two files differ by the sampling errors of both. In a small file errors
        are as large as what is lost, and as those of records that are alike after masking, so that
        the more is taken away the more records there are.
        """
        reliable = 1.0 / (1.0 + (HALF_RELIABLE / max(1, self._n_records)) ** 2)
        return Tables(*(2.0 * reliable * errors**2 for errors in self.errors))

    @cached_property
    def there(self) -> Tables:
        """Dependence of each table of the original beyond chance, at least its sampling error.

        Tables of columns that are independent would otherwise lose all by the least change.
        """
        found = []
        for part, starts, errors, chance in zip(
            self._before, self.layout, self.errors, self.chance, strict=True
        ):
            size = np.add.reduceat(np.abs(part), starts[:-1]) / 2 if len(part) else np.empty(0)
            found.append(np.maximum(_beyond(size, chance / 2), errors))
        return Tables(*found)

    @property
    def _n_records(self) -> int:
        return self.columns[0].column.n_records

    def tables(self, changed: Mapping[int, BinnedCells]) -> Tables:
        """Tables of a file in which the cells of some columns have *changed*, by position."""
        pairs, triples = self.counts(changed, self.weights)
        total = float(self.weights.sum())
        return Tables(pairs / total, triples / total)

    def counts(self, changed: Mapping[int, BinnedCells], weights: Floats) -> Tables:
        """Weighted counts of all tables; counts of several chunks of a file add up."""
        wide = [cells.spread is not None and len(cells.spread) > MOST_CELLS
                for cells in changed.values()]  # fmt: skip
        pairs = self._pairs_by_shares(changed, weights) if any(wide) else None
        if pairs is None:
            pairs = self._pairs_by_cells(changed, weights)
        return Tables(pairs, self._triples(changed, weights))

    def _pairs_by_cells(self, changed: Mapping[int, BinnedCells], weights: Floats) -> Floats:
        """Count cells, and divide each cell among its bins."""
        codes: list[Codes] = []
        spreads: list[Points | None] = []
        for place, column in enumerate(self.columns):
            cells = changed.get(place)
            if cells is None:
                codes.append(self._coarse_codes[place])
                spreads.append(None)
            elif cells.spread is None:
                codes.append(column.coarse[cells.codes])
                spreads.append(None)
            else:
                codes.append(cells.codes)
                spreads.append(cells.shares(column.coarse))
        coarse, _ = self.sizes
        n_cells = [
            len(s) if s is not None else int(z) for s, z in zip(spreads, coarse, strict=True)
        ]
        starts = np.cumsum([0, *(n_cells[a] * n_cells[b] for a, b in self.pairs)]).tolist()
        rows = [(a, b, starts[t], n_cells[b]) for t, (a, b) in enumerate(self.pairs)]
        tables = np.array(rows, dtype=np.int64).reshape(-1, 4)
        counts = count_pairs(_code_rows(codes), tables, weights, starts[-1])
        if all(spread is None for spread in spreads):
            return counts
        parts = []
        for t, (a, b) in enumerate(self.pairs):
            table = counts[starts[t] : starts[t + 1]].reshape(n_cells[a], n_cells[b])
            first, second = spreads[a], spreads[b]
            table = table if first is None else first.T @ table
            parts.append((table if second is None else table @ second).ravel())
        return np.concatenate(parts)

    def _pairs_by_shares(self, changed: Mapping[int, BinnedCells], weights: Floats) -> Floats:
        """Multiply the shares of the bins of all columns, record by record."""
        coarse, _ = self.sizes
        ends = np.cumsum([0, *coarse]).tolist()
        shares = [
            changed[place].shares(column.coarse) if place in changed
            else BinnedCells(column.codes, None, np.empty(0, bool)).shares(column.coarse)
            for place, column in enumerate(self.columns)
        ]  # fmt: skip
        codes = [
            changed[place].codes if place in changed else column.codes
            for place, column in enumerate(self.columns)
        ]
        products = np.zeros((ends[-1], ends[-1]))
        for start in range(0, len(weights), ROWS):
            rows = slice(start, start + ROWS)
            matrix = np.hstack([s[c[rows]] for s, c in zip(shares, codes, strict=True)])
            products += (matrix * weights[rows, None]).T @ matrix
        return np.concatenate(
            [products[ends[a] : ends[a + 1], ends[b] : ends[b + 1]].ravel() for a, b in self.pairs]
        )

    def _triples(self, changed: Mapping[int, BinnedCells], weights: Floats) -> Floats:
        """Count tables of three; a cell of several values is divided among their bins."""
        if not self.triples:
            return np.empty(0)
        spread = [place for place, cells in changed.items() if cells.spread is not None]
        codes = [
            column.rough[changed[place].codes] if place in changed and place not in spread
            else self._rough_codes[place]
            for place, column in enumerate(self.columns)
        ]  # fmt: skip
        divided = np.isin(self._places[1], spread).any(axis=1)
        starts, rows = self.layout[1], self._triple_rows
        counts = count_triples(_code_rows(codes), rows[~divided], weights, int(starts[-1]))
        return counts + self._divided(changed, weights, rows[divided]) if spread else counts

    def _divided(
        self, changed: Mapping[int, BinnedCells], weights: Floats, tables: Indices
    ) -> Floats:
        """Counts of the tables of three in which a cell may belong to several bins."""
        cells = [
            changed.get(place, BinnedCells(column.codes, None, np.empty(0, dtype=bool)))
            for place, column in enumerate(self.columns)
        ]
        shares = [one.shares(c.rough) for one, c in zip(cells, self.columns, strict=True)]
        offsets = np.cumsum([0, *(len(matrix) for matrix in shares)])[:-1]
        occupied = [np.nonzero(matrix) for matrix in shares]
        sizes = [np.bincount(rows, minlength=len(m)) for (rows, _), m in
                 zip(occupied, shares, strict=True)]  # fmt: skip
        return divide_among_triples(
            _code_rows([one.codes for one in cells]),
            tables,
            weights,
            int(self.layout[1][-1]),
            offsets.astype(np.int64),
            np.cumsum(np.concatenate([[0], *sizes])).astype(np.int64),
            np.concatenate([bins for _, bins in occupied]).astype(np.int64),
            np.concatenate([m[own] for own, m in zip(occupied, shares, strict=True)]),
        )

    @cached_property
    def _rough_codes(self) -> list[Codes]:
        """Bin of each original record in tables of three, by column."""
        return [column.rough[column.codes] for column in self.columns]

    @cached_property
    def _coarse_codes(self) -> list[Codes]:
        """The same in tables of two."""
        return [column.coarse[column.codes] for column in self.columns]

    @cached_property
    def _triple_rows(self) -> Indices:
        """Columns of each table of three, its first cell, and its numbers of bins but the first."""
        (_, starts), (_, rough) = self.layout, self.sizes
        rows = [(*t, starts[i], rough[t[1]], rough[t[2]]) for i, t in enumerate(self.triples)]
        return np.array(rows, dtype=np.int64).reshape(-1, 6)

    def dependence(self, tables: Tables) -> Tables:
        """The part of each table that its marginals do not explain."""
        products = self._products(tables)
        return Tables(*(part - product for part, product in zip(tables, products, strict=True)))

    def _products(self, tables: Tables) -> Tables:
        """Products of the marginals of each table."""
        pairs, triples = self._shapes
        return Tables(pair_products(tables.pairs, pairs), triple_products(tables.triples, triples))

    @cached_property
    def _shapes(self) -> tuple[Indices, Indices]:
        """First cell and numbers of codes of each table of two, and of three with the column that
        alone is masked."""
        (coarse, rough), (pairs, triples) = self.sizes, self.layout
        of_pairs = [(pairs[t], coarse[a], coarse[b]) for t, (a, b) in enumerate(self.pairs)]
        of_triples = [
            (triples[t], *rough[list(places)], _alone(self.masked[list(places)]))
            for t, places in enumerate(self.triples)
        ]
        return (
            np.array(of_pairs, dtype=np.int64).reshape(-1, 3),
            np.array(of_triples, dtype=np.int64).reshape(-1, 5),
        )

    @cached_property
    def _before(self) -> Tables:
        return self.dependence(self.original)

    def moved(self, changed: Mapping[int, BinnedCells], weights: Floats) -> Points:
        """Weight of the records of each column that are in another bin than in the original.

        In tables of two (row 0) and of three columns. A cell of several bins counts half: it has no
        sampling error of its own, and only that of the original is lost.
        """
        moved = np.zeros((2, len(self.columns)))
        for place, cells in changed.items():
            column = self.columns[place]
            for row, bins in enumerate((column.coarse, column.rough)):
                if cells.spread is None:
                    moved[row, place] = weight_moved(column.codes, cells.codes, bins, weights)
                    continue
                shares = cells.shares(bins)
                part = np.where(shares.max(axis=1) < 1.0, 0.5, 1.0)[:, None] * (1.0 - shares)
                moved[row, place] = weights @ part[cells.codes, bins[column.codes]]
        return moved

    @cached_property
    def moved_at_random(self) -> Points:
        """Share of the records of each column that a random permutation moves to another bin."""
        rows = [
            [1.0 - float(np.sum(np.square(np.bincount(bins, column.counts) / column.counts.sum())))
             for bins in (column.coarse, column.rough)]
            for column in self.columns
        ]  # fmt: skip
        shares: Points = np.maximum(np.array(rows).T, 1e-12)
        return shares

    def lost(self, tables: Tables, hidden: Floats, moved: Points) -> Tables:
        """Dependence of each table that is lost.

        The distance of the dependence from that of the original beyond what chance makes of it, and
        at least the share of records of which a column (of a table of three, every masked column)
        is hidden.

        Args:
            hidden: share of hidden cells of each released column.
            moved: share of moved records, as `moved` counts them.
        """
        after = self.dependence(tables)
        distances = Tables(*(
            np.add.reduceat(np.abs(new - old), starts[:-1]) / 2 if len(new) else np.empty(0)
            for new, old, starts in zip(after, self._before, self.layout, strict=True)
        ))  # fmt: skip
        pairs, triples = self.beyond_chance(distances, moved)
        if hidden.any():
            either = np.array([hidden[list(pair)].max() for pair in self.pairs])
            every = np.array(
                [min(hidden[place] for place in t if self.masked[place]) for t in self.triples]
            )
            pairs = np.maximum(pairs, either * self.there.pairs)
            triples = np.maximum(triples, every * self.there.triples)
        return Tables(pairs, triples)

    def beyond_chance(self, distances: Tables, moved: Points) -> Tables:
        """Distances of dependences less what records that move at random add to them."""
        rest = 1.0 - np.minimum(1.0, moved / self.moved_at_random)
        parts = []
        for share, places, distance, chance in zip(
            rest, self._places, distances, self.chance, strict=True
        ):
            moving = 1.0 - share[places].prod(axis=1)
            parts.append(_beyond(distance, moving * chance))
        return Tables(*parts)

    @cached_property
    def _places(self) -> tuple[Indices, Indices]:
        """Positions of the columns of each table of two, and of three."""
        pairs, triples = self.pairs, self.triples
        return (
            np.array(pairs, dtype=np.int64).reshape(-1, 2),
            np.array(triples, dtype=np.int64).reshape(-1, 3),
        )


def _beyond(distances: Floats, variances: Floats) -> Floats:
    """Distances without the part that is chance."""
    beyond: Floats = np.sqrt(np.maximum(0.0, distances**2 - variances))
    return beyond


def _spread(table: Points, alone: int) -> float:
    """Sum of the standard deviations of the dependence in each cell, for a single record.

    Args:
        alone: the axis that is compared with the two others together, or -1.
    """
    if alone >= 0 and table.ndim == 3:
        table = np.moveaxis(table, alone, 0).reshape(table.shape[alone], -1)
    axes = range(table.ndim)
    first, *others = (
        table.sum(axis=tuple(i for i in axes if i != axis), keepdims=True) for axis in axes
    )
    if table.ndim == 2:
        variances = first * (1.0 - first) * others[0] * (1.0 - others[0])
    else:
        second, third = others
        product = first * second * third
        variances = product * (
            1.0 - first * second - first * third - second * third + 2.0 * product
        )
    return float(np.sqrt(np.maximum(0.0, variances)).sum())


def _alone(masked: Flags) -> int:
    """Position of the only masked column; -1 where there are several."""
    return int(masked.argmax()) if masked.sum() == 1 else -1


def _code_rows(codes: Sequence[Codes]) -> Codes:
    return np.ascontiguousarray(np.array(codes, dtype=np.int32))
