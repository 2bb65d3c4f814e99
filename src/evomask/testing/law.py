"""Laws and their checker: a law is a function that yields faults and is named by a sentence."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, TypeVar

C = TypeVar("C")
Law: TypeAlias = Callable[[C], Iterator[str]]
"""Yields descriptions of the faults of a case; nothing if the law holds."""


def sentence(law: Law[C]) -> str:
    """Return the law as a sentence, taken from the name of its function."""
    return law.__name__.replace("_", " ")


def check(offender: str, laws: Sequence[Law[C]], case: C) -> None:
    """Raise an AssertionError for the first broken law; an exception counts as broken."""
    for law in laws:
        broken = f"{offender} breaks the law “{sentence(law)}”"
        try:
            fault = next(law(case), None)
        except Exception as error:
            raise AssertionError(f"{broken}: {type(error).__name__}, {error}") from error
        if fault is not None:
            raise AssertionError(f"{broken}: {fault}")


def name_of(part: object) -> str:
    """Return the name of a plug-in for messages: its own, or that of its class."""
    about = getattr(part, "about", None)
    name = getattr(part, "name", None) or getattr(about, "name", None)
    return str(name) if name else type(part).__name__
