"""Requirements on released files, as text such as ``k=5,l=2,journalist=0.09``."""

import re
from dataclasses import dataclass

from evomask.data.schema import Role, Schema
from evomask.data.table import Table
from evomask.data.units import unit_levels, unit_of
from evomask.errors import ParameterError
from evomask.masking.composition import InTurn, Stratified
from evomask.masking.enforce.repair import Repair, SampleRepair
from evomask.masking.enforce.scenarios import (
    KnownAttributes,
    ScenarioRepair,
    maskable,
    without_implied,
)
from evomask.masking.enforce.units import UnitRepair
from evomask.masking.method import MaskingMethod

COPIES = "copies"
"""Limit of the share of unique people whose record is released as it was."""

LIMITS = ("k-map", "prosecutor", "journalist", "marketer", "population_uniques", COPIES)
"""Names of limits: of the population risk, and of copies. k-map is a lower limit, others upper."""

_LIMIT = re.compile(rf"({'|'.join(LIMITS)}|uniques)\s*(<=|>=|=)\s*([\d.eE+-]+)\s*(%?)")


@dataclass(frozen=True)
class Requirement:
    """A guarantee: k-anonymity, l-diversity and t-closeness on the quasi-identifiers.

    Args:
        limits: limits of the population risk and of copies by name. They are not enforced on
            candidates: a point of the front that does not satisfy them is not released.
    """

    k: int = 1
    l: int = 1  # noqa: E741
    t: float = 1.0
    limits: tuple[tuple[str, float], ...] = ()

    @property
    def asks_anything(self) -> bool:
        """Whether k, l or t differs from the value that every file satisfies."""
        return (self.k, self.l, self.t) != (1, 1, 1.0)

    @property
    def as_text(self) -> str:
        """The requirement as text, such as ``k=5,l=2``; empty if it has no effect."""
        return str(self).replace(" ", "") if self != NOTHING else ""

    def repair(self, table: Table, share: float = 1.0) -> MaskingMethod | None:
        """Return the repair that enforces it on masked versions of *table*, by stratum.

        With scenarios, it enforces what each of them requires. None if nothing is required.

        Args:
            share: fraction of a larger file that the table is, if it is a sample.
        """
        if levels := unit_levels(table):
            return repair_within(UnitRepair(levels, known_attributes(table.schema, self)), table)
        if table.schema.scenarios:
            known = known_attributes(table.schema, self)
            repair = ScenarioRepair(known, is_sample=share < 1.0)
            return repair_within(repair, table) if known else None
        if not self.asks_anything:
            return None
        names = table.schema.quasi_identifiers
        return repair_within(SampleRepair(names, self.k, self.l, self.t, share=share), table)

    def __str__(self) -> str:
        parts = [
            f"{name} = {value:g}"
            for name, value, neutral in (("k", self.k, 1), ("l", self.l, 1), ("t", self.t, 1.0))
            if value != neutral
        ]
        parts += [f"{name} {limit_sign(name)} {limit:.15g}" for name, limit in self.limits]
        return ", ".join(parts) or "nothing"


NOTHING = Requirement()


def required_in(schema: Schema, requirement: Requirement) -> dict[str, Requirement]:
    """Return what is required in each scenario, by name.

    Args:
        requirement: holds in the scenarios that require nothing themselves.
    """
    return {
        scenario.name: parse_requirement(scenario.require) if scenario.require else requirement
        for scenario in schema.scenarios
    }


def known_attributes(schema: Schema, requirement: Requirement) -> tuple[KnownAttributes, ...]:
    """Return what must hold for the attributes that each scenario knows exactly.

    Without scenarios, for all quasi-identifiers.
    """
    if not schema.scenarios:
        own, names = requirement, maskable(schema, schema.quasi_identifiers)
        every = KnownAttributes(names, own.k, own.l, own.t, unit_of(schema))
        return (every,) if own.asks_anything else ()
    required = required_in(schema, requirement)
    known = [
        KnownAttributes(maskable(schema, names), own.k, own.l, own.t, unit_of(schema, scenario))
        for scenario in schema.scenarios
        if (own := required[scenario.name]).asks_anything
        for names in scenario.combinations()
    ]
    if not known and any(own.asks_anything for own in required.values()):
        raise ParameterError(
            "no scenario knows an attribute exactly, so the requirement would hold for none; name "
            "attributes that are known exactly, or require nothing"
        )
    return without_implied([one for one in known if one.names])


def repair_within(repair: Repair | ScenarioRepair | UnitRepair, table: Table) -> MaskingMethod:
    """Return the repair of each stratum if there are strata.

    t-closeness refers to the distribution in the whole file, not in the stratum; so with t the
    repair is applied once more to all strata together.
    """
    strata = table.schema.with_role(Role.STRATUM)
    if not strata:
        return repair
    stratified = Stratified(repair, strata)
    return InTurn((stratified, repair)) if repair.t < 1 else stratified


def parse_requirement(text: str) -> Requirement:
    """Parse a requirement such as ``k=5,l=2``; an empty text requires nothing."""
    values: dict[str, float] = {}
    limits: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        if limit := _LIMIT.fullmatch(part):
            name = "population_uniques" if limit[1] == "uniques" else limit[1]
            if name in limits:
                raise ParameterError(f"{name} is required twice in {text!r}; name it once")
            limits[name] = _parse_limit(name, *limit.group(2, 3, 4))
            continue
        name, equals, number = part.partition("=")
        if name not in ("k", "l", "t") or not equals:
            raise ParameterError(
                "a requirement is written k=5, l=2 or t=0.3, or as a limit k-map=5, "
                f"journalist=0.09, marketer=1%, population_uniques=1% or copies=1%, got {part!r}"
            )
        if name in values:
            raise ParameterError(f"{name} is required twice in {text!r}; name it once")
        values[name] = _parse_number(name, number)
    whole = int(values.get("k", 1)), int(values.get("l", 1))
    return Requirement(*whole, values.get("t", 1.0), tuple(limits.items()))


def limit_sign(name: str) -> str:
    """How a value is compared with a limit."""
    return ">=" if name == "k-map" else "<="


def _parse_limit(name: str, sign: str, number: str, percent: str) -> float:
    if sign not in ("=", limit_sign(name)):
        raise ParameterError(f"{name} is limited by {limit_sign(name)} or =, got {sign}")
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        value = -1.0
    if name == "k-map" and (percent or value < 1):
        raise ParameterError(
            f"required k-map must be a number of at least 1, got {number}{percent}"
        )
    if value < 0 or (value > 1 and name not in ("k-map", "population_uniques")):
        raise ParameterError(
            f"the limit of {name} is a share from 0 to 1 or a percentage, got {number}{percent}"
        )
    return value


def _parse_number(name: str, text: str) -> float:
    try:
        value = float(text) if name == "t" else int(text)
    except ValueError:
        what = "a number" if name == "t" else "a whole number"
        raise ParameterError(f"required {name} must be {what}, got {text}") from None
    if not (0 < value <= 1 if name == "t" else value >= 1):
        limits = "in (0, 1]" if name == "t" else "at least 1"
        raise ParameterError(f"required {name} must be {limits}, got {text}")
    return value
