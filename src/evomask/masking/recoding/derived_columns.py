"""Derived columns: columns that are determined by a masked attribute and recoded with it.

If education is masked, the years of education beside it would disclose the original value. A
column that the schema declares as *linked* to another, its source, is given in each record the
value or values that belong to the released value of the source.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evomask.data.schema import Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.masking.recoding.group_values import interval_cells, set_cells
from evomask.types import Flags, Indices


@dataclass(frozen=True, eq=False)
class DerivedColumns:
    """The derived columns of a table, each with its source attribute."""

    original: Table
    sources: Mapping[str, str]

    @classmethod
    def of(cls, original: Table) -> "DerivedColumns":
        """Return the derived columns; raise if one is not determined by its source."""
        sources = {a.name: a.linked for a in original.schema if a.linked}
        for name, source in sources.items():
            _require_dependency(original, name, source)
        return cls(original, sources)

    def __call__(self, masked: Table) -> Table:
        """Recode the derived columns of a masked table according to their sources."""
        for name, source in self.sources.items():
            masked = self._derive(masked, name, source)
        return masked

    def _derive(self, masked: Table, name: str, source: str) -> Table:
        before = self.original[source]
        if not masked.is_recoded(source) and np.array_equal(masked[source], before, equal_nan=True):
            return masked
        points, first = np.unique(before, return_index=True)
        if masked.is_recoded(source):
            return self._span(masked, name, first, *_covered(masked, source, points))
        place = first[_nearest(masked[source], points)]
        return masked.with_columns({name: self.original[name][place]})

    def _span(
        self, masked: Table, name: str, first: Indices, cells: Indices, covered: list[Indices]
    ) -> Table:
        """Recode a column to all values that belong to what each cell of its source covers."""
        attribute = self.original.attribute(name)
        values = self.original[name][first]
        if attribute.is_categorical:
            leaves = np.zeros((len(covered), len(attribute.categories)), dtype=bool)
            for row, places in zip(leaves, covered, strict=True):
                row[values[places]] = True
            codes, sets = set_cells(attribute, leaves)
            return masked.with_recoded(name, codes[cells], sets)
        low = np.array([np.fmin.reduce(values[places]) for places in covered])
        high = np.array([np.fmax.reduce(values[places]) for places in covered])
        codes, intervals = interval_cells(attribute, low, high)
        return masked.with_recoded(name, codes[cells], intervals)


def without_derived_quasi_identifiers(schema: Schema) -> Schema:
    """Return the schema with derived columns in the role ``other``: their sources are masked."""
    for attribute in schema:
        if attribute.linked:
            _require_source(schema, attribute.name, attribute.linked)
    linked = [a.name for a in schema if a.linked and a.role is Role.QUASI_IDENTIFIER]
    return schema.assigning(dict.fromkeys(linked, Role.OTHER))


def _require_source(schema: Schema, name: str, source: str) -> None:
    if source not in schema:
        raise SchemaError(
            f"{name!r} is linked to {source!r}, which is not a column; correct the schema"
        )
    if schema[source].linked or source == name or schema[source].role is not Role.QUASI_IDENTIFIER:
        raise SchemaError(
            f"{name!r} is linked to {source!r}, which is not masked itself; link it to a "
            "quasi-identifier that is not linked to another column"
        )


def _require_dependency(table: Table, name: str, source: str) -> None:
    _, first, place = np.unique(table[source], return_index=True, return_inverse=True)
    implied = table[name][first][place]
    differs: Flags = (implied != table[name]) & ~(np.isnan(implied) & np.isnan(table[name]))
    if differs.any():
        raise SchemaError(
            f"{name!r} is linked to {source!r} but is not determined by it: record "
            f"{int(np.flatnonzero(differs)[0]) + 1} differs from an earlier record with the same "
            f"value of {source!r}; correct the data or the schema"
        )


def _nearest(values: Indices, points: Indices) -> Indices:
    """Index of the nearest of some sorted points; a missing value is nearest to itself."""
    right = np.clip(np.searchsorted(points, values), 1, max(1, len(points) - 1))
    left = right - 1
    if len(points) == 1:
        return np.zeros(len(values), dtype=np.intp)
    with np.errstate(invalid="ignore"):
        closer = np.abs(values - points[left]) <= np.abs(points[right] - values)
    return np.where(closer, left, right)


def _covered(masked: Table, source: str, points: Indices) -> tuple[Indices, list[Indices]]:
    """Return the index of each record's cell, and the points that each distinct cell covers."""
    recoding = masked.recoding(source)
    used, cells = np.unique(masked[source], return_inverse=True)
    if recoding.is_categorical:
        flags = recoding.leaves[used][:, points]
    else:
        low, high = recoding.low[used][:, None], recoding.high[used][:, None]
        flags = (points >= low) & (points <= high) | (np.isnan(low) & np.isnan(points))
    everything = np.arange(len(points))
    covered = [np.flatnonzero(row) if row.any() else everything for row in flags]
    return cells, covered
