"""Audit of a masked table: privacy models, record risk and held-out attacks."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from typing import Protocol

import numpy as np

from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.measures.attacks.attack import (
    Attack,
    AttackResult,
    LinkageAttack,
    PreparedAttack,
    Twin,
)
from evomask.measures.attacks.copies import Copies
from evomask.measures.attacks.date_intervals import DateIntervals, dates_to_compare
from evomask.measures.attacks.learned_inference import LearnedInference
from evomask.measures.attacks.linkage_attacks import WORDS, CentroidLinkage, PartialKnowledgeLinkage
from evomask.measures.attacks.membership import MembershipInference
from evomask.measures.attacks.singling_out import SinglingOut
from evomask.measures.disclosure.population import PopulationRisk, population_risks
from evomask.measures.disclosure.privacy_models import (
    distinct_l,
    entropy_l,
    k_anonymity,
    nominal_t,
    released,
    sample_uniques,
    t_closeness,
)
from evomask.measures.disclosure.record_risk import (
    MINIMUM,
    HouseholdRisk,
    RecordRisk,
    household_of,
    household_risk,
    record_risk,
)
from evomask.measures.disclosure.special_uniques import SpecialRisk, special_risk
from evomask.measures.measure import check_columns, check_original
from evomask.measures.papers.categorical_loss import DistanceLoss
from evomask.measures.papers.rank_swapping_linkage import SwappingLinkage
from evomask.measures.targets import FIXED_SEED

MOST_INFERRED = 8
"""Quasi-identifiers that are inferred where no attribute is confidential."""

ROUNDING = 1e-9
SHUFFLES = 20
DEVIATIONS = 3.0
"""Standard deviations by which records in order are nearer to their originals than by chance."""


SPECIAL = "special-uniques"
POPULATION = "population"

NO_CONTROL = (
    "attacks are compared with guessing: without people who are not in the file, success may show "
    "what the statistics of the file tell about anybody"
)
"""Note on an audit without a control group."""


class TimeBudget(Protocol):
    """Time budget of an audit, by the past durations of each kind of step."""

    def allows(self, kind: str) -> bool:
        """Whether a step of that kind may be started."""
        ...

    def timing(self, kind: str) -> AbstractContextManager[None]:
        """Record the duration of a step of that kind."""
        ...


class NoTimeLimit:
    """Time budget without a limit."""

    def allows(self, _: str) -> bool:
        return True

    def timing(self, _: str) -> AbstractContextManager[None]:
        return nullcontext()


@dataclass(frozen=True)
class Diversity:
    """Diversity of one confidential attribute over the equivalence classes.

    Args:
        l: fewest distinct values in a class.
        l_entropy: exponential of the smallest entropy of a class.
        t: largest distance of a class from the whole file.
    """

    l: int  # noqa: E741
    l_entropy: float
    t: float


@dataclass(frozen=True)
class Audit:
    """All results of an audit; it contains no value of any record.

    Args:
        k: size of the smallest equivalence class.
        uniques: number of sample uniques.
        confidential: diversity by confidential attribute.
        attacks: empty without an original to attack.
        notes: what was left out, and why.
        households: risk that any member of a household is identified, where there are any.
        special: records that are unique on few attributes.
        suppressed: number of uninformative cells of released records by attribute.
        skipped: names of attacks for which there was no time.
        population: risk in the population, by scenario.
    """

    records: int
    quasi_identifiers: tuple[str, ...]
    k: int
    uniques: int
    confidential: Mapping[str, Diversity]
    record_risk: RecordRisk
    attacks: tuple[AttackResult, ...] = ()
    notes: tuple[str, ...] = ()
    households: HouseholdRisk | None = None
    special: SpecialRisk | None = None
    suppressed: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    population: tuple[PopulationRisk, ...] = ()

    @property
    def l(self) -> int | None:  # noqa: E743
        """The smallest distinct l; none without a confidential attribute."""
        return min((diversity.l for diversity in self.confidential.values()), default=None)

    @property
    def t(self) -> float | None:
        """The largest t; none without a confidential attribute."""
        return max((diversity.t for diversity in self.confidential.values()), default=None)

    @property
    def strongest(self) -> AttackResult | None:
        """The attack with the largest lower bound of its gain; None without attacks."""
        return max(self.attacks, key=lambda attack: attack.interval[0], default=None)

    def as_json(self) -> dict[str, object]:
        strongest = self.strongest
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
            "population": [risk.as_json() for risk in self.population],
            "special_uniques": asdict(self.special) if self.special else None,
            "suppressed_cells": dict(self.suppressed),
            "attacks": {attack.name: attack.as_json() for attack in self.attacks},
            "strongest_attack": strongest.name if strongest else None,
            "notes": list(self.notes),
        }


def audit(
    masked: Table,
    original: Table | None = None,
    control: Table | None = None,
    twin: Twin | None = None,
    *,
    in_order: bool | None = None,
    minimum: int = MINIMUM,
    unmasked: dict[str, float] | None = None,
    clock: TimeBudget | None = None,
) -> Audit:
    """Compute privacy models and record risk of *masked*, and attack it if *original* is given.

    Args:
        control: original records of people who are not in *masked*.
        twin: a table masked by the same recipe without the people of a control group; attacks
            that need a control group run on it instead.
        in_order: whether the records are in the order of the original; detected by default.
            Otherwise attacks that link records are left out.
        minimum: fewest records that a bar of the histogram of special uniques shows.
        unmasked: success of attacks on the original by name; missing entries are added, so that
            audits of many files attack it once.
        clock: time budget; attacks and special uniques beyond it are left out.
    """
    table = released(masked)
    names = table.schema.quasi_identifiers
    if in_order is None:
        in_order = original is not None and are_in_order(masked, original)
    known = {} if unmasked is None else unmasked
    clock = clock or NoTimeLimit()
    case = None if original is None else _Case(masked, original, control, twin)
    attacks, notes, skipped = _attack(case, known, ordered=in_order, clock=clock)
    special = None
    if clock.allows(SPECIAL):
        with clock.timing(SPECIAL):
            special = special_risk(table, names, minimum)
    population: tuple[PopulationRisk, ...] = ()
    if clock.allows(POPULATION):
        with clock.timing(POPULATION):
            population = population_risks(table, every_model=isinstance(clock, NoTimeLimit))
    with_households = released(_with_households(masked, original)) if in_order else table
    return Audit(
        len(table),
        names,
        k_anonymity(table, names),
        sample_uniques(table, names),
        {
            name: _diversity(table, names, name)
            for name in table.schema.with_role(Role.CONFIDENTIAL)
        },
        record_risk(table, names, minimum),
        attacks,
        notes,
        household_risk(with_households, names, minimum),
        special,
        table.suppressed_cells(),
        skipped if special else (*skipped, SPECIAL),
        population,
    )


def _diversity(table: Table, names: tuple[str, ...], confidential: str) -> Diversity:
    t = nominal_t if table.is_recoded(confidential) else t_closeness
    return Diversity(
        distinct_l(table, names, confidential),
        entropy_l(table, names, confidential),
        t(table, names, confidential),
    )


def _with_households(masked: Table, original: Table | None) -> Table:
    """Add the original's household numbers, which a release leaves out, to the masked table."""
    name = None if original is None else household_of(original)
    if original is None or name is None or name in masked.schema:
        return masked
    attributes = (*masked.schema.attributes, original.attribute(name))
    columns = {**masked.columns, name: original[name]}
    schema = replace(masked.schema, attributes=attributes)
    return replace(masked, schema=schema, columns=columns)


