"""Crawler of public profiles of a social network (section 6.1, Algorithm 12).

The next user is drawn at random among those whom visited users follow. Only followed users,
location and topics are stored; never a post.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from errno import ENOSPC
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from evomask.errors import DataError, FileError, ParameterError
from evomask_graphs.graph import Graph, table_of_texts
from evomask_graphs.topics import Lexicon, Post

LOCATION = "location"
TOPIC_COLUMNS = ("topic1", "topic2", "topic3")

CRAWLING = 8
"""Purpose of the crawler's streams; `evolution.streams` has those of all others."""


@dataclass(frozen=True)
class User:
    """Public information on one user of a network."""

    name: str
    location: str = ""
    following: tuple[str, ...] = ()
    posts: tuple[Post, ...] = ()


class Network(Protocol):
    """A social network that returns one public profile at a time."""

    def user(self, name: str, n_posts: int) -> User | None:
        """Return a user with at most that many posts, or None if nothing is public."""
        ...


@dataclass(frozen=True)
class Visit:
    """Stored information on a visited user; *found* is false if nothing was public."""

    name: str
    location: str
    topics: tuple[str, ...]
    following: tuple[str, ...]
    found: bool = True


@dataclass(frozen=True)
class Crawl:
    """Limits and seed of a crawl.

    Args:
        start: the first user.
        n_users: maximum number of users.
        n_posts: maximum number of posts read per user.
        seed: seed of the choice of the next user; a resumed crawl makes the same choices.
    """

    start: str
    n_users: int
    n_posts: int
    seed: int

    def __post_init__(self) -> None:
        if self.n_users < 1 or self.n_posts < 0:
            raise ParameterError("a crawl needs at least one user, and no negative number of posts")

    def visits(
        self, network: Network, lexicon: Lexicon, before: Iterable[Visit] = ()
    ) -> Iterator[Visit]:
        """Visit users one by one, after those in *before*, and yield each visit at once."""
        frontier = _Frontier(self.start)
        n_found = turn = 0
        for visit in before:
            frontier.visited(frontier.draw(self.seed, turn), visit)
            n_found += visit.found
            turn += 1
        while len(frontier) and n_found < self.n_users:
            name = frontier.draw(self.seed, turn)
            visit = _visit(name, network.user(name, self.n_posts), lexicon)
            if not turn and not visit.found:
                raise DataError("nothing public was found for the first user; choose another user")
            yield visit
            frontier.visited(name, visit)
            n_found += visit.found
            turn += 1


def crawl_stream(seed: int, turn: int) -> np.random.Generator:
    """Random stream for the choice of the next user, separate from all streams of a run."""
    return np.random.default_rng([seed, CRAWLING, turn])


class _Frontier:
    """Known users who have not been visited yet, in order of discovery."""

    def __init__(self, start: str) -> None:
        self._waiting = [start]
        self._known = {start}

    def __len__(self) -> int:
        return len(self._waiting)

    def draw(self, seed: int, turn: int) -> str:
        if not self._waiting:
            raise DataError("the saved crawl has more visits than users; start a new one")
        place = crawl_stream(seed, turn).integers(len(self._waiting))
        return self._waiting[int(place)]

    def visited(self, name: str, visit: Visit) -> None:
        if visit.name != name:
            raise DataError("the saved crawl has another start or seed; start a new one")
        self._waiting.remove(name)
        for other in visit.following:
            if other not in self._known:
                self._known.add(other)
                self._waiting.append(other)


def _visit(name: str, user: User | None, lexicon: Lexicon) -> Visit:
    if user is None:
        return Visit(name, "", (), (), found=False)
    place = "".join(letter for letter in user.location if letter.isprintable())
    return Visit(name, place.strip(), lexicon.interests(user.posts), user.following)


