"""Protocol of a measure, its description, and checks of the tables that it compares."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

import numpy as np

from evomask.data.schema import Kind, Schema
from evomask.data.table import Table
from evomask.errors import DataError, SchemaError

Reading = Callable[[Table], float]
"""A measure bound to its original: a masked table in, percent in [0, 100] out.

Many readings support incremental updates, and some have an expectation under PRAM; see
``evomask.measures.incremental.readings``.
"""


class Side(StrEnum):
    """Whether a measure is a loss, a risk, or a property of the masked file alone."""

    LOSS = "loss"
    RISK = "risk"
    PROPERTY = "property"


class Direction(StrEnum):
    """Whether low or high values are better."""

    LOWER = "lower is better"
    HIGHER = "higher is better"


@dataclass(frozen=True)
class About:
    """Description of a measure, as ``evomask measure --explain`` shows it.

    Args:
        name: its name on the command line.
        title: its standard name, with the acronym of the papers.
        low, high: its range; infinite where unbounded.
        meaning: one plain sentence.
    """

    name: str
    title: str
    side: Side
    meaning: str
    direction: Direction = Direction.LOWER
    low: float = 0.0
    high: float = 100.0


class Measure(Protocol):
    """Information loss or disclosure risk of a masked table; lower is better.

    ``against`` does once what depends on the original alone; the reading it returns is pure,
    never NaN, and for a loss reads 0 on the original itself.
    """

    about: ClassVar[About]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes that are compared."""
        ...

    def against(self, original: Table) -> Reading:
        """Prepare the measure for many masked versions of *original*."""
        ...


def check_original(original: Table, names: Iterable[str]) -> None:
    """Raise an error for a table without records, and for unknown or generalized attributes."""
    if len(original) == 0:
        raise DataError("the original holds no records; give one with at least one")
    for name in names:
        original.attribute(name)
        if original.is_recoded(name):
            raise SchemaError(f"{name!r} of the original is generalized; give its own values")


def check_masked(original: Table, masked: Table, names: Iterable[str]) -> None:
    """Raise an error unless *masked* is a version of *original*, record by record."""
    if len(masked) != len(original):
        raise DataError(
            f"the masked file has {len(masked)} records and the original {len(original)}; "
            "measures compare them record by record, so give files of the same length and order"
        )
    check_columns(original, masked, names)


def check_columns(original: Table, masked: Table, names: Iterable[str]) -> None:
    """Raise an error unless the columns of *masked* are versions of the original's."""
    for name in names:
        _check_column(original, masked, name)


def _check_column(original: Table, masked: Table, name: str) -> None:
    if name not in masked.schema:
        raise SchemaError(f"the masked file has no column {name!r}; leave it out or add it")
    ours, theirs = original.attribute(name), masked.attribute(name)
    if ours.kind is not theirs.kind:
        raise SchemaError(
            f"{name!r} is {ours.kind} in the original and {theirs.kind} in the masked file; "
            "declare one kind for both"
        )
    if ours.is_categorical:
        _check_domain(original, masked, name)
    elif not masked.is_recoded(name) and np.isinf(masked[name]).any():
        raise DataError(f"column {name!r} of the masked file holds an infinite value; correct it")


def _check_domain(original: Table, masked: Table, name: str) -> None:
    categories = original.attribute(name).categories
    if masked.is_recoded(name):
        if masked.recoding(name).leaves.shape[1] != len(categories):
            raise DataError(f"the recoding of {name!r} was made for another list of categories")
    elif masked.attribute(name).categories != categories:
        raise DataError(
            f"column {name!r} of the masked file has other categories than the original; "
            "read both with one schema"
        )
    codes = masked[name]
    outside = np.flatnonzero((codes < 0) | (codes >= len(masked.labels(name))))
    if len(outside):
        raise DataError(
            f"column {name!r} of the masked file holds in record {outside[0] + 1} a value "
            "outside its domain; correct it or add it to the schema"
        )


def categorical(schema: Schema, names: Iterable[str]) -> tuple[str, ...]:
    """Select the categorical attributes among *names*."""
    return tuple(name for name in names if schema[name].is_categorical)


def continuous(schema: Schema, names: Iterable[str]) -> tuple[str, ...]:
    """Select the continuous attributes among *names*."""
    return tuple(name for name in names if not schema[name].is_categorical)


def require_kinds(
    schema: Schema, names: tuple[str, ...], *kinds: Kind, why: str
) -> tuple[str, ...]:
    """Return *names*, or raise an error that says which of them is not of the required kind."""
    for name in names:
        if schema[name].kind not in kinds:
            required = " or ".join(kinds)
            raise SchemaError(
                f"{why}, and {name!r} is {schema[name].kind}; declare it {required} or leave it out"
            )
    if not names:
        raise SchemaError(f"{why}; name at least one {' or '.join(kinds)} attribute")
    return names
