"""Evaluators on a Dask cluster, with the same results as in this process.

The work is sent once, when its block is entered: a plugin gives it to every worker, also to those
that join or restart later. A task is then sent with its serial number only, which names its random
stream. So it does not matter which worker carries it out, or how often: tasks of a worker that
died are repeated by another.
"""

import logging
import math
import os
import signal
import time
import uuid
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError as Cancelled
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import dask
from distributed import (
    Client,
    KilledWorker,
    LocalCluster,
    SchedulerPlugin,
    Security,
    WorkerPlugin,
    wait,
)
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError

from evomask.errors import EvomaskError, ParameterError, RunError
from evomask.execution.evaluator import GivenUpError
from evomask.execution.local import CHUNKS_PER_WORKER
from evomask.execution.payload import (
    Batch,
    LoadedWork,
    Payload,
    environment,
    environment_differences,
    is_identical,
)
from evomask.execution.pool import isolated

T = TypeVar("T")
R = TypeVar("R")

LEAST_MESSAGE_SECONDS = 0.05
"""Least seconds of work in a message to a worker; Dask needs some milliseconds per message."""

FIRST_WORKER_SECONDS = 120.0
"""Seconds to wait for the first worker."""

NO_WORKER_SECONDS = 60.0
"""Seconds without any worker after which the run fails."""

ATTEMPTS = 5
"""Number of attempts to send the work while workers die."""

RETRY_SECONDS = 0.5
"""Seconds between two attempts."""

POLL_SECONDS = 5.0
"""Seconds between two checks for workers."""

LOST = (CancelledError, Cancelled, FutureCancelledError, CommClosedError, TimeoutError, OSError)
"""Errors that Dask raises when its scheduler is gone."""

ANSWER_SECONDS = 20
"""Time limit for the answer of a scheduler."""

PRIVATE = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.preload": [__name__],
    "distributed.nanny.pre-spawn-environ.PYTHONSAFEPATH": "1",
}
"""Settings of Dask: workers write no task to disk, are not profiled, and import no module from the
current folder."""


@contextmanager
def connect(address: str) -> Iterator[Client]:
    """Connect a client to a scheduler; certificates are those of Dask's own settings."""
    _silence_logging()
    try:
        client = Client(address, set_as_default=False, timeout=ANSWER_SECONDS)
    except (OSError, TimeoutError, TypeError) as error:
        raise RunError(
            f"no scheduler answers at {address}; check that it is running and accepts the "
            "certificates of Dask's configuration on this machine"
        ) from error
    with client:
        yield client


@contextmanager
def start_cluster(workers: int, memory: str = "auto") -> Iterator[Client]:
    """Start an encrypted scheduler and workers on this machine for the duration of the block.

    Args:
        memory: limit of each worker, such as ``2GB``; with ``auto`` a share of the machine's.
    """
    _silence_logging()
    try:
        with dask.config.set(PRIVATE), isolated():
            cluster = LocalCluster(
                workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                protocol="tls",
                security=Security.temporary(),
                memory_limit=memory,
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
            )
    except ValueError as error:
        raise ParameterError(f"memory of a worker is a size like 2GB, got {memory}") from error
    with cluster, Client(cluster, set_as_default=False) as client:
        yield client


def dask_setup(_: Any) -> None:  # noqa: ANN401
    """Ignore interrupts in a local worker, which the parent handles; Dask calls this."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _silence_logging() -> None:
    """Silence Dask's log of workers that come and go; errors are reported by evomask."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)


@dataclass(frozen=True, eq=False)
class Cluster:
    """Evaluators on the workers of a Dask cluster, through a connected client.

    Args:
        verify: whether the first task is repeated in this process and must give the same bits,
            because another processor may round differently.
    """

    client: Client
    verify: bool = True

    @property
    def workers(self) -> int:
        """Current number of worker processes; each carries out one task at a time."""
        return max(1, _count(self.client))

    def __call__(self, work: Callable[[T, int], R], /) -> "ClusterEvaluator[T, R]":
        """Return an evaluator of the work."""
        return ClusterEvaluator(work, self.client, verify=self.verify)


@dataclass(frozen=True, eq=False)
class SubmittedToCluster(Generic[R]):
    """A task that was submitted to a cluster."""

    gather: Callable[[float | None], R]

    def result(self, timeout: float | None = None) -> R:
        """Wait for the outcome."""
        return self.gather(timeout)


