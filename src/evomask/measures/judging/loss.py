"""Loss: 0 is the original, 100 a file with nothing in it, whatever the number of records.

Numbers lose by how surprising their statistics would be in a *sample of a thousand* records of
the same population; a cell that covers several values has lost the share of the ranks that it
covers. Categories lose by three measures, each on a scale that ends where all cells are
suppressed; such cells count nowhere in tables of counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from evomask.arrays import Flags, Floats
from evomask.data.table import Table
from evomask.measures.categories import CategoricalColumn, Cells
from evomask.measures.comparability import categorical, check_masked, check_original, continuous
from evomask.measures.judging.wide import are_whole
from evomask.measures.loss.contingency import ContingencyLoss
from evomask.measures.loss.distance import DistanceLoss
from evomask.measures.loss.entropy import EntropyLoss
from evomask.measures.loss.moments import Columns
from evomask.measures.loss.probabilistic import Statistics
from evomask.measures.measure import About, Reading, Side
from evomask.measures.numbers import NumberCells, NumberColumn
from evomask.measures.tracked.trackable import Request, TrackableReading

REFERENCE = 1_000
"""Records in the sample whose errors are the yardstick of numbers."""

NO_TABLES = 50.0
"""What differences of tables read (``ctbil``) where nothing is counted any more."""


@dataclass(frozen=True)
class StrictLoss:
    """The loss of a file: mean of the losses by kind, weighted by number of attributes."""

    attributes: tuple[str, ...]

    about: ClassVar[About] = About(
        "loss",
        "information loss",
        Side.LOSS,
        "how much of what the file could tell is gone: 0 is the original, 100 a file in which "
        "every cell is suppressed",
    )

    def against(self, original: Table) -> Reading:
        """Prepare the losses of the kinds that are there."""
        check_original(original, self.attributes)
        categories = categorical(original.schema, self.attributes)
        numbers = continuous(original.schema, self.attributes)
        parts: list[tuple[int, Reading]] = []
        if categories:
            parts.append((len(categories), _of_categories(original, categories)))
        if numbers:
            parts.append((len(numbers), _of_numbers(original, numbers)))

        def reading(masked: Table) -> float:
            check_masked(original, masked, self.attributes)
            total = sum(weight * read(masked) for weight, read in parts)
            return total / len(self.attributes)

        request = Request(self.about.name, self.attributes, reference=REFERENCE)
        return TrackableReading(reading, original, request)


def ends_of_scales(original: Table, names: tuple[str, ...]) -> tuple[float, float, float]:
    """What ``ctbil``, ``dbil`` and ``ebil`` read where all cells of categories are suppressed."""
    nothing = original.suppressing(np.ones(len(original), dtype=bool))
    moved, unsure = (kind(names).against(original) for kind in (DistanceLoss, EntropyLoss))
    return NO_TABLES, moved(nothing), unsure(nothing)


def on_scale(readings: Sequence[float], ends: Sequence[float]) -> float:
    """The mean of losses on their own scales, in percent.

    A loss that suppressing everything leaves at 0 has no scale and does not count; where that
    is so of all, anything that has changed is everything there was.
    """
    pairs = [(read, end) for read, end in zip(readings, ends, strict=True) if end > 0]
    if not pairs:
        return 100.0 if any(readings) else 0.0
    return float(np.mean([min(100.0, 100.0 * read / end) for read, end in pairs]))


def _of_categories(original: Table, names: tuple[str, ...]) -> Reading:
    ends = ends_of_scales(original, names)
    columns = [CategoricalColumn.of(original, name) for name in names]
    moved, unsure = (kind(names).against(original) for kind in (DistanceLoss, EntropyLoss))

    def reading(masked: Table) -> float:
        cells = [without_whole_cells(column, column.cells(masked)) for column in columns]
        tables = ContingencyLoss(names).compared(columns, cells)
        counted = 50.0 * tables.total / (len(original) * tables.tables)
        return on_scale((counted, moved(masked), unsure(masked)), ends)

    return reading


def without_whole_cells(column: CategoricalColumn, cells: Cells) -> Cells:
    """Cells that count nowhere in tables where they may stand for everything there is."""
    whole = are_whole(column, cells)
    if not whole.any():
        return cells
    return Cells(cells.codes, cells.leaves, np.where(whole[:, None], 0.0, cells.spread))


def _of_numbers(original: Table, names: tuple[str, ...]) -> Reading:
    columns = Columns.of(original, names)
    statistics = Statistics.of(columns, REFERENCE)

    def reading(masked: Table) -> float:
        pairs = list(zip(columns.columns, columns.cells(masked), strict=True))
        told = np.column_stack([told_by(column, cells) for column, cells in pairs])
        told[masked.suppressed] = 0.0
        cells = [without(cells, told[:, a] == 0.0) for a, (_, cells) in enumerate(pairs)]
        both = told.T @ told
        np.fill_diagonal(both, told.sum(axis=0))
        return 100.0 * statistics.loss(cells, columns.masked_moments(cells), both)

    return reading


def told_by(column: NumberColumn, cells: NumberCells) -> Floats:
    """What each cell still tells: 1 a number, 0 one that is missing or may be anything."""
    told: Floats = (~np.isnan(cells.low)).astype(np.float64)
    sets = np.flatnonzero(cells.are_sets)
    if len(sets):
        covered = column.ranks_at(cells.last[sets] - 1) - column.ranks_at(cells.first[sets])
        least, most = column.ranks_at(np.array([0, column.n_known - 1]))
        told[sets] = 1.0 - covered / max(float(most - least), 1.0)
    return told


def without(cells: NumberCells, gone: Flags) -> NumberCells:
    """The cells with those that tell nothing as missing ones."""
    low, high, centre = (
        np.where(gone, np.nan, part) for part in (cells.low, cells.high, cells.centre)
    )
    first, last = (np.where(gone, 0, part) for part in (cells.first, cells.last))
    return NumberCells(low, high, centre, first, last)
