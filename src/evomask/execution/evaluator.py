"""Who computes, as two protocols: whoever carries out tasks, and how to get hold of them."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar, runtime_checkable

T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")
R = TypeVar("R")


class GivenUpError(Exception):
    """Tasks took longer than somebody was willing to wait; no error that a user sees."""


class Evaluator(Protocol[T_contra, R_co]):
    """Carries out tasks; the same answers from one process, many, or many machines."""

    def __call__(self, tasks: Sequence[T_contra], /, first: int) -> Sequence[R_co]:
        """An outcome for each task, in order; serial numbers go on from *first*."""
        ...


@runtime_checkable
class Patient(Protocol):
    """An evaluator that gives tasks up which are not done after so many seconds."""

    patience: Callable[[], float | None]


class Evaluators(Protocol):
    """Gives an evaluator for any work, for as long as a ``with`` block lasts.

    The work is a function of a task and its serial number. It must survive being sent to
    another process or machine, and draw its random numbers from a stream named by the serial.
    """

    @property
    def workers(self) -> int:
        """How many tasks are carried out at once; only what the clock decides may depend on it."""
        ...

    def __call__(self, work: Callable[[T, int], R], /) -> AbstractContextManager[Evaluator[T, R]]:
        """Whoever does that work; leaving the block ends all who help."""
        ...
