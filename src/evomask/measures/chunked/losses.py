"""Information loss as sums over chunks.

Contingency tables, moments and counts up to quantiles are exact sums, so the loss equals that of
the whole file, however it was split.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, reduce
from itertools import combinations
from typing import Any

import numpy as np

from evomask.data.table import Table
from evomask.measures.chunked.columns import WholeFile
from evomask.measures.columns import CategoricalColumn, CategoryCells, mean_over_joint
from evomask.measures.loss.loss import (
    NO_TABLES,
    REFERENCE,
    as_missing,
    information_retained,
    on_scale,
    without_uninformative_cells,
)
from evomask.measures.papers.continuous_loss import Quantiles, SamplingErrors, Statistics
from evomask.measures.statistics import (
    ROOT_TWO,
    Columns,
    Moments,
    correlations_of,
    covariances_of,
    relative_entropy,
    spread_over_leaves,
)
from evomask.types import Codes, Floats, Indices, Points

Tally = tuple[Indices, Indices]
"""Occupied cells of a contingency table as sorted keys, and their counts."""

Tallies = Mapping[str, Tally]
"""Tables by name: ``joint a``, ``before a b``, ``after a b``, by position of attributes."""


@dataclass(frozen=True, eq=False)
class MomentSums:
    """Sums over records that give means, covariances and correlations."""

    counts: Points
    products: Points
    sums: Points

    @classmethod
    def of(cls, moments: Moments) -> "MomentSums":
        products = summed_products(moments.values, moments.values)
        np.fill_diagonal(products, moments.squares.sum(axis=0))
        return cls(moments.counts, products, summed_products(moments.values, moments.known))

    def __add__(self, other: "MomentSums") -> "MomentSums":
        return MomentSums(*(a + b for a, b in zip(_values(self), _values(other), strict=True)))

    def only(self, places: Indices) -> "MomentSums":
        return MomentSums(*(matrix[np.ix_(places, places)] for matrix in _values(self)))

    @property
    def means(self) -> Floats:
        means: Floats = np.diag(self.sums) / np.maximum(np.diag(self.counts), 1)
        return means

    @cached_property
    def covariances(self) -> Points:
        return covariances_of(self.counts, self.products, self.sums)

    @cached_property
    def correlations(self) -> Points:
        return correlations_of(self.covariances)


@dataclass(frozen=True, eq=False)
class NumberSums:
    """Sums over the numbers of a chunk, before and after masking.

    Args:
        powers: squares by squares, cubes by values and fourth powers of the original.
        told: information retained of both attributes, for each pair.
        up_to: masked values at or below each quantile of the original, one row per attribute.
        moved: distances of masked cells from original ones, per attribute.
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
    """Sums over records of the products of all pairs of columns, identical in every process.

    A matrix product would round differently with the number of threads.
    """
    products: Points = np.einsum("ra,rb->ab", first, second)
    return products


def number_sums(
    whole: WholeFile, original: Table, masked: Table, names: Sequence[str]
) -> NumberSums:
    """Sums over the numbers of one chunk."""
    columns = Columns(tuple(whole.number(original, name) for name in names))
    before = columns.moments
    z, squares = before.values, before.values**2
    pairs_of_powers = (squares, squares), (z**3, z), (squares**2, before.known)
    powers = np.stack([summed_products(first, second) for first, second in pairs_of_powers])
    pairs = list(zip(columns.columns, columns.cells(masked), strict=True))
    told = np.column_stack([information_retained(column, cells) for column, cells in pairs])
    told[masked.suppressed] = 0.0
    left = [as_missing(cells, told[:, a] == 0.0) for a, (_, cells) in enumerate(pairs)]
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
    """Contingency tables of one chunk: categories by cells, and all pairs of attributes."""
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
    """Information loss of a file, from the sums over its chunks.

    Args:
        names: the compared attributes.
        cells: meaning of the masked cells of each categorical attribute, without records.
        tallies: tables of its categories.
        numbers: sums of its numbers; None if it has none.
    """

    whole: WholeFile
    names: tuple[str, ...]
    cells: tuple[CategoryCells, ...]
    tallies: Tallies
    numbers: NumberSums | None

    @cached_property
    def _categories(self) -> list[CategoricalColumn]:
        return [self.whole.categories[n] for n in self.names if n in self.whole.categories]

    @cached_property
    def _places(self) -> dict[str, int]:
        places = {c.attribute.name: place for place, c in enumerate(self._categories)}
        others = [name for name in self.names if name not in places]
        return places | {name: place for place, name in enumerate(others)}

    def loss(self, names: Sequence[str]) -> float:
        """Loss in percent of all attributes or some, as defined by ``StrictLoss``."""
        categories = [self._places[name] for name in names if name in self.whole.categories]
        numbers = [self._places[name] for name in names if name in self.whole.numbers]
        total = len(categories) * self._of_categories(categories) if categories else 0.0
        total += len(numbers) * self._of_numbers(np.array(numbers)) if numbers else 0.0
        return total / len(names)

    def measures(self) -> dict[str, float]:
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
            without_uninformative_cells(c, self.cells[p])
            for c, p in zip(columns, places, strict=True)
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

    def _tables(self, places: Sequence[int], cells: Sequence[CategoryCells]) -> float:
        """Differences of all tables of one and two attributes, over 2 n tables, in percent."""
        differences = [*self._differences(places, cells)]
        return 50.0 * sum(differences) / (self.whole.n_records * len(differences))

    def _differences(
        self, places: Sequence[int], cells: Sequence[CategoryCells]
    ) -> Iterator[float]:
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
    """Records of each category (rows) in each masked cell, for the attribute at a position."""
    return _dense(tallies[f"joint {place}"], (size, cells))


def _nothing(column: CategoricalColumn) -> tuple[Indices, CategoryCells]:
    """A column with all cells suppressed: categories by its only cell, and that cell."""
    leaves = np.ones((1, column.size), dtype=bool)
    spread = (column.counts / max(1, int(column.counts.sum())))[None, :]
    return column.counts[:, None], CategoryCells(column.codes, leaves, spread)


def _dense(tally: Tally, shape: tuple[int, int]) -> Indices:
    counts = np.zeros(shape[0] * shape[1], dtype=np.int64)
    counts[tally[0]] = tally[1]
    return counts.reshape(shape)


def _apart(before: Tally, after: Tally) -> float:
    """Sum of absolute differences of two tables given by their occupied cells."""
    keys, places = np.unique(np.concatenate([before[0], after[0]]), return_inverse=True)
    signed = np.concatenate([before[1], -after[1]])
    return float(np.abs(np.bincount(places, signed, len(keys))).sum())


def added_up(parts: Iterable[NumberSums]) -> NumberSums:
    """Add the sums of all chunks, in order."""
    return reduce(lambda a, b: a + b, parts)
