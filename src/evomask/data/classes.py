"""Equivalence classes: records that look alike on some attributes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evomask.arrays import Floats, Indices, Labels
from evomask.data.missing import tags
from evomask.data.table import Column, Table

_LARGEST_KEY = 2**62


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a table's records, numbered in the order of their values.

    Args:
        labels: class number of each record.
        sizes: number of records in each class.
        representatives: first record of each class.
    """

    labels: Labels
    sizes: Indices
    representatives: Indices

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def sizes_of_records(self) -> Indices:
        """For each record, how many records are in its class, itself included."""
        return self.sizes[self.labels]


def classes_of(table: Table, names: Iterable[str]) -> Classes:
    """Classes of records equal on *names*, as a file would tell them apart.

    Missing equals missing and suppressed equals suppressed; missing values with different codes
    are different values, because files of statistical packages write the codes.
    """
    return classes_of_columns([table[name] for name in names], len(table))


def classes_of_columns(columns: Sequence[Column], n_records: int) -> Classes:
    """Classes of records equal in every column; with no column all are in one class."""
    key = np.zeros(n_records, dtype=np.int64)
    span = 1
    for column in columns:
        digits, base = _digits(column)
        if span * base > _LARGEST_KEY:
            key, span = _dense(key)
        key = key * base + digits
        span *= base
    return _classes_of_keys(key)


def _classes_of_keys(keys: Indices) -> Classes:
    """Classes of equal keys, in the order of keys; the first record represents each."""
    if len(keys) == 0:
        return Classes(*np.empty((3, 0), dtype=np.int64))
    order = np.argsort(keys)
    ascending = keys[order]
    begins = np.append(True, ascending[1:] != ascending[:-1])
    starts = np.flatnonzero(begins)
    labels = np.empty(len(keys), dtype=np.int64)
    labels[order] = np.cumsum(begins) - 1
    sizes = np.diff(starts, append=len(keys)).astype(np.int64)
    return Classes(labels, sizes, np.minimum.reduceat(order, starts))


def _digits(column: Column) -> tuple[Indices, int]:
    """Values as whole numbers from 0 up, in order, and one more than the largest."""
    if column.dtype.kind == "f":
        return _numbers(column)
    return column.astype(np.int64), int(column.max(initial=-1)) + 1


def _numbers(column: Floats) -> tuple[Indices, int]:
    """Ranks of numbers; after them missing values by their codes, those without one last."""
    ranks, size = _dense(column)
    known, codes = tags(column)
    if not known.any():
        return ranks, size
    missing = np.isnan(column)
    by_code, n_codes = _dense(np.where(known, codes, np.iinfo(np.int64).max)[missing])
    ranks[missing] = size - 1 + by_code
    return ranks, size - 1 + n_codes


def _dense(values: Column) -> tuple[Indices, int]:
    distinct, ranks = np.unique(values, return_inverse=True)
    return ranks.astype(np.int64), len(distinct)
