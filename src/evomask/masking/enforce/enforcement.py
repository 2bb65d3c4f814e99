"""Joint enforcement of edit rules, a requirement and derived columns on masked files."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.edits import EditRepair, parse_rule, rules_of
from evomask.data.table import Table
from evomask.masking.enforce.repair import Repair
from evomask.masking.enforce.requirement import NOTHING, Requirement
from evomask.masking.recoding.derived_columns import DerivedColumns

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

        If rules and requirement are incompatible, rules may remain violated.
        """
        return self.derived(self._enforce(masked))

    def _enforce(self, masked: Table) -> Table:
        if not self.requirement.asks_anything:
            return self.mender.mended(masked)
        for _ in range(MAX_ROUNDS):
            masked = self._repair(self.mender.mended(masked))
            masked = self.mender.mended(masked, whole_classes=True)
            if not self.mender.rules.broken_by(masked).any():
                break
        has_l_or_t = self.requirement.l > 1 or self.requirement.t < 1
        return self._repair(masked) if has_l_or_t and len(self.mender.rules) else masked

    def _repair(self, masked: Table) -> Table:
        repair = self.requirement.repair(self.original, self.share)
        return repair.mask(masked, np.random.default_rng(0))

    @property
    def are_plainly_possible(self) -> bool:
        """Whether enforcement certainly succeeds; raise if it is certainly infeasible.

        It is uncertain with edit rules, and with strata, which may be too small.
        """
        repair = self.requirement.repair(self.original)
        if len(self.mender.rules) or not isinstance(repair, Repair):
            return False
        repair.checked(self.original)
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        """Number of original records that violate each edit rule; a release corrects them."""
        return _sentences(
            self.mender.rules.violations(self.original), "records of the original break"
        )

    def notes_on(self, before: Table, after: Table) -> tuple[str, ...]:
        """Number of records changed by edit rules, and the rules that are still violated."""
        rules = self.mender.rules
        if not len(rules):
            return ()
        moved = rules.values(before) != rules.values(after)
        changed = int((moved & ~np.isnan(rules.values(before))).any(axis=1).sum())
        notes = [f"{changed} records were changed to obey the edit rules"] if changed else []
        smallest = _smallest_class(before), _smallest_class(after)
        if smallest[1] < smallest[0]:
            notes.append(
                "enforcing the edit rules reduced the smallest equivalence class from "
                f"{smallest[0]} to {smallest[1]} records"
            )
        return (*notes, *_sentences(rules.violations(after), "released records still break"))


def _smallest_class(table: Table) -> int:
    released = table.take(np.flatnonzero(~table.suppressed))
    sizes = classes_of(released, table.schema.quasi_identifiers).sizes
    return int(sizes.min(initial=len(table)))


def broken_rules(original: Table, masked: Table) -> tuple[str, ...]:
    """Number of masked records that violate each edit rule whose columns the file has."""
    edits = [
        edit
        for edit in original.schema.edits
        if all(name in masked.schema for rule in parse_rule(edit) for name, _ in rule.weights)
    ]
    rules = rules_of(replace(masked.schema, edits=tuple(edits)))
    return _sentences(rules.violations(masked), "masked records break")


def _sentences(violations: Mapping[str, int], what: str) -> tuple[str, ...]:
    return tuple(f"{count} {what} the rule {text}" for text, count in violations.items())
