"""A masked table judged by what no search looked at: privacy models, record risk, attacks."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import Protocol

import numpy as np

from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.measures.attacks.attack import FIXED, Attack, Matching, Success
from evomask.measures.attacks.centroids import CentroidLinkage
from evomask.measures.attacks.few_known import WORDS, FewKnownLinkage
from evomask.measures.attacks.learning import LearnedInference
from evomask.measures.attacks.singling_out import SinglingOut
from evomask.measures.comparability import check_columns, check_original
from evomask.measures.loss.distance import DistanceLoss
from evomask.measures.measure import About
from evomask.measures.risk.individual import household_of
from evomask.measures.risk.privacy_models import (
    distinct_l,
    entropy_l,
    k_anonymity,
    nominal_t,
    released,
    sample_uniques,
    t_closeness,
)
from evomask.measures.risk.records import (
    MINIMUM,
    HouseholdRisk,
    RecordRisk,
    household_risk,
    record_risk,
)
from evomask.measures.risk.special_risk import SpecialRisk, special_risk
from evomask.measures.risk.swapping import SwappingLinkage

MOST_WANTED = 8
"""Attributes that are inferred where none is confidential."""

ROUNDING = 1e-9
SHUFFLES = 20
DEVIATIONS = 3.0
"""Records so far nearer to their originals than shuffled ones are not there by chance."""


SPECIAL = "special-uniques"


class Clock(Protocol):
    """Says what there is still time for, by how long its like has taken."""

    def allows(self, kind: str) -> bool:
        """Whether something of that kind may be begun."""
        ...

    def timing(self, kind: str) -> AbstractContextManager[None]:
        """Remember how long something of that kind takes."""
        ...


class Unhurried:
    """A clock by which there is time for everything."""

    def allows(self, _: str) -> bool:
        """Always, whatever it takes."""
        return True

    def timing(self, _: str) -> AbstractContextManager[None]:
        """Nobody wants to know."""
        return nullcontext()


@dataclass(frozen=True)
class Diversity:
    """What look-alikes tell about one confidential attribute.

    Args:
        l: fewest distinct values in a class.
        l_entropy: how many equally frequent values the least varied class is worth.
        t: largest distance of a class from the whole file.
    """

    l: int  # noqa: E741
    l_entropy: float
    t: float


@dataclass(frozen=True)
class Finding:
    """What one attack achieved, all in percent, lower is better.

    Args:
        unmasked: what the same attack gets from the original file itself.
    """

    about: About
    success: Success
    unmasked: float

    def as_json(self) -> dict[str, object]:
        """The finding as the JSON answer shows it."""
        return {
            "title": self.about.title,
            "meaning": self.about.meaning,
            "value": self.success.value,
            "baseline": self.success.baseline,
            "unmasked": self.unmasked,
            "details": dict(self.success.details),
            "attributes": list(self.success.attributes),
        }


@dataclass(frozen=True)
class Audit:
    """All that an audit found; no value of any record is in it.

    Args:
        k: records in the smallest class of look-alikes.
        uniques: records that look like no other.
        confidential: diversity by confidential attribute.
        attacks: none where there was no original to attack.
        notes: what was left out, and why.
        households: risk that any member of a household is identified, where there are some.
        special: records that are unique on few attributes.
        suppressed: by attribute how many cells of released records say nothing.
        skipped: names of attacks that there was no time for.
    """

    records: int
    quasi_identifiers: tuple[str, ...]
    k: int
    uniques: int
    confidential: Mapping[str, Diversity]
    record_risk: RecordRisk
    attacks: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    households: HouseholdRisk | None = None
    special: SpecialRisk | None = None
    suppressed: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()

    @property
    def l(self) -> int | None:  # noqa: E743
        """The smallest distinct l; none without a confidential attribute."""
        return min((diversity.l for diversity in self.confidential.values()), default=None)

    @property
    def t(self) -> float | None:
        """The largest t; none without a confidential attribute."""
        return max((diversity.t for diversity in self.confidential.values()), default=None)

    def as_json(self) -> dict[str, object]:
        """The audit as the JSON answer shows it."""
        return {
            "records": self.records,
            "quasi_identifiers": list(self.quasi_identifiers),
            "k": self.k,
            "l": self.l,
            "t": self.t,
            "uniques": self.uniques,
            "confidential": {
                name: asdict(diversity) for name, diversity in self.confidential.items()
            },
            "record_risk": asdict(self.record_risk),
            "households": asdict(self.households) if self.households else None,
            "special_uniques": asdict(self.special) if self.special else None,
            "suppressed_cells": dict(self.suppressed),
            "attacks": {finding.about.name: finding.as_json() for finding in self.attacks},
            "notes": list(self.notes),
        }


def audit(
    masked: Table,
    original: Table | None = None,
    *,
    in_order: bool | None = None,
    minimum: int = MINIMUM,
    unmasked: dict[str, float] | None = None,
    clock: Clock | None = None,
) -> Audit:
    """Privacy models and record risk of *masked*, and attacks where *original* is known.

    Args:
        in_order: whether the records are in the original's order; found out when not told.
            Without it, attacks that match records are left out.
        minimum: fewest records in a cell of the histogram.
        unmasked: what attacks on the original achieve, by name; what is not known yet is added,
            so that audits of many files attack it once.
        clock: leaves out attacks, and special uniques, that there is no time for.
    """
    kept = released(masked)
    names = kept.schema.quasi_identifiers
    ordered = _ordered(masked, original) if in_order is None else in_order
    known = {} if unmasked is None else unmasked
    clock = clock or Unhurried()
    attacks, notes, skipped = _attacked(kept, masked, original, known, ordered=ordered, clock=clock)
    special = None
    if clock.allows(SPECIAL):
        with clock.timing(SPECIAL):
            special = special_risk(kept, names, minimum)
    at_home = released(_with_households(masked, original)) if ordered else kept
    return Audit(
        len(kept),
        names,
        k_anonymity(kept, names),
        sample_uniques(kept, names),
        {name: _diversity(kept, names, name) for name in kept.schema.with_role(Role.CONFIDENTIAL)},
        record_risk(kept, names, minimum),
        attacks,
        notes,
        household_risk(at_home, names, minimum),
        special,
        kept.suppressed_cells(),
        skipped if special else (*skipped, SPECIAL),
    )


def _diversity(table: Table, names: tuple[str, ...], confidential: str) -> Diversity:
    t = nominal_t if table.is_recoded(confidential) else t_closeness
    return Diversity(
        distinct_l(table, names, confidential),
        entropy_l(table, names, confidential),
        t(table, names, confidential),
    )


def _ordered(masked: Table, original: Table | None) -> bool:
    return original is not None and are_in_order(masked, original)


def _with_households(masked: Table, original: Table | None) -> Table:
    """The masked table with the original's household numbers, which a release leaves out."""
    name = None if original is None else household_of(original)
    if original is None or name is None or name in masked.schema:
        return masked
    attributes = (*masked.schema.attributes, original.attribute(name))
    columns = {**masked.columns, name: original[name]}
    schema = replace(masked.schema, attributes=attributes)
    return replace(masked, schema=schema, columns=columns)


