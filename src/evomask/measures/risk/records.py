"""Risk of single records as a histogram, so that no record can be recognised in it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats
from evomask.data.chart import Axis, Chart, Series
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.risk.individual import individual_risk, weight_of

EDGES = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Ends of the cells in percent; a record alone has 100 without weights, one of two has 50."""

MINIMUM = 10
"""Cells with fewer records are merged."""


@dataclass(frozen=True)
class Cell:
    """How many records have a risk above *low* and up to *high*, in percent."""

    low: float
    high: float
    records: int


@dataclass(frozen=True)
class RecordRisk:
    """How the risk of a right identification is spread over the released records.

    Args:
        average: mean risk in percent; times the records the expected re-identifications.
        minimum: no cell holds fewer records than this, unless it is empty or the only one.
        weight: attribute that says how many people a record stands for; without one the file
            is taken as the whole population.
    """

    cells: tuple[Cell, ...]
    average: float
    minimum: int
    weight: str | None = None

    @property
    def chart(self) -> Chart:
        """The histogram as a bar chart: records by their risk."""
        names = tuple(f"{cell.low:g} to {cell.high:g}" for cell in self.cells)
        counts = tuple(float(cell.records) for cell in self.cells)
        places = tuple(float(place) for place in range(len(names)))
        return Chart(
            "record-risk",
            "Risk of single records",
            f"a record is identified with a chance of {self.average:.2f} percent on average; "
            f"cells with fewer than {self.minimum} records are merged",
            Axis("risk of a right identification, percent", names),
            Axis("records"),
            (Series("records", "bars", places, counts),),
        )


def record_risk(table: Table, names: Sequence[str], minimum: int = MINIMUM) -> RecordRisk:
    """Individual risk of the released records by classes of look-alikes and survey weights."""
    if minimum < 1:
        raise ParameterError(f"the minimum of a cell must be at least 1 record, got {minimum}")
    weight = weight_of(table)
    risk: Floats = np.round(100.0 * individual_risk(table, names, weight).risk, 9)
    places = np.searchsorted(np.array(EDGES[1:]), risk)
    counts = np.bincount(places, minlength=len(EDGES) - 1).tolist()
    cells = [Cell(EDGES[i], EDGES[i + 1], count) for i, count in enumerate(counts)]
    return RecordRisk(merged(cells, minimum), float(risk.mean()), minimum, weight)


def merged(cells: Sequence[Cell], minimum: int) -> tuple[Cell, ...]:
    """Cells joined to their lower neighbours until each is empty or holds the minimum.

    What is left at the low end joins the cell above it.
    """
    joined: list[Cell] = []
    for cell in reversed(cells):
        small = joined and 0 < joined[-1].records < minimum
        joined.append(_joined(cell, joined.pop()) if small else cell)
    while len(joined) > 1 and 0 < joined[-1].records < minimum:
        last = joined.pop()
        joined.append(_joined(last, joined.pop()))
    return tuple(reversed(joined))


def _joined(lower: Cell, upper: Cell) -> Cell:
    return Cell(lower.low, upper.high, lower.records + upper.records)