@dataclass(frozen=True, eq=False)
class _Case:
    """What is attacked: a masked table, and a control group or a twin if there is one."""

    masked: Table
    original: Table
    control: Table | None
    twin: Twin | None

    def prepare(self, attack: Attack, *, ordered: bool) -> tuple[PreparedAttack, Table, Table]:
        """The attack, the masked table and the original that it runs on."""
        if self.twin and not attack.matches_records:
            original, control = self.twin.original, self.twin.control
            return attack.against(original, control), released(self.twin.masked), original
        original = self.original
        if ordered and self.masked.suppressed.any():
            original = original.take(np.flatnonzero(~self.masked.suppressed))
        return attack.against(original, self.control), released(self.masked), original

    @property
    def has_control(self) -> bool:
        return self.twin is not None or (self.control is not None and len(self.control) > 0)


def _attack(
    case: _Case | None, known: dict[str, float], *, ordered: bool, clock: TimeBudget
) -> tuple[tuple[AttackResult, ...], tuple[str, ...], tuple[str, ...]]:
    """Results of the attacks, notes on them, and names of those beyond the time budget."""
    if case is None:
        return (), (), ()
    attacks = attacks_on(released(case.masked), case.original, has_control=case.has_control)
    notes = [] if ordered else [_left_out(attacks, case.masked, case.original)]
    if not case.has_control:
        notes.append(NO_CONTROL)
    if case.masked.suppressed.any():
        known = {}
    found: list[AttackResult] = []
    skipped: list[str] = []
    for attack in attacks:
        if not ordered and attack.matches_records:
            continue
        name = attack.about.name
        kind = name.split("-")[0]
        if not clock.allows(kind):
            skipped.append(name)
            continue
        with clock.timing(kind):
            prepared, masked, original = case.prepare(attack, ordered=ordered)
            if name not in known:
                known[name] = prepared(original).success
            found.append(replace(prepared(masked), unmasked=known[name]))
    return tuple(found), tuple(notes), tuple(skipped)


