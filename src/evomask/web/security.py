"""Request guard: host and origin checks, authentication, size and rate limits, headers."""

import hmac
import json
import os
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evomask.errors import FileError
from evomask.runs.store.run_summary import write_note

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every response that does not set them itself."""

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
MAX_JSON = 2_000_000
"""Largest body of a request that is not an upload, in bytes."""

NO_HEADERS: Mapping[str, str] = {}
PUBLIC_PATHS = ("/static/",)
"""Paths without authentication."""

SESSION_SECONDS = 12 * 3600.0
"""Default lifetime of a session cookie."""

LINK_SECONDS = 3600.0
"""Lifetime of a login link."""

CLOCK_SKEW = 5.0
"""Seconds by which the clocks of two processes may differ."""


class Keyring:
    """Authentication: token file, one-time login links, session cookie.

    A cookie is valid for some time, and a link once; neither after a restart.

    Args:
        path: file of the secret, readable by its owner only; created if missing.
        session: lifetime of a cookie in seconds.
    """

    def __init__(self, path: Path, session: float = SESSION_SECONDS) -> None:
        self.secret = _read_secret(path)
        self.session = session
        self._began = time.time()
        self._start = secrets.token_urlsafe(9)
        self._used: set[str] = set()

    @property
    def cookie(self) -> str:
        """A new session cookie of this server, until it ends or the session does."""
        ends = f"{time.time() + self.session:.0f}"
        return f"{ends}.{self._signature(f'cookie {self._start} {ends}')}"

    def link_token(self) -> str:
        """Return a new token for a login link."""
        about = f"{time.time():.3f}.{secrets.token_urlsafe(9)}"
        return f"{about}.{self._signature(about)}"

    def admits_link(self, token: str) -> bool:
        """Return whether a token is valid and unused, and mark it as used."""
        about, _, signature = token.rpartition(".")
        if not _is_equal(signature, self._signature(about)) or token in self._used:
            return False
        created = float(about.rpartition(".")[0])
        self._used.add(token)
        return self._began - CLOCK_SKEW <= created and time.time() - created <= LINK_SECONDS

    def admits_cookie(self, value: str) -> bool:
        ends, _, signature = value.partition(".")
        expected = self._signature(f"cookie {self._start} {ends}")
        return _is_equal(signature, expected) and time.time() < float(ends)

    def admits_key(self, value: str) -> bool:
        """Return whether a program sent the secret itself."""
        return _is_equal(value, self.secret)

    def _signature(self, text: str) -> str:
        return hmac.new(self.secret.encode(), text.encode(), sha256).hexdigest()


def _is_equal(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(), expected.encode())


def _read_secret(path: Path) -> str:
    try:
        if not path.exists():
            _create_secret(path)
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise FileError(f"{path} cannot be read; remove it for a new one") from None


def _create_secret(path: Path) -> None:
    """Create a secret atomically; if two servers start at once, the first secret stays."""
    draft = path.with_name(f"{path.name}-{secrets.token_hex(4)}")
    write_note(draft, secrets.token_hex(32))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


@dataclass(frozen=True)
class Limits:
    """Size and rate limits of a server.

    Args:
        upload: largest upload in bytes.
        rate: requests per second on average; *burst* is the largest number at once. Requests
            without authentication have limits of their own.
        session: seconds that a login lasts.
    """

    upload: int = 2_000_000_000
    rate: float = 60.0
    burst: float = 240.0
    session: float = SESSION_SECONDS


DEFAULT_LIMITS = Limits()


@dataclass
class _TokenBucket:
    """Rate limiter: tokens are refilled at a rate, up to a burst."""

    limits: Limits
    now: Callable[[], float] = time.monotonic
    left: float = field(init=False)
    seen: float = field(init=False)

    def __post_init__(self) -> None:
        self.left, self.seen = self.limits.burst, self.now()

    def take(self) -> bool:
        now = self.now()
        self.left = min(self.limits.burst, self.left + (now - self.seen) * self.limits.rate)
        self.seen = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class Refusal(Exception):  # noqa: N818
    """A refused request: HTTP status, and the reason in a sentence."""

    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] = NO_HEADERS) -> None:
        super().__init__(sentence)
        self.status, self.headers = status, dict(headers)


class Guard:
    """ASGI middleware that refuses foreign origins, other host names and unauthenticated users."""

    def __init__(self, app: ASGIApp, keys: Keyring, port: int, limits: Limits) -> None:
        self._app, self._keys, self._limits = app, keys, limits
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._cookie = f"evomask-{port}"
        self._buckets = {known: _TokenBucket(limits) for known in (False, True)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        try:
            token = self._check(scope, headers)
        except Refusal as refusal:
            await _refuse(scope, send, refusal)
            return
        if token is not None:
            await _log_in(send, self._cookie, self._keys)
            return
        await self._app(scope, _limited(receive, self._max_body(scope)), _with_headers(send))

    def _check(self, scope: Scope, headers: Mapping[str, str]) -> str | None:
        """Raise `Refusal` for a request that is not allowed; return the token of a login link."""
        if headers.get("host", "") not in self._hosts:
            raise Refusal(400, "this address is not served; open the one that was printed")
        self._check_origin(scope["method"], headers)
        is_known = self.is_authenticated(headers)
        if not self._buckets[is_known].take():
            raise Refusal(429, "too many requests at once; wait a second", {"retry-after": "1"})
        if scope["path"].startswith(PUBLIC_PATHS):
            return None
        token: str = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and token and scope["method"] == "GET":
            if is_known or self._keys.admits_link(token):
                return token
            raise Refusal(401, "this link was used before or has expired; ask for a new one")
        if not is_known:
            raise Refusal(401, "this page needs a login; open the link that was printed")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._max_body(scope):
            raise Refusal(413, f"that is more than {self._max_body(scope):,} bytes; send less")
        return None

    def _check_origin(self, method: str, headers: Mapping[str, str]) -> None:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            raise Refusal(403, "requests from other sites are refused")
        if site not in ("none", "same-origin") and method not in SAFE_METHODS:
            raise Refusal(403, "requests from other sites are refused")

    def is_authenticated(self, headers: Mapping[str, str]) -> bool:
        """Whether the headers of a request hold the key or the session cookie."""
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._keys.admits_key(key.strip()):
            return True
        try:
            given = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return given is not None and self._keys.admits_cookie(given.value)

    def _max_body(self, scope: Scope) -> int:
        is_upload = scope["method"] == "POST" and scope["path"] == "/api/files"
        return self._limits.upload if is_upload else MAX_JSON


class TooLargeError(Exception):
    """The body of a request exceeds the limit."""


def _limited(receive: Receive, limit: int) -> Receive:
    """Count the bytes of a body, also of one without a content length."""
    received = 0

    async def count() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise TooLargeError
        return message

    return count


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message["headers"]}
            more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in given]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return send_with_headers


def error_body(sentence: str, field_name: str = "") -> dict[str, str]:
    """Return the body of an error response: sentence, id of the incident, field of the request."""
    return {"error": sentence, "id": secrets.token_hex(4), "field": field_name}


async def _refuse(scope: Scope, send: Send, refusal: Refusal) -> None:
    """Send the reason as JSON to programs, as a plain page to browsers."""
    body = error_body(str(refusal))
    if scope["path"].startswith("/api"):
        content, kind = json.dumps(body).encode(), "application/json"
    else:
        page = (
            f"<!doctype html><html lang=en><title>evomask</title><h1>evomask</h1><p>{refusal}.</p>"
        )
        again = "<p>For a new link run <code>evomask serve</code> again in its folder.</p></html>"
        content, kind = (page + again).encode(), "text/html; charset=utf-8"
    headers = {**HEADERS, **refusal.headers, "content-type": kind}
    headers["content-length"] = str(len(content))
    await _respond(send, refusal.status, headers, content if scope["method"] != "HEAD" else b"")


async def _log_in(send: Send, name: str, keys: Keyring) -> None:
    """Set the session cookie, and remove the token from the address."""
    age = f"Max-Age={keys.session:.0f}"
    cookie = f"{name}={keys.cookie}; Path=/; HttpOnly; SameSite=Strict; {age}"
    # After a redirect from another site, browsers do not send a Strict cookie.
    page = b'<!doctype html><html lang=en><title>evomask</title><meta http-equiv=refresh content="0;url=/"><p><a href="/">To the runs</a></p></html>'  # noqa: E501
    headers = {**HEADERS, "content-type": "text/html; charset=utf-8", "set-cookie": cookie}
    headers["content-length"] = str(len(page))
    await _respond(send, 200, headers, page)


async def _respond(send: Send, status: int, headers: Mapping[str, str], content: bytes) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": content})
