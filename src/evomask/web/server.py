"""Server of a folder on the loopback interface: shared state, socket, lock and login link."""

import asyncio
import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evomask.errors import ParameterError, RunError
from evomask.runs.store.run_summary import write_note
from evomask.system import SYSTEM, is_locked
from evomask.web.processes import Commands, RunQueue
from evomask.web.run_views import RunViews
from evomask.web.security import DEFAULT_LIMITS, Keyring, Limits
from evomask.web.workspace import Workspace

HOST = "127.0.0.1"
ANY_ADDRESS = "0.0.0.0"  # noqa: S104 - in a container, at the user's request
PORT = 8765
"""Default port."""

OWN = ".web"
"""Folder of the server's own files: key, address, lock."""

ADDRESS = "address"
SHUTDOWN_SECONDS = 3
QUEUE_SECONDS = 0.3
"""Interval in which the queue of runs is checked."""


@dataclass
class Served:
    """A served folder: uploaded files, runs, background tasks and authentication.

    Args:
        at_once: number of concurrent runs.
    """

    folder: Path
    port: int
    at_once: int = 1
    limits: Limits = DEFAULT_LIMITS
    workspace: Workspace = field(init=False)
    queue: RunQueue = field(init=False)
    runs: RunViews = field(init=False)
    keys: Keyring = field(init=False)
    commands: Commands = field(init=False)
    _queue_task: "asyncio.Task[None] | None" = None

    def __post_init__(self) -> None:
        self.workspace = Workspace(self.folder)
        own = self.folder / OWN
        own.mkdir(mode=0o700, exist_ok=True)
        self.keys = Keyring(own / "key", self.limits.session)
        self.queue = RunQueue(self.folder, self.at_once)
        self.runs = RunViews(self.folder, self.queue)
        self.commands = Commands()

    @property
    def cores(self) -> int:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1

    async def begin(self) -> None:
        """Delete leftovers of a killed server, and start the queue."""
        self.workspace.delete_incomplete()
        for draft in (self.folder / OWN).glob("*.draft.*"):
            draft.unlink(missing_ok=True)
        self._queue_task = asyncio.ensure_future(self._check_queue())

    async def end(self) -> None:
        """Stop the queue and background tasks; runs continue."""
        if self._queue_task is not None:
            self._queue_task.cancel()
            with suppress(asyncio.CancelledError):
                await self._queue_task
        self.queue.detach()
        await self.commands.close()

    async def _check_queue(self) -> None:
        while True:
            with suppress(OSError):
                self.queue.start_waiting()
            await asyncio.sleep(QUEUE_SECONDS)


def link_to_running(folder: Path) -> str | None:
    """Return a new login link to the server that serves the folder; None if there is none."""
    own = folder.absolute() / OWN
    if not is_locked(own / "lock"):
        return None
    with suppress(OSError, ValueError, KeyError):
        return _link(json.loads((own / ADDRESS).read_bytes())["port"], Keyring(own / "key"))
    raise RunError(f"{folder} is served already; use the server that is running")


def serve(
    folder: Path,
    announce: Callable[[str], None],
    *,
    port: int | None = None,
    at_once: int = 1,
    limits: Limits = DEFAULT_LIMITS,
    in_container: bool = False,
) -> None:
    """Serve a folder until the process is interrupted.

    Args:
        announce: called with the login link when the server listens.
        port: port of 127.0.0.1; by default the last one, the default one or any free one.
        at_once: number of concurrent runs; others wait.
        in_container: whether to listen on all addresses, for a port that the host publishes.
    """
    import uvicorn

    from evomask.web.app import make_app
    from evomask.web.connections import Visitors

    folder = folder.absolute()
    with _socket(ANY_ADDRESS if in_container else HOST, port, folder) as listening:
        port = int(listening.getsockname()[1])
        served = Served(folder, port, at_once, limits)
        with _locked(folder / OWN, port):
            app = make_app(served)
            visitors: Any = Visitors(app.is_authenticated)
            config = uvicorn.Config(
                app, access_log=False, log_level="critical", server_header=False,
                timeout_graceful_shutdown=SHUTDOWN_SECONDS, timeout_keep_alive=30,
                http=visitors.protocol, ws="none", proxy_headers=False,
            )  # fmt: skip
            listening.listen(1024)
            announce(_link(port, served.keys))
            uvicorn.Server(config).run(sockets=[listening])


def _link(port: int, keys: Keyring) -> str:
    return f"http://{HOST}:{port}/?token={keys.link_token()}"


def _socket(host: str, port: int | None, folder: Path) -> socket.socket:
    """Bind a socket to the given port, or to the last, the default or any free one."""
    candidates = [port] if port is not None else [*_last_port(folder), PORT, 0]
    for number in candidates:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
        except (OSError, OverflowError):
            listening.close()
            continue
        return listening
    raise ParameterError(f"port {port} is in use; choose another with --port")


def _last_port(folder: Path) -> Iterator[int]:
    with suppress(OSError, ValueError, KeyError, TypeError):
        yield int(json.loads((folder / OWN / ADDRESS).read_bytes())["port"])


@contextmanager
def _locked(own: Path, port: int) -> Iterator[None]:
    """Hold the lock of the folder, so that it has one server, and write down the port."""
    handle = os.open(own / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    if not SYSTEM.lock(handle):
        os.close(handle)
        raise RunError("the folder is served already; use the server that is running")
    try:
        write_note(own / ADDRESS, json.dumps({"port": port}))
        yield
    finally:
        os.close(handle)
