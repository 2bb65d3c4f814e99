"""Small tables that tests build on."""

import numpy as np

from evomask.data.recoding import CategorySets
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.testing.examples import example_table

QUASI = Role.QUASI_IDENTIFIER


def numbers(**columns):
    """A table of continuous quasi-identifiers."""
    schema = Schema(tuple(Attribute(name, Kind.CONTINUOUS, QUASI) for name in columns))
    return Table(schema, {name: np.array(values, dtype=float) for name, values in columns.items()})


mixed = example_table
"""Every kind and role, with missing values."""


def sets_of(labels, leaves, size):
    """Cells named *labels*, cell c standing for the category codes ``leaves[c]``."""
    flags = np.zeros((len(labels), size), dtype=bool)
    for cell, codes in enumerate(leaves):
        flags[cell, list(codes)] = True
    return CategorySets(tuple(labels), flags)
