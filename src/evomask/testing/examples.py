"""The example file that laws are checked on, and masked versions of it."""

from collections.abc import Mapping

import numpy as np

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Column, Table
from evomask.masking.microaggregation.mondrian import Mondrian

NUMBERS = ("age", "income")
CATEGORIES = ("school", "region")
QUASI = Role.QUASI_IDENTIFIER


def example_table(n_records: int = 60, seed: int = 0) -> Table:
    """A small survey with every kind of attribute, most roles, and missing values.

    The quasi-identifiers are the numbers ``age`` and ``income``, the ordered ``school`` and the
    unordered ``region``; beside them an identifier, a confidential illness and a weight.
    """
    rng = np.random.default_rng(seed)
    income = rng.lognormal(10, 1, n_records)
    income[rng.integers(n_records, size=3)] = np.nan
    return Table(
        _schema(n_records),
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


def _schema(n_records: int) -> Schema:
    people = tuple(str(number) for number in range(n_records))
    return Schema(
        (
            Attribute("id", Kind.NOMINAL, Role.IDENTIFIER, people),
            Attribute("age", Kind.CONTINUOUS, QUASI, decimals=0),
            Attribute("income", Kind.CONTINUOUS, QUASI),
            Attribute("school", Kind.ORDINAL, QUASI, ("none", "basic", "middle", "high")),
            Attribute("region", Kind.NOMINAL, QUASI, ("north", "south", "west", "")),
            Attribute("illness", Kind.NOMINAL, Role.CONFIDENTIAL, ("a", "b", "c")),
            Attribute("weight", Kind.CONTINUOUS, Role.WEIGHT),
        )
    )


def example_of_categories() -> Table:
    """The example file with categories alone as quasi-identifiers."""
    return _without(example_table(), NUMBERS)


def example_of_numbers() -> Table:
    """The example file with numbers alone as quasi-identifiers, none of them missing."""
    table = example_table()
    known = np.nan_to_num(table.values("income"), nan=20_000)
    return _without(table.with_columns({"income": known}), CATEGORIES)


def _without(table: Table, names: tuple[str, ...]) -> Table:
    return table.with_schema(table.schema.assigning(dict.fromkeys(names, Role.OTHER)))


def perturbed(table: Table, names: tuple[str, ...], seed: int = 1) -> Table:
    """About three in ten cells of each attribute replaced by those of other records."""
    rng = np.random.default_rng(seed)
    changes = {}
    for name in names:
        drawn = table[name][rng.permutation(len(table))]
        changes[name] = np.where(rng.random(len(table)) < 0.3, drawn, table[name])
    return table.with_columns(changes)


def masked_files(table: Table) -> Mapping[str, Table]:
    """Masked versions of a file that have little in common, by what was done to it."""
    names, n = table.schema.quasi_identifiers, len(table)
    left_out = np.arange(n) % 7 == 0
    changed = perturbed(table, names)
    first = np.zeros(n, dtype=np.intp)
    return {
        "the original": table,
        "perturbed": changed,
        "shuffled": table.take(np.random.default_rng(2).permutation(n)),
        "generalized": _in_regions(table, min(5, n)),
        "all alike": _in_regions(table, n),
        "with records left out": changed.suppressing(left_out),
        "constant": table.with_columns({name: table[name][first] for name in names}),
        "all missing": table.with_columns(_all_missing(table, names)),
    }


def _in_regions(table: Table, k: int) -> Table:
    return Mondrian(table.schema.quasi_identifiers, k).mask(table, np.random.default_rng(1))


def _all_missing(table: Table, names: tuple[str, ...]) -> Mapping[str, Column]:
    """Columns in which nothing is known, for the attributes that allow it."""
    n = len(table)
    numbers = {name: np.full(n, np.nan) for name in names if not _has_categories(table, name)}
    codes = {name: table.attribute(name).domain_size for name in names if _may_miss(table, name)}
    return {**numbers, **{name: np.full(n, size) for name, size in codes.items()}}


def _has_categories(table: Table, name: str) -> bool:
    return table.attribute(name).is_categorical


def _may_miss(table: Table, name: str) -> bool:
    return _has_categories(table, name) and table.attribute(name).has_missing


def columns_as_bytes(table: Table) -> Mapping[str, bytes]:
    """The columns to the last bit, so that missing numbers too can be compared."""
    return {name: table[name].tobytes() for name in table.schema.names}


def differing(table: Table, other: Table) -> tuple[str, ...]:
    """Names of the columns in which two files of one schema are not the same to the bit."""
    before, after = columns_as_bytes(table), columns_as_bytes(other)
    return tuple(name for name in before if before[name] != after.get(name))
