"""What the commands print: results on stdout, progress and notes on stderr."""

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")


def say(text: str) -> None:
    """Print a result that a person reads, on stdout."""
    sys.stdout.write(f"{text}\n")


def say_json(result: Mapping[str, object]) -> None:
    """Print a result for a program: one object, and nothing else on stdout."""
    sys.stdout.write(json.dumps(result, allow_nan=False) + "\n")


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
    """Print one sentence about what went wrong, on stderr."""
    sys.stderr.write(f"evomask: {sentence}\n")