def _attacked(
    kept: Table,
    masked: Table,
    original: Table | None,
    known: dict[str, float],
    *,
    ordered: bool,
    clock: Clock,
) -> tuple[tuple[Finding, ...], tuple[str, ...], tuple[str, ...]]:
    """What attacks found, notes on them, and names of those that there was no time for."""
    if original is None:
        return (), (), ()
    attacks = attacks_on(kept, original)
    notes = () if ordered else (_left_out(attacks, masked, original),)
    people = original
    if ordered and masked.suppressed.any():
        people, known = original.take(np.flatnonzero(~masked.suppressed)), {}
    found: list[Finding] = []
    skipped: list[str] = []
    for attack in attacks:
        if not ordered and attack.matches_records:
            continue
        kind = attack.about.name.split("-")[0]
        if not clock.allows(kind):
            skipped.append(attack.about.name)
            continue
        with clock.timing(kind):
            found.append(_finding(attack, kept, people, known))
    return tuple(found), notes, tuple(skipped)


def _finding(attack: Attack, masked: Table, original: Table, known: dict[str, float]) -> Finding:
    strike, name = attack.against(original), attack.about.name
    if name not in known:
        known[name] = strike(original).value
    return Finding(attack.about, strike(masked), known[name])


def _left_out(attacks: tuple[Attack, ...], masked: Table, original: Table) -> str:
    names = ", ".join(attack.about.name for attack in attacks if attack.matches_records)
    why = (
        f"the masked file has {len(masked)} records and the original {len(original)}"
        if len(masked) != len(original)
        else "the records do not seem to be in the original's order"
    )
    return f"{why}: attacks that match records are left out ({names}); audit a file in order"


def attacks_on(masked: Table, original: Table) -> tuple[Attack, ...]:
    """Every attack that these attributes allow; none of them is in a fitness."""
    names = tuple(name for name in original.schema.quasi_identifiers if name in masked.schema)
    ordered = tuple(n for n in names if original.attribute(n).kind is not Kind.NOMINAL)
    swapping = (Matching(SwappingLinkage(ordered)),) if ordered else ()
    few_known = (FewKnownLinkage(names, size) for size in WORDS if size <= len(names))
    return (
        *swapping,
        Matching(CentroidLinkage(names)),
        *few_known,
        SinglingOut(names),
        *_inferences(masked, original, names),
    )


def _inferences(
    masked: Table, original: Table, names: tuple[str, ...]
) -> tuple[LearnedInference, ...]:
    """Of confidential attributes; where there are none, of some quasi-identifiers."""
    secret = [n for n in original.schema.with_role(Role.CONFIDENTIAL) if n in masked.schema]
    if secret:
        return tuple(LearnedInference(names, name) for name in secret)
    others = {name: tuple(n for n in names if n != name) for name in names[:MOST_WANTED]}
    return tuple(LearnedInference(known, name) for name, known in others.items() if known)


def are_in_order(masked: Table, original: Table) -> bool:
    """Whether masked records are nearer to the originals at their places than at others.

    Records that are as near everywhere, as suppressed ones are, count as in order.
    """
    names = original.schema.quasi_identifiers
    check_original(original, names)
    check_columns(original, masked, names)
    if len(masked) != len(original):
        return False
    read, rng = DistanceLoss(names).against(original), np.random.default_rng(FIXED)
    orders = [rng.permutation(len(masked)) for _ in range(SHUFFLES)]
    shuffled = np.array([read(masked.take(order)) for order in orders])
    if np.ptp(shuffled) < ROUNDING:
        return True
    return read(masked) < float(shuffled.mean() - DEVIATIONS * shuffled.std())
