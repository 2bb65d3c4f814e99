"""Chapter 3 of the thesis on evolved protections: its data sets and printed values.

See `housing` for the U.S. Housing survey. Adult has 48,842 records in two files; the second,
`uci/adult_test.csv`, is read where it is there, the first has 32,561. All records are used that
lack none of the three attributes, and below full effort a share of them.
All categories are taken as ordered, as the thesis' top coding and rank swapping need it: by their
codes, schooling by its length.
"""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.io.dialects import Dialect
from evomask.io.tables import read_table
from evomask_papers.effort import Effort
from evomask_papers.file_study import Timing
from evomask_papers.housing import PROTECTED, housing

CENSUS, DIABETES, EIA, TARRAGONA = "Census", "Diabetes", "EIA", "Tarragona"
ADULT, GERMAN, FLARE = "Adult", "German credit", "Solar flare"
HOUSING = "Housing (ours: Adult)"
CONTINUOUS = (CENSUS, DIABETES, EIA, TARRAGONA)
CATEGORICAL = (ADULT, HOUSING, GERMAN, FLARE)

FILES = {
    CENSUS: "casc/census.csv",
    DIABETES: "uci/pima_diabetes.csv",
    EIA: "casc/eia.csv",
    TARRAGONA: "casc/tarragona.csv",
    ADULT: "uci/adult.csv",
    GERMAN: "uci/german_credit.csv",
    FLARE: "uci/solar_flare.csv",
}
MORE_OF_ADULT = "adult_test.csv"
RECORDS = {EIA: 2000}
"""Number of records used, if not all."""

FIRST_FILES = {CENSUS: 42, DIABETES: 16, EIA: 16, TARRAGONA: 16}
"""Number of first files; in the thesis 50, 16, 16 and 16, all swapped or microaggregated."""

SCHOOLING = (
    "Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad",
    "Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate",
)  # fmt: skip

NUMBERS = {
    DIABETES: (
        "pregnancies", "glucose", "blood_pressure", "skin_thickness", "insulin", "bmi",
        "pedigree", "age",
    ),
    EIA: (
        "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES",
        "OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES",
    ),
}  # fmt: skip
CATEGORIES = {
    ADULT: ("education", "marital-status", "occupation"),
    GERMAN: ("EXISTACC", "SAVINGS", "PRESEMPLOY"),
    FLARE: ("CLASS", "LARGSPOT", "SPOTDIST"),
}

FINAL_SCORES = {
    CENSUS: ((6.1238, 16.2848, 45.9179), (6.4298, 16.4577, 45.9179)),
    DIABETES: ((8.8885, 23.4609, 43.1845), (6.1106, 21.3981, 43.1845)),
    EIA: ((11.4812, 14.7233, 31.9693), (10.8979, 15.0532, 31.9693)),
    TARRAGONA: ((5.5862, 17.7956, 49.8576), (7.1513, 19.0316, 49.8576)),
}
"""Table 3.2: smallest, mean and largest score of two executions."""

FIRST_BEST = {CENSUS: 20.0802, DIABETES: 20.7190, EIA: 17.7906, TARRAGONA: 21.4104}
"""The best score of the first population, from the text."""

LAST_BEST = {CENSUS: 6.4298, DIABETES: 8.8885, EIA: 10.8979, TARRAGONA: 5.5862}
"""The best score at the end of the runs of figure 3.3, from the text."""

