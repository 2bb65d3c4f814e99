"""Missing values of the original: they stay missing in every masked file."""

import numpy as np

from evomask.data.distance import impute_medians
from evomask.data.recoding import SUPPRESSED, CategorySets, Intervals
from evomask.data.schema import MISSING
from evomask.data.table import Table
from evomask.types import Flags, Floats, Points

APART = 4.0
"""Distance between a missing and a known number, in standard deviations."""


def missing_cells(table: Table, name: str) -> Flags:
    """Flag the cells of an attribute that are released as missing values."""
    column = table[name]
    if table.is_recoded(name):
        return np.asarray(table.recoding(name).missing[column])
    attribute = table.attribute(name)
    if attribute.is_categorical:
        return np.asarray(column == attribute.domain_size)
    return np.isnan(column)


def with_missing(table: Table, name: str, cells: Flags) -> Table:
    """Return the table with the flagged cells of an attribute missing."""
    if not cells.any():
        return table
    column, attribute = table[name], table.attribute(name)
    if not table.is_recoded(name):
        missing = attribute.domain_size if attribute.is_categorical else np.nan
        return table.with_columns({name: np.where(cells, missing, column)})
    recoding = table.recoding(name)
    if not recoding.missing.any():
        labels = (*recoding.labels, MISSING)
        if isinstance(recoding, Intervals):
            ends = np.append(recoding.low, np.nan), np.append(recoding.high, np.nan)
            recoding = Intervals(labels, *ends)
        else:
            only = np.eye(recoding.leaves.shape[1], dtype=bool)[-1:]
            recoding = CategorySets(labels, np.vstack([recoding.leaves, only]))
    code = int(np.flatnonzero(recoding.missing)[0])
    return table.with_recoded(name, np.where(cells, code, column).astype(np.int32), recoding)


def filled_cells(original: Table, masked: Table, name: str) -> Flags:
    """Flag missing cells of the original that hold a value in a masked file.

    A suppressed cell holds none.
    """
    missing = missing_cells(original, name)
    if not missing.any():
        return missing
    filled = missing & ~missing_cells(masked, name)
    if masked.is_recoded(name):
        suppressed = np.array([label == SUPPRESSED for label in masked.labels(name)], dtype=bool)
        filled &= ~suppressed[masked[name]]
    return filled


def keep_missing(original: Table, masked: Table) -> Table:
    """Return a masked file in which every missing cell of the original is missing or suppressed.

    A number gets back the code that says why it is missing, the most frequent one of all records
    that are masked alike, so that codes do not tell them apart.
    """
    for name in original.schema.names:
        if name not in masked.schema or masked[name] is original[name]:
            continue
        masked = with_missing(masked, name, filled_cells(original, masked, name))
        if not (masked.is_recoded(name) or masked.attribute(name).is_categorical):
            missing = np.isnan(original[name])
            if missing.any():
                column = masked[name].copy()
                column[missing] = _codes_by_class(original[name][missing], masked, missing)
                masked = masked.with_columns({name: column})
    return masked


def _codes_by_class(codes: Floats, masked: Table, records: Flags) -> Floats:
    """Return codes of missing numbers, the same one for all records that are masked alike."""
    kinds, code = np.unique(codes.view(np.int64), return_inverse=True)
    if len(kinds) == 1:
        return codes
    alike = np.zeros(int(records.sum()), dtype=np.int64)
    for name in masked.schema.quasi_identifiers:
        values = np.unique(masked[name][records], return_inverse=True)[1]
        alike = np.unique(alike * (values.max() + 1) + values, return_inverse=True)[1]
    counts = np.zeros((alike.max() + 1, len(kinds)), dtype=np.int64)
    np.add.at(counts, (alike, code), 1)
    most_frequent: Floats = kinds[counts.argmax(axis=1)][alike].view(np.float64)
    return most_frequent


def imputed_with_flags(points: Points) -> tuple[Points, Points]:
    """Return numbers with medians in place of missing ones, and coordinates that set them apart.

    There is one coordinate for each column with missing values.
    """
    missing = np.isnan(points)
    return impute_medians(points), APART * missing[:, missing.any(axis=0)].astype(np.float64)