def graph_of(visits: Iterable[Visit]) -> Graph:
    """Build the graph of visited users, with an edge for each user who follows another."""
    users = [visit for visit in visits if visit.found]
    place = {visit.name: position for position, visit in enumerate(users)}
    edges = [
        (place[visit.name], place[other])
        for visit in users
        for other in visit.following
        if other in place
    ]
    columns = {LOCATION: [visit.location for visit in users]}
    for j, name in enumerate(TOPIC_COLUMNS):
        columns[name] = [visit.topics[j] if j < len(visit.topics) else "" for visit in users]
    nodes = table_of_texts({key: np.array(texts, dtype=object) for key, texts in columns.items()})
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return Graph(tuple(place), nodes, ends, directed=True)


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@dataclass(frozen=True)
class VisitLog:
    """Visits stored line by line, so that a crawl can resume.

    The first line describes the crawl; an incomplete last line is dropped.
    """

    path: Path

    def read(self, crawl: Crawl) -> list[Visit]:
        """Read stored visits; start, number of posts and seed must agree with the crawl."""
        if not self.path.exists():
            self._write(_head(crawl))
            return []
        head, *lines = self._whole_lines() or [b"{}"]
        if self._entry(head, 1) != _head(crawl):
            raise DataError(f"{self.path} holds another crawl; choose another folder")
        return [self._visit(line, number) for number, line in enumerate(lines, 2)]

    def add(self, visit: Visit) -> None:
        """Append one visit to the file."""
        self._write(asdict(visit))

    def _write(self, entry: Mapping[str, object]) -> None:
        """Write a line completely, or not at all if the disk is full."""
        line = json.dumps(entry).encode() + b"\n"
        try:
            with open(self.path, "ab", buffering=0, opener=_for_owner) as file:
                before = file.tell()
                if file.write(line) < len(line):
                    file.truncate(before)
                    raise OSError(ENOSPC, os.strerror(ENOSPC))
        except OSError as error:
            raise FileError(
                f"{self.path} could not be written: {error.strerror or error}; correct that "
                "and continue with the same --run"
            ) from None

    def _whole_lines(self) -> list[bytes]:
        """Read complete lines and cut off an incomplete last one."""
        try:
            with self.path.open("r+b") as file:
                text = file.read()
                whole = text[: text.rfind(b"\n") + 1]
                file.truncate(len(whole))
        except OSError as error:
            raise FileError(f"{self.path} cannot be read: {error.strerror or error}") from None
        return whole.splitlines()

    def _entry(self, line: bytes, number: int) -> dict[str, Any]:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if not isinstance(entry, dict):
            raise self._damaged(number)
        return entry

    def _visit(self, line: bytes, number: int) -> Visit:
        entry = self._entry(line, number)
        try:
            return _visit_of(entry)
        except (KeyError, TypeError):
            raise self._damaged(number) from None

    def _damaged(self, number: int) -> DataError:
        return DataError(f"line {number} of {self.path} is damaged; start a new crawl")


def _head(crawl: Crawl) -> dict[str, object]:
    return {"start": crawl.start, "n_posts": crawl.n_posts, "seed": crawl.seed}


def _visit_of(kept: Mapping[str, Any]) -> Visit:
    topics, following = tuple(kept["topics"]), tuple(kept["following"])
    texts = (kept["name"], kept["location"], *topics, *following)
    if not all(isinstance(text, str) for text in texts) or not isinstance(kept["found"], bool):
        raise TypeError("no visit")
    return Visit(kept["name"], kept["location"], topics, following, kept["found"])


@dataclass(frozen=True)
class Folder:
    """Users stored in a folder of JSON lines, one user per line.

    A user is ``{"id": ..., "location": ..., "following": [...], "posts": [...]}``; a post is a
    text, or ``{"text": ..., "pages": [...]}`` with the text of pages that it links to.
    """

    users: Mapping[str, User]

    @classmethod
    def read(cls, folder: Path) -> "Folder":
        """Read all users in the ``.jsonl`` files of a folder; later lines win."""
        files = sorted(folder.glob("*.jsonl"))
        if not files:
            raise FileError(f"{folder} holds no .jsonl file; give a folder with JSON lines")
        return cls({user.name: user for file in files for user in _users(file)})

    def user(self, name: str, n_posts: int) -> User | None:
        known = self.users.get(name)
        return None if known is None else User(
            known.name, known.location, known.following, known.posts[:n_posts]
        )  # fmt: skip


def _users(file: Path) -> Iterator[User]:
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise FileError(f"{file} cannot be read: {error.strerror or error}") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield _read_user(line, file, number)


def _read_user(line: str, file: Path, number: int) -> User:
    try:
        return _user_of(json.loads(line))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise FileError(
            f"line {number} of {file} is not a user; it needs an id, and may have location, "
            "following and posts"
        ) from None


def _user_of(entry: Mapping[str, Any]) -> User:
    return User(
        str(entry["id"]),
        str(entry.get("location") or ""),
        tuple(str(name) for name in entry.get("following") or ()),
        tuple(_post_of(post) for post in entry.get("posts") or ()),
    )


def _post_of(post: str | Mapping[str, Any]) -> Post:
    if isinstance(post, str):
        return Post(post)
    return Post(str(post["text"]), tuple(str(page) for page in post.get("pages") or ()))
