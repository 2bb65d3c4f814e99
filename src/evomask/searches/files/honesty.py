"""An evolved file beside the best first one, by attackers that were not in the fitness."""

from collections.abc import Mapping
from dataclasses import dataclass

from evomask.data.table import Table
from evomask.measures.attacks.audit import audit

TOLERATED = 5.0
"""Points by which a held-out attacker may do better on the evolved file without a warning."""


@dataclass(frozen=True, eq=False)
class Honesty:
    """Attacks masked versions of one original.

    Args:
        wanted: whether they are attacked at all; it takes a few seconds.
    """

    original: Table
    wanted: bool = True

    def compared(self, first: Table, evolved: Table) -> Mapping[str, object]:
        """Every held-out attacker's success on both files, and warnings where it grew."""
        if not self.wanted:
            return {}
        before, after = self._attacked(first), self._attacked(evolved)
        told = {
            name: {
                "initial_best": before[name],
                "best": after[name],
                "worse_by": after[name] - before[name],
            }
            for name in before
        }
        warnings = [
            f"{name} succeeds on {after[name]:.1f} % of the evolved file and on "
            f"{before[name]:.1f} % of the best first one: the search did not see this attack"
            for name in before
            if after[name] - before[name] > TOLERATED
        ]
        return {"held_out": told, "warnings": warnings}

    def _attacked(self, masked: Table) -> dict[str, float]:
        found = audit(masked, self.original, in_order=True).attacks
        return {finding.about.name: finding.success.value for finding in found}
