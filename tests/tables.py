"""Small tables that tests build on."""

import numpy as np

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table

QUASI = Role.QUASI_IDENTIFIER


def numbers(**columns):
    """A table of continuous quasi-identifiers."""
    schema = Schema(tuple(Attribute(name, Kind.CONTINUOUS, QUASI) for name in columns))
    return Table(schema, {name: np.array(values, dtype=float) for name, values in columns.items()})


def mixed(n_records=60, seed=0):
    """Every kind and role, with missing values."""
    rng = np.random.default_rng(seed)
    schema = Schema(
        (
            Attribute("id", Kind.NOMINAL, Role.IDENTIFIER, tuple(str(i) for i in range(n_records))),
            Attribute("age", Kind.CONTINUOUS, QUASI, decimals=0),
            Attribute("income", Kind.CONTINUOUS, QUASI),
            Attribute("school", Kind.ORDINAL, QUASI, ("none", "basic", "middle", "high")),
            Attribute("region", Kind.NOMINAL, QUASI, ("north", "south", "west", "")),
            Attribute("illness", Kind.NOMINAL, Role.CONFIDENTIAL, ("a", "b", "c")),
            Attribute("weight", Kind.CONTINUOUS, Role.WEIGHT),
        )
    )
    income = rng.lognormal(10, 1, n_records)
    income[rng.integers(n_records, size=3)] = np.nan
    return Table(
        schema,
        {
            "id": np.arange(n_records),
            "age": rng.integers(18, 90, n_records).astype(float),
            "income": income,
            "school": rng.integers(0, 4, n_records),
            "region": rng.integers(0, 4, n_records),
            "illness": rng.integers(0, 3, n_records),
            "weight": rng.uniform(50, 150, n_records),
        },
    )
