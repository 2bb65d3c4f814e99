"""A small population for tests of analyses to preserve."""

import numpy as np

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table

QUASI = Role.QUASI_IDENTIFIER
SCHOOLS = ("none", "basic", "middle", "higher")


def people(n=600, seed=1, weighted=False):
    """People whose hours and income depend on school, sex and age."""
    rng = np.random.default_rng(seed)
    school, sex, age = rng.integers(0, 4, n), rng.integers(0, 2, n), rng.integers(18, 80, n)
    hours = 20 + 4 * school + 3 * sex + rng.normal(0, 5, n)
    odds = -4 + 0.8 * school + 0.05 * age
    rich = (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(int)
    attributes = [
        Attribute("school", Kind.ORDINAL, QUASI, SCHOOLS),
        Attribute("sex", Kind.NOMINAL, QUASI, ("f", "m")),
        Attribute("age", Kind.CONTINUOUS, QUASI),
        Attribute("hours", Kind.CONTINUOUS),
        Attribute("income", Kind.NOMINAL, Role.CONFIDENTIAL, ("low", "high")),
        Attribute("name", Kind.NOMINAL, Role.IDENTIFIER, tuple(f"p{i}" for i in range(n))),
    ]
    columns = {
        "school": school, "sex": sex, "age": age, "hours": hours, "income": rich,
        "name": np.arange(n),
    }  # fmt: skip
    if weighted:
        attributes.append(Attribute("weight", Kind.CONTINUOUS, Role.WEIGHT))
        columns["weight"] = rng.uniform(1, 9, n)
    return Table(Schema(tuple(attributes)), columns)


def values_of(statistic, when="before"):
    """The estimates of an analysis by name."""
    return {value.name: getattr(value, when) for value in statistic.values}
