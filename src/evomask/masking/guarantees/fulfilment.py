"""Edit rules and requirements together: what every released file must fulfil."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.rules.edits import parse, rules_of
from evomask.data.rules.mending import Mender
from evomask.data.table import Table
from evomask.masking.guarantees.repair import Repair
from evomask.masking.guarantees.requirement import NOTHING, Requirement
from evomask.masking.recoding.following import Followers

MOST_TURNS = 3


@dataclass(frozen=True, eq=False)
class Guarantees:
    """Brings masked versions of one table to obey its edit rules and to fulfil a requirement.

    Rules come first, then the repair, which may merge classes of records; means obey linear
    rules again but for rounding, and what rounding broke is mended class by class, so that
    the requirement of k records alike still holds.
    """

    original: Table
    mender: Mender
    followers: Followers
    requirement: Requirement = NOTHING
    share: float = 1.0
    """Of a larger file that the table is, where it is a sample: it is repaired as that would be."""

    @classmethod
    def of(
        cls, original: Table, requirement: Requirement = NOTHING, share: float = 1.0
    ) -> "Guarantees":
        """The guarantees of a table's masked versions; rules that are wrong are refused."""
        mender, followers = Mender.of(original), Followers.of(original)
        return cls(original, mender, followers, requirement, share)

    def __call__(self, masked: Table) -> Table:
        """The masked table with its rules obeyed, the requirement fulfilled, linked columns along.

        Should rules and requirement be impossible, rules may stay broken.
        """
        return self.followers(self._fulfilling(masked))

    def _fulfilling(self, masked: Table) -> Table:
        if not self.requirement.asks_anything:
            return self.mender.mended(masked)
        for _ in range(MOST_TURNS):
            masked = self._repaired(self.mender.mended(masked))
            masked = self.mender.mended(masked, whole_classes=True)
            if not self.mender.rules.broken_by(masked).any():
                break
        asks_of_secrets = self.requirement.l > 1 or self.requirement.t < 1
        return self._repaired(masked) if asks_of_secrets and len(self.mender.rules) else masked

    def _repaired(self, masked: Table) -> Table:
        repair = self.requirement.repair(self.original, self.share)
        return repair.mask(masked, np.random.default_rng(0))

    @property
    def are_plainly_possible(self) -> bool:
        """Whether any masked version can be brought to fulfil them; what cannot be is refused.

        Nobody knows before trying where there are rules, or strata that may be too small.
        """
        repair = self.requirement.repair(self.original)
        if len(self.mender.rules) or not isinstance(repair, Repair):
            return False
        repair.checked(self.original)
        return True

    @property
    def notes(self) -> tuple[str, ...]:
        """How many records of the original break its rules; a release makes them obey."""
        return _sentences(
            self.mender.rules.violations(self.original), "records of the original break"
        )

    def notes_on(self, before: Table, after: Table) -> tuple[str, ...]:
        """How many records were changed to obey the rules, and which rules still are broken."""
        rules = self.mender.rules
        if not len(rules):
            return ()
        moved = rules.values(before) != rules.values(after)
        changed = int((moved & ~np.isnan(rules.values(before))).any(axis=1).sum())
        notes = [f"{changed} records were changed to obey the edit rules"] if changed else []
        alike = _fewest_alike(before), _fewest_alike(after)
        if alike[1] < alike[0]:
            notes.append(f"that left {alike[1]} records alike where there were {alike[0]}")
        return (*notes, *_sentences(rules.violations(after), "released records still break"))


def _fewest_alike(table: Table) -> int:
    released = table.take(np.flatnonzero(~table.suppressed))
    sizes = classes_of(released, table.schema.quasi_identifiers).sizes
    return int(sizes.min(initial=len(table)))


def broken_rules(original: Table, masked: Table) -> tuple[str, ...]:
    """How many records of a masked file break each rule; rules on columns that it lacks aside."""
    edits = [
        edit
        for edit in original.schema.edits
        if all(name in masked.schema for rule in parse(edit) for name, _ in rule.weights)
    ]
    rules = rules_of(replace(masked.schema, edits=tuple(edits)))
    return _sentences(rules.violations(masked), "masked records break")


def _sentences(violations: Mapping[str, int], what: str) -> tuple[str, ...]:
    return tuple(f"{count} {what} the rule {text}" for text, count in violations.items())
