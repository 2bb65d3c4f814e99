"""An evolved file beside the best first one, by attackers that were not in the fitness."""

from collections.abc import Mapping

from evomask.data.table import Table
from evomask.measures.attacks.audit import audit

TOLERATED = 5.0
"""Points by which a held-out attacker may do better on the evolved file without a warning."""


def held_out(original: Table, first: Table, evolved: Table) -> Mapping[str, object]:
    """Every held-out attacker's success on both files, and warnings where it grew."""
    before, after = attacked(original, first), attacked(original, evolved)
    worse_by = {name: after[name] - before[name] for name in before}
    found = {
        name: {"initial_best": before[name], "best": after[name], "worse_by": worse_by[name]}
        for name in before
    }
    warnings = [
        f"{name} succeeds on {after[name]:.1f} % of the evolved file and on "
        f"{before[name]:.1f} % of the best first one: the search did not see this attack"
        for name in before
        if worse_by[name] > TOLERATED
    ]
    return {"held_out": found, "warnings": warnings}


def attacked(original: Table, masked: Table) -> dict[str, float]:
    """The success of every held-out attacker on a masked file, in percent."""
    found = audit(masked, original, in_order=True).attacks
    return {finding.about.name: finding.success.value for finding in found}
