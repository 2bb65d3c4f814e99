"""May these two tables be compared at all? Checks made before any measure reads."""

from collections.abc import Iterable

import numpy as np

from evomask.data.schema import Kind, Schema
from evomask.data.table import Table
from evomask.errors import DataError, SchemaError


def check_original(original: Table, names: Iterable[str]) -> None:
    """Refuse a table without records, and names that it does not have."""
    if len(original) == 0:
        raise DataError("the original holds no records; give one with at least one")
    for name in names:
        original.attribute(name)
        if original.is_recoded(name):
            raise SchemaError(f"{name!r} of the original is generalized; give its own values")


def check_masked(original: Table, masked: Table, names: Iterable[str]) -> None:
    """Refuse a masked table that is not a version of *original*, record by record."""
    if len(masked) != len(original):
        raise DataError(
            f"the masked file has {len(masked)} records and the original {len(original)}; "
            "measures compare them record by record, so give files of one length and order"
        )
    check_columns(original, masked, names)


def check_columns(original: Table, masked: Table, names: Iterable[str]) -> None:
    """Refuse a masked table whose columns are not versions of the original's."""
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
    """Those of *names* whose values are categories."""
    return tuple(name for name in names if schema[name].is_categorical)


def continuous(schema: Schema, names: Iterable[str]) -> tuple[str, ...]:
    """Those of *names* whose values are numbers."""
    return tuple(name for name in names if not schema[name].is_categorical)


def needing(schema: Schema, names: tuple[str, ...], *kinds: Kind, why: str) -> tuple[str, ...]:
    """*names*, or an error that says which of them is not of the needed kind."""
    for name in names:
        if schema[name].kind not in kinds:
            wanted = " or ".join(kinds)
            raise SchemaError(
                f"{why}, and {name!r} is {schema[name].kind}; declare it {wanted} or leave it out"
            )
    if not names:
        raise SchemaError(f"{why}; name at least one {' or '.join(kinds)} attribute")
    return names
