"""A Mastodon server asked for what it shows to anyone, through its public REST API.

No account and no key are used, only addresses that answer without. Users who ask not to be
indexed are left out, and so are posts that are not fully public. The server's limits are
kept: when it says that no request is left, the crawler waits until it may ask again.
"""

import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.message import Message
from typing import Any

from evomask.errors import DataError, ParameterError
from evomask.graphs.crawling import User
from evomask.graphs.topics import Post

AGENT = "evomask (research crawler; public data only)"
PAGE_OF_POSTS, PAGE_OF_FOLLOWED = 40, 80
LARGEST_ANSWER = 16 * 2**20
LONGEST_WAIT = 15 * 60.0
TOO_MANY, NOT_PUBLIC = 429, (401, 403, 404, 410)
_NEXT = re.compile(r'<([^>]*)>\s*;\s*rel="?next"?')
_TAGS = re.compile(r"<[^>]*>")
_PLACE_FIELDS = {
    "location", "place", "city", "based in", "lives in", "living in", "home", "where", "ort",
    "standort", "wohnort", "lieu", "ville", "localisation", "ubicacion", "ubicación", "ciudad",
    "lugar", "cidade", "localização", "luogo", "citta", "città", "plaats", "locatie", "stad",
}  # fmt: skip
_UNWANTED = ("#nobot", "#noindex", "#noarchive", "#nocrawl")


