"""Connections to Dask: a client of a scheduler that runs already, or of one started here."""

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
from distributed import Client, LocalCluster, Security

from evomask.errors import ParameterError, RunError
from evomask.execution.local import isolated

ANSWER = 20
"""Seconds in which a scheduler should answer."""

DISCREET = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.preload": [__name__],
    "distributed.nanny.pre-spawn-environ.PYTHONSAFEPATH": "1",
}
"""Nothing of a task is written to disk, nobody looks into running ones, and workers take no
module from the current folder."""


@contextmanager
def connected(address: str) -> Iterator[Client]:
    """A client of the scheduler there; certificates are those of Dask's own settings."""
    _calm()
    try:
        client = Client(address, set_as_default=False, timeout=ANSWER)
    except (OSError, TimeoutError, TypeError) as error:
        raise RunError(
            f"no scheduler answers at {address}; is it running there, and does it know the "
            "certificates that Dask's settings name here?"
        ) from error
    with client:
        yield client


@contextmanager
def started(workers: int, memory: str = "auto") -> Iterator[Client]:
    """A client of a scheduler and workers of this machine, encrypted, that end with the block.

    Args:
        memory: what each worker may use, such as ``2GB``; a share of the machine's where auto.
    """
    _calm()
    try:
        with dask.config.set(DISCREET), isolated():
            cluster = LocalCluster(
                workers, threads_per_worker=1, processes=True, host="127.0.0.1", protocol="tls",
                security=Security.temporary(), memory_limit=memory,
                dashboard_address="127.0.0.1:0", scheduler_kwargs={"dashboard": False},
            )  # fmt: skip
    except ValueError as error:
        raise ParameterError(f"memory of a worker is a size like 2GB, got {memory}") from error
    with cluster, Client(cluster, set_as_default=False) as client:
        yield client


def dask_setup(_: Any) -> None:  # noqa: ANN401
    """Called by the engine when a worker starts here: interrupts are for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _calm() -> None:
    """What the engine logs of workers that come and go is said by evomask, in one sentence."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
