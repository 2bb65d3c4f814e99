"""Evaluators on this machine, in one process or several, and the factory for any evaluators.

All evaluators return the same results, because random streams are named by serial numbers.
"""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from evomask.errors import ParameterError
from evomask.execution.evaluator import Evaluators, GivenUpError, StreamingEvaluator
from evomask.execution.payload import share
from evomask.execution.pool import WorkerPool

T = TypeVar("T")
R = TypeVar("R")

CHUNKS_PER_WORKER = 4
LOCAL_CLUSTER = "local:"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
FORMS = "tls://host:8786, local:8 or the path of a scheduler file"


def open_evaluators(
    workers: int = 1,
    cluster: Any = None,  # noqa: ANN401
) -> AbstractContextManager[Evaluators]:
    """Return evaluators for the duration of a ``with`` block.

    Args:
        workers: processes on this machine, where no cluster is given.
        cluster: ``tls://host:8786``, ``local:8`` (eight encrypted workers on this machine),
            ``local:8:2GB`` (with a memory limit each), a scheduler file, or a Dask client.
    """
    if cluster is None:
        return nullcontext(Local(workers))
    if workers != 1:
        raise ParameterError("workers and cluster exclude one another; a cluster has its own")
    if find_spec("distributed") is None:
        raise ParameterError(
            "a cluster needs Dask; install it with `pip install evomask[cluster]`, on all machines"
        )
    return _open_cluster(cluster)


@contextmanager
def _open_cluster(cluster: Any) -> Iterator[Evaluators]:  # noqa: ANN401
    from evomask.execution.dask import Cluster, connect, start_cluster

    with ExitStack() as stack:
        if not isinstance(cluster, str | Path):
            check_address(cluster.scheduler.address)
            client = cluster
        elif str(cluster).startswith(LOCAL_CLUSTER):
            client = stack.enter_context(start_cluster(*_parse_size(str(cluster))))
        else:
            client = stack.enter_context(connect(address_of(str(cluster))))
        yield Cluster(client)


def _parse_size(text: str) -> tuple[int, str]:
    """Number of workers and memory of each, of ``local:8`` or ``local:8:2GB``."""
    number, _, memory = text.removeprefix(LOCAL_CLUSTER).partition(":")
    if not number.isdigit() or int(number) < 1:
        raise ParameterError(f"a local cluster is written like local:8, got {text}")
    return int(number), memory or "auto"


def address_of(text: str) -> str:
    """Address of a scheduler, given or read from its file, if it is safe."""
    if "://" in text:
        return check_address(text)
    try:
        found = json.loads(Path(text).read_text(encoding="utf-8"))["address"]
    except OSError as error:
        raise ParameterError(f"there is no cluster {text!r}; give {FORMS}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ParameterError(f"{text} is not a scheduler file; give {FORMS}") from error
    return check_address(str(found))


def check_address(address: str) -> str:
    """Return the address if records are encrypted in transfer or stay on this machine."""
    parts = urlsplit(address)
    if parts.scheme not in ("tls", "tcp", "inproc") or not parts.hostname:
        raise ParameterError(f"{address} is not an address of a cluster; give {FORMS}")
    if parts.scheme == "tcp" and parts.hostname not in LOOPBACK:
        raise ParameterError(
            f"records would be sent to {parts.hostname} unencrypted; give the cluster certificates "
            "(Dask's own settings, distributed.comm.tls) and a tls:// address"
        )
    return address


def available_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Local:
    """Evaluators on this machine: one worker means this process, more mean as many processes."""

    workers: int = 1

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ParameterError(f"workers must be at least 1, got {self.workers}")

    def __call__(
        self, work: Callable[[T, int], R], /
    ) -> AbstractContextManager[StreamingEvaluator[T, R]]:
        """Return an evaluator of the work."""
        if self.workers == 1:
            return nullcontext(InProcess(work))
        return ProcessEvaluator(work, self.workers)


class InProcess(Generic[T, R]):
    """Carries out tasks sequentially in this process: best for tasks below some 5 ms."""

    def __init__(self, work: Callable[[T, int], R]) -> None:
        self._work = work

    def __call__(self, tasks: Sequence[T], first: int) -> list[R]:
        """Return the outcomes, in order; serial numbers count from *first*."""
        return [self._work(task, serial) for serial, task in enumerate(tasks, first)]

    def submit(self, task: T, serial: int) -> "Postponed[R]":
        """Return the task, which is carried out when its outcome is asked for."""
        return Postponed(partial(self._work, task, serial))


@dataclass(frozen=True, eq=False)
class Postponed(Generic[R]):
    """A task that is carried out when its outcome is asked for; it cannot be aborted."""

    compute: Callable[[], R]

    def result(self, timeout: float | None = None) -> R:
        """Carry out the task."""
        return self.compute()


@dataclass(frozen=True, eq=False)
class Submitted(Generic[R]):
    """A task of a worker process."""

    outcomes: "Future[list[R]]"
    serial: int

    def result(self, timeout: float | None = None) -> R:
        """Wait for the outcome."""
        try:
            return self.outcomes.result(timeout)[0]
        except TimeoutError as error:
            raise GivenUpError(f"task {self.serial} took too long and was aborted") from error


class ProcessEvaluator(Generic[T, R]):
    """Carries out tasks in worker processes, which get the work once, when they start.

    Large arrays are shared by all of them. A killed worker is replaced, and its task repeated.
    Tasks that take longer than *patience* seconds are aborted together with the workers. Use it
    in a ``with`` block: leaving it in any way ends the workers. If this process is killed, they
    end themselves.
    """

    def __init__(self, work: Callable[[T, int], R], workers: int) -> None:
        self._workers = workers
        self.patience: Callable[[], float | None] = lambda: None
        self._shared = share(work)
        self._pool = WorkerPool(self._shared, workers)

    def __call__(self, tasks: Sequence[T], first: int) -> list[R]:
        """Return the outcomes, in order; serial numbers count from *first*."""
        if not len(tasks):
            return []
        seconds = self.patience()
        parts = self._workers * CHUNKS_PER_WORKER if seconds is None else len(tasks)
        size = -(-len(tasks) // parts)
        futures = [
            self._pool.submit(tasks[start : start + size], first + start)
            for start in range(0, len(tasks), size)
        ]
        if seconds is not None and wait(futures, seconds).not_done:
            raise GivenUpError(f"tasks from {first} on took too long and were aborted")
        return [outcome for future in futures for outcome in future.result()]

    def submit(self, task: T, serial: int) -> Submitted[R]:
        """Start a task in the next free worker."""
        return Submitted(self._pool.submit([task], serial), serial)

    def __enter__(self) -> "ProcessEvaluator[T, R]":
        """Start the workers, so that their imports cost no task its time."""
        try:
            self._pool.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.close()
        self._shared.remove()
