"""HTTP client for crawling: obeys robots.txt, sends one request at a time, pauses between them.

Failed requests are repeated a few times. Waiting times have upper bounds whatever the server sends,
and are measured by a monotonic clock.
"""

import http.client
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from math import isfinite
from urllib.robotparser import RobotFileParser

from evomask.errors import DataError, ParameterError

NAME = "evomask"
AGENT = f"{NAME} (research crawler; public data only)"
LARGEST_ANSWER = 16 * 2**20
LONGEST_WAIT = 15 * 60.0
LONGEST_PAUSE = 60.0
TOO_MANY, NOT_PUBLIC, NO_RULES = 429, (401, 403, 404, 410), range(400, 500)


@dataclass(frozen=True)
class Answer:
    """HTTP response: status, headers by lower-case name, and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Fetch = Callable[[str], Answer]


def _opener() -> urllib.request.OpenerDirector:
    """Opener for http and https that follows no redirects, so a server cannot send us elsewhere."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.HTTPDefaultErrorHandler(),
    ):
        opener.add_handler(handler)
    return opener


def fetch(address: str, timeout: float = 30.0) -> Answer:
    """Request one address; an error status is returned, not raised."""
    request = urllib.request.Request(address, headers={"User-Agent": AGENT})  # noqa: S310
    try:
        with _opener().open(request, timeout=timeout) as answer:
            body: bytes = answer.read(LARGEST_ANSWER + 1)
            return Answer(answer.status, _lowered(answer.headers), body)
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, _lowered(error.headers), b"")


def _lowered(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def origin_of(address: str) -> str:
    """Scheme and host of an address, such as ``https://mastodon.example``."""
    try:
        parts = urllib.parse.urlsplit(address)
        if parts.scheme in ("http", "https") and parts.hostname and parts.netloc.isascii():
            return f"{parts.scheme}://{parts.netloc}"
    except ValueError:
        pass
    raise ParameterError(f"a server's address begins with https://, got {address!r}")


@dataclass
class PoliteClient:
    """Client for one server with pauses, retries and robots.txt.

    Args:
        server: scheme and host.
        pause: seconds between two requests, at least.
        retries: number of retries after a failure, with doubled waiting times. sleep, now, clock:
            sleep function, time of day, and monotonic clock; replaced in tests.
    """

    server: str
    pause: float = 1.0
    retries: int = 4
    fetch: Fetch = fetch
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time
    clock: Callable[[], float] = time.monotonic
    _rules: RobotFileParser | None = field(default=None, init=False)
    _not_before: float | None = field(default=None, init=False)

    def ask(self, address: str) -> Answer | None:
        """Return the response, or None if the resource is not public."""
        if not self._allowed().can_fetch(NAME, address):
            raise DataError(
                "the server's robots.txt disallows the requests of a crawl; choose another server"
            )
        answer = self._asked(address)
        if answer.status in NOT_PUBLIC:
            return None
        if answer.status != 200:
            raise DataError(f"the server answered {answer.status}; check its address")
        return answer

    def _allowed(self) -> RobotFileParser:
        """Rules of robots.txt; everything is allowed if there is none."""
        if self._rules is None:
            answer = self._asked(f"{self.server}/robots.txt")
            rules = RobotFileParser()
            is_there = answer.status not in NO_RULES
            rules.parse(answer.body.decode(errors="replace").splitlines() if is_there else [])
            wanted = rules.crawl_delay(NAME)
            self.pause = max(self.pause, min(float(wanted or 0), LONGEST_PAUSE))
            self._rules = rules
        return self._rules

    def _asked(self, address: str) -> Answer:
        """Send a request, with retries after failures."""
        for attempt in range(self.retries + 1):
            answer = self._try(address)
            if answer is not None and answer.status < 500 and answer.status != TOO_MANY:
                if answer.headers.get("x-ratelimit-remaining") == "0":
                    self._wait_from_now(self._wished(answer))
                return answer
            wished = self._wished(answer) if answer and answer.status == TOO_MANY else 0.0
            self._wait_from_now(wished or min(2.0**attempt, LONGEST_WAIT))
        raise DataError(
            f"the server did not answer {self.retries + 1} times; resume later with the same --run"
        )

    def _try(self, address: str) -> Answer | None:
        early = 0.0 if self._not_before is None else self._not_before - self.clock()
        if early > 0:
            self.sleep(early)
        try:
            return self.fetch(address)
        except (OSError, http.client.HTTPException):
            return None
        finally:
            self._wait_from_now(self.pause)

    def _wait_from_now(self, seconds: float) -> None:
        self._not_before = self.clock() + seconds

    def _wished(self, answer: Answer) -> float:
        """Seconds until the server accepts requests again, at most a quarter of an hour."""
        later = answer.headers.get("retry-after", "")
        reset = answer.headers.get("x-ratelimit-reset", "")
        seconds = _number(later)
        if seconds is None:
            moment = _moment(later) or _moment(reset)
            seconds = 0.0 if moment is None else moment - self.now()
        return min(max(seconds, 0.0), LONGEST_WAIT)


def _number(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if isfinite(seconds) else None


def _moment(text: str) -> float | None:
    """Parse a date header, in ISO or HTTP format."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError, OSError, IndexError):
            continue
    return None
