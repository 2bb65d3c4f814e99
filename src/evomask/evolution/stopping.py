"""Stopping criteria, which are functions of the state, and budgets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias

from evomask.errors import ParameterError
from evomask.evolution.state import State

Stop: TypeAlias = Callable[[State[Any]], bool]

IDLE = 10


def generations(limit: int) -> Stop:
    """Stop after *limit* generations; the initial population is generation 0."""
    return lambda state: state.generation >= limit


def evaluations(limit: int) -> Stop:
    """Stop at the end of the generation that reaches *limit* evaluations."""
    return lambda state: state.evaluations >= limit


def seconds(limit: float, clock: Callable[[], float]) -> Stop:
    """Stop at the end of the generation in which *clock*, in seconds used, reaches *limit*."""
    return lambda _: clock() >= limit


def stalled(patience: int) -> Stop:
    """Stop when the best cost has not improved for *patience* generations."""
    return lambda state: state.generation - state.summary.since >= patience


def idle(state: State[Any]) -> bool:
    """Stop when the scheme proposed no task for ten generations."""
    last = state.history.last(IDLE + 1)
    return len(last) == IDLE + 1 and last[0].tasks == last[-1].tasks


def target(cost: float) -> Stop:
    """Stop when the best cost is *cost* or less."""
    return lambda state: state.summary.best <= cost


def equal_means(count: int) -> Stop:
    """Stop when the mean cost of the population has been the same for *count* generations."""

    def level(state: State[Any]) -> bool:
        last = state.history.last(count + 1)
        return len(last) == count + 1 and len({summary.mean for summary in last}) == 1

    return level


def either(*criteria: Stop) -> Stop:
    """Stop when any of the criteria is met."""
    return lambda state: any(criterion(state) for criterion in criteria)


def not_before(generation: int, criterion: Stop) -> Stop:
    """Stop when the criterion is met, but not before the end of that generation."""
    return lambda state: state.generation >= generation and criterion(state)


@dataclass(frozen=True)
class Budget:
    """The limits of a run; the first one that is reached ends it.

    Without a limit in seconds, a run is reproducible to the byte.

    Args:
        stalled: generations without an improvement of the best cost.
        equal_means: generations with the same mean cost of the population.
        target: best cost at which the run ends.
    """

    generations: int | None = None
    evaluations: int | None = None
    seconds: float | None = None
    stalled: int | None = None
    equal_means: int | None = None
    target: float | None = None

    def __post_init__(self) -> None:
        spent = {"generations": 0, "evaluations": 1, "seconds": 0}
        limits = {**spent, "stalled": 1, "equal_means": 1, "target": 0}
        given = {name: getattr(self, name) for name in limits if getattr(self, name) is not None}
        if not given.keys() & spent.keys():
            raise ParameterError("a run needs a limit: give generations, evaluations or seconds")
        for name, value in given.items():
            if not limits[name] <= value < inf:
                raise ParameterError(f"{name} must be at least {limits[name]}, got {value}")

    def until(self, clock: Callable[[State[Any]], float]) -> Stop:
        """Return the stopping criterion; *clock* gives the seconds used at a state."""
        given = ((getattr(self, name), make) for name, make in CRITERIA.items())
        criteria = [make(value) for value, make in given if value is not None]
        if self.seconds is not None:
            limit = self.seconds
            criteria.append(lambda state: clock(state) >= limit)
        return either(*criteria)


CRITERIA: Mapping[str, Callable[[Any], Stop]] = {
    "generations": generations,
    "evaluations": evaluations,
    "stalled": stalled,
    "equal_means": equal_means,
    "target": target,
}
"""Stopping criterion of each limit except the seconds."""