def _left_out(attacks: tuple[Attack, ...], masked: Table, original: Table) -> str:
    names = ", ".join(attack.about.name for attack in attacks if attack.matches_records)
    why = (
        f"the masked file has {len(masked)} records and the original {len(original)}"
        if len(masked) != len(original)
        else "the records do not seem to be in the original's order"
    )
    return f"{why}: attacks that link records are left out ({names}); audit a file in order"


def attacks_on(masked: Table, original: Table, *, has_control: bool = False) -> tuple[Attack, ...]:
    """All held-out attacks that these attributes allow; membership needs a control group."""
    names = tuple(name for name in original.schema.quasi_identifiers if name in masked.schema)
    ordered = tuple(n for n in names if original.attribute(n).kind is not Kind.NOMINAL)
    swapping = (LinkageAttack(SwappingLinkage(ordered)),) if ordered else ()
    dates = dates_to_compare(original, masked)
    partial = (PartialKnowledgeLinkage(names, size) for size in WORDS if size <= len(names))
    return (
        *swapping,
        LinkageAttack(CentroidLinkage(names)),
        *partial,
        *((DateIntervals(dates),) if dates else ()),
        SinglingOut(names),
        *((MembershipInference(names), Copies(names)) if has_control else ()),
        *_inferences(masked, original, names),
    )


def _inferences(
    masked: Table, original: Table, names: tuple[str, ...]
) -> tuple[LearnedInference, ...]:
    """Inference of confidential attributes; where there are none, of some quasi-identifiers."""
    confidential = [n for n in original.schema.with_role(Role.CONFIDENTIAL) if n in masked.schema]
    if confidential:
        return tuple(LearnedInference(names, name) for name in confidential)
    others = {name: tuple(n for n in names if n != name) for name in names[:MOST_INFERRED]}
    return tuple(LearnedInference(known, name) for name, known in others.items() if known)


def are_in_order(masked: Table, original: Table) -> bool:
    """Whether masked records are nearer to the originals at their positions than at others.

    Records that are equally near everywhere, as suppressed ones are, count as in order.
    """
    names = original.schema.quasi_identifiers
    check_original(original, names)
    check_columns(original, masked, names)
    if len(masked) != len(original):
        return False
    loss, rng = DistanceLoss(names).against(original), np.random.default_rng(FIXED_SEED)
    orders = [rng.permutation(len(masked)) for _ in range(SHUFFLES)]
    shuffled = np.array([loss(masked.take(order)) for order in orders])
    if np.ptp(shuffled) < ROUNDING:
        return True
    return loss(masked) < float(shuffled.mean() - DEVIATIONS * shuffled.std())
