"""Comparison of original and masked records: distances and nearest records."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm

import numpy as np

from evomask.data.classes import Classes, classes_of_columns
from evomask.data.schema import Kind
from evomask.data.table import Column, Table
from evomask.errors import SchemaError
from evomask.kernels.linking import code_tree, linkage
from evomask.kernels.linking.linkage import Candidates, Rows, Terms
from evomask.measures.columns import (
    CategoricalColumn,
    CategoryCells,
    ColumnOf,
    NumberColumn,
    column_of,
)
from evomask.measures.measure import check_original
from evomask.types import Floats, Indices, Points

LARGEST_UNIT = 2**36
"""Smallest unit whose sums differ by more than the tie tolerance of the kernel."""


@dataclass(frozen=True, eq=False)
class Masked:
    """Records of a masked table in a comparison space, and the cells of its categories."""

    rows: Rows
    cells: tuple[CategoryCells, ...]


@dataclass(frozen=True, eq=False)
class SortedCandidates:
    """Candidate records, sorted, and their positions before sorting."""

    candidates: Candidates
    order: Indices


@dataclass(frozen=True, eq=False)
class Space:
    """Attributes of an original, with distances between original and masked records.

    The distance of two records is the sum over continuous attributes of squared standardised
    differences plus the sum over categorical attributes of their distances. Distances of
    categories are fractions; a common denominator makes them whole numbers, so that ties are
    exact.
    """

    numbers: tuple[NumberColumn, ...]
    categories: tuple[CategoricalColumn, ...]
    n_records: int

    @classmethod
    def of(cls, original: Table, names: Sequence[str], column_of: ColumnOf = column_of) -> "Space":
        check_original(original, names)
        if not names:
            raise SchemaError("an intruder needs at least one attribute to compare; name one")
        columns = [column_of(original, name) for name in names]
        return cls(
            tuple(column for column in columns if isinstance(column, NumberColumn)),
            tuple(column for column in columns if isinstance(column, CategoricalColumn)),
            columns[0].n_records,
        )

    @cached_property
    def unit(self) -> int:
        """The whole number that stands for a distance of 1."""
        ordinal = [c for c in self.categories if c.attribute.kind is Kind.ORDINAL]
        common = lcm(*(max(1, c.attribute.domain_size) for c in ordinal))
        return common if common <= LARGEST_UNIT else LARGEST_UNIT

    @cached_property
    def weights(self) -> Floats:
        """Contribution of a squared difference of 1 in each continuous attribute."""
        variances = np.array([column.deviation**2 for column in self.numbers])
        weights: Floats = self.unit / np.where(variances > 0, variances, 1.0)
        return weights

    @cached_property
    def originals(self) -> Rows:
        """The original records; the two ends of a number are equal."""
        columns: list[Column] = [column.values for column in self.numbers]
        columns += [column.codes for column in self.categories]
        at_hand = len(columns[0])
        values = _points([column.values for column in self.numbers], at_hand)
        codes = _codes([column.codes for column in self.categories], at_hand)
        return Rows(values, values, codes)

    @cached_property
    def classes(self) -> Classes:
        """Equivalence classes of the original on all compared attributes."""
        columns: list[Column] = [column.values for column in self.numbers]
        columns += [column.codes for column in self.categories]
        return classes_of_columns(columns, self.n_records)

    @cached_property
    def candidates(self) -> tuple[Candidates, Indices]:
        """The distinct original records, and the one that each record equals."""
        return self.candidates_of(self.originals, self.classes)

    @cached_property
    def direction(self) -> Floats | None:
        """First principal direction of the original records; none without plain numbers.

        Scaled so that projections are never farther apart than records are.
        """
        if not self.numbers or not self.originals.are_plain:
            return None
        scaled = (self.originals.low - self.originals.low.mean(axis=0)) * np.sqrt(self.weights)
        direction: Floats = np.linalg.eigh(scaled.T @ scaled)[1][:, -1] * np.sqrt(self.weights)
        return direction

    def places(self, rows: Rows) -> Floats:
        """Projections of records on the principal direction; NaN where they have none.

        Terms are added one by one, as in the kernels: a matrix product rounds by the number of
        rows, and equal records must have exactly equal projections.
        """
        if self.direction is None or rows.low is not rows.high:
            return np.full(len(rows), np.nan)
        places = np.zeros(len(rows))
        for terms in ((rows.low - self.originals.low[0]) * self.direction).T:
            places += terms
        return places

    def sorted_candidates(self, rows: Rows, counts: Indices) -> "SortedCandidates":
        """Sort distinct records by their projections, if they have any."""
        places = self.places(rows)
        if np.isnan(places).any():
            order = np.arange(len(rows))
            return SortedCandidates(Candidates(rows, counts, np.empty(0)), order)
        order = np.argsort(places, kind="stable")
        return SortedCandidates(Candidates(rows.take(order), counts[order], places[order]), order)

    def candidates_of(self, rows: Rows, classes: Classes) -> tuple[Candidates, Indices]:
        """The distinct records, sorted by projection, and the one that each record equals."""
        ordered = self.sorted_candidates(rows.take(classes.representatives), classes.sizes)
        where = np.empty_like(ordered.order)
        where[ordered.order] = np.arange(len(ordered.order))
        return ordered.candidates, where[classes.labels]

    def masked(self, masked: Table) -> Masked:
        """Records of a masked table in this space."""
        ends = [column.ends(masked) for column in self.numbers]
        cells = tuple(column.cells(masked) for column in self.categories)
        low = _points([low for low, _ in ends], len(masked))
        plain = all(low is high for low, high in ends)
        high = low if plain else _points([high for _, high in ends], len(masked))
        codes = _codes([coded.codes for coded in cells], len(masked))
        return Masked(Rows(low, high, codes), cells)

    def terms(self, masked: Masked, *, from_originals: bool = False) -> Terms:
        """Distance terms with masked records as targets, or with originals as targets.

        The distance of a generalized cell is that of its nearest leaf: 0 from what it covers.
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

    def _table(self, column: CategoricalColumn, cells: CategoryCells) -> Points:
        distances = np.round(column.distances * self.unit)
        if cells.are_plain:
            return distances
        rows = [distances[leaves].min(axis=0) for leaves in cells.leaves]
        return np.array(rows)


