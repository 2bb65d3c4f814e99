"""What every released file must fulfil, as a user writes it: ``k=5,l=2,t=0.3``."""

from dataclasses import dataclass

from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.masking.composition import InTurn, Stratified
from evomask.masking.guarantees.repair import Repair, RepairOfSample
from evomask.masking.method import MaskingMethod


@dataclass(frozen=True)
class Requirement:
    """A guarantee: k records alike, l distinct confidential values, t-close distributions."""

    k: int = 1
    l: int = 1  # noqa: E741
    t: float = 1.0

    @property
    def asks_anything(self) -> bool:
        """Whether k, l or t asks for more than any file has."""
        return self != NOTHING

    @property
    def as_text(self) -> str:
        """The requirement as a user writes it, such as ``k=5,l=2``; empty if it asks nothing."""
        return str(self).replace(" ", "") if self.asks_anything else ""

    def repair(self, table: Table, share: float = 1.0) -> MaskingMethod:
        """The repair that brings any masked version of *table* to fulfil it, stratum by stratum.

        Args:
            share: of a larger file that the table is, where it is a sample.
        """
        names = table.schema.quasi_identifiers
        return repair_within(RepairOfSample(names, self.k, self.l, self.t, share=share), table)

    def __str__(self) -> str:
        asked = {"k": (self.k, 1), "l": (self.l, 1), "t": (self.t, 1.0)}
        parts = [
            f"{name} = {value:g}" for name, (value, nothing) in asked.items() if value != nothing
        ]
        return ", ".join(parts) or "nothing"


NOTHING = Requirement()


def repair_within(repair: Repair, table: Table) -> MaskingMethod:
    """The repair of every stratum on its own, where there are strata.

    What t asks of a class is to be like the whole file, and not like its stratum alone; so it is
    asked once more of all strata together.
    """
    strata = table.schema.with_role(Role.STRATUM)
    if not strata:
        return repair
    apart = Stratified(repair, strata)
    return InTurn((apart, repair)) if repair.t < 1 else apart


def requirement_of(text: str) -> Requirement:
    """The requirement that a text such as ``k=5,l=2`` asks for; nothing for an empty one."""
    values: dict[str, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, number = part.partition("=")
        if name not in ("k", "l", "t") or not equals:
            raise ParameterError(
                f"a requirement is written k=5, l=2 or t=0.3, joined by commas, got {part!r}"
            )
        if name in values:
            raise ParameterError(f"{name} is required twice in {text!r}; name it once")
        values[name] = _number(name, number)
    return Requirement(int(values.get("k", 1)), int(values.get("l", 1)), values.get("t", 1.0))


def _number(name: str, text: str) -> float:
    try:
        value = float(text) if name == "t" else int(text)
    except ValueError:
        what = "a number" if name == "t" else "a whole number"
        raise ParameterError(f"required {name} must be {what}, got {text}") from None
    if not (0 < value <= 1 if name == "t" else value >= 1):
        limits = "in (0, 1]" if name == "t" else "at least 1"
        raise ParameterError(f"required {name} must be {limits}, got {text}")
    return value
