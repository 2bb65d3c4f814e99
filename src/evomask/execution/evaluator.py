"""Protocols of evaluators, which carry out tasks, and of their factories."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")
R = TypeVar("R")


class GivenUpError(Exception):
    """Tasks exceeded the time limit of the caller; an internal error that users do not see."""


class Evaluator(Protocol[T_contra, R_co]):
    """Carries out tasks; results do not depend on the number of processes or machines."""

    def __call__(self, tasks: Sequence[T_contra], /, first: int) -> Sequence[R_co]:
        """Return the outcome of each task, in order; serial numbers count from *first*."""
        ...


class Pending(Protocol[R_co]):
    """The outcome of a submitted task."""

    def result(self, timeout: float | None = None, /) -> R_co:
        """Wait for the outcome; `GivenUpError` if it takes more than *timeout* seconds."""
        ...


class StreamingEvaluator(Evaluator[T_contra, R_co], Protocol[T_contra, R_co]):
    """An evaluator that carries out single tasks too, as its workers become free."""

    def submit(self, task: T_contra, serial: int, /) -> Pending[R_co]:
        """Start a task; its outcome can be waited for."""
        ...


class Evaluators(Protocol):
    """Factory of evaluators, each for the duration of a ``with`` block.

    The work is a function of a task and its serial number. It must be picklable, and draw its
    random numbers from a stream named by the serial number.
    """

    @property
    def workers(self) -> int:
        """Number of tasks carried out in parallel; results must not depend on it."""
        ...

    def __call__(
        self, work: Callable[[T, int], R], /
    ) -> AbstractContextManager[StreamingEvaluator[T, R]]:
        """Return an evaluator of the work; leaving the block ends its workers."""
        ...
