"""Mastodon client for public profiles, by the public REST API.

No account or key is used. Users who opt out of indexing are skipped, and so are posts that are not
fully public. Responses are validated, never trusted.
"""

import json
import re
import time
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evomask.errors import DataError
from evomask_graphs.crawler import User
from evomask_graphs.http_client import LARGEST_ANSWER, Answer, Fetch, PoliteClient, fetch, origin_of
from evomask_graphs.topics import Post

PAGE_OF_POSTS, PAGE_OF_FOLLOWED = 40, 80
MOST_PAGES = 50
"""Maximum number of requested pages of a list, whatever the server states."""
LONGEST_NAME = 320
_NEXT = re.compile(r'<([^>]*)>\s*;\s*rel="?next"?')
_TAGS = re.compile(r"<[^>]*>")
_PLACE_FIELDS = {
    "location", "place", "city", "based in", "lives in", "living in", "home", "where", "ort",
    "standort", "wohnort", "lieu", "ville", "localisation", "ubicacion", "ubicación", "ciudad",
    "lugar", "cidade", "localização", "luogo", "citta", "città", "plaats", "locatie", "stad",
}  # fmt: skip
_UNWANTED = ("#nobot", "#noindex", "#noarchive", "#nocrawl")


@dataclass
class Mastodon:
    """A Mastodon server as a network of users.

    Args:
        server: its address, such as ``https://mastodon.example``.
        most_followed: maximum number of requested followed users per user.
        pause, retries, fetch, sleep, now, clock: see `PoliteClient`.
    """

    server: str
    most_followed: int = 800
    pause: float = 1.0
    retries: int = 4
    fetch: Fetch = fetch
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time
    clock: Callable[[], float] = time.monotonic
    _ids: dict[str, str] = field(default_factory=dict, init=False)
    _politely: PoliteClient = field(init=False)

    def __post_init__(self) -> None:
        self.server = origin_of(self.server)
        self._politely = PoliteClient(
            self.server, self.pause, self.retries, self.fetch, self.sleep, self.now, self.clock
        )

    def user(self, name: str, n_posts: int) -> User | None:
        """A user by account name, such as ``alice`` or ``bob@elsewhere.example``."""
        account = self._account(name)
        if account is None or _is_unwilling(account):
            return None
        path = f"/api/v1/accounts/{_quoted(account['id'])}"
        listed = self._pages(f"{path}/following", PAGE_OF_FOLLOWED)
        followed = _first(filter(_is_account, listed), self.most_followed)
        ids = {str(other["acct"]): str(other["id"]) for other in followed}
        self._ids.update(ids)
        posts = self._posts(f"{path}/statuses", n_posts)
        return User(name, _place(account), tuple(ids), tuple(posts))

    def _account(self, name: str) -> dict[str, Any] | None:
        known = self._ids.get(name)
        query = urllib.parse.urlencode({"acct": name})
        path = f"/api/v1/accounts/{_quoted(known)}" if known else f"/api/v1/accounts/lookup?{query}"
        answer = self._politely.ask(self.server + path)
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
        """Entries of a paginated list, following Link headers."""
        address: str | None = f"{self.server}{path}?limit={limit}{query}"
        seen: set[str] = set()
        while address and address not in seen and len(seen) < MOST_PAGES:
            seen.add(address)
            answer = self._politely.ask(address)
            page = _entries(_decoded(answer)) if answer else []
            yield from page
            address = self._following(answer) if answer and page else None

    def _following(self, answer: Answer) -> str | None:
        link = _NEXT.search(answer.headers.get("link", ""))
        if link is None:
            return None
        try:
            address = urllib.parse.urljoin(self.server, link.group(1))
        except ValueError:
            return None
        is_plain = address.isascii() and address.isprintable() and " " not in address
        return address if is_plain and address.startswith(f"{self.server}/") else None


def _quoted(number: object) -> str:
    return urllib.parse.quote(str(number), safe="")


def _entries(page: object) -> list[dict[str, Any]]:
    return [entry for entry in page if isinstance(entry, dict)] if isinstance(page, list) else []


def _is_account(entry: Mapping[str, Any]) -> bool:
    name, number = entry.get("acct"), entry.get("id")
    is_named = isinstance(name, str) and name.isprintable() and 0 < len(name) <= LONGEST_NAME
    return is_named and isinstance(number, str | int) and 0 < len(str(number)) <= LONGEST_NAME


def _first(many: Iterable[dict[str, Any]], count: int) -> Iterator[dict[str, Any]]:
    for _, entry in zip(range(count), many, strict=False):
        yield entry


def _decoded(answer: Answer) -> Any:  # noqa: ANN401
    if len(answer.body) > LARGEST_ANSWER:
        raise DataError("the server's response is too long for Mastodon; check its address")
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        raise DataError(
            "the server's answer is not JSON; check that it is a Mastodon server"
        ) from None


def _is_unwilling(account: Mapping[str, Any]) -> bool:
    """Whether a user opted out of indexing, or is gone."""
    note = str(account.get("note", "")).lower().replace("<span>", "").replace("</span>", "")
    asks = any(word in note for word in _UNWANTED)
    return bool(asks or account.get("noindex") or account.get("suspended"))


def _place(account: Mapping[str, Any]) -> str:
    """Content of a profile field called location, city or similar."""
    for entry in _entries(account.get("fields")):
        if str(entry.get("name", "")).strip().rstrip(":").casefold() in _PLACE_FIELDS:
            return " ".join(_TAGS.sub(" ", str(entry.get("value", ""))).split())
    return ""


def _post(status: Mapping[str, Any]) -> Post:
    """Text of a post and of its link preview card."""
    card = status.get("card")
    card = card if isinstance(card, dict) else {}
    page = " ".join(str(card.get(key) or "") for key in ("title", "description")).strip()
    return Post(str(status.get("content") or ""), (page,) if page else ())
