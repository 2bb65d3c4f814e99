"""Joint enforcement of edit rules, a requirement and derived columns on masked files."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.edits import EditRepair, rule_columns, rules_of
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.data.units import UnitLevel, unit_levels
from evomask.masking.enforce.repair import Repair
from evomask.masking.enforce.requirement import (
    NOTHING,
    Requirement,
    known_attributes,
    repair_within,
)
from evomask.masking.enforce.scenarios import ScenarioRepair, repair_of
from evomask.masking.enforce.units import UnitRepair
from evomask.masking.method import MaskingMethod
from evomask.masking.missing import filled_cells, keep_missing
from evomask.masking.recoding.derived_columns import DerivedColumns
from evomask.types import Flags

MAX_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class Enforcement:
    """Makes masked versions of one table satisfy its edit rules and a requirement.

    Edit rules are enforced first, then the repair merges equivalence classes. Means satisfy
    linear rules except for rounding; violations by rounding are corrected class by class, so
    that k-anonymity still holds.

    Args:
        original: the original table.
        mender: enforces the edit rules.
        derived: recodes the derived columns.
        requirement: the required k, l and t.
        share: fraction of a larger file that the table is, if it is a sample; a sample is
            repaired by the rules that apply to its file.
    """

    original: Table
    mender: EditRepair
    derived: DerivedColumns
    requirement: Requirement = NOTHING
    share: float = 1.0

    @classmethod
    def of(
        cls, original: Table, requirement: Requirement = NOTHING, share: float = 1.0
    ) -> "Enforcement":
        """Return the enforcement for masked versions of a table; raise for invalid edit rules."""
        mender, derived = EditRepair.of(original), DerivedColumns.of(original)
        return cls(original, mender, derived, requirement, share)

    def __call__(self, masked: Table) -> Table:
        """Enforce edit rules and requirement, then recode derived columns.

        Missing values of the original stay missing. Where that leaves a record without others like
        it, the record is suppressed. If rules and requirement are incompatible, rules may remain
        violated.
        """
        masked = keep_missing(self.original, masked)
        released = self._enforce(masked)
        for _ in range(MAX_ROUNDS):
            filled = self._filled(released)
            if not filled.any() or self.repair is None:
                break
            masked = masked.suppressing(filled)
            released = self._enforce(masked)
        return self.derived(released)

    def _filled(self, masked: Table) -> Flags:
        """Flag the released records in which a missing value of the original was replaced."""
        filled = np.zeros(len(masked), dtype=bool)
        for name in masked.schema.names:
            filled |= filled_cells(self.original, masked, name)
        return filled & ~masked.suppressed

    @cached_property
    def repair(self) -> MaskingMethod | None:
        """The repair of masked files; None if nothing is required."""
        return self.requirement.repair(self.original, self.share)

    @cached_property
    def levels(self) -> tuple[UnitLevel, ...]:
        """Kinds of units of the original, with what is constant in each."""
        return unit_levels(self.original)

    @property
    def asks_anything(self) -> bool:
        """Whether k, l or t is required, in general or in a scenario, or units are kept."""
        return self.repair is not None

    def _enforce(self, masked: Table) -> Table:
        if self.repair is None:
            return self.mender.mended(masked)
        has_l_or_t = self.requirement.l > 1 or self.requirement.t < 1
        if not self.original.schema.scenarios:
            repairs_last = has_l_or_t or bool(self.levels)
            return self._alternate(self.repair, masked, repairs_last=repairs_last)
        changed = self._alternate(self.repair, masked, repairs_last=True)
        if not self.mender.rules.broken_by(changed).any():
            return changed
        repairs_last = has_l_or_t or bool(self.levels)
        return self._alternate(self._merging, masked, repairs_last=repairs_last)

    def _alternate(self, repair: MaskingMethod, masked: Table, *, repairs_last: bool) -> Table:
        """Enforce edit rules and requirement in turn until both hold.

        Args:
            repairs_last: whether correcting the edit rules may violate the requirement.
        """
        rng = np.random.default_rng(0)
        for _ in range(MAX_ROUNDS):
            masked = repair.mask(self.mender.mended(masked), rng)
            masked = self.mender.mended(masked, whole_classes=True)
            if not self.mender.rules.broken_by(masked).any():
                break
        return repair.mask(masked, rng) if repairs_last and len(self.mender.rules) else masked

    @cached_property
    def _merging(self) -> MaskingMethod:
        """The repair that merges classes of all attributes that any scenario knows.

        Its classes survive the correction of edit rules.
        """
        known = ScenarioRepair(known_attributes(self.original.schema, self.requirement))
        if self.levels:
            units = UnitRepair(self.levels, (UnitRepair(self.levels, known.known).strictest,))
            return repair_within(units, self.original)
        return repair_within(repair_of(known.strictest, self.original), self.original)

    @property
    def are_plainly_possible(self) -> bool:
        """Whether enforcement certainly succeeds; raise if it is certainly infeasible.

        It is uncertain with edit rules, with l or t in scenarios, and with strata, which may be
        too small.
        """
        if len(self.mender.rules) or self.original.schema.with_role(Role.STRATUM):
            return False
        if not isinstance(self.repair, Repair | ScenarioRepair):
            return self.repair is None
        self.repair.checked(self.original)
        if isinstance(self.repair, Repair):
            return True
        return all(one.l == 1 and one.t == 1 for one in self.repair.known)

    @property
    def notes(self) -> tuple[str, ...]:
        """Number of original records that violate each edit rule; a release corrects them."""
        return _sentences(
            self.mender.rules.violations(self.original), "records of the original violate"
        )

    def notes_on(self, before: Table, after: Table) -> tuple[str, ...]:
        """Number of records changed by edit rules, and the rules that are still violated."""
        rules = self.mender.rules
        if not len(rules):
            return ()
        moved = rules.values(before) != rules.values(after)
        flags = (moved & ~np.isnan(rules.values(before))).any(axis=1)
        for name in dict.fromkeys(
            name for rule in rules.conditions for name in rule.columns(before.schema)
        ):
            if before.is_recoded(name) == after.is_recoded(name):
                flags |= ~np.isclose(before[name], after[name], rtol=0, atol=0, equal_nan=True)
        changed = int(flags.sum())
        notes = [f"{changed} records were changed to fulfil the edit rules"] if changed else []
        smallest = _smallest_class(before), _smallest_class(after)
        if smallest[1] < smallest[0]:
            notes.append(
                "enforcing the edit rules reduced the smallest equivalence class from "
                f"{smallest[0]} to {smallest[1]} records"
            )
        return (*notes, *_sentences(rules.violations(after), "released records still violate"))


def _smallest_class(table: Table) -> int:
    released = table.take(np.flatnonzero(~table.suppressed))
    sizes = classes_of(released, table.schema.quasi_identifiers).sizes
    return int(sizes.min(initial=len(table)))


def broken_rules(original: Table, masked: Table) -> tuple[str, ...]:
    """Number of masked records that violate each edit rule whose columns the file has."""
    edits = [
        edit
        for edit in original.schema.edits
        if all(name in masked.schema for name in rule_columns(edit, original.schema))
    ]
    rules = rules_of(replace(masked.schema, edits=tuple(edits)))
    return _sentences(rules.violations(masked), "masked records violate")


def _sentences(violations: Mapping[str, int], what: str) -> tuple[str, ...]:
    return tuple(f"{count} {what} the rule {text}" for text, count in violations.items())
