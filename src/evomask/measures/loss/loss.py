"""Information loss of the strict profile: 0 is the original, 100 a file with nothing in it.

It does not depend on the number of records. Numbers lose by the change of their statistics
relative to the sampling error in a *sample of a thousand* records of the same population; a cell
that covers several values has lost the share of the ranks that it covers. Categories lose by three
measures, each on a scale that ends where all cells are suppressed; such cells do not enter
contingency tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.data.table import Table
from evomask.measures.columns import CategoricalColumn, CategoryCells, NumberCells, NumberColumn
from evomask.measures.disclosure.release_index import uninformative_cells
from evomask.measures.incremental.readings import Request, TrackableReading
from evomask.measures.measure import (
    About,
    Reading,
    Side,
    categorical,
    check_masked,
    check_original,
    continuous,
)
from evomask.measures.papers.categorical_loss import ContingencyLoss, DistanceLoss, EntropyLoss
from evomask.measures.papers.continuous_loss import Statistics
from evomask.measures.statistics import Columns
from evomask.types import Flags, Floats

REFERENCE = 1_000
"""Records in the sample whose sampling errors scale the loss of numbers."""

NO_TABLES = 50.0
"""Value of the contingency-table loss where no cell is counted any more."""


@dataclass(frozen=True)
class StrictLoss:
    """Information loss: mean of the losses by kind, weighted by number of attributes."""

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "loss",
        "information loss",
        Side.LOSS,
        "the share of the information in the file that is lost: 0 is the original, 100 a file in "
        "which every cell is suppressed",
    )

    def against(self, original: Table) -> Reading:
        check_original(original, self.attributes)
        categories = categorical(original.schema, self.attributes)
        numbers = continuous(original.schema, self.attributes)
        parts: list[tuple[int, Reading]] = []
        if categories:
            parts.append((len(categories), _categorical_reading(original, categories)))
        if numbers:
            parts.append((len(numbers), _continuous_reading(original, numbers)))

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            total = sum(weight * read(masked) for weight, read in parts)
            return total / len(self.attributes)

        request = Request(self.about.name, self.attributes, reference=REFERENCE)
        return TrackableReading(reading, original, request)


def ends_of_scales(original: Table, names: tuple[str, ...]) -> tuple[float, float, float]:
    """Values of ``ctbil``, ``dbil`` and ``ebil`` where all categorical cells are suppressed."""
    nothing = original.suppressing(np.ones(len(original), dtype=bool))
    distance, entropy = (kind(names).against(original) for kind in (DistanceLoss, EntropyLoss))
    return NO_TABLES, distance(nothing), entropy(nothing)


def on_scale(readings: Sequence[float], ends: Sequence[float]) -> float:
    """Mean of losses in percent of the ends of their scales.

    A loss that is 0 even where everything is suppressed has no scale and is left out. Where
    that holds for all losses, any change counts as 100.
    """
    pairs = [(read, end) for read, end in zip(readings, ends, strict=True) if end > 0]
    if not pairs:
        return 100.0 if any(readings) else 0.0
    return float(np.mean([min(100.0, 100.0 * read / end) for read, end in pairs]))


def _categorical_reading(original: Table, names: tuple[str, ...]) -> Reading:
    ends = ends_of_scales(original, names)
    columns = [CategoricalColumn.of(original, name) for name in names]
    distance, entropy = (kind(names).against(original) for kind in (DistanceLoss, EntropyLoss))

    def reading(masked: Table) -> float:
        cells = [without_uninformative_cells(column, column.cells(masked)) for column in columns]
        tables = ContingencyLoss(names).compared(columns, cells)
        contingency = 50.0 * tables.total / (len(original) * tables.tables)
        return on_scale((contingency, distance(masked), entropy(masked)), ends)

    return reading


def without_uninformative_cells(column: CategoricalColumn, cells: CategoryCells) -> CategoryCells:
    """Leave cells that cover every category out of the counts of contingency tables."""
    flags = uninformative_cells(column, cells)
    if not flags.any():
        return cells
    return CategoryCells(cells.codes, cells.leaves, np.where(flags[:, None], 0.0, cells.spread))


def _continuous_reading(original: Table, names: tuple[str, ...]) -> Reading:
    columns = Columns.of(original, names)
    statistics = Statistics.of(columns, REFERENCE)

    def reading(masked: Table) -> float:
        pairs = list(zip(columns.columns, columns.cells(masked), strict=True))
        retained = np.column_stack([information_retained(c, cells) for c, cells in pairs])
        retained[masked.suppressed] = 0.0
        cells = [as_missing(cells, retained[:, a] == 0.0) for a, (_, cells) in enumerate(pairs)]
        both = retained.T @ retained
        np.fill_diagonal(both, retained.sum(axis=0))
        return 100.0 * statistics.loss(cells, columns.masked_moments(cells), both)

    return reading


def information_retained(column: NumberColumn, cells: NumberCells) -> Floats:
    """Information left in each cell: 1 for a number, 0 for a missing or uninformative cell."""
    retained: Floats = (~np.isnan(cells.low)).astype(np.float64)
    sets = np.flatnonzero(cells.are_sets)
    if len(sets):
        covered = column.ranks_at(cells.last[sets] - 1) - column.ranks_at(cells.first[sets])
        least, most = column.ranks_at(np.array([0, column.n_known - 1]))
        retained[sets] = 1.0 - covered / max(float(most - least), 1.0)
    return retained


def as_missing(cells: NumberCells, flags: Flags) -> NumberCells:
    """Replace the flagged cells by missing ones."""
    low, high, centre = (
        np.where(flags, np.nan, part) for part in (cells.low, cells.high, cells.centre)
    )
    first, last = (np.where(flags, 0, part) for part in (cells.first, cells.last))
    return NumberCells(low, high, centre, first, last)
