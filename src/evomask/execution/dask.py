"""Carrying out tasks on a Dask cluster, with the same answers as in this process.

The work is sent once, when its block is entered: a plugin gives it to every worker, also to
those that join or start again later. A task then travels with its serial number only, and what
it draws from is named by that number. So it does not matter who does it, or how often: what a
worker that died had begun, another does again.
"""

import math
import os
import time
import uuid
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError as Cancelled
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from distributed import Client, KilledWorker, SchedulerPlugin, WorkerPlugin, wait
from distributed.client import FutureCancelledError
from distributed.comm.core import CommClosedError

from evomask.errors import EvomaskError, RunError
from evomask.execution.evaluator import GivenUpError
from evomask.execution.local import CHUNKS_PER_WORKER
from evomask.execution.parcels import Batch, Bench, Parcel, same
from evomask.execution.standing import differences, standing

T = TypeVar("T")
R = TypeVar("R")

WORTHWHILE = 0.05
"""Seconds that a message to a worker should be worth; the engine takes some milliseconds itself."""

FIRST_WORKER = 120.0
"""Seconds to wait for the first worker."""

LONELY = 60.0
"""Seconds without any worker after which nobody is expected to come back."""

ATTEMPTS = 5
"""How often a work is sent while workers die under it."""

BREATH = 0.5
"""Seconds until a work is sent again."""

GLANCE = 5.0
"""Seconds after which it is looked whether there is still somebody who works."""

LOST = (CancelledError, Cancelled, FutureCancelledError, CommClosedError, TimeoutError, OSError)
"""What the engine raises where its scheduler is gone."""


@dataclass(frozen=True, eq=False)
class Cluster:
    """Evaluators on the workers of a Dask cluster that a client is connected to.

    Args:
        verify: whether the first task of every work is also done here, and must come out the
            same to the bit: another processor may round otherwise.
    """

    client: Client
    verify: bool = True

    @property
    def workers(self) -> int:
        """How many processes work on the cluster now: each does one task at a time."""
        return max(1, _count(self.client))

    def __call__(self, work: Callable[[T, int], R], /) -> "AcrossCluster[T, R]":
        """Whoever carries out the tasks of that work there."""
        return AcrossCluster(work, self.client, verify=self.verify)


