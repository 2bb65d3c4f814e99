"""The lattice of a table's value trees, numbers among the attributes taken as categories."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evomask.data.bands import Bands, ValueTrees
from evomask.data.hierarchy import Hierarchy, Line, fitted
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.data.trees.making import with_categories, with_codes
from evomask.errors import SchemaError
from evomask.searches.generalization.lattice import Ends, Lattice, lattice_of


def lattice_for(
    table: Table, hierarchies: ValueTrees, attributes: Sequence[str] = (), label: str = ""
) -> Lattice:
    """The lattice over some attributes of a table, by default its quasi-identifiers.

    The first confidential attribute that has categories is the sensitive one; the *label* is
    what records are classified by, and stays as it is.
    """
    names = [n for n in attributes or table.schema.quasi_identifiers if n != label]
    _require_trees(table, hierarchies, names)
    coded = with_categories(table, label) if label else table
    trees: dict[str, Hierarchy] = {}
    numbers: dict[str, Ends] = {}
    for name in names:
        if not table.attribute(name).is_categorical:
            coded, numbers[name] = _numbers_as_leaves(coded, name, hierarchies[name])
        trees[name] = _tree(coded, name, hierarchies[name])
    confidential = table.schema.with_role(Role.CONFIDENTIAL)
    sensitive = (name for name in confidential if table.attribute(name).is_categorical)
    lattice = lattice_of(coded, trees, sensitive=next(sensitive, None), label=label or None)
    return replace(lattice, source=table, numbers=numbers)


def _tree(table: Table, name: str, tree: Sequence[Line] | Bands) -> Hierarchy:
    if not isinstance(tree, Bands):
        return fitted(name, tree, table)
    return tree.hierarchy(missing=table.attribute(name).has_missing)


def _numbers_as_leaves(table: Table, name: str, tree: Sequence[Line] | Bands) -> tuple[Table, Ends]:
    """The table with a number as the leaves of its tree, and the numbers that each stands for."""
    values = table.values(name)
    if isinstance(tree, Bands):
        missing = bool(np.isnan(values).any())
        leaves = tree.hierarchy(missing=missing).categories
        coded = with_codes(table, name, tree.codes(values), leaves)
    else:
        coded = with_categories(table, name)
    codes, size = coded.codes(name), len(coded.attribute(name).categories)
    return coded, Ends.of(codes, values, size)


def _require_trees(table: Table, hierarchies: ValueTrees, names: Sequence[str]) -> None:
    for name in names:
        table.attribute(name)
    lacking = [name for name in names if name not in hierarchies]
    if lacking:
        raise SchemaError(
            f"no hierarchy for {lacking[0]!r}; add a file to --hierarchies, "
            "or name what to generalize with --attributes"
        )
