"""Connections of the server: time limits for headers and bodies, and a limit for strangers.

A connection belongs to a stranger until one of its requests is authenticated. If there are too
many strangers, the one that came first is disconnected, so that the owner always gets in.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS, BODY_SECONDS = 10.0, 30.0
"""Time for the headers of a request, and for the next bytes of its body."""

MOST_STRANGERS = 100


class Visitors:
    """Connections that are not authenticated, in the order in which they came.

    Args:
        admits: whether the headers of a request authenticate it.
        most: number of strangers at once.
        header_seconds: time for the headers of a request.
        body_seconds: time for the next bytes of a body.
    """

    def __init__(
        self,
        admits: Callable[[Mapping[str, str]], bool],
        most: int = MOST_STRANGERS,
        header_seconds: float = HEADER_SECONDS,
        body_seconds: float = BODY_SECONDS,
    ) -> None:
        self.admits = admits
        self.header_seconds, self.body_seconds = header_seconds, body_seconds
        self._most = most
        self._strangers: OrderedDict[BoundedProtocol, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._strangers)

    def enter(self, connection: "BoundedProtocol") -> None:
        """Add a stranger; where there are too many, the first one is disconnected."""
        self._strangers[connection] = None
        while len(self._strangers) > self._most:
            first, _ = self._strangers.popitem(last=False)
            first.transport.abort()

    def leave(self, connection: "BoundedProtocol") -> None:
        """Remove a connection that has ended, or is no stranger any more."""
        self._strangers.pop(connection, None)

    def protocol(self, *args: Any, **options: Any) -> "BoundedProtocol":  # noqa: ANN401
        """Make the protocol of a new connection; called by the server."""
        return BoundedProtocol(self, *args, **options)


class BoundedProtocol(H11Protocol):
    """HTTP of one connection, which is closed when a request does not arrive in time."""

    def __init__(self, visitors: Visitors, *args: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **options)
        self._visitors = visitors
        self._is_known = False
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._visitors.enter(self)
        self._start_timer(self._visitors.header_seconds)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_known and self.headers is not None:
            headers = {k.decode("latin-1"): v.decode("latin-1") for k, v in self.headers}
            self._is_known = self._visitors.admits(headers)
            if self._is_known:
                self._visitors.leave(self)
        if self.conn.their_state is h11.SEND_BODY:
            self._start_timer(self._visitors.body_seconds)
        elif self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._timer is None:  # more bytes of a header do not give it more time
            self._start_timer(self._visitors.header_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._visitors.leave(self)
        super().connection_lost(exc)

    def _start_timer(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self._disconnect)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _disconnect(self) -> None:
        if self.flow.read_paused:  # the server has not read what it was sent
            self._start_timer(self._visitors.body_seconds)
        else:
            self.transport.abort()
