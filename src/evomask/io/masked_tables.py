"""Masked files read as tables under the schema of the original.

Cells that cover several values are read from their labels; generalized categories by the
hierarchy, by the automatic one that `protect` builds where none is given, or from the records.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from evomask.data.dates import parse_dates, parse_day
from evomask.data.frames import Declaration, storage_of
from evomask.data.hierarchy import Hierarchy
from evomask.data.hierarchy_builders import automatic_hierarchy
from evomask.data.recoding import SUPPRESSED, CategorySets, Intervals
from evomask.data.schema import MISSING, Attribute, Kind, Storage
from evomask.data.table import Table
from evomask.errors import DataError, SchemaError
from evomask.io.cell_labels import categories_of, interval_of, recoded_categories
from evomask.io.sources import Origin, Source
from evomask.types import Codes, Floats, Indices


@dataclass(frozen=True, eq=False)
class _Texts:
    """A column of texts: distinct labels, and the code of each record."""

    labels: tuple[str, ...]
    codes: Codes

    def record_with(self, label: str) -> int:
        """Return the number, from 1, of the first record with the label."""
        return int(np.argmax(self.codes == self.labels.index(label))) + 1


def with_known_categories(original: Table, source: Source) -> tuple[Source, int]:
    """Leave out records with categories that the original does not have; return their number."""
    known = [
        pl.col(a.name).is_null() | pl.col(a.name).cast(pl.String).is_in(a.categories)
        for a in original.schema
        if a.is_categorical and a.name in source.frame.columns
    ]
    frame = source.frame.filter(known) if known else source.frame
    return replace(source, frame=frame), source.frame.height - frame.height


def masked_version(
    original: Table, source: Source, hierarchies: Mapping[str, Hierarchy] | None = None
) -> Table:
    """Convert a masked file to a table under the original's schema, its cells decoded."""
    present = [a for a in original.schema if a.name in source.frame.columns]
    absent = set(original.schema.quasi_identifiers) - {a.name for a in present}
    if absent:
        raise SchemaError(
            f"the masked file has no column {min(absent)!r}; "
            "list the columns that both files have with --quasi"
        )
    dates = [a for a in present if a.is_date and parse_dates(source.frame[a.name], a.notes.type)]
    texts = [
        a
        for a in present
        if a not in dates
        and (a.is_categorical or a.is_date or storage_of(source.frame[a.name]) is Storage.TEXT)
    ]
    numbers = {
        a.name: Declaration(Kind.DATE if a in dates else a.kind, a.role, notes=a.notes)
        for a in present
        if a not in texts
    }
    declared = {a.name: Declaration(Kind.NOMINAL) for a in texts}
    read = source.table({**numbers, **declared})
    table = Table(
        original.schema.only(a.name for a in present),
        {a.name: np.zeros(len(read)) if a in texts else read[a.name] for a in present},
    )
    for attribute in texts:
        column = _Texts(read.attribute(attribute.name).categories, read.codes(attribute.name))
        if attribute.is_categorical:
            hierarchy = (hierarchies or {}).get(attribute.name)
            table = _decode_categories(table, original, attribute, column, hierarchy)
        else:
            table = _decode_intervals(table, original, attribute, column)
    return table


def match_records(key: str, original: Origin | None, source: Source) -> Indices:
    """Match each masked record to its original by a key column; returns record indices."""
    columns = (None if original is None else original.columns), source.columns
    ours, theirs = (_keys(key, frame) for frame in columns)
    records = {value: record for record, value in enumerate(ours)}
    unknown = next((record for record, value in enumerate(theirs) if value not in records), None)
    if unknown is not None:
        raise DataError(
            f"record {unknown + 1} of the masked file has a {key!r} that the original does not have"
        )
    return np.array([records[value] for value in theirs], dtype=np.int64)


def _keys(key: str, frame: pl.DataFrame | None) -> list[str]:
    if frame is None or key not in frame.columns:
        raise SchemaError(f"no column {key!r} in both files; give one that is in both with --key")
    values = frame[key].cast(pl.String)
    if values.null_count() or values.n_unique() < len(values):
        raise DataError(
            f"column {key!r} is not a unique key: values are missing or repeated; "
            "give another with --key"
        )
    return values.to_list()


def _decode_categories(
    table: Table,
    original: Table,
    attribute: Attribute,
    column: _Texts,
    hierarchy: Hierarchy | None,
) -> Table:
    names = attribute.categories
    rows = [
        categories_of(names, label, [hierarchy] if hierarchy else []) for label in column.labels
    ]
    if hierarchy is None and any(row is None for row in rows):
        automatic = [automatic_hierarchy(original, attribute.name)]
        rows = [categories_of(names, label, automatic) for label in column.labels]
    unknown = next((n for n, row in zip(column.labels, rows, strict=True) if row is None), None)
    if unknown is not None:
        codes = original.codes(attribute.name)
        inferred = recoded_categories(column.labels, column.codes, codes, len(names))
        if inferred is None:
            raise _outside_domain(attribute, column.record_with(unknown))
        rows = list(inferred)
    leaves = np.array(rows)
    if (leaves.sum(axis=1) == 1).all():
        return table.with_columns({attribute.name: leaves.argmax(axis=1)[column.codes]})
    return table.with_recoded(attribute.name, column.codes, CategorySets(column.labels, leaves))


def _outside_domain(attribute: Attribute, record: int) -> DataError:
    return DataError(
        f"column {attribute.name!r} of the masked file holds in record {record} a value outside "
        "its domain; correct it, or give its hierarchy in the schema"
    )


def _decode_intervals(table: Table, original: Table, attribute: Attribute, column: _Texts) -> Table:
    values = original.values(attribute.name)
    known = np.unique(values[~np.isnan(values)])
    ends = [_ends(label, known, attribute) for label in column.labels]
    for label, interval in zip(column.labels, ends, strict=True):
        if interval is None:
            raise _outside_domain(attribute, column.record_with(label))
    low, high = np.array(ends, dtype=np.float64).T
    return table.with_recoded(
        attribute.name, column.codes, Intervals(column.labels, low.copy(), high.copy())
    )


def _ends(label: str, known: Floats, attribute: Attribute) -> tuple[float, float] | None:
    if label == SUPPRESSED:
        return float(known[0]), float(known[-1])
    if label == MISSING:
        return float("nan"), float("nan")
    return _days_of(label, attribute) if attribute.is_date else interval_of(label, known)


def _days_of(label: str, attribute: Attribute) -> tuple[float, float] | None:
    text = label[1:-1] if label.startswith("[") and label.endswith("]") else f"{label},{label}"
    days = [parse_day(end, attribute.notes.type) for end in text.split(",")]
    first, last = days if len(days) == 2 else (None, None)
    return None if first is None or last is None or first > last else (first, last)
