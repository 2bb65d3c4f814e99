"""Enforcement for persons with several records and households.

What is constant within a unit is changed once per unit and stays constant. Requirements are
satisfied level by level, from households to persons to records: first the constant attributes are
made common to enough units, then the others within the classes of these. The second step always
succeeds, because each class of the first has enough units.
"""

from dataclasses import dataclass, replace

import numpy as np

from evomask.data.table import Table
from evomask.data.units import (
    UnitLevel,
    broadcast,
    first_records,
    unit_labels,
    with_constant_units,
)
from evomask.errors import DataError, EvomaskError
from evomask.masking.enforce.repair import Repair
from evomask.masking.enforce.scenarios import (
    KnownAttributes,
    ScenarioRepair,
    change_released,
    insufficient,
    repair_of,
    without_implied,
)

MOST_ROUNDS = 4
"""Rounds in which one set of known attributes after the other is made to satisfy its requirement;
after them, all known attributes are taken together."""


@dataclass(frozen=True)
class UnitRepair:
    """Keep attributes constant within units, and make requirements hold by changing whole units.

    Args:
        levels: kinds of units with their constant attributes, the coarsest first.
        known: the requirements; none implies another. Without any, attributes are only kept
            constant.
    """

    levels: tuple[UnitLevel, ...]
    known: tuple[KnownAttributes, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        """Every attribute that may be changed."""
        constant = (name for level in self.levels for name in level.names)
        return tuple(sorted({*constant, *(name for one in self.known for name in one.names)}))

    @property
    def t(self) -> float:
        """The smallest required t."""
        return min((one.t for one in self.known), default=1.0)

    @property
    def strictest(self) -> KnownAttributes:
        """A requirement on all known attributes together that implies every other one."""
        units = {one.unit for one in self.known}
        coarsest = next((level.unit for level in self.levels if level.unit in units), "")
        return replace(ScenarioRepair(self.known).strictest, unit=coarsest)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with all requirements satisfied; no random number is drawn."""
        return change_released(table, self.attributes, self._changed)

    def _changed(self, table: Table) -> Table:
        table = with_constant_units(table, self.levels)
        if self._holds(table):
            return table
        for one in self.known:
            repair_of(one, table).checked(table)
        found = self._change_records(self._common_first(table))
        for _ in range(MOST_ROUNDS):
            if self._holds(found):
                return found
            for one in self.known:
                if insufficient(found, one).any():
                    found = self._level_by_level(found, one, one.k)
        return found if self._holds(found) else self._together(table)

    def _holds(self, table: Table) -> bool:
        return not any(insufficient(table, one).any() for one in self.known)

    def _common_first(self, table: Table) -> Table:
        """Change single cells of the coarsest units, for all sets of known attributes at once."""
        level = next((level for level in self.levels if level.names), None)
        if level is None:
            return table
        known = without_implied(
            [
                KnownAttributes(names, one.k)
                for one in self.known
                if (names := tuple(name for name in one.names if name in level.names))
            ]
        )
        units = unit_labels(table, level.unit)
        first = first_records(units)
        if not known or max(one.k for one in known) > len(first):
            return table
        changed = ScenarioRepair(known).mask(table.take(first), np.random.default_rng(0))
        return broadcast(table, changed, units, level.names)

    def _change_records(self, table: Table) -> Table:
        """Change single cells of what is not constant in units, where records are counted."""
        known = tuple(one for one in self.known if not one.unit)
        constant = {name for level in self.levels for name in level.names}
        names = {name for one in known for name in one.names}
        if not names - constant:
            return table
        repair = ScenarioRepair(known, frozen=tuple(sorted(names & constant)))
        return repair.change_cells(table)[0]

    def _level_by_level(self, table: Table, one: KnownAttributes, k: int) -> Table:
        """Satisfy one requirement, with *k* units in each class of constant attributes."""
        within: tuple[str, ...] = ()
        for level in self.levels:
            own = tuple(name for name in one.names if name in level.names)
            if not own:
                continue
            units = unit_labels(table, level.unit)
            first = first_records(units)
            unit = one.unit if one.unit != level.unit else ""
            repair = Repair(own, min(k, len(first)), within=within, unit=unit)
            changed = repair.mask(table.take(first), np.random.default_rng(0))
            table = broadcast(table, changed, units, own)
            within = (*within, *own)
        own = tuple(name for name in one.names if name not in within)
        if not own:
            return table
        repair = replace(repair_of(one, table), attributes=own, within=within, unit=one.unit)
        return repair.mask(table, np.random.default_rng(0))

    def _together(self, table: Table) -> Table:
        """Satisfy the strictest requirement on all known attributes, with ever larger classes."""
        one, k = self.strictest, self.strictest.k
        while True:
            try:
                found = self._level_by_level(table, one, k)
                if self._holds(found):
                    return found
            except EvomaskError:
                if k >= len(table):
                    raise
            if k >= len(table):
                raise DataError(
                    "no enforcement satisfies what is required of every unit; require less, or "
                    "know fewer confidential attributes"
                )
            k = min(2 * k, len(table))
