"""A masked file read back: what each of its cells stands for, under the original's schema.

Releases write a set of categories as ``[a,c]`` (all from a to c, in their order) or
``{a,c}``, an interval of numbers as ``[low,high]``, a suppressed cell as ``*``, and a
generalized category by its name in the hierarchy.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from evomask.arrays import Codes, Flags, Indices
from evomask.data.frames import Declaration, storage_of
from evomask.data.hierarchy import Hierarchy
from evomask.data.recoding import SUPPRESSED, CategorySets, Intervals
from evomask.data.schema import MISSING, Attribute, Kind, Storage
from evomask.data.table import Table
from evomask.errors import DataError, SchemaError
from evomask.io.origins import Origin
from evomask.io.tables import Source


@dataclass(frozen=True, eq=False)
class _Written:
    """A column of texts: the distinct ones, and which of them each record has."""

    labels: tuple[str, ...]
    codes: Codes

    def record_with(self, label: str) -> int:
        """The first record, counted from 1, that has the text."""
        return int(np.argmax(self.codes == self.labels.index(label))) + 1


def masked_version(
    original: Table, source: Source, hierarchies: Mapping[str, Hierarchy] | None = None
) -> Table:
    """The masked file's records under the original's schema, its cells understood."""
    present = [a for a in original.schema if a.name in source.frame.columns]
    absent = set(original.schema.quasi_identifiers) - {a.name for a in present}
    if absent:
        raise SchemaError(
            f"the masked file has no column {min(absent)!r}; "
            "measure what both files have with --quasi"
        )
    texts = [a for a in present if a.is_categorical or _is_text(source, a.name)]
    numbers = {
        a.name: Declaration(a.kind, a.role, notes=a.notes) for a in present if a not in texts
    }
    declared = {a.name: Declaration(Kind.NOMINAL) for a in texts}
    read = source.table({**numbers, **declared})
    table = Table(
        original.schema.only(a.name for a in present),
        {a.name: read[a.name] if a not in texts else _blank(a, len(read)) for a in present},
    )
    for attribute in texts:
        written = _Written(read.attribute(attribute.name).categories, read.codes(attribute.name))
        tree = (hierarchies or {}).get(attribute.name)
        table = _understood(table, original, attribute, written, tree)
    return table


def matched_records(key: str, original: Origin | None, source: Source) -> Indices:
    """The original's record for each masked one, by a column that tells all records apart."""
    columns = (None if original is None else original.columns), source.columns
    ours, theirs = (_keys(key, frame) for frame in columns)
    places = {value: place for place, value in enumerate(ours)}
    unknown = next((place for place, value in enumerate(theirs) if value not in places), None)
    if unknown is not None:
        raise DataError(
            f"record {unknown + 1} of the masked file has a {key!r} that the original does not have"
        )
    return np.array([places[value] for value in theirs], dtype=np.int64)


def _keys(key: str, frame: pl.DataFrame | None) -> list[str]:
    if frame is None or key not in frame.columns:
        raise SchemaError(f"no column {key!r} in both files; name one that is in both with --key")
    values = frame[key].cast(pl.String)
    if values.null_count() or values.n_unique() < len(values):
        raise DataError(f"column {key!r} does not tell all records apart; name another with --key")
    return values.to_list()


def _is_text(source: Source, name: str) -> bool:
    return storage_of(source.frame[name]) is Storage.TEXT


def _blank(attribute: Attribute, n_records: int) -> Codes:
    return np.zeros(n_records, dtype=np.int32 if attribute.is_categorical else np.float64)


def _understood(
    table: Table, original: Table, attribute: Attribute, written: _Written, tree: Hierarchy | None
) -> Table:
    if not attribute.is_categorical:
        return _with_intervals(table, original, attribute, written)
    rows = [_leaves(attribute, label, tree) for label in written.labels]
    for label, row in zip(written.labels, rows, strict=True):
        if row is None:
            raise _not_understood(attribute, written.record_with(label))
    leaves = np.array(rows)
    if (leaves.sum(axis=1) == 1).all():
        return table.with_columns({attribute.name: leaves.argmax(axis=1)[written.codes]})
    return table.with_recoded(attribute.name, written.codes, CategorySets(written.labels, leaves))


def _not_understood(attribute: Attribute, record: int) -> DataError:
    return DataError(
        f"column {attribute.name!r} of the masked file holds in record {record} a value outside "
        "its domain; correct it, or name its hierarchy in the schema"
    )


def _leaves(attribute: Attribute, label: str, tree: Hierarchy | None) -> Flags | None:
    """The categories that a written cell stands for; none if it cannot be understood."""
    names = attribute.categories
    if label in names:
        return _flags(names, [label])
    if label in (SUPPRESSED, MISSING):
        return np.ones(len(names), dtype=bool)
    inside = label[1:-1]
    if label.startswith("[") and label.endswith("]"):
        ends = _two_of(names, inside)
        return _flags(names, names[ends[0] : ends[1] + 1]) if ends else None
    if label.startswith("{") and label.endswith("}"):
        members = [MISSING if name == "missing" else name for name in inside.split(",")]
        return _flags(names, members) if set(members) <= set(names) else None
    levels = [level for level in (tree.levels if tree else ()) if label in level]
    return np.array([name_at == label for name_at in levels[0]]) if levels else None


def _flags(names: Sequence[str], members: Sequence[str]) -> Flags:
    return np.array([name in members for name in names])


def _two_of(names: Sequence[str], text: str) -> tuple[int, int] | None:
    """Positions of two names joined by a comma, which may also stand inside a name."""
    for place, letter in enumerate(text):
        first, second = text[:place], text[place + 1 :]
        if letter == "," and first in names and second in names:
            return names.index(first), names.index(second)
    return None


def _with_intervals(
    table: Table, original: Table, attribute: Attribute, written: _Written
) -> Table:
    known = original.values(attribute.name)
    whole = (float(np.nanmin(known)), float(np.nanmax(known)))
    ends = [_ends(label, whole) for label in written.labels]
    for label, interval in zip(written.labels, ends, strict=True):
        if interval is None or interval[0] > interval[1]:
            raise _not_understood(attribute, written.record_with(label))
    low, high = np.array(ends, dtype=np.float64).T
    return table.with_recoded(
        attribute.name, written.codes, Intervals(written.labels, low.copy(), high.copy())
    )


def _ends(label: str, whole: tuple[float, float]) -> tuple[float, float] | None:
    if label == SUPPRESSED:
        return whole
    if label == MISSING:
        return float("nan"), float("nan")
    text = label[1:-1] if label.startswith("[") and label.endswith("]") else f"{label},{label}"
    try:
        low, high = (float(end) for end in text.split(","))
    except ValueError:
        return None
    return (low, high) if np.isfinite(low) and np.isfinite(high) else None
