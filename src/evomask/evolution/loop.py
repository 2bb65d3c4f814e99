"""The evolution loop, and the protocols of problem and scheme that it runs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Generic, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evomask.errors import EvomaskError, ParameterError, RunError
from evomask.evolution.archive import Archive, Front
from evomask.evolution.individual import (
    Brood,
    Cost,
    G,
    Outcome,
    Outcomes,
    Population,
    Task,
    first_objective,
    initial_tasks,
)
from evomask.evolution.schemes import Unbred
from evomask.evolution.state import State
from evomask.evolution.stopping import Stop
from evomask.evolution.streams import breeding_stream, working_stream
from evomask.execution.evaluator import Evaluator


class Problem(Protocol[G]):
    """What evolves: how genomes are made, evaluated and stored.

    ``work`` makes one child and evaluates it: by variation or by a burst of many steps, with all
    random numbers from *rng*. For the operator `first` it makes initial genome number
    ``task.rival``. ``unpack`` reverses ``pack``; arrays hold numbers or fixed-width text.
    """

    def work(self, task: Task[G], rng: np.random.Generator) -> Outcome[G]:
        """Return a child, made by the operator of the task, with its fitness."""
        ...

    def pack(self, genome: G) -> Mapping[str, NDArray[Any]]:
        """Return a genome as named arrays, for a checkpoint."""
        ...

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> G:
        """Return the genome that was packed."""
        ...


class Scheme(Protocol[G]):
    """How parents are chosen and which individuals survive."""

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """Return the tasks of the next generation."""
        ...

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """Return the next population from the current one and the outcomes of its tasks."""
        ...


Observer = Callable[[State[G], Brood[G], Outcomes[G], State[G]], None]


def evolve(
    state: State[G],
    scheme: Scheme[G],
    work: Evaluator[Task[G], Outcome[G]],
    *,
    seed: int,
    until: Stop,
    observers: Iterable[Observer[G]] = (),
    cost: Cost = first_objective,
) -> State[G]:
    """Run generations until *until* is true or the scheme proposes no task.

    Args:
        cost: one number per fitness, for the history and the operator statistics.
    """
    watching = tuple(observers)
    while not until(state):
        brood = scheme.propose(state, breeding_stream(seed, state.generation))
        if not brood:
            break
        state = _run_generation(state, scheme, brood, work, observers=watching, cost=cost)
    return state


def begin(
    count: int,
    work: Evaluator[Task[G], Outcome[G]],
    *,
    archive: Archive[G] | None = None,
    observers: Iterable[Observer[G]] = (),
    cost: Cost = first_objective,
) -> State[G]:
    """Run generation 0: make and evaluate the initial genomes."""
    if count < 1:
        raise ParameterError(f"a search needs at least 1 initial genome, got {count}")
    empty: State[G] = State() if archive is None else State(archive=archive)
    watching = tuple(observers)
    return _run_generation(
        empty, Unbred(), initial_tasks(count), work, observers=watching, cost=cost
    )


def _run_generation(
    state: State[G],
    scheme: Scheme[G],
    brood: Brood[G],
    work: Evaluator[Task[G], Outcome[G]],
    *,
    observers: tuple[Observer[G], ...],
    cost: Cost,
) -> State[G]:
    outcomes = work(brood, first=state.tasks)
    after = state.advanced(brood, outcomes, scheme.replace(state, brood, outcomes), cost)
    for observe in observers:
        observe(state, brood, outcomes, after)
    return after


@dataclass(frozen=True)
class Worker(Generic[G]):
    """A problem with the seed of its random streams; sent once to each worker process.

    Every task has a random stream named by its serial number, so a fitness depends on the seed and
    the serial number, never on which worker computed it or how many there were.
    """

    problem: Problem[G]
    seed: int

    def __call__(self, task: Task[G], serial: int) -> Outcome[G]:
        """Run one task; any failure is raised as one error that names the task."""
        try:
            outcome = self.problem.work(task, working_stream(self.seed, serial))
        except EvomaskError as error:
            raise RunError(f"task {serial} ({task.operator}) failed: {error}") from error
        except Exception as error:
            raise RunError(
                f"task {serial} ({task.operator}) failed with {type(error).__name__}; "
                "this is a defect of the search, please report it"
            ) from error
        _check(outcome, task, serial)
        return outcome


def _check(outcome: Outcome[Any], task: Task[Any], serial: int) -> None:
    if not outcome.fitness or not all(value > -inf for value in outcome.fitness):
        raise RunError(
            f"the fitness of task {serial} ({task.operator}) is not a number; "
            "it must be finite, or +infinity for a candidate that must not survive"
        )


Draws: TypeAlias = Callable[[int], np.random.Generator]
Decide: TypeAlias = Callable[[str, Callable[[], float]], float]


@dataclass(frozen=True)
class Setup(Generic[G]):
    """A search prepared for one table.

    Args:
        first: number of initial genomes.
        archive: an empty archive of the kind to use; its members are the front.
        cost: one number per fitness; the smallest is the best.
        least: generations to run regardless of the budget, because there is no result before.
    """

    problem: Problem[G]
    scheme: Scheme[G]
    first: int
    archive: Archive[G] = field(default_factory=Front)
    cost: Cost = first_objective
    least: int = 0
