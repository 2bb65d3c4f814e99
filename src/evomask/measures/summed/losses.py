"""Losses as sums over parts: what each part adds, and what all of them together have lost.

Tables of counts, moments and shares up to quantiles add up exactly; so the loss is that of the
whole file, whoever counted which part.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from itertools import combinations
from typing import Any

import numpy as np

from evomask.arrays import Codes, Floats, Indices, Points
from evomask.data.table import Table
from evomask.measures.categories import CategoricalColumn, Cells, mean_over_joint
from evomask.measures.judging.loss import (
    NO_TABLES,
    REFERENCE,
    on_scale,
    told_by,
    without,
    without_whole_cells,
)
from evomask.measures.loss.contingency import spread_over_leaves
from evomask.measures.loss.entropy import relative_entropy
from evomask.measures.loss.moments import (
    ROOT_TWO,
    Columns,
    Moments,
    correlations_of,
    covariances_of,
)
from evomask.measures.loss.probabilistic import Quantiles, SamplingErrors, Statistics
from evomask.measures.summed.columns import WholeFile

Tally = tuple[Indices, Indices]
"""Cells of a table of counts that are not empty, as keys in order, and their counts."""

Tallies = Mapping[str, Tally]
"""Tables of counts by name: ``joint a``, ``before a b``, ``after a b``, by place of attributes."""


@dataclass(frozen=True, eq=False)
class MomentSums:
    """Sums over records from which means, covariances and correlations follow."""

    counts: Points
    products: Points
    sums: Points

    @classmethod
    def of(cls, moments: Moments) -> "MomentSums":
        """Of the records of one part."""
        products = summed_products(moments.values, moments.values)
        np.fill_diagonal(products, moments.squares.sum(axis=0))
        return cls(moments.counts, products, summed_products(moments.values, moments.known))

    def __add__(self, other: "MomentSums") -> "MomentSums":
        return MomentSums(*(a + b for a, b in zip(_values(self), _values(other), strict=True)))

    def only(self, places: Indices) -> "MomentSums":
        """The sums of some attributes alone."""
        return MomentSums(*(matrix[np.ix_(places, places)] for matrix in _values(self)))

    @property
    def means(self) -> Floats:
        """Mean of each attribute; 0 where nothing is known."""
        means: Floats = np.diag(self.sums) / np.maximum(np.diag(self.counts), 1)
        return means

    @cached_property
    def covariances(self) -> Points:
        """Population covariance of each pair."""
        return covariances_of(self.counts, self.products, self.sums)

    @cached_property
    def correlations(self) -> Points:
        """Correlation of each pair."""
        return correlations_of(self.covariances)


@dataclass(frozen=True, eq=False)
class NumberSums:
    """What numbers add up to, before and after masking.

    Args:
        powers: squares by squares, cubes by values and fourth powers of the original.
        told: for each pair how much of both is still told.
        up_to: masked values at or below each quantile of the original, an attribute a row.
        moved: distances of masked cells from original ones, attribute by attribute.
    """

    before: MomentSums
    powers: Points
    after: MomentSums
    told: Points
    up_to: Points
    moved: Floats

    def __add__(self, other: "NumberSums") -> "NumberSums":
        return NumberSums(*(a + b for a, b in zip(_values(self), _values(other), strict=True)))


def _values(sums: "MomentSums | NumberSums") -> list[Any]:
    return [getattr(sums, field.name) for field in fields(sums)]


def summed_products(first: Points, second: Points) -> Points:
    """Sums over records of the products of all pairs of columns, the same in every process.

    A matrix product would round by how many threads a process has.
    """
    products: Points = np.einsum("ra,rb->ab", first, second)
    return products


def number_sums(
    whole: WholeFile, original: Table, masked: Table, names: Sequence[str]
) -> NumberSums:
    """What the numbers of one part add."""
    columns = Columns(tuple(whole.number(original, name) for name in names))
    before = columns.moments
    z, squares = before.values, before.values**2
    pairs_of_powers = (squares, squares), (z**3, z), (squares**2, before.known)
    powers = np.stack([summed_products(first, second) for first, second in pairs_of_powers])
    pairs = list(zip(columns.columns, columns.cells(masked), strict=True))
    told = np.column_stack([told_by(column, cells) for column, cells in pairs])
    told[masked.suppressed] = 0.0
    left = [without(cells, told[:, a] == 0.0) for a, (_, cells) in enumerate(pairs)]
    both = summed_products(told, told)
    np.fill_diagonal(both, told.sum(axis=0))
    quantiles = [Quantiles.of(column, REFERENCE) for column in columns.columns]
    scales = [np.full(len(original), ROOT_TWO * column.deviation) for column in columns.columns]
    moved = [
        column.expected_distances(cells, scale).sum()
        for (column, cells), scale in zip(pairs, scales, strict=True)
    ]
    return NumberSums(
        MomentSums.of(before), powers, MomentSums.of(columns.masked_moments(left)), both,
        np.array([q.counts_of(cells) for q, cells in zip(quantiles, left, strict=True)]),
        np.array(moved),
    )  # fmt: skip


def tallies_of(
    whole: WholeFile, original: Table, masked: Table, names: Sequence[str]
) -> dict[str, Tally]:
    """The tables of counts of one part: categories by cells, and all pairs of attributes."""
    columns = [whole.category(original, name) for name in names]
    cells = [column.cells(masked) for column in columns]
    found = {}
    for a, (column, own) in enumerate(zip(columns, cells, strict=True)):
        found[f"joint {a}"] = _counted(column.codes, own.codes, len(own))
    for a, b in combinations(range(len(names)), 2):
        found[f"before {a} {b}"] = _counted(columns[a].codes, columns[b].codes, columns[b].size)
        found[f"after {a} {b}"] = _counted(cells[a].codes, cells[b].codes, len(cells[b]))
    return found


def _counted(first: Codes, second: Codes, width: int) -> Tally:
    keys, counts = np.unique(first.astype(np.int64) * width + second, return_counts=True)
    return keys, counts.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Lost:
    """What a file has lost, by the sums over all its parts.

    Args:
        names: the attributes compared.
        cells: of each attribute of categories what its masked cells stand for, without records.
        tallies: tables of its categories.
        numbers: sums of its numbers; none where it has none.
    """

    whole: WholeFile
    names: tuple[str, ...]
    cells: tuple[Cells, ...]
    tallies: Tallies
    numbers: NumberSums | None

    @cached_property
    def _categories(self) -> list[CategoricalColumn]:
        return [self.whole.categories[n] for n in self.names if n in self.whole.categories]

    @cached_property
    def _places(self) -> dict[str, int]:
        """The place of each attribute among those of its kind."""
        places = {c.attribute.name: place for place, c in enumerate(self._categories)}
        others = [name for name in self.names if name not in places]
        return places | {name: place for place, name in enumerate(others)}

    def loss(self, names: Sequence[str]) -> float:
        """The loss in percent, of all attributes or some, as ``StrictLoss`` has it."""
        categories = [self._places[name] for name in names if name in self.whole.categories]
        numbers = [self._places[name] for name in names if name in self.whole.numbers]
        total = len(categories) * self._of_categories(categories) if categories else 0.0
        total += len(numbers) * self._of_numbers(np.array(numbers)) if numbers else 0.0
        return total / len(names)

    def measures(self) -> dict[str, float]:
        """The losses of single kinds, in percent."""
        moved = [self._moved(place) for place in range(len(self._categories))]
        if self.numbers is not None:
            moved += (self.numbers.moved / self.whole.n_records).tolist()
        found = {"dbil": 100.0 * float(np.mean(moved))}
        every = range(len(self._categories))
        if self._categories:
            found["ctbil"] = self._tables(list(every), list(self.cells))
            found["ebil"] = 100.0 * float(
                np.mean([relative_entropy(self._joint(a)) for a in every])
            )
        return found

    def _joint(self, place: int) -> Indices:
        return joint_of(self.tallies, place, self._categories[place].size, len(self.cells[place]))

    def _moved(self, place: int) -> float:
        column = self._categories[place]
        return mean_over_joint(self._joint(place), self.cells[place], column.distances)

    def _of_categories(self, places: Sequence[int]) -> float:
        columns = [self._categories[place] for place in places]
        counted = [
            without_whole_cells(c, self.cells[p]) for c, p in zip(columns, places, strict=True)
        ]
        unsure = [relative_entropy(self._joint(place)) for place in places]
        nothing = [_nothing(column) for column in columns]
        ends = [
            (mean_over_joint(joint, cells, column.distances), relative_entropy(joint))
            for column, (joint, cells) in zip(columns, nothing, strict=True)
        ]
        moved = [self._moved(place) for place in places]
        readings = self._tables(places, counted), *(100.0 * np.mean([moved, unsure], axis=1))
        return on_scale(readings, (NO_TABLES, *(100.0 * np.mean(ends, axis=0))))

    def _tables(self, places: Sequence[int], cells: Sequence[Cells]) -> float:
        """Differences of all tables of one and two attributes, over 2 n tables, in percent."""
        differences = [*self._differences(places, cells)]
        return 50.0 * sum(differences) / (self.whole.n_records * len(differences))

    def _differences(self, places: Sequence[int], cells: Sequence[Cells]) -> Iterator[float]:
        for place, own in zip(places, cells, strict=True):
            cells_of = self._joint(place).sum(axis=0).astype(np.float64)
            spread = spread_over_leaves(cells_of, [own])
            yield float(np.abs(self._categories[place].counts - spread).sum())
        for (a, first), (b, second) in combinations(zip(places, cells, strict=True), 2):
            pair = f"{a} {b}"
            before, after = self.tallies[f"before {pair}"], self.tallies[f"after {pair}"]
            if first.are_plain and second.are_plain:
                yield _apart(before, after)
            else:
                sizes = self._categories[a].size, self._categories[b].size
                counts = _dense(after, (len(first), len(second))).astype(np.float64)
                spread = spread_over_leaves(counts, [first, second])
                yield float(np.abs(_dense(before, sizes) - spread).sum())

    def _of_numbers(self, places: Indices) -> float:
        sums = self.numbers
        if sums is None:
            return 0.0
        columns = [self.whole.numbers[n] for n in self.names if n in self.whole.numbers]
        before, after = sums.before.only(places), sums.after.only(places)
        square = np.ix_(places, places)
        powers = sums.powers[0][square], sums.powers[1][square], sums.powers[2][square]
        quantiles = tuple(Quantiles.of(columns[place], REFERENCE) for place in places.tolist())
        statistics = Statistics(before, SamplingErrors.by(before, powers, REFERENCE), quantiles)
        shares = sums.up_to[places] / np.maximum(np.diag(after.counts), 1)[:, None]
        return 100.0 * statistics.loss_of(after, sums.told[square], [*shares])


def joint_of(tallies: Tallies, place: int, size: int, cells: int) -> Indices:
    """Records of each category (rows) in each masked cell, of the attribute at a place."""
    return _dense(tallies[f"joint {place}"], (size, cells))


def _nothing(column: CategoricalColumn) -> tuple[Indices, Cells]:
    """A column whose cells are all suppressed: categories by its only cell, and what that is."""
    leaves = np.ones((1, column.size), dtype=bool)
    spread = (column.counts / max(1, int(column.counts.sum())))[None, :]
    return column.counts[:, None], Cells(column.codes, leaves, spread)


def _dense(tally: Tally, shape: tuple[int, int]) -> Indices:
    counts = np.zeros(shape[0] * shape[1], dtype=np.int64)
    counts[tally[0]] = tally[1]
    return counts.reshape(shape)


def _apart(before: Tally, after: Tally) -> float:
    """Sum of absolute differences of two tables of which the occupied cells are at hand."""
    keys, places = np.unique(np.concatenate([before[0], after[0]]), return_inverse=True)
    signed = np.concatenate([before[1], -after[1]])
    return float(np.abs(np.bincount(places, signed, len(keys))).sum())


def added_up(parts: Iterable[NumberSums]) -> NumberSums:
    """The sums of all parts, added in their order."""
    return reduce(lambda a, b: a + b, parts)