SECONDS = {
    DIABETES: (
        (Timing(144.8, 141.9, 151.1, 2.96), Timing(1.12, 1.03, 1.54, 0.19)),
        (Timing(74.50, 71.99, 77.22, 1.74), Timing(0.57, 0.52, 1.05, 0.14)),
    ),
    EIA: (
        (Timing(858.7, 836.5, 868.9, 11.0), Timing(3.11, 3.04, 3.18, 0.05)),
        (Timing(442.0, 434.5, 450.8, 5.19), Timing(1.55, 1.48, 1.59, 0.03)),
    ),
    CENSUS: (
        (Timing(271.6, 267.7, 273.7, 2.24), Timing(2.18, 2.14, 2.215, 0.02)),
        (Timing(140.4, 137.3, 142.6, 2.43), Timing(1.09, 1.08, 1.11, 0.01)),
    ),
    TARRAGONA: (
        (Timing(167.4, 163.1, 171.7, 2.33), Timing(1.83, 1.70, 2.29, 0.09)),
        (Timing(82.85, 78.85, 85.84, 2.07), Timing(0.94, 0.85, 1.82, 0.13)),
    ),
}
"""Table 3.3: seconds of fitness and of the rest, in a crossover and in a mutation."""

Fall = tuple[float, float]
FALLS: dict[str, dict[str, tuple[Fall, Fall, Fall | None]]] = {
    "mean": {
        ADULT: ((41.95, 36.6), (33.05, 31.78), (29.68, 29.61)),
        HOUSING: ((36.96, 36.14), (29.79, 25.25), (20.36, 20.12)),
        GERMAN: ((36.59, 31.74), (29.37, 28.91), (26.68, 26.54)),
        FLARE: ((42.53, 33.56), (29.57, 28.13), None),
    },
    "worst": {
        ADULT: ((72.19, 64.38), (47.05, 38.57), (30.70, 30.28)),
        HOUSING: ((72.65, 69.63), (42.32, 30.12), None),
        GERMAN: ((65.87, 44.85), (40.76, 33.42), (29.18, 28.05)),
        FLARE: ((76.17, 50.22), (44.83, 36.36), (31.77, 31.63)),
    },
}
"""First and last of the population's largest, mean and smallest score, by score; the text of
figures 3.7 and 3.9. None if the smallest did not decrease: it is not printed."""

ROBUST = {0.0: 31.63, 5.0: 32.96, 10.0: 32.71}
"""Smallest worst score on Solar flare without the best 0, 5 and 10 percent of the first files."""


LEAST_RECORDS = 2000
"""Least number of records of Adult, for any effort."""


def original_for(name: str, effort: Effort) -> Table:
    """Return one of the data sets; of Adult, the share of the effort."""
    table = original(name)
    if name != ADULT:
        return table
    return table.take(np.arange(min(len(table), effort.of(len(table), LEAST_RECORDS))))


@lru_cache(maxsize=8)
def original(name: str) -> Table:
    """One of the files, the protected attributes as quasi-identifiers."""
    if name == HOUSING:
        return housing().only(PROTECTED)
    path = reference_file(FILES[name])
    if name in CATEGORIES:
        ordinal = Declaration(Kind.ORDINAL, Role.QUASI_IDENTIFIER)
        declared = dict.fromkeys(CATEGORIES[name], ordinal)
        if name == ADULT:
            declared["education"] = replace(ordinal, categories=SCHOOLING)
        table = read_table(path, declared, Dialect(missing=("?",))).only(declared)
        if name == ADULT:
            table = with_more(table, path.with_name(MORE_OF_ADULT))
        return _complete(table, RECORDS.get(name))
    table = read_table(path)
    table = table.only(NUMBERS.get(name, table.schema.names))
    table = table.take(np.arange(min(len(table), RECORDS.get(name, len(table)))))
    roles = dict.fromkeys(table.schema.names, Role.QUASI_IDENTIFIER)
    return table.with_schema(table.schema.assigning(roles))


def with_more(table: Table, path: Path) -> Table:
    """Append the records of a second file to a table of categories, if there is one."""
    if not path.is_file():
        return table
    declared = {a.name: Declaration(a.kind, a.role, categories=a.categories) for a in table.schema}
    more = read_table(path, declared, Dialect(missing=("?",))).only(declared)
    columns = {name: np.concatenate([table[name], more[name]]) for name in table.schema.names}
    return Table(table.schema, columns)


def _complete(table: Table, records: int | None) -> Table:
    known = [table[n] < table.attribute(n).domain_size for n in table.schema.names]
    return table.take(np.flatnonzero(np.all(known, axis=0))[:records])
