"""Equivalence classes of records, and counts merged over chunks."""

from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from evomask.data.table import Column, Table, missing_codes
from evomask.types import Floats, Indices, Labels

_LARGEST_KEY = 2**62

S = TypeVar("S", bound=Sized)


@dataclass(frozen=True, eq=False)
class Classes:
    """Equivalence classes, numbered in the order of their values.

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
        """Size of the class of each record."""
        return self.sizes[self.labels]


def classes_of(table: Table, names: Iterable[str]) -> Classes:
    """Equivalence classes of records that are equal in the attributes *names*.

    Missing equals missing and suppressed equals suppressed. Missing values with different
    user-missing codes differ, because files of statistical packages contain the codes.
    """
    return classes_of_columns([table[name] for name in names], len(table))


def classes_of_columns(columns: Sequence[Column], n_records: int) -> Classes:
    """Equivalence classes of records equal in every column; one class if there is no column."""
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
    if column.dtype.kind == "f":
        return _ranks(column)
    return column.astype(np.int64), int(column.max(initial=-1)) + 1


def _ranks(column: Floats) -> tuple[Indices, int]:
    """Return ranks of numbers; missing values follow by code, those without a code last."""
    ranks, size = _dense(column)
    known, codes = missing_codes(column)
    if not known.any():
        return ranks, size
    missing = np.isnan(column)
    by_code, n_codes = _dense(np.where(known, codes, np.iinfo(np.int64).max)[missing])
    ranks[missing] = size - 1 + by_code
    return ranks, size - 1 + n_codes


def _dense(values: Column) -> tuple[Indices, int]:
    distinct, ranks = np.unique(values, return_inverse=True)
    return ranks.astype(np.int64), len(distinct)


def merge_counts(chunks: Iterable[S], join: Callable[[Sequence[S]], S]) -> S | None:
    """Join the counts of all chunks into one; None if there are no chunks.

    Pending chunks are joined whenever they have more rows than the result so far. So each row is
    processed a few times, and about twice the size of the result must fit in memory.
    """
    pending: list[S] = []
    n_joined = n_pending = 0
    for chunk in chunks:
        pending.append(chunk)
        n_pending += len(chunk)
        if n_pending > n_joined:
            pending = [join(pending)]
            n_joined, n_pending = len(pending[0]), 0
    return join(pending) if pending else None
