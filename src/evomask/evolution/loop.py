"""The loop: one for all searches."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Generic, Protocol

import numpy as np
from numpy.typing import NDArray

from evomask.errors import EvomaskError, ParameterError, RunError
from evomask.evolution.archive import Archive
from evomask.evolution.brood import Brood, Outcome, Outcomes, Task, founders
from evomask.evolution.individual import Cost, G, Population, first
from evomask.evolution.schemes import Unbred
from evomask.evolution.state import State
from evomask.evolution.stopping import Stop
from evomask.evolution.streams import breeding_stream, working_stream
from evomask.execution.evaluator import Evaluator


class Problem(Protocol[G]):
    """What evolves.

    ``work`` makes one child and measures it: variation, or a burst of many steps, drawing
    every random number from *rng*. For the operator `first` it makes the first genome number
    ``task.rival``. ``unpack`` undoes ``pack``; arrays hold numbers or fixed-width text.
    """

    def work(self, task: Task[G], rng: np.random.Generator) -> Outcome[G]:
        """One child by the task's operator, with its fitness."""
        ...

    def pack(self, genome: G) -> Mapping[str, NDArray[Any]]:
        """A genome as named arrays, for a checkpoint."""
        ...

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> G:
        """The genome whose arrays were packed."""
        ...


class Scheme(Protocol[G]):
    """How it breeds and who stays; parameters held as fields."""

    def propose(self, state: State[G], rng: np.random.Generator) -> Brood[G]:
        """The children to try next, each described before it is made."""
        ...

    def replace(self, state: State[G], brood: Brood[G], outcomes: Outcomes[G]) -> Population[G]:
        """The next population, from the old one and the children as they turned out."""
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
    cost: Cost = first,
) -> State[G]:
    """Breed, work, replace, tell the observers; stop when *until* says so or nothing is bred.

    Args:
        cost: one number per fitness, for the history and the operator statistics.
    """
    watching = tuple(observers)
    while not until(state):
        brood = scheme.propose(state, breeding_stream(seed, state.generation))
        if not brood:
            break
        state = _turn(state, scheme, brood, work, observers=watching, cost=cost)
    return state


def begin(
    count: int,
    work: Evaluator[Task[G], Outcome[G]],
    *,
    archive: Archive[G] | None = None,
    observers: Iterable[Observer[G]] = (),
    cost: Cost = first,
) -> State[G]:
    """Generation 0: the problem's first genomes, made and measured like any other brood."""
    if count < 1:
        raise ParameterError(f"a search needs at least 1 first genome, got {count}")
    nobody: State[G] = State() if archive is None else State(archive=archive)
    watching = tuple(observers)
    return _turn(nobody, Unbred(), founders(count), work, observers=watching, cost=cost)


def _turn(
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
    """A problem with the seed of its streams: what an evaluator sends to each process once.

    Every task owns a stream named by its serial number, so a fitness depends on the seed and
    the task's turn, never on which worker computed it or how many there were.
    """

    problem: Problem[G]
    seed: int

    def __call__(self, task: Task[G], serial: int) -> Outcome[G]:
        """Do one task; whatever goes wrong arrives as one error that names it."""
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
