"""Putting right the names of renamed categories, also where records stand in another order."""

from collections.abc import Sequence

import numpy as np

from evomask.arrays import Codes, Indices
from evomask.data.table import Column, Table
from evomask.measures.categories import CategoricalColumn
from evomask.measures.risk.relabelling import best_names

WORTHWHILE = 0.01
"""Names are put right where that puts right more than this share of an attribute's cells."""

CLEAR = 5.0
"""Standard deviations by which more cells than by chance must agree for the order to tell."""


def put_right(original: Table, masked: Table, names: Sequence[str]) -> Table:
    """The masked table with the categories of its plain attributes *names* put right.

    By what most records of a category are in the original; where the order of records tells
    nothing, by how frequent categories are.
    """
    changes: dict[str, Column] = {}
    for name in names:
        if original.attribute(name).is_categorical and not masked.is_recoded(name):
            column, codes = CategoricalColumn.of(original, name), masked.codes(name)
            keys = column.codes.astype(np.int64) * column.size + codes
            joint = np.bincount(keys, minlength=column.size**2).astype(np.int64)
            changes[name] = names_of(joint.reshape(column.size, column.size))[codes]
    return masked.with_columns(changes)


def names_of(joint: Indices) -> Codes:
    """For each released category the one it is taken for."""
    found, frequent = best_names(joint), _by_frequency(joint)
    released = np.arange(len(joint))
    total = max(1, int(joint.sum()))
    chance = float(joint.sum(axis=1)[frequent] @ joint.sum(axis=0)) / total
    clear = chance + CLEAR * np.sqrt(chance)
    right = int(joint[found, released].sum())
    if right <= clear:
        return frequent
    worthwhile = right - np.trace(joint) > WORTHWHILE * total
    return found if worthwhile else released.astype(np.int32)


def _by_frequency(joint: Indices) -> Codes:
    """The category of the same rank among the frequent ones; equal ones in their own order."""
    before, after = (np.argsort(-joint.sum(axis=axis), kind="stable") for axis in (1, 0))
    names = np.empty(len(joint), dtype=np.int32)
    names[after] = before
    return names
