"""Small mixed tables with many ties, and masked versions with every type of cell."""

import numpy as np

from evomask.data.recoding import Intervals
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from tests.tables import QUASI, sets_of

SCHEMA = Schema(
    (
        Attribute("age", Kind.CONTINUOUS, QUASI),
        Attribute("income", Kind.CONTINUOUS, QUASI),
        Attribute("school", Kind.ORDINAL, QUASI, ("none", "basic", "middle", "high", "")),
        Attribute("region", Kind.NOMINAL, QUASI, ("north", "south", "west", "")),
        Attribute("illness", Kind.NOMINAL, Role.CONFIDENTIAL, ("a", "b", "c")),
    )
)
KNOWN = SCHEMA.quasi_identifiers


def original(rng, n=24):
    """Few different values, some of them missing."""
    age, income = rng.integers(0, 5, n).astype(float), rng.integers(0, 9, n) * 2.5
    age[rng.random(n) < 0.1] = np.nan
    return Table(
        SCHEMA,
        {
            "age": age,
            "income": income,
            "school": rng.choice(5, n, p=[0.3, 0.3, 0.2, 0.1, 0.1]),
            "region": rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1]),
            "illness": rng.integers(0, 3, n),
        },
    )


def perturbed(table, rng):
    """Some cells of all attributes from other records."""
    changes = {
        name: np.where(
            rng.random(len(table)) < 0.3, table[name][rng.permutation(len(table))], table[name]
        )
        for name in table.schema.names
    }
    return table.with_columns(changes)


def exchanged(table, rng):
    """Everything but illnesses moves between records, of half of the people."""
    chosen = rng.permutation(len(table))[: len(table) // 2]
    order = np.arange(len(table))
    order[chosen] = rng.permutation(chosen)
    return table.with_columns({name: table[name][order] for name in KNOWN})


def renamed(table, rng):
    """Categories with the names of others."""
    names = ("school", "region")
    sizes = [len(table.attribute(name).categories) for name in names]
    return table.with_columns(
        {n: rng.permutation(s)[table.codes(n)] for n, s in zip(names, sizes, strict=True)}
    )


def generalized(table, rng):
    """True sets and intervals in some records, suppressed cells in others."""
    region = table.codes("region")
    cells = [[0], [1], [2], [3], [0, 1], [2, 3], [0, 1, 2, 3]]
    choice = rng.integers(0, 3, len(table))
    codes = np.where(choice == 0, region, np.where(choice == 1, 4 + region // 2, 6))
    table = table.with_recoded("region", codes, sets_of([str(c) for c in cells], cells, 4))
    age = table.values("age")
    known = np.nan_to_num(age).astype(int)
    low = np.array([0.0, 1, 2, 3, 4, 0, 2, 0, np.nan])
    high = np.array([0.0, 1, 2, 3, 4, 1.5, 4, 4, np.nan])
    choice = rng.integers(0, 3, len(table))
    codes = np.where(choice == 0, known, np.where(choice == 1, 5 + (known > 1), 7))
    codes = np.where(np.isnan(age), 8, codes)
    labels = tuple(str(c) for c in range(9))
    return table.with_recoded("age", codes, Intervals(labels, low, high))


def suppressed(table, rng):
    """Some records left out."""
    return table.suppressing(rng.random(len(table)) < 0.15)


STEPS = {
    "perturbed": (perturbed,),
    "exchanged": (exchanged,),
    "renamed": (renamed,),
    "generalized": (generalized,),
    "suppressed": (suppressed,),
    "perturbed and suppressed": (perturbed, suppressed),
    "perturbed and generalized": (perturbed, generalized),
    "all": (perturbed, renamed, generalized, suppressed),
}


def masked(table, how, rng):
    """A masked version by the name of what is done to it."""
    for step in STEPS[how]:
        table = step(table, rng)
    return table
