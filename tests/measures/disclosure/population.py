"""Synthetic population of any size with dependent attributes."""

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from tests.tables import QUASI

SCHOOLS = tuple(f"school {level}" for level in range(8))
JOBS = tuple(f"job {number}" for number in range(12))
REGIONS = tuple(f"region {number}" for number in range(9))
SCHEMA = Schema(
    (
        Attribute("age", Kind.CONTINUOUS, QUASI, decimals=0),
        Attribute("income", Kind.CONTINUOUS, QUASI),
        Attribute("school", Kind.ORDINAL, QUASI, SCHOOLS),
        Attribute("job", Kind.NOMINAL, QUASI, JOBS),
        Attribute("region", Kind.NOMINAL, QUASI, REGIONS),
        Attribute("illness", Kind.NOMINAL, Role.CONFIDENTIAL, ("a", "b", "c", "d")),
    )
)
NUMBERS, CATEGORIES = ("age", "income"), ("school", "job", "region")
NAMES = SCHEMA.quasi_identifiers


def people(n, seed=0):
    """A sample of the population: jobs go with schools, incomes with both, illnesses with age."""
    rng = np.random.default_rng(seed)
    age = rng.gamma(8, 6, n).round().clip(16, 99)
    school = rng.binomial(7, 0.25 + 0.3 * (age < 45))
    job = np.minimum(rng.geometric(0.25, n) - 1 + (school > 3) * rng.integers(0, 5, n), 11)
    region = np.minimum(rng.geometric(0.35, n) - 1, 8)
    income = np.exp(9 + 0.15 * school + 0.03 * job + rng.normal(0, 0.5, n)).round(-2)
    illness = np.where(rng.random(n) < 0.6, (age > 50).astype(int), rng.integers(0, 4, n))
    columns = (age, income, school, job, region, illness)
    return Table(SCHEMA, dict(zip(SCHEMA.names, columns, strict=True)))


def tree(name):
    """Categories in twos, in fours, and all together."""
    categories = SCHEMA[name].categories
    levels = [categories]
    for width in (2, 4):
        levels.append(tuple(f"{i // width} of {width}" for i in range(len(categories))))
    return Hierarchy(categories, (*levels, tuple("*" for _ in categories)))


TREES = {name: tree(name) for name in CATEGORIES}
