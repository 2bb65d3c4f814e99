"""What the commands print: results on stdout, progress and notes on stderr."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import TypeVar

from evomask.errors import FileError

T = TypeVar("T")


def say(text: str) -> None:
    """Print a result that a person reads, on stdout."""
    _print(text)


def say_json(result: Mapping[str, object]) -> None:
    """Print a result for a program: one object, and nothing else on stdout."""
    _print(json.dumps(_finite(result), allow_nan=False))


def _finite(value: object) -> object:
    """The same with nothing in the place of numbers that JSON has no words for."""
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _print(text: str) -> None:
    """Print a line; what the encoding of the output has no letter for is written as its number."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unprintable(error) from None


def _unprintable(error: OSError) -> FileError:
    return FileError(f"the answer could not be printed: {error.strerror or error}")


def finish_output() -> int:
    """Make sure that all that was printed has arrived; the exit code that follows from it."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return _given_up()
    except OSError as error:
        complain(str(_unprintable(error)))
        return _given_up()
    return 0


def _given_up() -> int:
    """Let what is left to print go nowhere, so that it is not tried again at the very end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def note(text: str) -> None:
    """Print something worth knowing that is not the result."""
    sys.stderr.write(f"note: {text}\n")


def notes(texts: Iterable[str], *, quiet: bool) -> None:
    """Print each note on its own line, none when quiet."""
    for text in () if quiet else texts:
        note(text)


def progress(text: str, *, quiet: bool) -> None:
    """Print what is being done now on stderr, at once; nothing when quiet."""
    if not quiet:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def counter(text: Callable[[T], str]) -> Callable[[T], None]:
    """A function to call often; it prints where things stand at most twice a second."""
    last = time.monotonic()

    def tell(state: T) -> None:
        nonlocal last
        if time.monotonic() - last >= 0.5:
            last = time.monotonic()
            progress(text(state), quiet=False)

    return tell


def complain(sentence: str) -> None:
    """Print one sentence about what went wrong, on stderr; a name in it may hold line ends."""
    sys.stderr.write(f"evomask: {' '.join(sentence.splitlines())}\n")
