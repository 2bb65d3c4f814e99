"""The lattice of a table's value trees, numbers among the attributes taken as categories."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evomask.data.hierarchy import TreeLines, fitted
from evomask.data.schema import MISSING, Kind, Role
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.searches.generalization.lattice import Lattice, lattice_of


def lattice_for(
    table: Table, hierarchies: TreeLines, attributes: Sequence[str] = (), label: str = ""
) -> Lattice:
    """The lattice over some attributes of a table, by default its quasi-identifiers.

    The first confidential attribute that has categories is the sensitive one; the *label* is
    what records are classified by, and stays as it is.
    """
    names = [n for n in attributes or table.schema.quasi_identifiers if n != label]
    _require_trees(table, hierarchies, names)
    for name in (*names, *([label] if label else [])):
        if not table.attribute(name).is_categorical:
            table = with_categories(table, name)
    trees = {name: fitted(name, hierarchies[name], table) for name in names}
    confidential = table.schema.with_role(Role.CONFIDENTIAL)
    sensitive = (name for name in confidential if table.attribute(name).is_categorical)
    return lattice_of(table, trees, sensitive=next(sensitive, None), label=label or None)


def _require_trees(table: Table, hierarchies: TreeLines, names: Sequence[str]) -> None:
    for name in names:
        table.attribute(name)
    lacking = [name for name in names if name not in hierarchies]
    if lacking:
        raise SchemaError(
            f"no hierarchy for {lacking[0]!r}; add a file to --hierarchies, "
            "or name what to generalize with --attributes"
        )


def with_categories(table: Table, name: str) -> Table:
    """The table with a number's values as ordered categories."""
    values = table.values(name)
    known = np.unique(values[~np.isnan(values)])
    codes = np.searchsorted(known, values)
    labels = tuple(_text(value) for value in known)
    if np.isnan(values).any():
        codes = np.where(np.isnan(values), len(known), codes)
        labels = (*labels, MISSING)
    attribute = replace(table.attribute(name), kind=Kind.ORDINAL, categories=labels, decimals=None)
    schema = table.schema.replacing([attribute])
    columns = {**table.columns, name: codes}
    return replace(table, schema=schema, columns=columns)


def _text(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