class ClusterEvaluator(Generic[T, R]):
    """Carries out tasks on the workers of a Dask cluster, which get the work once.

    Tasks that take longer than *patience* seconds are aborted. Use it in a ``with`` block: leaving
    it in any way removes the work from the workers.
    """

    def __init__(self, work: Callable[[T, int], R], client: Client, *, verify: bool = True) -> None:
        self._work, self._client, self._verify = work, client, verify
        self.patience: Callable[[], float | None] = lambda: None
        self._name = f"evomask-{uuid.uuid4().hex}"
        self._calls = 0
        self._pace: float | None = None

    def __enter__(self) -> "ClusterEvaluator[T, R]":
        """Wait for a worker, compare environments, send the work and decode it."""
        try:
            with _translate_errors("while the work was sent to it"):
                for left in range(ATTEMPTS - 1, -1, -1):
                    with _retry(self._client, left):
                        self._send()
                        break
        except BaseException:
            self.__exit__()
            raise
        return self

    def _send(self) -> None:
        self._client.wait_for_workers(1, timeout=FIRST_WORKER_SECONDS)
        _require_same_environment(self._client)
        self._client.register_plugin(CleanupPlugin(self._name, self._client.id))
        self._client.register_plugin(WorkPlugin(self._name, Payload.encode(self._work)))
        futures = [
            self._client.submit(
                _load,
                self._name,
                workers=[address],
                allow_other_workers=True,
                key=f"{self._name}-open-{address}",
                pure=False,
            )
            for address in _addresses(self._client)
        ]
        self._client.gather(futures)

    def __call__(self, tasks: Sequence[T], first: int) -> list[R]:
        """Return the outcomes, in order; serial numbers count from *first*."""
        if not tasks:
            return []
        return self._gather(self._submit(tasks, first), tasks, first, self.patience())

    def submit(self, task: T, serial: int) -> "SubmittedToCluster[R]":
        """Start a task on the cluster."""
        futures = self._submit([task], serial)
        return SubmittedToCluster(lambda timeout: self._gather(futures, [task], serial, timeout)[0])

    def _gather(
        self, futures: Sequence[Any], tasks: Sequence[T], first: int, seconds: float | None
    ) -> list[R]:
        """Wait for the outcomes of tasks; they are aborted after some seconds."""
        try:
            with _translate_errors(f"during tasks {first} to {first + len(tasks) - 1}"):
                expected = self._repeat(tasks[0], first)
                self._await(futures, first, seconds)
                done: list[Done] = self._client.gather(futures)
        except BaseException:
            with suppress(*LOST):
                self._client.cancel(futures, force=True)
            raise
        for part in done:
            if part.error is not None:
                raise part.error
        outcomes = [outcome for part in done for outcome in part.outcomes.items]
        self._pace = sum(part.seconds for part in done) / len(tasks)
        if expected is not None and not is_identical(
            _comparable(expected.items[0]), _comparable(outcomes[0])
        ):
            raise RunError(
                f"task {first} has different results on the cluster and here; its machines may "
                f"have other processors or libraries: start the run on one of them"
            )
        return outcomes

    def _submit(self, tasks: Sequence[T], first: int) -> list[Any]:
        self._calls += 1
        size = self._size(len(tasks), max(1, _count(self._client)))
        starts = range(0, len(tasks), size)
        futures: list[Any] = self._client.map(
            _do,
            [self._name] * len(starts),
            [Batch(tasks[start : start + size]) for start in starts],
            [first + start for start in starts],
            key=[f"{self._name}-{self._calls}-{start}" for start in starts],
            pure=False,
        )
        return futures

    def _size(self, tasks: int, workers: int) -> int:
        """Tasks in a message: few enough for an even load, enough to be worth the overhead."""
        even = -(-tasks // (workers * CHUNKS_PER_WORKER))
        if self._pace is None:
            return max(1, even)
        worth = math.ceil(LEAST_MESSAGE_SECONDS / max(1e-6, self._pace))
        return max(1, even, min(worth, -(-tasks // workers)))

    def _repeat(self, task: T, serial: int) -> Batch | None:
        """Repeat the very first task here while the cluster works; None if it fails."""
        if not self._verify:
            return None
        self._verify = False
        with suppress(EvomaskError):
            return Batch([self._work(task, serial)])
        return None

    def _await(self, futures: Sequence[Any], first: int, seconds: float | None) -> None:
        """Wait for all futures, within the time limit and while there are workers."""
        began = seen = time.monotonic()
        while True:
            left = math.inf if seconds is None else began + seconds - time.monotonic()
            try:
                with self._client.as_current():
                    wait(futures, timeout=max(0.01, min(POLL_SECONDS, left)))
            except TimeoutError:
                now = time.monotonic()
                if left <= POLL_SECONDS:
                    raise GivenUpError(
                        f"tasks from {first} on took too long and were aborted"
                    ) from None
                seen = now if _count(self._client) else seen
                if now - seen > NO_WORKER_SECONDS:
                    raise RunError(
                        "no worker of the cluster is left; start some, and continue with "
                        "`evomask resume` if the run has a folder"
                    ) from None
            else:
                return

    def __exit__(self, *_: object) -> None:
        """Remove the work from the workers, unless the scheduler is gone."""
        if self._client.status != "running":
            return
        with suppress(*LOST, ValueError):
            self._client.unregister_worker_plugin(self._name)
        with suppress(*LOST, ValueError):
            self._client.unregister_scheduler_plugin(_cleanup_name(self._name))


class WorkPlugin(WorkerPlugin):
    """Gives the work to a worker, which decodes it with its first task."""

    idempotent = True

    def __init__(self, name: str, payload: Payload) -> None:
        self.name, self.payload = name, payload

    def setup(self, worker: Any) -> None:  # noqa: ANN401
        """Store the payload."""
        _loaded[self.name] = LoadedWork(self.payload)

    def teardown(self, worker: Any) -> None:  # noqa: ANN401
        """Remove the work."""
        _loaded.pop(self.name, None)


class CleanupPlugin(SchedulerPlugin):
    """Removes the work from all workers when its client disconnects for any reason."""

    idempotent = True

    def __init__(self, name: str, client: str) -> None:
        self.name, self.work, self.client = _cleanup_name(name), name, client

    def remove_client(self, scheduler: Any, client: str) -> None:  # noqa: ANN401
        """Handle a client that disconnects; the scheduler calls this."""
        if client == self.client:
            scheduler.loop.add_callback(self._remove, scheduler)

    async def _remove(self, scheduler: Any) -> None:  # noqa: ANN401
        if self.work in scheduler.worker_plugins:
            await scheduler.unregister_worker_plugin(None, self.work)
        if self.name in scheduler.plugins:
            await scheduler.unregister_scheduler_plugin(self.name)


def _cleanup_name(name: str) -> str:
    return f"{name}-cleanup"


@dataclass(frozen=True)
class Done:
    """Outcomes of a batch and their duration in seconds, or an error."""

    outcomes: Batch
    seconds: float
    error: EvomaskError | None = None


# Work in this process as a worker of clusters, by name.
_loaded: dict[str, LoadedWork] = {}


def _load(name: str) -> int:
    _loaded[name].load()
    return os.getpid()


def _do(name: str, batch: Batch, first: int) -> Done:
    began = time.perf_counter()
    try:
        outcomes = _loaded[name](batch.items, first)
    except EvomaskError as error:
        return Done(Batch(()), 0.0, error)
    return Done(Batch(outcomes), time.perf_counter() - began)


def _addresses(client: Client) -> Sequence[str]:
    return list(client.scheduler_info(n_workers=-1)["workers"])


def _comparable(outcome: object) -> object:
    """The part of an outcome that is the same on all machines: not the time it took."""
    return getattr(outcome, "result", outcome)


def _count(client: Client) -> int:
    return len(_addresses(client))


def _require_same_environment(client: Client) -> None:
    try:
        found = client.run(environment)
    except (ImportError, AttributeError) as error:
        raise RunError(
            "a worker of the cluster has no evomask, or another version of it; give all "
            "machines the same environment"
        ) from error
    for address, there in found.items():
        if apart := environment_differences(there):
            raise RunError(
                f"the environment of worker {address} differs ({apart}), so its results could "
                f"differ; give all "
                "machines the same environment"
            )


@contextmanager
def _retry(client: Client, left: int) -> Iterator[None]:
    """Ignore the death of a worker, if attempts are left and the scheduler is running."""
    try:
        yield
    except (*LOST, KilledWorker):
        if not left or client.status != "running":
            raise
        time.sleep(RETRY_SECONDS)


@contextmanager
def _translate_errors(when: str) -> Iterator[None]:
    """Raise errors of Dask as errors of evomask."""
    try:
        yield
    except KilledWorker as error:
        raise RunError(
            f"several workers of the cluster died {when}, one after another; they may have run "
            "out of memory: give each worker more, or have fewer on a machine"
        ) from error
    except LOST as error:
        raise RunError(
            f"the connection to the cluster was lost {when}; start it again, and continue with "
            f"`evomask resume` "
            "if the run has a folder"
        ) from error
