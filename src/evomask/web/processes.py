"""Child processes: short commands for the pages, and the queue of runs."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evomask.errors import EvomaskError, RunError
from evomask.runs.store.run_summary import PLAN, write_note
from evomask.system import NO_LINKS, SYSTEM, is_locked

TIMEOUT = 900.0
"""Seconds after which a command is killed."""

MAX_COMMANDS = 2
"""Commands that run at the same time."""

REQUEST, ALIVE, OUTPUT, ERRORS, PROCESS = ".request", ".alive", ".output", ".errors", ".process"
"""Files of the server in the folder of a run; their names begin with a dot."""

NAME = re.compile(r"[^./\\\x00-\x1f][^/\\\x00-\x1f]{0,119}")
"""Valid names of run folders: no paths, no hidden files."""


class FailedError(RunError):
    """A command failed; the message is its error sentence."""


def evomask_command(*words: object) -> list[str]:
    """Return the words of an evomask command, in a Python isolated from the environment."""
    return [sys.executable, "-I", "-m", "evomask", *map(str, words)]


def job_command(*words: object) -> list[str]:
    """Return the words that run a function of `evomask.web.jobs` in a process."""
    return [sys.executable, "-I", "-m", "evomask.web.jobs", *map(str, words)]


def child_environment() -> dict[str, str]:
    """Return the environment variables that child processes need."""
    posix = ("HOME", "PATH", "TMPDIR", "LANG", "LC_ALL", "XDG_CACHE_HOME", "POLARS_MAX_THREADS")
    windows = ("SYSTEMROOT", "USERPROFILE", "LOCALAPPDATA", "TEMP", "TMP")
    passed = posix + windows
    ours = {name: value for name, value in os.environ.items() if name.startswith("EVOMASK_")}
    return {name: os.environ[name] for name in passed if name in os.environ} | ours


class Commands:
    """Runs short commands, a few at a time; background tasks are identified by name."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(MAX_COMMANDS)
        self._tasks: dict[str, asyncio.Task[Any]] = {}

    async def answer(self, words: Sequence[str]) -> dict[str, Any]:
        """Run a command and return its JSON; raise an error with its sentence if it fails."""
        async with self._slots:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=child_environment(),
            )
            try:
                out, errors = await asyncio.wait_for(process.communicate(), TIMEOUT)
            except TimeoutError:
                raise FailedError("this took too long and was ended; try a smaller file") from None
            finally:
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        process.kill()
        try:
            answer: dict[str, Any] = json.loads(out)
        except ValueError:
            # Other output of a broken program may contain values of records.
            sentence = _last_sentence(errors.decode("utf-8", "replace"))
            raise FailedError(sentence or "this could not be done; try again") from None
        if set(answer) == {"error"}:
            raise FailedError(str(answer["error"]))
        return answer

    def begin(self, name: str, work: Callable[[], Awaitable[Any]]) -> None:
        """Start a background task, unless one of this name is running."""
        if name not in self._tasks or self._tasks[name].done():
            self._tasks[name] = asyncio.ensure_future(work())

    def state(self, name: str) -> str:
        """Return the state of a task: empty if unknown, working, done, or its error sentence."""
        task = self._tasks.get(name)
        if task is None:
            return ""
        if not task.done():
            return "working"
        error = None if task.cancelled() else task.exception()
        if error is None:
            return "done"
        return (
            str(error) if isinstance(error, EvomaskError) else "this could not be done; try again"
        )

    def result(self, name: str) -> Any:  # noqa: ANN401
        """Return the result of a finished task."""
        return self._tasks[name].result()

    def forget(self, name: str) -> None:
        """Remove a task, so that it is started again next time."""
        self._tasks.pop(name, None)

    async def close(self) -> None:
        """Cancel all tasks; runs are not affected."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)


def _last_sentence(errors: str) -> str:
    sentences = [line for line in errors.splitlines() if line.startswith("evomask: ")]
    return sentences[-1].removeprefix("evomask: ") if sentences else ""


@dataclass(frozen=True)
class QueuedRun:
    """A requested run.

    Args:
        file: id of its data file; *title* is the name of the file.
        goal: requirements and limits, as the page sent them.
        words: the command that executes it.
        asked: time of the request, in seconds since 1970.
        waits: whether it has not been started yet.
    """

    file: str
    title: str
    goal: dict[str, Any]
    words: tuple[str, ...]
    asked: float
    waits: bool = True


class RunQueue:
    """Starts runs as processes that outlive the server, first come, first served.

    Args:
        at_once: number of concurrent runs.
    """

    def __init__(self, folder: Path, at_once: int) -> None:
        self._folder, self._at_once = folder, at_once
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def new_name(self, title: str) -> str:
        """Return an unused name for a run: the name of the file, and a number."""
        stem = re.sub(r"[^a-z0-9]+", "-", Path(title).stem.lower()).strip("-")[:40] or "run"
        number = 1
        while (self._folder / f"{stem}-{number}").exists():
            number += 1
        return f"{stem}-{number}"

    def add(self, name: str, request: QueuedRun) -> None:
        """Append a run to the queue."""
        home = self._folder / name
        home.mkdir(mode=0o700, exist_ok=True)
        write_note(home / REQUEST, json.dumps(asdict(request)))

    def request(self, name: str) -> QueuedRun | None:
        """Return the request of a run; None for runs of the command line."""
        try:
            fields = json.loads((self._folder / name / REQUEST).read_bytes())
            return QueuedRun(**{**fields, "words": tuple(fields["words"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def waiting(self) -> list[str]:
        """Return the names of the waiting runs in the order of the queue."""
        found = [(r.asked, n) for n in self._requested() if (r := self.request(n)) and r.waits]
        return [name for _, name in sorted(found)]

    def is_alive(self, name: str) -> bool:
        """Return whether the process of a run is alive, by the lock that it holds."""
        own = self._children.get(name)  # which may not have locked the file yet
        return (own is not None and own.poll() is None) or is_locked(self._folder / name / ALIVE)

    def start_waiting(self) -> None:
        """Start as many waiting runs as there are free slots."""
        self._children = {n: child for n, child in self._children.items() if child.poll() is None}
        waiting = self.waiting()
        if not waiting:
            return
        free = self._at_once - sum(map(self.is_alive, self._requested()))
        for name in waiting[: max(0, free)]:
            self._start(name)

    def cancel(self, name: str) -> None:
        """Remove a waiting run from the queue, or end one that has not begun to search."""
        request = self.request(name)
        if request is None:
            raise RunError(f"{name} was not started by this server; end it where it was started")
        if not request.waits and self.is_alive(name):
            with suppress(OSError, ValueError):
                SYSTEM.end(int((self._folder / name / PROCESS).read_text()))
            return
        self._mark_started(name, request)
        home = self._folder / name
        if not (home / PLAN).exists():
            for path in home.glob(".*"):
                path.unlink(missing_ok=True)
            with suppress(OSError):
                home.rmdir()

    def detach(self) -> None:
        """Detach from all run processes, which outlive the server."""
        for child in self._children.values():
            if child.poll() is None:
                child.returncode = 0
        self._children.clear()

    def error_of(self, name: str) -> str:
        """Return the error sentence of the process of a run; empty if there is none."""
        try:
            return _last_sentence((self._folder / name / ERRORS).read_text("utf-8", "replace"))
        except OSError:
            return ""

    def _requested(self) -> list[str]:
        return [path.parent.name for path in self._folder.glob(f"*/{REQUEST}")]

    def _mark_started(self, name: str, request: QueuedRun) -> None:
        write_note(self._folder / name / REQUEST, json.dumps({**asdict(request), "waits": False}))

    def _start(self, name: str) -> None:
        """Start the process of a run, which holds a lock for its lifetime."""
        home, request = self._folder / name, self.request(name)
        if request is None:
            return
        self._mark_started(name, request)
        with (
            _private_file(home / ALIVE),
            _private_file(home / OUTPUT) as out,
            _private_file(home / ERRORS) as errors,
        ):
            child = SYSTEM.start(request.words, child_environment(), home / ALIVE, out, errors)
        self._children[name] = child
        write_note(home / PROCESS, str(child.pid))


@contextmanager
def _private_file(path: Path) -> Iterator[int]:
    """Open an empty file that only its owner can read."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | NO_LINKS, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)