class AcrossCluster(Generic[T, R]):
    """Does tasks on the workers of a Dask cluster, which get the work once.

    Tasks that are not done after as many seconds as *patience* tells are given up. Use it in a
    ``with`` block: leaving it in any way takes back what was sent.
    """

    def __init__(self, work: Callable[[T, int], R], client: Client, *, verify: bool = True) -> None:
        self._work, self._client, self._verify = work, client, verify
        self.patience: Callable[[], float | None] = lambda: None
        self._name = f"evomask-{uuid.uuid4().hex}"
        self._calls = 0
        self._pace: float | None = None

    def __enter__(self) -> "AcrossCluster[T, R]":
        """Wait for a worker, compare versions, send the work and have it opened."""
        try:
            with _in_words("while the work was sent to it"):
                for left in range(ATTEMPTS - 1, -1, -1):
                    with _again(self._client, left):
                        self._send()
                        break
        except BaseException:
            self.__exit__()
            raise
        return self

    def _send(self) -> None:
        self._client.wait_for_workers(1, timeout=FIRST_WORKER)
        _require_same(self._client)
        self._client.register_plugin(Farewell(self._name, self._client.id))
        self._client.register_plugin(Delivery(self._name, Parcel.of(self._work)))
        self._client.gather([self._opening(address) for address in _known(self._client)])

    def _opening(self, address: str) -> Any:  # noqa: ANN401
        key = f"{self._name}-open-{address}"
        return self._client.submit(
            _open, self._name, workers=[address], allow_other_workers=True, key=key, pure=False
        )

    def __call__(self, tasks: Sequence[T], first: int) -> list[R]:
        """The outcomes, in order; serial numbers go on from *first*."""
        if not tasks:
            return []
        futures = self._sent(tasks, first)
        try:
            with _in_words(f"during tasks {first} to {first + len(tasks) - 1}"):
                expected = self._repeated(tasks[0], first)
                self._await(futures, first)
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
        if expected is not None and not same(expected.items[0], outcomes[0]):
            raise RunError(
                f"task {first} comes out differently on the cluster and here; its machines may "
                "have other processors or libraries: start the run on one of them"
            )
        return outcomes

    def _sent(self, tasks: Sequence[T], first: int) -> list[Any]:
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
        """Tasks in a message: few enough to share out evenly, enough to be worth it."""
        even = -(-tasks // (workers * CHUNKS_PER_WORKER))
        if self._pace is None:
            return max(1, even)
        worth = math.ceil(WORTHWHILE / max(1e-6, self._pace))
        return max(1, even, min(worth, -(-tasks // workers)))

    def _repeated(self, task: T, serial: int) -> Batch | None:
        """The first task of all, done here too while the cluster is at work; an error is its."""
        if not self._verify:
            return None
        self._verify = False
        with suppress(EvomaskError):
            return Batch([self._work(task, serial)])
        return None

    def _await(self, futures: Sequence[Any], first: int) -> None:
        """Until all is done: not longer than somebody is patient, nor without any worker."""
        seconds = self.patience()
        began = seen = time.monotonic()
        while True:
            left = math.inf if seconds is None else began + seconds - time.monotonic()
            try:
                with self._client.as_current():
                    wait(futures, timeout=max(0.01, min(GLANCE, left)))
            except TimeoutError:
                now = time.monotonic()
                if left <= GLANCE:
                    raise GivenUpError(
                        f"tasks from {first} on took too long and were given up"
                    ) from None
                seen = now if _count(self._client) else seen
                if now - seen > LONELY:
                    raise RunError(
                        "no worker of the cluster is left; start some, and go on with "
                        "`evomask resume` where the run was kept in a folder"
                    ) from None
            else:
                return

    def __exit__(self, *_: object) -> None:
        """Take back what was sent, unless the scheduler is gone and took it along."""
        if self._client.status != "running":
            return
        with suppress(*LOST, ValueError):
            self._client.unregister_worker_plugin(self._name)
        with suppress(*LOST, ValueError):
            self._client.unregister_scheduler_plugin(_farewell(self._name))


class Delivery(WorkerPlugin):
    """Brings a work to a worker, which opens it with its first task, not while it must answer."""

    idempotent = True

    def __init__(self, name: str, parcel: Parcel) -> None:
        self.name, self.parcel = name, parcel

    def setup(self, worker: Any) -> None:  # noqa: ANN401
        """Keep the work, unopened."""
        _benches[self.name] = Bench(self.parcel)

    def teardown(self, worker: Any) -> None:  # noqa: ANN401
        """Forget the work, opened or not."""
        _benches.pop(self.name, None)


class Farewell(SchedulerPlugin):
    """Takes a work away from all workers when its client is gone, in whatever way it went."""

    idempotent = True

    def __init__(self, name: str, client: str) -> None:
        self.name, self.delivery, self.client = _farewell(name), name, client

    def remove_client(self, scheduler: Any, client: str) -> None:  # noqa: ANN401
        """Called by the scheduler for every client that leaves."""
        if client == self.client:
            scheduler.loop.add_callback(self._leave, scheduler)

    async def _leave(self, scheduler: Any) -> None:  # noqa: ANN401
        if self.delivery in scheduler.worker_plugins:
            await scheduler.unregister_worker_plugin(None, self.delivery)
        if self.name in scheduler.plugins:
            await scheduler.unregister_scheduler_plugin(self.name)


def _farewell(name: str) -> str:
    return f"{name}-farewell"


@dataclass(frozen=True)
class Done:
    """Outcomes of a batch, the seconds that they took, and what went wrong instead."""

    outcomes: Batch
    seconds: float
    error: EvomaskError | None = None


# The works that this process was given, as a worker of clusters.
_benches: dict[str, Bench] = {}


def _open(name: str) -> int:
    _benches[name].open()
    return os.getpid()


def _do(name: str, batch: Batch, first: int) -> Done:
    began = time.perf_counter()
    try:
        outcomes = _benches[name](batch.items, first)
    except EvomaskError as error:
        return Done(Batch(()), 0.0, error)
    return Done(Batch(outcomes), time.perf_counter() - began)


def _known(client: Client) -> Sequence[str]:
    return list(client.scheduler_info(n_workers=-1)["workers"])


def _count(client: Client) -> int:
    return len(_known(client))


def _require_same(client: Client) -> None:
    try:
        found = client.run(standing)
    except (ImportError, AttributeError) as error:
        raise RunError(
            "a worker of the cluster has no evomask, or another version of it; give all "
            "machines the same environment"
        ) from error
    for address, there in found.items():
        if apart := differences(there):
            raise RunError(
                f"the worker {address} differs ({apart}), and results would too; give all "
                "machines the same environment"
            )


@contextmanager
def _again(client: Client, left: int) -> Iterator[None]:
    """Pass over a worker that died while something was sent, as long as the scheduler is there."""
    try:
        yield
    except (*LOST, KilledWorker):
        if not left or client.status != "running":
            raise
        time.sleep(BREATH)


@contextmanager
def _in_words(when: str) -> Iterator[None]:
    """Errors of the engine in a sentence of ours."""
    try:
        yield
    except KilledWorker as error:
        raise RunError(
            f"several workers of the cluster died {when}, one after another; they may have run "
            "out of memory: give each worker more, or have fewer on a machine"
        ) from error
    except LOST as error:
        raise RunError(
            f"the cluster went away {when}; start it again, and go on with `evomask resume` "
            "where the run was kept in a folder"
        ) from error
