"""Matching of equivalence classes with a table of the population, for exact k-map."""

from collections.abc import Mapping

import numpy as np

from evomask.data.classes import classes_of, classes_of_columns
from evomask.data.population import PopulationTable
from evomask.data.table import Table
from evomask.errors import DataError
from evomask.types import Flags, Floats, Indices, Labels

CELLS_AT_ONCE = 20_000_000
"""Pairs of a class and a combination that are compared at once."""


def people_like(
    register: PopulationTable, table: Table, names: tuple[str, ...]
) -> tuple[Labels, Floats]:
    """Equivalence class of each record on *names*, and the people who fit each class.

    A person fits a class if every cell of it covers their value: a recoded cell covers several, a
    suppressed one all.
    """
    absent = [name for name in names if name not in register.columns]
    if absent:
        raise DataError(
            f"the population table has no column {absent[0]!r}, which a scenario knows; add "
            "it, or count the table over the attributes of the scenario"
        )
    classes = classes_of(table, names)
    parts = [_covered(register, table, name, classes.representatives) for name in names]
    joint = classes_of_columns([column for _, _, column in parts], len(register.counts))
    counts = np.bincount(joint.labels, register.counts).astype(np.float64)
    found = np.empty(len(classes))
    step = max(1, CELLS_AT_ONCE // max(1, len(joint)))
    for start in range(0, len(classes), step):
        part = slice(start, start + step)
        fits = np.ones((len(found[part]), len(joint)), dtype=bool)
        for cells, covers, column in parts:
            fits &= covers[cells[part]][:, column[joint.representatives]]
        found[part] = fits @ counts
    return classes.labels, found


def _covered(
    register: PopulationTable, table: Table, name: str, records: Indices
) -> tuple[Indices, Flags, Indices]:
    """Cell of each record, values covered by each cell, and value of each combination."""
    texts, values = np.unique(np.array(register.columns[name], dtype=object), return_inverse=True)
    attribute = table.attribute(name)
    if attribute.is_categorical:
        place = {category: i for i, category in enumerate(attribute.categories)}
        codes = np.array([place.get(_plain(text, place), -1) for text in texts])
        leaves = table.recoding(name).leaves
        covers = leaves[:, codes] & (codes >= 0)
        return table[name][records].astype(np.int64), covers, values
    numbers = np.array([_number(text) for text in texts])
    low, high = table.ends(name)
    ends, cells = np.unique(
        np.column_stack([low[records], high[records]]), axis=0, return_inverse=True
    )
    covers = (ends[:, :1] <= numbers) & (numbers <= ends[:, 1:])
    covers |= np.isnan(ends[:, :1]) & np.isnan(numbers)
    return cells.reshape(-1), covers, values


def _plain(text: str, known: Mapping[str, int]) -> str:
    """The category that a text names, also where the one is written 3 and the other 3.0."""
    if text in known:
        return text
    number = _number(text)
    return str(int(number)) if np.isfinite(number) and number == int(number) else text


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
