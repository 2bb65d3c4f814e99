"""Who computes, as a person asks for it: so many processes here, or a cluster by its address."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evomask.errors import ParameterError
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import Local

LOCAL = "local:"
HERE = ("127.0.0.1", "localhost", "::1")
FORMS = "tls://host:8786, local:8 or the path of a scheduler file"


def computing(
    workers: int = 1,
    cluster: Any = None,  # noqa: ANN401
) -> AbstractContextManager[Evaluators]:
    """Evaluators for as long as a ``with`` block lasts.

    Args:
        workers: processes of this machine, where no cluster is named.
        cluster: ``tls://host:8786``, ``local:8`` (as many workers here, encrypted), ``local:8:2GB``
            (each with so much memory), a scheduler file, or a Dask client of the caller's.
    """
    if cluster is None:
        return nullcontext(Local(workers))
    if workers != 1:
        raise ParameterError("workers and cluster exclude one another; a cluster has its own")
    if find_spec("distributed") is None:
        raise ParameterError(
            "a cluster needs Dask; install it with `pip install evomask[cluster]`, on all machines"
        )
    return _on_cluster(cluster)


@contextmanager
def _on_cluster(cluster: Any) -> Iterator[Evaluators]:  # noqa: ANN401
    from evomask.execution.connecting import connected, started
    from evomask.execution.dask import Cluster

    with ExitStack() as stack:
        if not isinstance(cluster, str | Path):
            check_address(cluster.scheduler.address)
            client = cluster
        elif str(cluster).startswith(LOCAL):
            client = stack.enter_context(started(*_size(str(cluster))))
        else:
            client = stack.enter_context(connected(address_of(str(cluster))))
        yield Cluster(client)


def _size(text: str) -> tuple[int, str]:
    """How many workers, and the memory of each: ``local:8`` or ``local:8:2GB``."""
    count, _, memory = text.removeprefix(LOCAL).partition(":")
    if not count.isdigit() or int(count) < 1:
        raise ParameterError(f"a local cluster is asked for like local:8, got {text}")
    return int(count), memory or "auto"


def address_of(text: str) -> str:
    """The address of a scheduler, as given or from its file, if it is safe."""
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
    """The address, if records would travel encrypted, or not beyond this machine."""
    parts = urlsplit(address)
    if parts.scheme not in ("tls", "tcp", "inproc") or not parts.hostname:
        raise ParameterError(f"{address} is no address of a cluster; give {FORMS}")
    if parts.scheme == "tcp" and parts.hostname not in HERE:
        raise ParameterError(
            f"records would travel to {parts.hostname} unencrypted; give the cluster certificates "
            "(Dask's own settings, distributed.comm.tls) and a tls:// address"
        )
    return address
