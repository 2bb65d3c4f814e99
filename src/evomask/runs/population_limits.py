"""Limits such as ``journalist=0.09`` or ``copies=1%``, on points before their release."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evomask.data.table import Table
from evomask.engine.evaluation import EvaluationContext
from evomask.engine.front import FrontPoint
from evomask.engine.state import EngineState
from evomask.errors import UnmetError
from evomask.masking.enforce.requirement import COPIES, Requirement, limit_sign, required_in
from evomask.measures.attacks.copies import percent_copied
from evomask.measures.disclosure.population import population_risks
from evomask.report.protection import Choice, point_file

ROUNDING = 1e-9


@dataclass(frozen=True)
class LimitCheck:
    """A limit in one scenario, and the value of a file."""

    scenario: str
    name: str
    limit: float
    value: float

    @property
    def holds(self) -> bool:
        """Whether the value is within the limit."""
        if self.name == "k-map":
            return self.value >= self.limit - ROUNDING
        return self.value <= self.limit + ROUNDING

    def __str__(self) -> str:
        where = f" in scenario {self.scenario!r}" if self.scenario else ""
        sign = limit_sign(self.name)
        return f"{self.name} = {self.value:.4g}{where} (required {sign} {self.limit:.4g})"


def check_limits(
    original: Table, masked: Table, requirement: Requirement
) -> tuple[LimitCheck, ...]:
    """Compare the risks of a masked table with the limits that hold in each scenario."""
    required = required_in(masked.schema, requirement)
    limits = {name for own in (requirement, *required.values()) for name, _ in own.limits}
    checks = []
    for risk in population_risks(masked) if limits - {COPIES} else ():
        for name, limit in required.get(risk.scenario, requirement).limits:
            if name != COPIES:
                value = risk.value(name, limit)
                checks.append(LimitCheck(risk.scenario, name, limit, value))
    if COPIES not in limits:
        return tuple(checks)
    schema = masked.schema
    known = {one.name: one.attributes for one in schema.scenarios} or {"": schema.quasi_identifiers}
    for scenario, names in known.items():
        for name, limit in required.get(scenario, requirement).limits:
            if name == COPIES:
                value = percent_copied(original, masked, names) / 100
                checks.append(LimitCheck(scenario, name, limit, value))
    return tuple(checks)


def within_limits(
    choice: Choice, context: EvaluationContext, state: EngineState, pick: str
) -> Choice:
    """Return the choice of a run, or another point, so that the limits of its requirement hold."""
    return choose_within_limits(
        choice,
        state.front,
        lambda number: point_file(context, state, number).masked,
        context.table,
        context.settings.requirement,
        replaceable=not pick.removeprefix("file=").isdecimal(),
    )


def choose_within_limits(
    choice: Choice,
    front: Sequence[FrontPoint],
    masked: Callable[[int], Table],
    original: Table,
    requirement: Requirement,
    *,
    replaceable: bool,
) -> Choice:
    """Return the choice, or the point of least loss that is within the limits if it is not.

    Args:
        masked: the file of a point, by number.
        replaceable: whether another point may take its place; not if it was named.
    """
    exceeded = _exceeded(original, masked(choice.candidate.number), requirement)
    if not exceeded:
        return choice
    others = sorted(front, key=lambda point: (point.loss, point.number)) if replaceable else []
    for point in others:
        if point.number != choice.candidate.number and not _exceeded(
            original, masked(point.number), requirement
        ):
            reason = "the smallest loss among points within the required limits"
            return Choice(point, reason)
    raise UnmetError(
        f"point {choice.candidate.point} has {exceeded[0]}"
        + (", and no other point is within the limits" if replaceable else "")
        + "; require a larger k, search longer, or raise the limit"
    )


def _exceeded(original: Table, masked: Table, requirement: Requirement) -> list[LimitCheck]:
    return [check for check in check_limits(original, masked, requirement) if not check.holds]
