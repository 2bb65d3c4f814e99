"""Carrying out tasks in this process, or across the cores of this machine.

Both give the same answers: what a task draws from is named by its serial number.
"""

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeVar

from evomask.errors import ParameterError, RunError
from evomask.execution.evaluator import Evaluator, GivenUpError
from evomask.execution.sharing import Shared, shared

T = TypeVar("T")
R = TypeVar("R")

CHUNKS_PER_WORKER = 4
SAFE_PATH = "PYTHONSAFEPATH"


@dataclass(frozen=True)
class Local:
    """Evaluators on this machine: one worker means this process, more mean as many processes."""

    workers: int = 1

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ParameterError(f"workers must be at least 1, got {self.workers}")

    def __call__(self, work: Callable[[T, int], R], /) -> AbstractContextManager[Evaluator[T, R]]:
        """Whoever carries out the tasks of that work here."""
        if self.workers == 1:
            return nullcontext(InProcess(work))
        return AcrossCores(work, self.workers)


class InProcess(Generic[T, R]):
    """Does tasks one after another, here: best for tasks below some 5 ms."""

    def __init__(self, work: Callable[[T, int], R]) -> None:
        self._work = work

    def __call__(self, tasks: Sequence[T], first: int) -> list[R]:
        """The outcomes, in order; serial numbers go on from *first*."""
        return [self._work(task, serial) for serial, task in enumerate(tasks, first)]


class AcrossCores(Generic[T, R]):
    """Does tasks in worker processes, which get the work once, when they start.

    Its large arrays are held once for all of them (`sharing`). Tasks that are not done after
    as many seconds as *patience* tells are given up, and the workers with them.

    Use it in a ``with`` block: leaving it in any way ends the workers. Should this process be
    killed, they end themselves.
    """

    def __init__(self, work: Callable[[T, int], R], workers: int) -> None:
        self._workers = workers
        self.patience: Callable[[], float | None] = lambda: None
        context = multiprocessing.get_context("spawn")
        listening, self._lifeline = context.Pipe(duplex=False)
        self._given = shared(work)
        with isolated():
            self._born = context.SimpleQueue()
            start = (self._given, listening, self._born)
            self._pool = ProcessPoolExecutor(
                workers, mp_context=context, initializer=_prepare, initargs=start
            )

    def __call__(self, tasks: Sequence[T], first: int) -> list[R]:
        """The outcomes, in order; serial numbers go on from *first*."""
        chunk = -(-len(tasks) // (self._workers * CHUNKS_PER_WORKER)) or 1
        seconds = self.patience()
        try:
            if seconds is not None:
                return self._within(seconds, tasks, first)
            return list(self._pool.map(_do, tasks, count(first), chunksize=chunk))
        except BrokenProcessPool as error:
            raise _died(f"during tasks {first} to {first + len(tasks) - 1}") from error

    def _within(self, seconds: float, tasks: Sequence[T], first: int) -> list[R]:
        """The outcomes, if they are there in time.

        What is given up is not cancelled: the workers end with it.
        """
        found = [self._pool.submit(_do, task, serial) for serial, task in enumerate(tasks, first)]
        if wait(found, seconds).not_done:
            raise GivenUpError(f"tasks from {first} on took too long and were given up")
        return [future.result() for future in found]

    def __enter__(self) -> "AcrossCores[T, R]":
        """Start the workers, so that what they import costs no task its time."""
        try:
            with isolated():
                list(self._pool.map(_wake, range(self._workers)))
        except BaseException as error:
            self.__exit__(RunError)
            if isinstance(error, BrokenProcessPool):
                raise _died("when it started", UNGUARDED) from error
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._lifeline.close()
            self._kill()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._lifeline.close()
        self._given.remove()

    def _kill(self) -> None:
        """End the workers at once: one that is deep in a kernel hears nothing else.

        Those that have not said their number yet, or wait for one that was killed, end with
        the lifeline.
        """
        while not self._born.empty():
            with suppress(ProcessLookupError):
                os.kill(self._born.get(), signal.SIGKILL)


UNGUARDED = "a script that asks for several has to do so below `if __name__ == '__main__':`; or "
"""Workers begin by importing the script that asks for them, and would ask for workers again."""


def _died(when: str, hint: str = "") -> RunError:
    return RunError(
        f"a worker process died {when}; {hint}it may have run out of memory: try fewer workers"
    )


@contextmanager
def isolated() -> Iterator[None]:
    """Let processes that start in here take no module from the current folder.

    Without this, a file ``pickle.py`` that lies there would be run instead of Python's own.
    """
    before, folders = os.environ.get(SAFE_PATH), list(sys.path)
    os.environ[SAFE_PATH] = "1"
    sys.path[:] = [folder for folder in folders if folder]
    try:
        yield
    finally:
        sys.path[:] = folders
        os.environ.pop(SAFE_PATH)
        if before is not None:
            os.environ[SAFE_PATH] = before


# What a worker process was given to do; set once, when it starts.
_work: Callable[[Any, int], Any]


def _prepare(given: Shared, lifeline: Any, born: Any) -> None:  # noqa: ANN401
    """Take the work in; leave interrupts to the parent, and end when the parent does."""
    global _work  # noqa: PLW0603
    born.put(os.getpid())
    _work = given.opened()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(lifeline, given), daemon=True).start()


def _end_with(lifeline: Any, given: Shared) -> None:  # noqa: ANN401
    parent = multiprocessing.parent_process()
    watched = [lifeline] if parent is None else [lifeline, parent.sentinel]
    multiprocessing.connection.wait(watched)
    given.remove()
    os._exit(1)


def _wake(worker: int) -> int:
    return worker


def _do(task: Any, serial: int) -> Any:  # noqa: ANN401
    return _work(task, serial)
