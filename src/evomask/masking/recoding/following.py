"""Columns that follow from a masked one: they are masked with it, and tell no more than it does.

Where education is masked, the years of education beside it would tell what it was. A column that
is *linked* to another takes in every record the value, or the values, that belong to what the
other one shows there now.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evomask.arrays import Flags, Indices
from evomask.data.schema import Role, Schema
from evomask.data.table import Table
from evomask.errors import SchemaError
from evomask.masking.recoding.group_values import interval_cells, set_cells


@dataclass(frozen=True, eq=False)
class Followers:
    """Those columns of a table, each with the one that leads it."""

    original: Table
    leads: Mapping[str, str]

    @classmethod
    def of(cls, original: Table) -> "Followers":
        """The linked columns of a table; one that does not follow from its lead is refused."""
        leads = {a.name: a.linked for a in original.schema if a.linked}
        for name, lead in leads.items():
            _require_link(original, name, lead)
        return cls(original, leads)

    def __call__(self, masked: Table) -> Table:
        """The masked table with linked columns as their leads are now."""
        for name, lead in self.leads.items():
            masked = self._following(masked, name, lead)
        return masked

    def _following(self, masked: Table, name: str, lead: str) -> Table:
        before = self.original[lead]
        if not masked.is_recoded(lead) and np.array_equal(masked[lead], before, equal_nan=True):
            return masked
        points, first = np.unique(before, return_index=True)
        if masked.is_recoded(lead):
            return self._spread(masked, name, first, *_covered(masked, lead, points))
        place = first[_nearest(masked[lead], points)]
        return masked.with_columns({name: self.original[name][place]})

    def _spread(
        self, masked: Table, name: str, first: Indices, cells: Indices, covered: list[Indices]
    ) -> Table:
        """The column with all values that belong to what each cell of its lead covers."""
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


def led_columns(schema: Schema) -> Schema:
    """The schema with linked columns out of the quasi-identifiers: their leads stand for them."""
    for attribute in schema:
        if attribute.linked:
            _require_lead(schema, attribute.name, attribute.linked)
    linked = [a.name for a in schema if a.linked and a.role is Role.QUASI_IDENTIFIER]
    return schema.assigning(dict.fromkeys(linked, Role.OTHER))


def _require_lead(schema: Schema, name: str, lead: str) -> None:
    if lead not in schema:
        raise SchemaError(f"{name!r} is linked to {lead!r}, which is no column; correct the schema")
    if schema[lead].linked or lead == name or schema[lead].role is not Role.QUASI_IDENTIFIER:
        raise SchemaError(
            f"{name!r} is linked to {lead!r}, which is not masked itself; link it to a "
            "quasi-identifier that is linked to nothing"
        )


def _require_link(table: Table, name: str, lead: str) -> None:
    _, first, place = np.unique(table[lead], return_index=True, return_inverse=True)
    told = table[name][first][place]
    differs: Flags = (told != table[name]) & ~(np.isnan(told) & np.isnan(table[name]))
    if differs.any():
        raise SchemaError(
            f"{name!r} is linked to {lead!r} and does not follow from it: record "
            f"{int(np.flatnonzero(differs)[0]) + 1} has another value than one before it with the "
            "same; correct the data or the schema"
        )


def _nearest(values: Indices, points: Indices) -> Indices:
    """The place of the nearest of some sorted points; a missing value is nearest to itself."""
    right = np.clip(np.searchsorted(points, values), 1, max(1, len(points) - 1))
    left = right - 1
    if len(points) == 1:
        return np.zeros(len(values), dtype=np.intp)
    with np.errstate(invalid="ignore"):
        closer = np.abs(values - points[left]) <= np.abs(points[right] - values)
    return np.where(closer, left, right)


def _covered(masked: Table, lead: str, points: Indices) -> tuple[Indices, list[Indices]]:
    """The cell of each record among those used, and places of the points that each covers."""
    recoding = masked.recoding(lead)
    used, cells = np.unique(masked[lead], return_inverse=True)
    if recoding.is_categorical:
        flags = recoding.leaves[used][:, points]
    else:
        low, high = recoding.low[used][:, None], recoding.high[used][:, None]
        flags = (points >= low) & (points <= high) | (np.isnan(low) & np.isnan(points))
    everything = np.arange(len(points))
    covered = [np.flatnonzero(row) if row.any() else everything for row in flags]
    return cells, covered
