"""Example files for checking laws, and masked versions of them."""

from collections.abc import Mapping

import numpy as np

from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Column, Table
from evomask.masking.microaggregation.mondrian import Mondrian

NUMBERS = ("age", "income")
CATEGORIES = ("school", "region")
QUASI = Role.QUASI_IDENTIFIER


def example_table(n_records: int = 60, seed: int = 0) -> Table:
    """Create a small survey with all kinds of attributes, most roles, and missing values.

    The quasi-identifiers are the continuous ``age`` and ``income``, the ordinal ``school`` and
    the nominal ``region``; in addition an identifier, a confidential illness and a weight.
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
    ids = tuple(str(number) for number in range(n_records))
    return Schema(
        (
            Attribute("id", Kind.NOMINAL, Role.IDENTIFIER, ids),
            Attribute("age", Kind.CONTINUOUS, QUASI, decimals=0),
            Attribute("income", Kind.CONTINUOUS, QUASI),
            Attribute("school", Kind.ORDINAL, QUASI, ("none", "basic", "middle", "high")),
            Attribute("region", Kind.NOMINAL, QUASI, ("north", "south", "west", "")),
            Attribute("illness", Kind.NOMINAL, Role.CONFIDENTIAL, ("a", "b", "c")),
            Attribute("weight", Kind.CONTINUOUS, Role.WEIGHT),
        )
    )


def example_of_categories() -> Table:
    """Return the example with categorical quasi-identifiers only."""
    return _without(example_table(), NUMBERS)


def example_of_numbers() -> Table:
    """Return the example with continuous quasi-identifiers only, without missing values."""
    table = example_table()
    known = np.nan_to_num(table.values("income"), nan=20_000)
    return _without(table.with_columns({"income": known}), CATEGORIES)


def _without(table: Table, names: tuple[str, ...]) -> Table:
    return table.with_schema(table.schema.assigning(dict.fromkeys(names, Role.OTHER)))


def perturbed(table: Table, names: tuple[str, ...], seed: int = 1) -> Table:
    """Replace about 30 % of the cells of each attribute by those of other records."""
    rng = np.random.default_rng(seed)
    changes = {}
    for name in names:
        drawn = table[name][rng.permutation(len(table))]
        changes[name] = np.where(rng.random(len(table)) < 0.3, drawn, table[name])
    return table.with_columns(changes)


def masked_files(table: Table) -> Mapping[str, Table]:
    """Return very different masked versions of a file, by description."""
    names, n = table.schema.quasi_identifiers, len(table)
    suppressed = np.arange(n) % 7 == 0
    changed = perturbed(table, names)
    first = np.zeros(n, dtype=np.intp)
    return {
        "the original": table,
        "perturbed": changed,
        "shuffled": table.take(np.random.default_rng(2).permutation(n)),
        "generalized": _in_regions(table, min(5, n)),
        "one class": _in_regions(table, n),
        "with suppressed records": changed.suppressing(suppressed),
        "constant": table.with_columns({name: table[name][first] for name in names}),
        "all missing": table.with_columns(_all_missing(table, names)),
    }


def _in_regions(table: Table, k: int) -> Table:
    return Mondrian(table.schema.quasi_identifiers, k).mask(table, np.random.default_rng(1))


def _all_missing(table: Table, names: tuple[str, ...]) -> Mapping[str, Column]:
    """Return columns of missing values for the attributes that allow them."""
    columns: dict[str, Column] = {}
    for name in names:
        attribute = table.attribute(name)
        if not attribute.is_categorical:
            columns[name] = np.full(len(table), np.nan)
        elif attribute.has_missing:
            columns[name] = np.full(len(table), attribute.domain_size)
    return columns


def columns_as_bytes(table: Table) -> Mapping[str, bytes]:
    """Return the bytes of each column, so that NaN compares equal."""
    return {name: table[name].tobytes() for name in table.schema.names}


def differing(table: Table, other: Table) -> tuple[str, ...]:
    """Return the columns in which two files of one schema differ in any bit."""
    before, after = columns_as_bytes(table), columns_as_bytes(other)
    return tuple(name for name in before if before[name] != after.get(name))