@dataclass(frozen=True)
class Answer:
    """What a server answered: status, headers by lower-case name, and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Fetch = Callable[[str], Answer]


def _opener() -> urllib.request.OpenerDirector:
    """Asks web servers alone, and follows no redirect: a server cannot send us elsewhere."""
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
    """Ask one address; a status that tells of a mistake is an answer too."""
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


@dataclass
class Mastodon:
    """A server as a network of users.

    Args:
        server: its address, such as ``https://mastodon.example``.
        most_followed: how many followed users to ask for, of each user at most.
        retries: how often to ask again after a failure, each time waiting twice as long.
        sleep, now: the clock; arguments so that tests do not wait.
    """

    server: str
    most_followed: int = 800
    retries: int = 4
    fetch: Fetch = fetch
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time
    _ids: dict[str, str] = field(default_factory=dict, init=False)
    _not_before: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        parts = urllib.parse.urlsplit(self.server)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ParameterError(f"a server's address begins with https://, got {self.server!r}")
        self.server = f"{parts.scheme}://{parts.netloc}"

    def user(self, name: str, n_posts: int) -> User | None:
        """A user by account name, such as ``alice`` or ``bob@elsewhere.example``."""
        account = self._account(name)
        if account is None or _is_unwilling(account):
            return None
        path = f"/api/v1/accounts/{account['id']}"
        followed = list(
            _first(self._pages(f"{path}/following", PAGE_OF_FOLLOWED), self.most_followed)
        )
        self._ids.update({str(other["acct"]): str(other["id"]) for other in followed})
        posts = self._posts(f"{path}/statuses", n_posts)
        return User(
            name, _place(account), tuple(str(other["acct"]) for other in followed), tuple(posts)
        )

    def _account(self, name: str) -> dict[str, Any] | None:
        known = self._ids.get(name)
        query = urllib.parse.urlencode({"acct": name})
        path = f"/api/v1/accounts/{known}" if known else f"/api/v1/accounts/lookup?{query}"
        answer = self._ask(self.server + path)
        if answer is None:
            return None
        account = _decoded(answer)
        return account if isinstance(account, dict) and "id" in account else None

    def _posts(self, path: str, n_posts: int) -> list[Post]:
        if n_posts == 0:
            return []
        query = "&exclude_reblogs=true"
        statuses = self._pages(path, PAGE_OF_POSTS, query)
        public = (status for status in statuses if status.get("visibility") == "public")
        return [_post(status) for status in _first(public, n_posts)]

    def _pages(self, path: str, limit: int, query: str = "") -> Iterator[dict[str, Any]]:
        """Everything a list holds, page after page, as the Link headers lead."""
        address: str | None = f"{self.server}{path}?limit={limit}{query}"
        seen: set[str] = set()
        while address and address not in seen:
            seen.add(address)
            answer = self._ask(address)
            page = _decoded(answer) if answer else []
            yield from (entry for entry in page if isinstance(entry, dict))
            address = self._following(answer) if answer and page else None

    def _following(self, answer: Answer) -> str | None:
        link = _NEXT.search(answer.headers.get("link", ""))
        if link is None:
            return None
        address = urllib.parse.urljoin(self.server, link.group(1))
        parts = urllib.parse.urlsplit(address)
        return address if f"{parts.scheme}://{parts.netloc}" == self.server else None

    def _ask(self, address: str) -> Answer | None:
        """An answer, waited for as the server wishes; none where nothing is public."""
        for attempt in range(self.retries + 1):
            answer = self._try(address)
            if answer is None or answer.status >= 500:
                self.sleep(min(2.0**attempt, LONGEST_WAIT))
                continue
            if answer.status == TOO_MANY:
                self.sleep(self._wait(answer) or min(2.0**attempt, LONGEST_WAIT))
                continue
            if answer.status in NOT_PUBLIC:
                return None
            if answer.status != 200:
                raise DataError(f"the server answered {answer.status}; check its address")
            if answer.headers.get("x-ratelimit-remaining") == "0":
                self._not_before = self.now() + self._wait(answer)
            return answer
        raise DataError(
            f"the server did not answer {self.retries + 1} times; go on later with the same --run"
        )

    def _try(self, address: str) -> Answer | None:
        early = self._not_before - self.now()
        if early > 0:
            self.sleep(early)
        try:
            return self.fetch(address)
        except (OSError, http.client.HTTPException):
            return None

    def _wait(self, answer: Answer) -> float:
        """Seconds until the server takes requests again, at most a quarter of an hour."""
        later = answer.headers.get("retry-after", "")
        reset = answer.headers.get("x-ratelimit-reset", "")
        try:
            seconds = (
                float(later) if later else datetime.fromisoformat(reset).timestamp() - self.now()
            )
        except ValueError:
            return 0.0
        return min(max(seconds, 0.0), LONGEST_WAIT)


def _first(many: Iterator[dict[str, Any]], count: int) -> Iterator[dict[str, Any]]:
    for _, entry in zip(range(count), many, strict=False):
        yield entry


def _decoded(answer: Answer) -> Any:  # noqa: ANN401
    if len(answer.body) > LARGEST_ANSWER:
        raise DataError(
            "the server's answer is too long to be one of Mastodon's; check its address"
        )
    try:
        return json.loads(answer.body)
    except ValueError:
        raise DataError(
            "the server's answer is not JSON; check that it is a Mastodon server"
        ) from None


def _is_unwilling(account: Mapping[str, Any]) -> bool:
    """Whether a user asks not to be indexed, or is gone."""
    note = str(account.get("note", "")).lower().replace("<span>", "").replace("</span>", "")
    asks = any(word in note for word in _UNWANTED)
    return bool(asks or account.get("noindex") or account.get("suspended"))


def _place(account: Mapping[str, Any]) -> str:
    """What a profile field called location, city or the like says."""
    for entry in account.get("fields") or ():
        if str(entry.get("name", "")).strip().rstrip(":").casefold() in _PLACE_FIELDS:
            return " ".join(_TAGS.sub(" ", str(entry.get("value", ""))).split())
    return ""


def _post(status: Mapping[str, Any]) -> Post:
    """The text of a post, and of the card that shows the page it links to."""
    card = status.get("card") or {}
    page = " ".join(str(card.get(key) or "") for key in ("title", "description")).strip()
    return Post(str(status.get("content") or ""), (page,) if page else ())
