"""A pool of worker processes in which a killed worker is replaced and its task repeated.

A repeated task has the same serial number and so the same random stream: results do not depend on
which workers were killed.
"""

import multiprocessing
import multiprocessing.connection
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from evomask.errors import EvomaskError, RunError
from evomask.execution.payload import SharedWork

SAFE_PATH = "PYTHONSAFEPATH"
MOST_DEATHS = 5
"""Workers that may die during one task before it counts as impossible."""

SECONDS_TO_END = 10

GUARD_HINT = "a script that uses several has to start them below `if __name__ == '__main__':`; or "
"""Workers import the script that starts them, which would start workers again."""

_environment = threading.Lock()


class WorkerDiedError(Exception):
    """A worker process ended before it answered; an internal error that users do not see."""


@dataclass(frozen=True, eq=False)
class Job:
    """Consecutive tasks for one worker, and the future list of their outcomes."""

    tasks: Sequence[Any]
    first: int
    outcomes: "Future[list[Any]]" = field(default_factory=Future)


class WorkerProcess:
    """A process that carries out tasks one after another."""

    def __init__(self, shared: SharedWork) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, end = context.Pipe()
        self._is_ready = False
        self._process = context.Process(target=_serve, args=(shared, end))
        try:
            with isolated():
                self._process.start()
        finally:
            end.close()

    def wait(self) -> None:
        """Wait until the worker has opened its work, and raise the error if it cannot."""
        if not self._is_ready:
            self._receive()
            self._is_ready = True

    def ask(self, job: Job) -> list[Any]:
        """Outcomes of tasks."""
        self.wait()
        try:
            self._pipe.send((job.tasks, job.first))
        except OSError:
            raise WorkerDiedError from None
        outcomes: list[Any] = self._receive()
        return outcomes

    def _receive(self) -> Any:  # noqa: ANN401
        multiprocessing.connection.wait([self._pipe, self._process.sentinel])
        try:
            if not self._pipe.poll():
                raise WorkerDiedError
            is_done, answer = self._pipe.recv()
        except (EOFError, OSError):
            raise WorkerDiedError from None
        if not is_done:
            raise answer
        return answer

    def kill(self) -> None:
        """Kill the process; one inside a kernel does not react to other signals."""
        self._process.kill()

    def close(self) -> None:
        """Let an idle process end, and wait for it."""
        self._pipe.close()
        self._process.join(SECONDS_TO_END)
        self._process.kill()
        self._process.join()
        self._process.close()


class WorkerPool:
    """Worker processes, each served by a thread of this process."""

    def __init__(self, shared: SharedWork, workers: int) -> None:
        self._shared = shared
        self._count = workers
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._is_closed = False
        self._workers: list[WorkerProcess] = []
        self._busy: set[int] = set()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the workers, and wait until they have opened their work."""
        for _ in range(self._count):
            self._workers.append(WorkerProcess(self._shared))
        try:
            for worker in self._workers:
                worker.wait()
        except WorkerDiedError:
            raise death("when it started", GUARD_HINT) from None
        for slot in range(self._count):
            thread = threading.Thread(target=self._serve_slot, args=(slot,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def submit(self, tasks: Sequence[Any], first: int) -> "Future[list[Any]]":
        """Start tasks in the next free worker."""
        job = Job(tasks, first)
        self._jobs.put(job)
        return job.outcomes

    def close(self) -> None:
        """End the workers; those that still carry out a task are killed."""
        with self._lock:
            self._is_closed = True
            for slot in self._busy:
                self._workers[slot].kill()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        for worker in self._workers:
            if not self._threads:  # not all had started
                worker.kill()
            worker.close()
        self._workers.clear()

    def _serve_slot(self, slot: int) -> None:
        while (job := self._jobs.get()) is not None:
            with self._lock:
                if self._is_closed:
                    return
                self._busy.add(slot)
            try:
                job.outcomes.set_result(self._outcomes(slot, job))
            except WorkerDiedError:  # the pool is closed, and nobody waits
                return
            except BaseException as error:  # noqa: BLE001 - raised where the outcome is awaited
                job.outcomes.set_exception(error)
            with self._lock:
                self._busy.discard(slot)

    def _outcomes(self, slot: int, job: Job) -> list[Any]:
        for _ in range(MOST_DEATHS):
            try:
                return self._workers[slot].ask(job)
            except WorkerDiedError:
                self._replace(slot)
        last = job.first + len(job.tasks) - 1
        tasks = f"tasks {job.first} to {last}" if last > job.first else f"task {last}"
        raise death(f"during {tasks}, {MOST_DEATHS} times in a row")

    def _replace(self, slot: int) -> None:
        with self._lock:
            if self._is_closed:
                raise WorkerDiedError
            self._workers[slot].close()
            try:
                self._workers[slot] = WorkerProcess(self._shared)
            except OSError as error:
                raise death(f"and none could be started ({error.strerror})") from error


def death(when: str, hint: str = "") -> RunError:
    """Error for workers that die again and again."""
    return RunError(
        f"a worker process died {when}; {hint}it may have run out of memory: try fewer workers"
    )


@contextmanager
def isolated() -> Iterator[None]:
    """Prevent processes that start in the block from importing modules of the current folder.

    Otherwise a file ``pickle.py`` in that folder would be run instead of Python's own module.
    """
    with _environment:
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


def _serve(shared: SharedWork, pipe: Any) -> None:  # noqa: ANN401
    """Carry out tasks until the pipe is closed; interrupts are handled by the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(shared,), daemon=True).start()
    opened: list[Callable[[Any, int], Any]] = []
    _answer(pipe, lambda: opened.append(shared.open()))
    with suppress(EOFError, OSError):
        while opened:
            tasks, first = pipe.recv()
            _answer(pipe, lambda: [opened[0](task, i) for i, task in enumerate(tasks, first)])  # noqa: B023


def _answer(pipe: Any, compute: Callable[[], Any]) -> None:  # noqa: ANN401
    try:
        answer = (True, compute())
    except Exception as error:  # noqa: BLE001 - raised where the outcome is awaited
        if not isinstance(error, EvomaskError):
            error.add_note(traceback.format_exc())
        answer = (False, error)
    try:
        pipe.send(answer)
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - what cannot be sent
        pipe.send((False, RunError(f"a worker could not send its answer: {error}")))


def _end_with_parent(shared: SharedWork) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        shared.remove()
        os._exit(1)
