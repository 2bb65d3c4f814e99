"""Who did what in a portfolio: shares of the effort, and what every operator brought about."""

from collections.abc import Mapping
from typing import NamedTuple

from evomask.evolution.stopping import Budget
from evomask.portfolio.state import PortfolioState


class OperatorTally(NamedTuple):
    """What one operator of one member brought about.

    Args:
        children: how many it made.
        entered: how many of them stayed in their population.
        improved: how many were better than their parents.
    """

    member: str
    operator: str
    children: int
    entered: int
    improved: int


def share_used(budget: Budget, state: PortfolioState, seconds: float) -> float:
    """The share of a budget that is used, by whichever limit is nearest."""
    by_evaluations = state.evaluations / budget.evaluations if budget.evaluations else 0.0
    by_time = seconds / max(1e-9, budget.seconds) if budget.seconds is not None else 0.0
    return max(by_evaluations, by_time)


def shares(state: PortfolioState, took: Mapping[int, float] | None = None) -> dict[str, float]:
    """The part of the effort that each member had, in percent; by cost, or by time where given."""
    spent: dict[str, float] = {}
    for row in state.rounds:
        cost = row.cost if took is None else took[row.generation]
        spent[row.member] = spent.get(row.member, 0.0) + cost
    total = sum(spent.values())
    return {name: 100.0 * cost / total if total > 0 else 0.0 for name, cost in spent.items()}


def operators_of(state: PortfolioState) -> tuple[OperatorTally, ...]:
    """What every operator brought about, by member."""
    return tuple(
        OperatorTally(
            name,
            operator,
            sum(row.children for row in births),
            sum(row.entered for row in births),
            sum(row.improved for row in births),
        )
        for name, inner in state.members.items()
        for operator, births in inner.ledger.births.items()
    )


def without_a_turn(state: PortfolioState, members: Mapping[str, object]) -> tuple[str, ...]:
    """A note on members that the budget was too small for."""
    began = {row.member for row in state.rounds}
    names = [name for name in members if name not in began and name not in state.closed]
    if not names:
        return ()
    return (f"the budget was too small for {', '.join(names)} to have a turn; allow more",)