def _points(columns: Sequence[Floats], n_records: int) -> Points:
    return np.column_stack(columns) if columns else np.empty((n_records, 0))


def _codes(columns: Sequence[Column], n_records: int) -> Column:
    return np.column_stack(columns) if columns else np.empty((n_records, 0), dtype=np.int32)


FEWEST_FOR_TREE = 100
"""Minimum number of targets for building a tree."""


def tied_with_own(
    targets: Rows, places: Floats, own: Indices, candidates: Candidates, terms: Terms
) -> Indices:
    """For each target, the number of records as near as its own one; 0 if any is nearer.

    A tree search where all attributes are categorical, else a scan.

    Args:
        places: projections of the targets on the principal direction of the candidates.
    """
    if _suits_a_tree(targets):
        return code_tree.ties_in_tree(targets.codes, own, candidates, terms)
    return linkage.tied_with_own(targets, places, own, candidates, terms)


def nearest_ties(
    targets: Rows, places: Floats, candidates: Candidates, terms: Terms
) -> tuple[Indices, Indices]:
    """All nearest candidates of each target: target i has ``found[ends[i]:ends[i + 1]]``."""
    if _suits_a_tree(targets):
        return code_tree.nearest_in_tree(targets.codes, candidates, terms)
    return linkage.nearest_ties(targets, places, candidates, terms)


def _suits_a_tree(targets: Rows) -> bool:
    return not targets.low.shape[1] and len(targets) > FEWEST_FOR_TREE
