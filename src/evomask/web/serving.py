"""Serving a folder on loopback: one server for a folder, its address printed and opened."""

import fcntl
import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from evomask.errors import ParameterError, RunError
from evomask.runs.kept.glance import keep_note
from evomask.web.guard import USUAL_LIMITS, Limits
from evomask.web.keys import Keyring
from evomask.web.state import OWN, Served

HOST = "127.0.0.1"
PORT = 8765
"""The port that is tried first where nobody names one."""

ADDRESS = "address"
SLOW_CLOSING = 3
"""Seconds that open connections have to end when the server stops."""


@dataclass(frozen=True)
class Serving:
    """What to serve, and how much the server bears.

    Args:
        port: of 127.0.0.1; the usual one or any free one where none is named.
        at_once: runs that work at the same time; others wait.
    """

    folder: Path
    port: int | None = None
    at_once: int = 1
    limits: Limits = USUAL_LIMITS


def link_to_running(folder: Path) -> str | None:
    """A new link to the server that serves the folder already; none where nobody does."""
    own = folder.absolute() / OWN
    try:
        with (own / "lock").open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        with suppress(OSError, ValueError, KeyError):
            return _link(json.loads((own / ADDRESS).read_bytes())["port"], Keyring(own / "key"))
        raise RunError(f"{folder} is served already; look where it was started") from None
    except OSError:
        return None
    return None


def serve(serving: Serving, tell: Callable[[str], None]) -> None:
    """Serve a folder until somebody ends it; runs go on after that.

    Args:
        tell: gets the link that a browser is opened with, once there is somebody to answer.
    """
    import uvicorn

    from evomask.web.app import make_app

    folder = serving.folder.absolute()
    with _socket(serving.port, folder) as listening:
        port = listening.getsockname()[1]
        served = Served(folder, port, serving.at_once, serving.limits)
        with _alone(folder / OWN, port):
            config = uvicorn.Config(
                make_app(served), access_log=False, log_level="critical", server_header=False,
                timeout_graceful_shutdown=SLOW_CLOSING, timeout_keep_alive=30,
                limit_concurrency=200, proxy_headers=False,
            )  # fmt: skip
            listening.listen(128)
            tell(_link(port, served.keys))
            uvicorn.Server(config).run(sockets=[listening])


def _link(port: int, keys: Keyring) -> str:
    return f"http://{HOST}:{port}/?token={keys.link_token()}"


def _socket(port: int | None, folder: Path) -> socket.socket:
    """A socket on loopback: the port of the time before, the usual one, or any that is free."""
    wished = [port] if port is not None else [*_last_port(folder), PORT, 0]
    for number in wished:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, number))
        except (OSError, OverflowError):
            listening.close()
            continue
        return listening
    raise ParameterError(f"port {port} is in use; name another with --port")


def _last_port(folder: Path) -> Iterator[int]:
    with suppress(OSError, ValueError, KeyError, TypeError):
        yield int(json.loads((folder / OWN / ADDRESS).read_bytes())["port"])


@contextmanager
def _alone(own: Path, port: int) -> Iterator[None]:
    """Keep other servers away from the folder, and say where this one is."""
    handle = os.open(own / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise RunError("the folder is served already; look where it was started") from None
    try:
        keep_note(own / ADDRESS, json.dumps({"port": port}))
        yield
    finally:
        os.close(handle)
