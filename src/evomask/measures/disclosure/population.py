"""Population risk: prosecutor, journalist and marketer risk, k-map, and population uniques.

The prosecutor knows that a person is in the file, so a record of a class of f is found with
probability 1 / f. The journalist does not, and has to choose among the F people of the population
with these values: 1 / F. The marketer matches everybody; their risk is the expected share of
correct matches, the mean of 1 / F. F is counted in a population table. Without one, and where the
file is a sample by its weights or by the stated size of the population, F is f and a Poisson number
of others, whose mean is that of the interpolated log-linear model fitted to all other records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from evomask.data.classes import classes_of, classes_of_columns
from evomask.data.population import UNKNOWN, Population
from evomask.data.scenario import Scenario, default_scenario
from evomask.data.table import Table
from evomask.data.units import counted_unit, unit_labels
from evomask.errors import DataError
from evomask.measures.disclosure.population_log_linear import (
    Cells,
    LogLinearFit,
    independence,
    interpolated,
    mean_inverse,
    two_way,
)
from evomask.measures.disclosure.population_table import people_like
from evomask.measures.disclosure.population_uniques import (
    SMALL_SHARE,
    ClassSizes,
    dankar,
    pitman,
    slide_negative_binomial,
    zayatz,
)
from evomask.measures.disclosure.privacy_models import released
from evomask.measures.disclosure.record_risk import (
    survey_weights,
    weight_of,
)
from evomask.types import Floats

LIMITS = (0.09, 0.2)
"""Risks above which records are counted: thresholds of health data and of public use files."""

MOST_UNSEEN = 0.1
"""Share of records with a value of their own above which log-linear models do not extrapolate."""

FITS = 1.96
"""Largest standardised B of a model that is not rejected at the level of 5 %."""


@dataclass(frozen=True)
class IntruderRisk:
    """Risk of all records against one kind of intruder.

    Args:
        largest, average: over records, from 0 to 1.
        above: share of records with a risk above each of the limits 0.09 and 0.2.
    """

    largest: float
    average: float
    above: tuple[float, ...]


@dataclass(frozen=True)
class Estimate:
    """Population uniques estimated by one model.

    Args:
        uniques: people of the population who are alone in their class.
        tau1: sample uniques who are population uniques; by expectation where the model is not
            log-linear.
        tau2: expected correct matches of sample uniques; None where the model gives none.
        fit: standardised test of fit B of a log-linear model.
    """

    uniques: float
    tau1: float
    tau2: float | None = None
    fit: float | None = None


@dataclass(frozen=True)
class PopulationRisk:
    """Population risk in one scenario.

    Args:
        size: people of the population; the number of records where the file is all of it.
        basis: where population frequencies come from: table, weights, size or file.
        known: attributes known exactly; in a scenario with a choice, the most telling ones.
        records: number of records; of units in classes, where the scenario counts units.
        takes_part: whether the prosecutor (or else the journalist) is this scenario's intruder.
        k_map: fewest people of the population who fit a class; by estimation 1 / the largest risk
            of the journalist.
        uniques: population uniques: with a table, the counted ones of the file scaled to the
            population, else estimated by the chosen model.
        chosen: name of the model, empty where uniques are counted.
        reason: why it was chosen.
    """

    scenario: str
    known: tuple[str, ...]
    takes_part: bool
    records: int
    size: float
    basis: str
    sample_uniques: int
    prosecutor: IntruderRisk
    journalist: IntruderRisk
    marketer: float
    k_map: float
    uniques: float
    chosen: str
    reason: str
    estimates: Mapping[str, Estimate]

    @property
    def unique_share(self) -> float:
        """Population uniques as a share of the population."""
        return self.uniques / self.size

    def value(self, name: str, limit: float = 0.0) -> float:
        """Value that a limit refers to: the largest risks, and uniques as a share.

        Args:
            limit: from 1 on, a limit of population uniques is a number of people.
        """
        match name:
            case "k-map":
                return self.k_map
            case "population_uniques":
                return self.uniques if limit >= 1 else self.unique_share
            case "marketer":
                return self.marketer
        return float(getattr(self, name).largest)

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "estimates": {n: asdict(e) for n, e in self.estimates.items()}}


def population_risks(table: Table, *, every_model: bool = False) -> tuple[PopulationRisk, ...]:
    """Population risk of the released records in every scenario that knows attributes exactly.

    Args:
        every_model: whether population uniques are estimated by all models, not by the chosen one
            alone.
    """
    table, population = released(table), table.schema.population
    scenarios = table.schema.scenarios or (default_scenario(table.schema.quasi_identifiers),)
    found = []
    for scenario in scenarios:
        known = dict.fromkeys(
            tuple(name for name in names if name in table.schema)
            for names in scenario.combinations()
        )
        if any(known):
            unit = counted_unit(table.schema, scenario)
            worst = max(known, key=lambda names: int((classes_of(table, names).sizes == 1).sum()))
            counted = one_of_each_unit(table, worst, unit) if unit else table
            found.append(
                population_risk(counted, worst, population, scenario, every_model=every_model)
            )
    return tuple(found)


def one_of_each_unit(table: Table, names: Sequence[str], unit: str) -> Table:
    """Return the table with one record of each unit in each class on *names*.

    Sizes of classes are then numbers of persons or households, the targets of intruders.
    """
    units = unit_labels(table, unit)
    pairs = classes_of(table, names).labels * (int(units.max(initial=0)) + 1) + units
    return table.take(np.sort(np.unique(pairs, return_index=True)[1]))


def population_risk(
    table: Table,
    names: tuple[str, ...],
    population: Population = UNKNOWN,
    scenario: Scenario | None = None,
    *,
    every_model: bool = False,
) -> PopulationRisk:
    """Population risk of the records of a table for an intruder who knows *names* exactly."""
    classes = classes_of(table, names)
    sizes = classes.sizes_of_records.astype(np.float64)
    size, basis = _population_of(table, population)
    estimates: dict[str, Estimate] = {}
    chosen = reason = ""
    if population.table is not None:
        labels, people = people_like(population.table, table, names)
        people = np.maximum(people, np.bincount(labels))  # who is in the file exists
        inverse, smallest = 1.0 / people[labels], float(people.min())
        uniques = float(np.sum(people[labels] == 1)) * size / len(table)
    else:
        inverse, uniques = 1.0 / sizes, float(np.sum(sizes == 1))
        if size > len(table):
            cells = cells_of(table, names)
            fit = interpolated(cells, size)
            if every_model:
                estimates = estimate_uniques(cells, size, fit)
            elif share_unseen(table, names) > MOST_UNSEEN:
                estimates = estimates_by_sizes(cells, size)
            else:
                estimates = {"interpolated": _estimate(fit)}
            chosen, reason = choose_estimate(table, names, size, estimates)
            uniques = estimates[chosen].uniques
            means = np.zeros(len(classes)) if fit.left_out is None else fit.left_out
            others = means * (1 - len(table) / size)
            inverse = mean_inverse(classes.sizes, others)[classes.labels]
        smallest = 1.0 / float(inverse.max())
    return PopulationRisk(
        scenario.name if scenario else "",
        names,
        scenario.takes_part if scenario else True,
        len(table),
        size,
        basis,
        int(np.sum(sizes == 1)),
        _risk(1.0 / sizes),
        _risk(inverse),
        float(inverse.mean()),
        smallest,
        uniques,
        chosen,
        reason,
        estimates,
    )


def _population_of(table: Table, population: Population) -> tuple[float, str]:
    """Size of the population, and where it comes from."""
    name = weight_of(table)
    size, basis = float(survey_weights(table, name).sum()), "weights" if name else "file"
    if population.size is not None:
        if population.size < len(table):
            raise DataError(
                f"a population of {population.size:g} people is smaller than the file of "
                f"{len(table)} records; give the size of the population that it was drawn from"
            )
        size, basis = population.size, "size"
    if population.table is not None:
        size, basis = population.size or float(population.table.counts.sum()), "table"
    return max(size, float(len(table))), basis


def _risk(values: Floats) -> IntruderRisk:
    return IntruderRisk(
        float(values.max()),
        float(values.mean()),
        tuple(float(np.mean(values > limit + 1e-12)) for limit in LIMITS),
    )


def estimate_uniques(
    cells: Cells, population: float, interpolation: LogLinearFit | None = None
) -> dict[str, Estimate]:
    """Population uniques of a sample by every model that has a solution, by name.

    Args:
        interpolation: the interpolated model, if it is fitted already.
    """
    fits: dict[str, LogLinearFit | None] = {
        "independence": independence(cells, population),
        "two-way": two_way(cells, population),
        "interpolated": interpolation or interpolated(cells, population),
    }
    log_linear = {name: _estimate(fit) for name, fit in fits.items() if fit is not None}
    return {**log_linear, **estimates_by_sizes(cells, population)}


def _estimate(fit: LogLinearFit) -> Estimate:
    return Estimate(fit.uniques, fit.tau1, fit.tau2, fit.fit)


def estimates_by_sizes(cells: Cells, population: float) -> dict[str, Estimate]:
    """Population uniques by the models of class sizes alone that have a solution, by name."""
    sample = ClassSizes.of(cells.counts, population)
    found = {
        "pitman": pitman(sample),
        "zayatz": min(zayatz(sample), population),
        "snb": slide_negative_binomial(sample),
    }
    return {
        name: Estimate(uniques, uniques * sample.share)
        for name, uniques in found.items()
        if uniques is not None
    }


def cells_of(table: Table, names: Sequence[str]) -> Cells:
    """Cells with records of a table."""
    classes = classes_of(table, names)
    values = [
        classes_of_columns([table[name][classes.representatives]], len(classes)).labels
        for name in names
    ]
    return Cells(np.column_stack(values), classes.sizes)


def share_unseen(table: Table, names: Sequence[str]) -> float:
    """Share of records with a value of some attribute that no other record has.

    It is about the share of the population with a value that no record has (Good and Turing).
    """
    alone = np.zeros(len(table), dtype=bool)
    for name in names:
        alone |= classes_of(table, [name]).sizes_of_records == 1
    return float(alone.mean())


def choose_estimate(
    table: Table, names: Sequence[str], population: float, estimates: Mapping[str, Estimate]
) -> tuple[str, str]:
    """Name of the model whose population uniques are reported, and the reason.

    The interpolated log-linear model, unless many records have a value of an attribute that no
    other record has: then others of the population have values that no record has, of which such
    models know nothing, and Dankar's rule decides.
    """
    unseen = share_unseen(table, names)
    if unseen <= MOST_UNSEEN:
        fit = estimates["interpolated"].fit or 0.0
        holds = "is not rejected" if abs(fit) <= FITS else "is rejected at 5 %"
        return "interpolated", (
            "it weighs log-linear models from independence on by how well they predict records "
            f"left out; by Skinner and Shlomo's test of fit (B = {fit:.1f}) it {holds}"
        )
    share = len(table) / population
    values = {
        name: estimates[name].uniques if name in estimates else None
        for name in ("pitman", "zayatz", "snb")
    }
    side = "at most" if share <= SMALL_SHARE else "above"
    return dankar(share, values), (
        f"{100 * unseen:.0f} % of the records have a value that no other record has, of which "
        "log-linear models know too little; by Dankar's rule for a sampling fraction "
        f"{side} {100 * SMALL_SHARE:g} %"
    )
