"""Risk of single records as a histogram, so that no record can be recognised in it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.data.chart import Axis, Chart, Series
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.risk.individual import (
    any_member_risk,
    household_of,
    households,
    individual_risk,
    weight_of,
)
from evomask.measures.risk.privacy_models import released

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
        average: mean risk in percent, also called the global risk.
        minimum: no cell holds fewer records than this, unless it is empty or the only one.
        weight: attribute that says how many people a record stands for; without one the file
            is taken as the whole population.
        expected: how many records are expected to be identified.
    """

    cells: tuple[Cell, ...]
    average: float
    minimum: int
    weight: str | None = None
    expected: float = 0.0

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


@dataclass(frozen=True)
class HouseholdCell:
    """In how many households the risk that any member is identified lies in a range, in percent."""

    low: float
    high: float
    households: int


@dataclass(frozen=True)
class HouseholdRisk:
    """How the risk that any member is identified is spread over households.

    Args:
        household: attribute that tells which records are of one household.
        average: mean over households, in percent.
        expected: in how many households somebody is expected to be identified.
        of_records: mean over records of the risk of their households, in percent; sdcMicro's
            hierarchical risk.
    """

    household: str
    households: int
    cells: tuple[HouseholdCell, ...]
    average: float
    expected: float
    of_records: float
    minimum: int


def record_risk(table: Table, names: Sequence[str], minimum: int = MINIMUM) -> RecordRisk:
    """Individual risk of the released records by classes of look-alikes and survey weights."""
    weight = weight_of(table)
    risk = individual_risk(table, names, weight).risk
    cells = histogram(100.0 * risk, EDGES, minimum)
    return RecordRisk(cells, float(100.0 * risk.mean()), minimum, weight, float(risk.sum()))


def household_risk(
    table: Table, names: Sequence[str], minimum: int = MINIMUM
) -> HouseholdRisk | None:
    """The risk that any member of a household is identified; none without household numbers."""
    household = household_of(table)
    if household is None:
        return None
    labels = households(released(table), household)
    risk = any_member_risk(individual_risk(table, names, weight_of(table)).risk, labels)
    cells = histogram(100.0 * risk, EDGES, minimum)
    return HouseholdRisk(
        household,
        len(risk),
        tuple(HouseholdCell(cell.low, cell.high, cell.records) for cell in cells),
        float(100.0 * risk.mean()),
        float(risk.sum()),
        float(100.0 * risk[labels].mean()),
        minimum,
    )


def histogram(
    values: Floats, edges: Sequence[float], minimum: int, often: Indices | None = None
) -> tuple[Cell, ...]:
    """How many values lie above each edge and up to the next; small cells are merged.

    Args:
        often: how many records have each value; one by default.
    """
    if minimum < 1:
        raise ParameterError(f"the minimum of a cell must be at least 1 record, got {minimum}")
    places = np.searchsorted(np.array(edges[1:]), np.round(values, 9))
    counts = np.bincount(places, often, len(edges) - 1).astype(np.int64).tolist()
    cells = [Cell(edges[i], edges[i + 1], count) for i, count in enumerate(counts)]
    return merged(cells, minimum)


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
