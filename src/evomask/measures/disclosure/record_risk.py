"""Re-identification risk of single records and households, and its histogram."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from evomask.data.chart import Axis, Chart, Series
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.data.units import unit_columns, unit_labels
from evomask.errors import DataError, ParameterError, SchemaError
from evomask.measures.disclosure.privacy_models import released, released_classes
from evomask.measures.measure import About, Side
from evomask.types import Floats, Indices, Labels

INDIVIDUAL = About(
    "reidentifications", "expected re-identifications", Side.PROPERTY,
    "the expected number of released records that an intruder identifies by looking individuals "
    "up in the population",
    low=0, high=inf,
)  # fmt: skip
NEARLY_ALL = 1e-4
"""Share outside the sample below which the formula for pairs cancels and a series is used."""


@dataclass(frozen=True, eq=False)
class IndividualRisk:
    """Estimates for each released record.

    Args:
        sample: size of the equivalence class in the file.
        population: its estimated size in the population, the sum of the survey weights.
        risk: probability of re-identification.
    """

    sample: Indices
    population: Floats
    risk: Floats

    @property
    def expected_reidentifications(self) -> float:
        """Expected number of re-identified records: the sum of all risks."""
        return float(self.risk.sum())


def individual_risk(
    table: Table, names: Sequence[str], weight: str | None = None
) -> IndividualRisk:
    """Individual risk of each released record (Benedetti and Franconi 1998).

    With f records in the class, p = f / (sum of their weights) and q = 1 - p, the risk is the
    mean of 1 / population size under a negative binomial population: (p/q) log(1/p) for f = 1,
    p/q - (p/q)² log(1/p) for f = 2, and from 3 on the customary p / (f - q), which is a few
    percent above at most. Without a weight the file is taken as the whole population and the
    risk is 1 / f.
    """
    classes = released_classes(table, names)
    weights = survey_weights(released(table), weight)
    sizes = classes.sizes_of_records
    population = np.bincount(classes.labels, weights=weights).astype(np.float64)[classes.labels]
    share = np.minimum(sizes / population, 1.0)
    return IndividualRisk(sizes, population, _mean_inverse_population(sizes, share))


def _mean_inverse_population(sizes: Indices, share: Floats) -> Floats:
    rest = 1.0 - share
    odds = np.divide(share, rest, out=np.ones_like(share), where=rest > 0)
    of_uniques = np.where(rest > 0, -odds * np.log(share), 1.0)
    nearly_all = share - share**2 * (1 / 2 + rest / 3 + rest**2 / 4)
    of_pairs = np.where(rest > NEARLY_ALL, odds + odds**2 * np.log(share), nearly_all)
    return np.select([sizes == 1, sizes == 2], [of_uniques, of_pairs], share / (sizes - rest))


def survey_weights(table: Table, weight: str | None) -> Floats:
    """Survey weight of each record, all positive; 1 where the table has none."""
    if weight is None:
        return np.ones(len(table))
    values = table.values(weight)
    wrong = np.flatnonzero(~(values > 0))
    if len(wrong):
        raise DataError(
            f"weight {weight!r} is zero, negative or missing in record {wrong[0] + 1}; "
            "give every record a positive weight"
        )
    return values


def weight_of(table: Table) -> str | None:
    """Name of the survey weight, if there is one."""
    names = table.schema.with_role(Role.WEIGHT)
    if len(names) > 1:
        raise SchemaError(f"one weight is needed, and {', '.join(names)} have that role; keep one")
    return names[0] if names else None


def household_of(table: Table) -> str | None:
    """Name of the coarsest unit whose members are at risk together, if there is one."""
    return next(iter(unit_columns(table.schema)), None)


def any_member_risk(risk: Floats, labels: Labels) -> Floats:
    """For each household, the probability that any member is identified: 1 - prod(1 - risk).

    Members are taken to be identified independently of one another, as in sdcMicro.
    """
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    none: Floats = np.multiply.reduceat(1.0 - risk[order], starts)
    return 1.0 - none


EDGES = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Edges of the cells in percent; without weights a sample unique has 100, one of a pair 50."""

MINIMUM = 10
"""Cells with fewer records are merged."""


@dataclass(frozen=True)
class Cell:
    """Number of records with a risk above *low* and up to *high*, in percent."""

    low: float
    high: float
    records: int


