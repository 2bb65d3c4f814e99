"""Carrying out tasks in this process, or across the cores of this machine.

Both give the same answers: what a task draws from is named by its serial number.
"""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import count
from typing import Any, Generic, Protocol, TypeVar

from evomask.errors import ParameterError, RunError

T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")
R = TypeVar("R")

CHUNKS_PER_WORKER = 4


class Perform(Protocol[T_contra, R_co]):
    """Does one task; it must survive being sent to another process."""

    def __call__(self, task: T_contra, serial: int, /) -> R_co:
        """The outcome of a task."""
        ...


@contextmanager
def evaluator(
    perform: Perform[T, R], workers: int = 1
) -> "Iterator[InProcess[T, R] | AcrossCores[T, R]]":
    """Whoever carries out tasks with so many workers; one means in this process."""
    if workers < 1:
        raise ParameterError(f"workers must be at least 1, got {workers}")
    if workers == 1:
        yield InProcess(perform)
    else:
        with AcrossCores(perform, workers) as cores:
            yield cores


class InProcess(Generic[T, R]):
    """Does tasks one after another, here: best for tasks below some 5 ms."""

    def __init__(self, perform: Perform[T, R]) -> None:
        self._perform = perform

    def __call__(self, tasks: Sequence[T], first: int) -> list[R]:
        """The outcomes, in order; serial numbers go on from *first*."""
        return [self._perform(task, serial) for serial, task in enumerate(tasks, first)]


class AcrossCores(Generic[T, R]):
    """Does tasks in worker processes, which get *perform* once, when they start.

    Use it in a ``with`` block: leaving it in any way ends the workers. Should this process be
    killed, they end themselves.
    """

    def __init__(self, perform: Perform[T, R], workers: int) -> None:
        self._workers = workers
        context = multiprocessing.get_context("spawn")
        listening, self._lifeline = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_prepare, initargs=(perform, listening)
        )

    def __call__(self, tasks: Sequence[T], first: int) -> list[R]:
        """The outcomes, in order; serial numbers go on from *first*."""
        chunk = -(-len(tasks) // (self._workers * CHUNKS_PER_WORKER)) or 1
        try:
            return list(self._pool.map(_do, tasks, count(first), chunksize=chunk))
        except BrokenProcessPool as error:
            raise RunError(
                f"a worker process died during tasks {first} to {first + len(tasks) - 1}; "
                "it may have run out of memory: try fewer workers"
            ) from error

    def __enter__(self) -> "AcrossCores[T, R]":
        """Start the workers, so that what they import costs no task its time."""
        try:
            list(self._pool.map(_wake, range(self._workers)))
        except BaseException:
            self.__exit__(RunError)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._lifeline.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._lifeline.close()


# What a worker process was given to do; set once, when it starts.
_perform: Callable[[Any, int], Any]


def _prepare(perform: Callable[[Any, int], Any], lifeline: Any) -> None:  # noqa: ANN401
    """Take the work in; leave interrupts to the parent, and end when the parent does."""
    global _perform  # noqa: PLW0603
    _perform = perform
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Any) -> None:  # noqa: ANN401
    parent = multiprocessing.parent_process()
    watched = [lifeline] if parent is None else [lifeline, parent.sentinel]
    multiprocessing.connection.wait(watched)
    os._exit(1)


def _wake(worker: int) -> int:
    return worker


def _do(task: Any, serial: int) -> Any:  # noqa: ANN401
    return _perform(task, serial)
