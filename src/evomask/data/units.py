"""Units: persons with several records and households, and what is constant within them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.recoding import is_uninformative
from evomask.data.scenario import Scenario
from evomask.data.schema import UNITS, Attribute, Kind, Role, Schema
from evomask.data.table import Column, Table
from evomask.errors import SchemaError
from evomask.types import Indices, Labels


@dataclass(frozen=True)
class UnitLevel:
    """A kind of unit, and the attributes that are constant within each of its units.

    Args:
        unit: column with the number of the unit.
        names: attributes that are constant within a unit, and not within a coarser one.
    """

    unit: str
    names: tuple[str, ...]


def unit_columns(schema: Schema) -> tuple[str, ...]:
    """Columns with numbers of units, the coarser first: of households, then of persons."""
    found: list[str] = []
    for role in UNITS:
        names = schema.with_role(role)
        if len(names) > 1:
            raise SchemaError(
                f"one {role} number is needed, and {', '.join(names)} have that role; keep one"
            )
        found += names
    return tuple(found)


def unit_of(schema: Schema, scenario: Scenario | None = None) -> str:
    """Column of the units that k counts; empty where it counts records."""
    columns = unit_columns(schema)
    named = scenario.unit if scenario else ""
    if not named:
        return next(iter(schema.with_role(Role.PERSON)), "")
    if named in columns:
        return named
    roles = [schema.with_role(role) for role in UNITS if role == named]
    if not roles or not roles[0]:
        raise SchemaError(
            f"scenario {scenario.name if scenario else ''!r} counts units of {named!r}, and no "
            "column has that role; give a column the role household or person"
        )
    return roles[0][0]


def counted_unit(schema: Schema, scenario: Scenario) -> str:
    """Column of the units that a scenario counts; empty if it has none, or the file lacks it."""
    return unit_of(schema, scenario) if unit_columns(schema) else ""


def unit_labels(table: Table, name: str) -> Labels:
    """Unit of each record, numbered from 0; a record without a number is on its own."""
    column = table[name]
    attribute = table.attribute(name)
    if column.dtype.kind == "f":
        missing = np.isnan(column)
    elif table.is_recoded(name):
        missing = is_uninformative(table.recoding(name))[column]
    else:
        missing = (column == attribute.domain_size) & attribute.has_missing
    labels = np.unique(np.where(missing, -1, column), return_inverse=True)[1].astype(np.int64)
    labels[missing] = labels.max(initial=0) + 1 + np.arange(int(missing.sum()))
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def whole_units(table: Table) -> Labels | None:
    """Unit of each record, by the coarsest number of the table; None where it has no units.

    What takes a part of the records takes whole units of this kind.
    """
    columns = unit_columns(table.schema)
    return unit_labels(table, columns[0]) if columns else None


def unit_levels(table: Table) -> tuple[UnitLevel, ...]:
    """Kinds of units of an original table, with the attributes that are constant in each.

    Units must be nested, and lie within strata.
    """
    columns = unit_columns(table.schema)
    labels = [unit_labels(table, name) for name in columns]
    if len(labels) > 1 and not _is_constant(labels[0], labels[1]):
        raise SchemaError(
            f"records with the same {columns[1]!r} differ in {columns[0]!r}; give one of them "
            "another role, or number the person anew in each household"
        )
    open_names = []
    for attribute in table.schema:
        if attribute.role is Role.STRATUM:
            own = classes_of(table, [attribute.name]).labels
            for name, units in zip(columns, labels, strict=True):
                if not _is_constant(own, units):
                    raise SchemaError(
                        f"the stratum {attribute.name!r} differs between records with the same "
                        f"{name!r}; give it another role"
                    )
        elif attribute.role.is_released and attribute.role is not Role.WEIGHT:
            open_names.append(attribute.name)
    levels = []
    for name, units in zip(columns, labels, strict=True):
        constant = [n for n in open_names if _is_constant(classes_of(table, [n]).labels, units)]
        open_names = [n for n in open_names if n not in constant]
        levels.append(UnitLevel(name, tuple(constant)))
    return tuple(levels)


def _is_constant(values: Labels, units: Labels) -> bool:
    """Whether records of the same unit have the same value."""
    return bool(np.array_equal(values, values[first_records(units)][units]))


def first_records(units: Labels, first: Indices | None = None) -> Indices:
    """First record of each unit; of the records *first*, where the unit has one of them."""
    found = np.full(int(units.max(initial=-1)) + 1, len(units), dtype=np.int64)
    everyone = np.arange(len(units))
    if first is not None:
        np.minimum.at(found, units[first], first)
    left = found[units] == len(units)
    np.minimum.at(found, units[left], everyone[left])
    return found


def with_constant_units(table: Table, levels: Sequence[UnitLevel]) -> Table:
    """Give all records of a unit the values of its first released record, where constant."""
    for level in levels:
        if not level.names:
            continue
        units = unit_labels(table, level.unit)
        table = broadcast(table, table, first_records(units, _released(table))[units], level.names)
    return table


def _released(table: Table) -> Indices:
    return np.flatnonzero(~table.suppressed)


def broadcast(table: Table, source: Table, rows: Indices, names: Sequence[str]) -> Table:
    """Give each record of a table the values of a record of *source*."""
    for name in names:
        column = source[name][rows]
        if source.is_recoded(name):
            recoding = source.recoding(name)
            is_same = table.is_recoded(name) and table.recoding(name) is recoding
            if not (is_same and np.array_equal(column, table[name])):
                table = table.with_recoded(name, column, recoding)
        elif table.is_recoded(name) or not _is_equal(column, table[name]):
            table = table.with_columns({name: column})
    return table


def _is_equal(one: Column, other: Column) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def units_in(labels: Labels, units: Labels) -> Indices:
    """Number of units that have records in each class."""
    step = int(units.max(initial=0)) + 1
    return np.bincount(np.unique(labels * step + units) // step).astype(np.int64)


def new_numbers(table: Table, rng: np.random.Generator) -> Table:
    """Return the table with new numbers of units, in random order, where they are requested.

    The columns are released then: records with the same number belong to the same unit.
    """
    for attribute in table.schema:
        if not attribute.renumber or attribute.pseudonym:
            continue
        units = unit_labels(table, attribute.name)
        numbers = 1 + rng.permutation(int(units.max(initial=-1)) + 1)
        released = Attribute(attribute.name, Kind.CONTINUOUS, decimals=0, label=attribute.label)
        columns = {**table.columns, attribute.name: numbers[units].astype(np.float64)}
        recodings = {n: own for n, own in table.recodings.items() if n != attribute.name}
        scenarios = tuple(replace(one, unit="") for one in table.schema.scenarios)
        schema = replace(table.schema.replacing([released]), scenarios=scenarios)
        table = replace(table, schema=schema, columns=columns, recodings=recodings)
    return table
