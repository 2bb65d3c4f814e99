"""What the commands say: results on stdout, progress and notes on stderr."""

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")


def say(text: str) -> None:
    """A result for a person."""
    sys.stdout.write(f"{text}\n")


def say_json(result: Mapping[str, object]) -> None:
    """A result for a program: one object, and nothing else on stdout."""
    sys.stdout.write(json.dumps(result, allow_nan=False) + "\n")


def note(text: str) -> None:
    """Something worth knowing that is not the result."""
    sys.stderr.write(f"note: {text}\n")


def notes(texts: Iterable[str], *, quiet: bool) -> None:
    """Each note on its own line, none when quiet."""
    for text in () if quiet else texts:
        note(text)


def progress(text: str, *, quiet: bool) -> None:
    """What is being done now."""
    if not quiet:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def counter(text: Callable[[T], str]) -> Callable[[T], None]:
    """Something to call often that says where it stands, at most twice a second."""
    said = time.monotonic()

    def tell(state: T) -> None:
        nonlocal said
        if time.monotonic() - said >= 0.5:
            said = time.monotonic()
            progress(text(state), quiet=False)

    return tell


def complain(sentence: str) -> None:
    """One sentence about what went wrong."""
    sys.stderr.write(f"evomask: {sentence}\n")
