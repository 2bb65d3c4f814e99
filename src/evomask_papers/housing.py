"""Stand-in for the U.S. Housing survey of 1993 (Marés, 2013), used in every chapter.

The thesis' extract of a thousand houses is not available. A thousand people of Adult replace it:
BUILT is age in 24 bands, GRADE1 hours a week in 20, DEGREE schooling, cut so that every category
has the frequency printed in Table 4.2; METRO, which is even, is occupation with the rarest
categories merged into nine, and SCH, which is skewed, is race. As in Table 2.2 each of the first
three has one more, empty category, ".". So results on Housing agree qualitatively; what depends on
the frequencies of DEGREE alone agrees in value.
"""

from functools import lru_cache

import numpy as np

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.io.dialects import Dialect
from evomask.io.tables import read_table
from evomask.types import Codes, Indices

RECORDS = 1_000
DEGREE = np.array([98.0, 173.0, 251.0, 195.0, 170.0, 80.0, 33.0, 0.0])
"""Table 4.2: number of houses in each category of DEGREE."""

DEGREES = ("1", "2", "3", "4", "5", "6", "9", ".")
PROTECTED = ("BUILT", "DEGREE", "GRADE1")
BESIDE = {"METRO": 9, "SCH": 5}
"""Unprotected attributes, with their numbers of categories here."""

AGE_BAND, BUILT_BANDS, HOURS_BAND, GRADES = 3, 24, 5, 20


@lru_cache
def housing() -> Table:
    """Return the stand-in file: three ordinal quasi-identifiers and two nominal attributes."""
    names = ("age", "education-num", "hours-per-week", "occupation", "race")
    everyone = read_table(reference_file("uci/adult.csv"), {}, Dialect(missing=("?",))).only(names)
    occupation = everyone.attribute("occupation")
    known = everyone.codes("occupation") < occupation.domain_size
    people = everyone.take(np.flatnonzero(known)[:RECORDS])
    ages = (people.values("age").astype(np.int64) - 17) // AGE_BAND
    hours = (people.values("hours-per-week").astype(np.int64) - 1) // HOURS_BAND
    columns = {
        "BUILT": np.clip(ages, 0, BUILT_BANDS - 1).astype(np.int32),
        "DEGREE": _cut(people.values("education-num").astype(np.int64)),
        "GRADE1": np.clip(hours, 0, GRADES - 1).astype(np.int32),
        "METRO": _joined(people.codes("occupation"), BESIDE["METRO"]),
        "SCH": _joined(people.codes("race"), BESIDE["SCH"]),
    }
    return Table(_schema(), columns)


def _schema() -> Schema:
    categories = {
        "BUILT": _numbered(BUILT_BANDS, "."), "DEGREE": DEGREES, "GRADE1": _numbered(GRADES, "."),
    }  # fmt: skip
    protected = [
        Attribute(name, Kind.ORDINAL, Role.QUASI_IDENTIFIER, categories[name]) for name in PROTECTED
    ]
    others = [
        Attribute(name, Kind.NOMINAL, Role.OTHER, _numbered(size)) for name, size in BESIDE.items()
    ]
    return Schema((*protected, *others))


def _numbered(size: int, *more: str) -> tuple[str, ...]:
    return (*map(str, range(1, size + 1)), *more)


def _cut(values: Indices) -> Codes:
    """Categories in the order of the values with the frequencies of Table 4.2; ties by record."""
    codes = np.empty(len(values), dtype=np.int32)
    sizes = DEGREE.astype(np.int64)
    codes[np.argsort(values, kind="stable")] = np.repeat(np.arange(len(sizes)), sizes)
    return codes


def _joined(codes: Codes, size: int) -> Codes:
    order = np.argsort(-np.bincount(codes), kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order))
    return np.minimum(rank[codes], size - 1).astype(np.int32)
