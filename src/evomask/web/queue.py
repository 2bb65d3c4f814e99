"""Runs that were asked for: they wait, are started as processes of their own, and outlive us."""

import fcntl
import json
import os
import re
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evomask.errors import RunError
from evomask.runs.kept.glance import keep_note
from evomask.runs.kept.names import PLAN
from evomask.web.commands import surroundings

REQUEST, ALIVE, OUTPUT, ERRORS, PROCESS = ".request", ".alive", ".output", ".errors", ".process"
"""What the folder of a run holds of us: names with a dot, which are no part of the run."""

NAME = re.compile(r"[^./\\\x00-\x1f][^/\\\x00-\x1f]{0,119}")
"""What a run's folder can be called: no path, and nothing that is hidden."""


@dataclass(frozen=True)
class Request:
    """A run as it was asked for.

    Args:
        file: the number of its data file, with its *title* as shown.
        goal: what is asked of it, as the page sent it.
        words: the command that carries it out.
        asked: when, in seconds since 1970; *waits* while nobody has started it.
    """

    file: str
    title: str
    goal: dict[str, Any]
    words: tuple[str, ...]
    asked: float
    waits: bool = True


class RunQueue:
    """Starts runs, at most so many at once, the one that waits longest first."""

    def __init__(self, folder: Path, at_once: int) -> None:
        self._folder, self._at_once = folder, at_once
        self._children: list[subprocess.Popen[bytes]] = []

    def new_name(self, title: str) -> str:
        """A name for a new run: the file's, with a number."""
        stem = re.sub(r"[^a-z0-9]+", "-", Path(title).stem.lower()).strip("-")[:40] or "run"
        number = 1
        while (self._folder / f"{stem}-{number}").exists():
            number += 1
        return f"{stem}-{number}"

    def ask(self, name: str, request: Request) -> None:
        """Let a run wait for its turn."""
        home = self._folder / name
        home.mkdir(mode=0o700, exist_ok=True)
        keep_note(home / REQUEST, json.dumps(asdict(request)))

    def request(self, name: str) -> Request | None:
        """What was asked for under a name; nothing of runs that began elsewhere."""
        try:
            fields = json.loads((self._folder / name / REQUEST).read_bytes())
            return Request(**{**fields, "words": tuple(fields["words"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def waiting(self) -> list[str]:
        """Names of the runs that wait, the first first."""
        found = [(r.asked, n) for n in self._asked() if (r := self.request(n)) and r.waits]
        return [name for _, name in sorted(found)]

    def is_alive(self, name: str) -> bool:
        """Whether the process that we started for a run is there: it holds a lock."""
        try:
            with (self._folder / name / ALIVE).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def turn(self) -> None:
        """Start what may be started now."""
        self._children = [child for child in self._children if child.poll() is None]
        waiting = self.waiting()
        if not waiting:
            return
        free = self._at_once - sum(map(self.is_alive, self._asked()))
        for name in waiting[: max(0, free)]:
            self._start(name)

    def cancel(self, name: str) -> None:
        """Take back a run that waits, or end one that has not begun to search."""
        request = self.request(name)
        if request is None:
            raise RunError(f"{name} was not started from here; end it where it was started")
        if not request.waits and self.is_alive(name):
            with suppress(OSError, ValueError, ProcessLookupError):
                os.kill(int((self._folder / name / PROCESS).read_text()), signal.SIGTERM)
            return
        self._kept(name, request)
        if not (self._folder / name / PLAN).exists():
            self._forget(name)

    def let_go(self) -> None:
        """Wait for none of the processes any more: they outlive us."""
        for child in self._children:
            if child.poll() is None:
                child.returncode = 0
        self._children.clear()

    def complaint(self, name: str) -> str:
        """The last sentence that a run's process said, where it failed."""
        try:
            lines = (self._folder / name / ERRORS).read_text("utf-8", "replace").splitlines()
        except OSError:
            return ""
        said = [line for line in lines if line.startswith("evomask: ")]
        return said[-1].removeprefix("evomask: ") if said else ""

    def _asked(self) -> list[str]:
        return [path.parent.name for path in self._folder.glob(f"*/{REQUEST}")]

    def _kept(self, name: str, request: Request) -> None:
        keep_note(self._folder / name / REQUEST, json.dumps({**asdict(request), "waits": False}))

    def _forget(self, name: str) -> None:
        home = self._folder / name
        for path in home.glob(".*"):
            path.unlink(missing_ok=True)
        with suppress(OSError):
            home.rmdir()

    def _start(self, name: str) -> None:
        """Start a process of its own session; it holds a lock as long as it lives."""
        home, request = self._folder / name, self.request(name)
        if request is None:
            return
        self._kept(name, request)
        with (
            _opened(home / ALIVE) as alive,
            _opened(home / OUTPUT) as out,
            _opened(home / ERRORS) as errors,
        ):
            fcntl.flock(alive, fcntl.LOCK_EX)
            child = _started(request.words, alive, out, errors)
        self._children.append(child)
        keep_note(home / PROCESS, str(child.pid))


def _started(words: Sequence[str], alive: int, out: int, errors: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - our own command, its words in a list
        list(words),
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=errors,
        env=surroundings(),
        start_new_session=True,
        pass_fds=(alive,),
    )


class _opened:  # noqa: N801
    """A file of its owner alone, open for writing from its beginning."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)

    def __enter__(self) -> int:
        return self._handle

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)
