"""Work with records, done by processes of their own: the commands that a person would type."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from evomask.errors import EvomaskError, RunError

LONGEST = 900.0
"""Seconds after which a command is ended."""

AT_ONCE = 2
"""Commands that work at the same time."""


class FailedError(RunError):
    """A command ended with a sentence that says why."""


def words_of(*words: object) -> list[str]:
    """The words of an evomask command, in a Python that nothing of the surroundings reaches."""
    return [sys.executable, "-I", "-m", "evomask", *map(str, words)]


def work_of(*words: object) -> list[str]:
    """The same of work that has no command."""
    return [sys.executable, "-I", "-m", "evomask.web.working", *map(str, words)]


class Commands:
    """Carries out commands, a few at a time; the same one that is asked for twice, once."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._working: dict[str, asyncio.Task[Any]] = {}

    async def answer(self, words: Sequence[str]) -> dict[str, Any]:
        """What a command answers as JSON; its sentence as an error where it fails."""
        async with self._slots:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=surroundings(),
            )
            try:
                out, complaint = await asyncio.wait_for(process.communicate(), LONGEST)
            except TimeoutError:
                raise FailedError("this took too long and was ended; try a smaller file") from None
            finally:
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        process.kill()
        return _answer_in(out, complaint)

    def begin(self, name: str, work: Callable[[], Awaitable[Any]]) -> None:
        """Let something be done beside, unless it is being done already."""
        if name not in self._working or self._working[name].done():
            self._working[name] = asyncio.ensure_future(work())

    def state(self, name: str) -> str:
        """How work stands: nothing known of it, working, done, or the sentence of its error."""
        task = self._working.get(name)
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
        """What finished work brought."""
        return self._working[name].result()

    def forget(self, name: str) -> None:
        """Let it be done anew the next time."""
        self._working.pop(name, None)

    async def close(self) -> None:
        """End what is being done; runs are no part of it."""
        for task in self._working.values():
            task.cancel()
        await asyncio.gather(*self._working.values(), return_exceptions=True)


def surroundings() -> dict[str, str]:
    """What a process needs of the surroundings: where to keep compiled kernels, and the like."""
    kept = ("HOME", "PATH", "TMPDIR", "LANG", "LC_ALL", "XDG_CACHE_HOME", "POLARS_MAX_THREADS")
    ours = {name: value for name, value in os.environ.items() if name.startswith("EVOMASK_")}
    return {name: os.environ[name] for name in kept if name in os.environ} | ours


def _answer_in(out: bytes, complaint: bytes) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(out)
    except ValueError:
        raise FailedError(_sentence(complaint.decode("utf-8", "replace"))) from None
    if set(answer) == {"error"}:
        raise FailedError(str(answer["error"]))
    return answer


def _sentence(complaint: str) -> str:
    """The last sentence of ours; what a broken program says may hold values and is not told."""
    said = [line for line in complaint.splitlines() if line.startswith("evomask: ")]
    return said[-1].removeprefix("evomask: ") if said else "this could not be done; try again"
