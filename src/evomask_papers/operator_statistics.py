"""Operator study: utilization, lifetime, efficacy and efficiency of every operator.

After chapter 4 of the GOMM thesis. Results are keyed by operator and generation of birth. The end
of a run counts as the death of all individuals, so lifetimes of the last generations are short.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias, TypeVar

from evomask.evolution.state import Births, Deaths, State

T = TypeVar("T")
Study: TypeAlias = dict[str, dict[int, T]]


class Efficacy(NamedTuple):
    """Numbers of children with a lower, a higher and the same cost as their parents' mean."""

    improved: int
    worsened: int
    clones: int


class Efficiency(NamedTuple):
    """Improvement (positive) or worsening (negative) of children over their parents, in percent."""

    improvement: float
    worsening: float
    maximum: float
    minimum: float


def utilization(state: State[Any]) -> Study[int]:
    """Count the children that were discarded without ever becoming a parent."""
    unused: Study[int] = defaultdict(lambda: defaultdict(int))
    for death in _deaths(state):
        unused[death.operator][death.born] += 0 if death.used else death.individuals
    return _plain(unused)


def lifetime(state: State[Any]) -> Study[float]:
    """Return the mean lifetime of children in generations."""
    lived: Study[int] = defaultdict(lambda: defaultdict(int))
    individuals: Study[int] = defaultdict(lambda: defaultdict(int))
    for death in _deaths(state):
        individuals[death.operator][death.born] += death.individuals
        lived[death.operator][death.born] += death.individuals * (death.generation - death.born)
    return {
        operator: {born: lived[operator][born] / count for born, count in sorted(row.items())}
        for operator, row in individuals.items()
    }


def efficacy(state: State[Any]) -> Study[Efficacy]:
    """Count the children that improved on their parents."""
    return _of_births(state, lambda row: Efficacy(row.improved, row.worsened, row.clones))


def efficiency(state: State[Any]) -> Study[Efficiency]:
    """Return mean improvement, mean worsening, and the best and the worst change."""
    return _of_births(
        state,
        lambda row: Efficiency(
            row.improvement / row.improved if row.improved else 0.0,
            row.worsening / row.worsened if row.worsened else 0.0,
            row.best,
            row.worst,
        ),
    )


def mean_counts(state: State[Any], name: str) -> Study[float]:
    """Return the mean of a named count of the outcomes, such as the number of groups."""
    return _of_births(state, lambda row: dict(row.counts).get(name, 0) / row.children)


def _of_births(state: State[Any], value: Callable[[Births], T]) -> Study[T]:
    return {
        operator: {row.generation: value(row) for row in rows}
        for operator, rows in state.ledger.births.items()
    }


def _deaths(state: State[Any]) -> Iterator[Deaths]:
    yield from state.ledger.deaths
    for individual in state.population:
        used = individual.serial in state.ledger.used
        yield Deaths(state.generation, individual.operator, individual.born, used, 1)


def _plain(study: Study[T]) -> Study[T]:
    return {operator: dict(sorted(row.items())) for operator, row in study.items()}
