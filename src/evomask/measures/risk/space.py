"""Records as an intruder compares them: original and masked ones in one space."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm

import numpy as np

from evomask.arrays import Floats, Indices, Points
from evomask.data.classes import Classes, classes_of_columns
from evomask.data.schema import Kind
from evomask.data.table import Column, Table
from evomask.errors import SchemaError
from evomask.kernels.linking.linkage import Candidates, Rows, Terms
from evomask.measures.categories import CategoricalColumn, Cells
from evomask.measures.comparability import check_original
from evomask.measures.numbers import NumberColumn

LARGEST_UNIT = 2**36
"""Sums of such units stay far enough apart for the kernel to tell them apart."""


@dataclass(frozen=True, eq=False)
class Masked:
    """A masked table in a space: its records, and what its cells add to distances."""

    rows: Rows
    cells: tuple[Cells, ...]


@dataclass(frozen=True, eq=False)
class SortedCandidates:
    """Candidates, and the position each had before they were sorted."""

    candidates: Candidates
    order: Indices


@dataclass(frozen=True, eq=False)
class Space:
    """Several attributes of an original, with distances between its records and masked ones.

    The distance of two records is the sum over continuous attributes of squared standardised
    differences plus the sum over categorical attributes of their distances. Distances of
    categories are fractions; all are brought to whole numbers by their common denominator, so
    that ties are exact.
    """

    numbers: tuple[NumberColumn, ...]
    categories: tuple[CategoricalColumn, ...]
    n_records: int

    @classmethod
    def of(cls, original: Table, names: Sequence[str]) -> "Space":
        """The space of the attributes *names*."""
        check_original(original, names)
        if not names:
            raise SchemaError("an intruder needs at least one attribute to compare; name one")
        kinds = {name: original.attribute(name).is_categorical for name in names}
        return cls(
            tuple(NumberColumn.of(original, name) for name in names if not kinds[name]),
            tuple(CategoricalColumn.of(original, name) for name in names if kinds[name]),
            len(original),
        )

    @cached_property
    def unit(self) -> int:
        """The whole number that stands for a distance of 1."""
        ordinal = [c for c in self.categories if c.attribute.kind is Kind.ORDINAL]
        common = lcm(*(max(1, c.attribute.domain_size) for c in ordinal))
        return common if common <= LARGEST_UNIT else LARGEST_UNIT

    @cached_property
    def weights(self) -> Floats:
        """What a squared difference of 1 in each continuous attribute adds to a distance."""
        variances = np.array([column.deviation**2 for column in self.numbers])
        weights: Floats = self.unit / np.where(variances > 0, variances, 1.0)
        return weights

    @cached_property
    def originals(self) -> Rows:
        """The original records as rows to compare; a number has two equal ends."""
        columns: list[Column] = [column.values for column in self.numbers]
        columns += [column.codes for column in self.categories]
        at_hand = len(columns[0])
        values = _points([column.values for column in self.numbers], at_hand)
        codes = _codes([column.codes for column in self.categories], at_hand)
        return Rows(values, values, codes)

    @cached_property
    def classes(self) -> Classes:
        """Equivalence classes of the original: records alike in all compared attributes."""
        columns: list[Column] = [column.values for column in self.numbers]
        columns += [column.codes for column in self.categories]
        return classes_of_columns(columns, self.n_records)

    @cached_property
    def candidates(self) -> tuple[Candidates, Indices]:
        """The distinct original records, and which of them each record is."""
        return self.candidates_of(self.originals, self.classes)

    @cached_property
    def direction(self) -> Floats | None:
        """The direction in which original records differ most; none without plain numbers.

        Scaled so that places along it are never farther apart than records are.
        """
        if not self.numbers or not self.originals.are_plain:
            return None
        scaled = (self.originals.low - self.originals.low.mean(axis=0)) * np.sqrt(self.weights)
        direction: Floats = np.linalg.eigh(scaled.T @ scaled)[1][:, -1] * np.sqrt(self.weights)
        return direction

    def places(self, rows: Rows) -> Floats:
        """Places of records along the direction; NaN where they have none.

        Terms are added one by one, as kernels do it: a matrix product rounds by the number of
        rows, and a record that is its own original must stand exactly at its place.
        """
        if self.direction is None or rows.low is not rows.high:
            return np.full(len(rows), np.nan)
        places = np.zeros(len(rows))
        for terms in ((rows.low - self.originals.low[0]) * self.direction).T:
            places += terms
        return places

    def sorted_candidates(self, rows: Rows, counts: Indices) -> "SortedCandidates":
        """Distinct records sorted by their places, if they have any."""
        places = self.places(rows)
        if np.isnan(places).any():
            order = np.arange(len(rows))
            return SortedCandidates(Candidates(rows, counts, np.empty(0)), order)
        order = np.argsort(places, kind="stable")
        return SortedCandidates(Candidates(rows.take(order), counts[order], places[order]), order)

    def candidates_of(self, rows: Rows, classes: Classes) -> tuple[Candidates, Indices]:
        """The distinct records, sorted by their places, and which of them each record is."""
        ordered = self.sorted_candidates(rows.take(classes.representatives), classes.sizes)
        where = np.empty_like(ordered.order)
        where[ordered.order] = np.arange(len(ordered.order))
        return ordered.candidates, where[classes.labels]

    def masked(self, masked: Table) -> Masked:
        """The records of a masked table."""
        ends = [column.ends(masked) for column in self.numbers]
        cells = tuple(column.cells(masked) for column in self.categories)
        low = _points([low for low, _ in ends], len(masked))
        plain = all(low is high for low, high in ends)
        high = low if plain else _points([high for _, high in ends], len(masked))
        codes = _codes([coded.codes for coded in cells], len(masked))
        return Masked(Rows(low, high, codes), cells)

    def terms(self, masked: Masked, *, from_originals: bool = False) -> Terms:
        """Distances from masked records as targets, or from originals as targets.

        A generalized cell is at distance 0 from what it covers, and else at the distance of
        its nearest leaf.
        """
        pairs = zip(self.categories, masked.cells, strict=True)
        tables = [self._table(column, cells) for column, cells in pairs]
        if from_originals:
            tables = [table.T for table in tables]
        sizes = np.array([table.size for table in tables], dtype=np.int64)
        return Terms(
            self.weights,
            float(self.unit),
            np.concatenate([table.ravel() for table in tables]) if tables else np.empty(0),
            np.cumsum(sizes) - sizes,
            np.array([table.shape[1] for table in tables], dtype=np.int64),
        )

    def _table(self, column: CategoricalColumn, cells: Cells) -> Points:
        distances = np.round(column.distances * self.unit)
        if cells.are_plain:
            return distances
        rows = [distances[leaves].min(axis=0) for leaves in cells.leaves]
        return np.array(rows)


def _points(columns: Sequence[Floats], n_records: int) -> Points:
    return np.column_stack(columns) if columns else np.empty((n_records, 0))


def _codes(columns: Sequence[Column], n_records: int) -> Column:
    return np.column_stack(columns) if columns else np.empty((n_records, 0), dtype=np.int32)
