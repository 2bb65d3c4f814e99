"""The operator study: utilization, lifetime, efficacy and efficiency of every operator.

After chapter 4 of the GOMM thesis. Each is keyed by operator and generation of birth. A run's
end counts as the death of all who live, so the last generations look short-lived.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from evomask.evolution.brood import Brood, Outcomes, Task
from evomask.evolution.individual import G, Population
from evomask.evolution.ledger import Births, Deaths
from evomask.evolution.loop import Scheme
from evomask.evolution.state import State

T = TypeVar("T")
Study: TypeAlias = dict[str, dict[int, T]]


class Efficacy(NamedTuple):
    """How many children cost less than their parents' mean, more, or the same."""

    improved: int
    worsened: int
    clones: int


class Efficiency(NamedTuple):
    """By how many percent children are better (positive) or worse (negative) than their parents."""

    improvement: float
    worsening: float
    maximum: float
    minimum: float


def utilization(state: State[Any]) -> Study[int]:
    """How many children were discarded without ever becoming a parent."""
    unused: Study[int] = defaultdict(lambda: defaultdict(int))
    for death in _deaths(state):
        unused[death.operator][death.born] += 0 if death.used else death.individuals
    return _plain(unused)


def lifetime(state: State[Any]) -> Study[float]:
    """How many generations children lived on average."""
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
    """How many children improved on their parents."""
    return _of_births(state, lambda row: Efficacy(row.improved, row.worsened, row.clones))


def efficiency(state: State[Any]) -> Study[Efficiency]:
    """By how much children improved on their parents: mean gain, mean loss, best and worst."""
    return _of_births(
        state,
        lambda row: Efficiency(
            row.improvement / row.improved if row.improved else 0.0,
            row.worsening / row.worsened if row.worsened else 0.0,
            row.best,
            row.worst,
        ),
    )


def counted(state: State[Any], name: str) -> Study[float]:
    """The mean of a count that the search hands back with each outcome, such as its groups."""
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


TRIES = 200
"""Proposals in search of an operator that a scheme uses seldom."""


@dataclass(frozen=True)
class Alone(Generic[G]):
    """The tasks of one operator, as many as the scheme proposes of all of them together.

    The brood is empty where the scheme does not use the operator, now or any more.
    """

    scheme: Scheme[G]
    operator: str

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Proposals are made until enough tasks of the operator are among them."""
        brood = self.scheme.propose(state, rng)
        size = len(brood)
        chosen: list[Task[G]] = []
        for _ in range(TRIES):
            chosen += [task for task in brood if task.operator == self.operator]
            if len(chosen) >= size:
                break
            brood = self.scheme.propose(state, rng)
        return tuple(chosen[:size])

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """Who stays according to the scheme, whichever operator made the children."""
        return self.scheme.replace(state, brood, outcomes)
