"""Masking once per unit of what is constant within persons or households."""

from collections.abc import Sized
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evomask.data.table import Table
from evomask.data.units import UnitLevel, broadcast, first_records, unit_labels, unit_levels
from evomask.masking.method import MaskingMethod, provenance_of
from evomask.masking.provenance import Provenance


@dataclass(frozen=True)
class WithinUnits:
    """Mask attributes that are constant within a unit on one record per unit, others on all.

    Args:
        method: the method, whose parameters do not depend on the number of attributes.
        levels: kinds of units with their constant attributes, the coarsest first.
    """

    method: MaskingMethod
    levels: tuple[UnitLevel, ...]

    @property
    def attributes(self) -> tuple[str, ...]:
        return self.method.attributes

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the masked table; each unit has one value of what was constant in it."""
        left = list(self.method.attributes)
        for level in self.levels:
            own = [name for name in left if name in level.names]
            left = [name for name in left if name not in own]
            if own:
                units = unit_labels(table, level.unit)
                members = table.take(first_records(units))
                masked = _with_attributes(self.method, own).mask(members, rng)
                table = broadcast(table, masked, units, own)
        return _with_attributes(self.method, left).mask(table, rng) if left else table

    def provenance(self) -> Provenance:
        return provenance_of(self.method)


def _with_attributes(method: Any, names: list[str]) -> MaskingMethod:  # noqa: ANN401
    found: MaskingMethod = replace(method, attributes=tuple(names))
    return found


def within_units(method: MaskingMethod, table: Table) -> MaskingMethod:
    """Wrap a method so that constant attributes are masked once per unit, if there are any.

    Methods that take a parameter for each attribute, and those that mask by value, are left alone:
    equal values remain equal, or the enforcement makes them so.
    """
    levels = unit_levels(table)
    constant = {name for level in levels for name in level.names}
    fields = getattr(method, "__dataclass_fields__", {})
    others = [getattr(method, name) for name in fields if name != "attributes"]
    has_one_each = any(isinstance(own, Sized) and not isinstance(own, str) for own in others)
    if constant.isdisjoint(method.attributes) or "attributes" not in fields or has_one_each:
        return method
    return WithinUnits(method, levels)