@dataclass(frozen=True)
class RecordRisk:
    """Histogram of the individual risk of the released records.

    Args:
        average: mean risk in percent, also called the global risk.
        minimum: no cell holds fewer records than this, unless it is empty or the only one.
        weight: the survey weight; without one the file is taken as the whole population.
        expected: expected number of re-identified records.
    """

    cells: tuple[Cell, ...]
    average: float
    minimum: int
    weight: str | None = None
    expected: float = 0.0

    @property
    def chart(self) -> Chart:
        """The histogram as a bar chart."""
        names = tuple(f"{cell.low:g} to {cell.high:g}" for cell in self.cells)
        counts = tuple(float(cell.records) for cell in self.cells)
        places = tuple(float(place) for place in range(len(names)))
        return Chart(
            "record-risk",
            "Re-identification risk of single records",
            f"mean re-identification risk {self.average:.2f} percent; "
            f"cells with fewer than {self.minimum} records are merged",
            Axis("re-identification risk, percent", names),
            Axis("records"),
            (Series("records", "bars", places, counts),),
        )


@dataclass(frozen=True)
class HouseholdCell:
    """Number of households whose risk that any member is identified is in a range."""

    low: float
    high: float
    households: int


@dataclass(frozen=True)
class HouseholdRisk:
    """Histogram over households of the risk that any member is identified.

    Args:
        household: the household attribute.
        average: mean over households, in percent.
        expected: expected number of households with an identified member.
        of_records: mean over records of the risk of their households, in percent; sdcMicro's
            hierarchical risk.
        most_exposed: mean over households of the risk of the member at most risk, in percent.
    """

    household: str
    households: int
    cells: tuple[HouseholdCell, ...]
    average: float
    expected: float
    of_records: float
    minimum: int
    most_exposed: float = 0.0


def record_risk(table: Table, names: Sequence[str], minimum: int = MINIMUM) -> RecordRisk:
    """Compute the individual risk of the released records as a histogram."""
    weight = weight_of(table)
    risk = individual_risk(table, names, weight).risk
    cells = histogram(100.0 * risk, EDGES, minimum)
    return RecordRisk(cells, float(100.0 * risk.mean()), minimum, weight, float(risk.sum()))


def household_risk(
    table: Table, names: Sequence[str], minimum: int = MINIMUM
) -> HouseholdRisk | None:
    """Compute the household risk as a histogram; none without a household attribute."""
    household = household_of(table)
    if household is None:
        return None
    labels = unit_labels(released(table), household)
    members = individual_risk(table, names, weight_of(table)).risk
    risk, most = any_member_risk(members, labels), np.zeros(int(labels.max()) + 1)
    np.maximum.at(most, labels, members)
    cells = histogram(100.0 * risk, EDGES, minimum)
    return HouseholdRisk(
        household,
        len(risk),
        tuple(HouseholdCell(cell.low, cell.high, cell.records) for cell in cells),
        float(100.0 * risk.mean()),
        float(risk.sum()),
        float(100.0 * risk[labels].mean()),
        minimum,
        float(100.0 * most.mean()),
    )


def histogram(
    values: Floats, edges: Sequence[float], minimum: int, often: Indices | None = None
) -> tuple[Cell, ...]:
    """Count the values above each edge and up to the next; small cells are merged.

    Args:
        often: number of records with each value; one by default.
    """
    if minimum < 1:
        raise ParameterError(f"the minimum of a cell must be at least 1 record, got {minimum}")
    places = np.searchsorted(np.array(edges[1:]), np.round(values, 9))
    counts = np.bincount(places, often, len(edges) - 1).astype(np.int64).tolist()
    cells = [Cell(edges[i], edges[i + 1], count) for i, count in enumerate(counts)]
    return merge_small_cells(cells, minimum)


def merge_small_cells(cells: Sequence[Cell], minimum: int) -> tuple[Cell, ...]:
    """Merge cells with their lower neighbours until each is empty or holds the minimum.

    A remainder at the low end is merged with the cell above it.
    """
    merged: list[Cell] = []
    for cell in reversed(cells):
        small = merged and 0 < merged[-1].records < minimum
        merged.append(_union(cell, merged.pop()) if small else cell)
    while len(merged) > 1 and 0 < merged[-1].records < minimum:
        last = merged.pop()
        merged.append(_union(last, merged.pop()))
    return tuple(reversed(merged))


def _union(lower: Cell, upper: Cell) -> Cell:
    return Cell(lower.low, upper.high, lower.records + upper.records)
