"""The door of the server: who asks, from where, how much and how often; headers of every answer."""

import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evomask.web.keys import Keyring

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
"""What every answer says unless it says otherwise itself."""

SAFE = ("GET", "HEAD", "OPTIONS")
LARGEST_JSON = 2_000_000
"""Bytes of a request that is no file."""

NONE: Mapping[str, str] = {}
OPEN_PATHS = ("/static/",)
"""What strangers may see: it holds nothing of anybody."""


@dataclass(frozen=True)
class Limits:
    """What one server bears.

    Args:
        upload: bytes of a file that is sent.
        rate: requests a second, over a longer time; *burst* of them may come at once.
    """

    upload: int = 2_000_000_000
    rate: float = 60.0
    burst: float = 240.0


USUAL_LIMITS = Limits()


@dataclass
class _Bucket:
    """Lets so many requests pass a second, and some more at once."""

    limits: Limits
    now: Callable[[], float] = time.monotonic
    left: float = field(init=False)
    seen: float = field(init=False)

    def __post_init__(self) -> None:
        self.left, self.seen = self.limits.burst, self.now()

    def lets_pass(self) -> bool:
        now = self.now()
        self.left = min(self.limits.burst, self.left + (now - self.seen) * self.limits.rate)
        self.seen = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class Refusal(Exception):  # noqa: N818
    """A request that is turned away, with why in a sentence."""

    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] = NONE) -> None:
        super().__init__(sentence)
        self.status, self.headers = status, dict(headers)


class Guard:
    """Stands before the app: nobody else's page, no other name of this machine, no stranger."""

    def __init__(self, app: ASGIApp, keys: Keyring, port: int, limits: Limits) -> None:
        self._app, self._keys, self._limits = app, keys, limits
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._cookie = f"evomask-{port}"
        self._bucket = _Bucket(limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
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
            await _welcome(send, self._cookie, self._keys.cookie)
            return
        await self._app(scope, _limited(receive, self._largest(scope)), _with_headers(send))

    def _check(self, scope: Scope, headers: Mapping[str, str]) -> str | None:
        """Refuse what is not allowed; the token where somebody comes in by a link."""
        if headers.get("host", "") not in self._hosts:
            raise Refusal(400, "this address is not served; open the one that was printed")
        self._check_origin(scope["method"], headers)
        if not self._bucket.lets_pass():
            raise Refusal(429, "too many requests at once; wait a second", {"retry-after": "1"})
        if scope["path"].startswith(OPEN_PATHS):
            return None
        token: str = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and token and scope["method"] == "GET":
            if self._is_known(headers):
                return token
            if self._keys.admits_link(token):
                return token
            raise Refusal(401, "this link was used before or is too old; ask for a new one")
        if not self._is_known(headers):
            raise Refusal(401, "this page is for its owner; open the link that was printed")
        self._check_size(scope, headers)
        return None

    def _check_origin(self, method: str, headers: Mapping[str, str]) -> None:
        """Other pages must not make a browser ask for something in its owner's name."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            raise Refusal(403, "requests of other pages are refused")
        if site not in ("none", "same-origin") and method not in SAFE:
            raise Refusal(403, "requests of other pages are refused")

    def _is_known(self, headers: Mapping[str, str]) -> bool:
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._keys.admits_key(key.strip()):
            return True
        try:
            given = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return given is not None and self._keys.admits_cookie(given.value)

    def _check_size(self, scope: Scope, headers: Mapping[str, str]) -> None:
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._largest(scope):
            raise Refusal(413, f"that is more than {self._largest(scope):,} bytes; send less")

    def _largest(self, scope: Scope) -> int:
        is_file = scope["method"] == "POST" and scope["path"] == "/api/files"
        return self._limits.upload if is_file else LARGEST_JSON


class TooLargeError(Exception):
    """More came than a request may hold."""


def _limited(receive: Receive, most: int) -> Receive:
    """What comes in, up to a limit, also where nobody said beforehand how much it is."""
    came = 0

    async def counted() -> Message:
        nonlocal came
        message = await receive()
        came += len(message.get("body", b""))
        if came > most:
            raise TooLargeError
        return message

    return counted


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message["headers"]}
            more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in given]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sent


def error_body(sentence: str, field_name: str = "") -> dict[str, str]:
    """What is answered where something is wrong: a sentence, a number to ask about it, where."""
    return {"error": sentence, "id": secrets.token_hex(4), "field": field_name}


async def _refuse(scope: Scope, send: Send, refusal: Refusal) -> None:
    """One sentence: as JSON to programs, as a plain page to people."""
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
    await _answer(send, refusal.status, headers, content if scope["method"] != "HEAD" else b"")


async def _welcome(send: Send, name: str, value: str) -> None:
    """Take the token out of the address, and let the browser show a cookie from now on."""
    cookie = f"{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
    # A redirect would not show a Strict cookie to a browser that came from elsewhere.
    page = b'<!doctype html><html lang=en><title>evomask</title><meta http-equiv=refresh content="0;url=/"><p><a href="/">To the runs</a></p></html>'  # noqa: E501
    headers = {**HEADERS, "content-type": "text/html; charset=utf-8", "set-cookie": cookie}
    headers["content-length"] = str(len(page))
    await _answer(send, 200, headers, page)


async def _answer(send: Send, status: int, headers: Mapping[str, str], content: bytes) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": content})
