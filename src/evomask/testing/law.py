"""How a law is stated and checked: a function whose name is its sentence, yielding faults."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias, TypeVar

C = TypeVar("C")
Law: TypeAlias = Callable[[C], Iterator[str]]
"""What is wrong with a case, in words; nothing where the law holds."""


def sentence(law: Law[C]) -> str:
    """A law in words, which are those of its name."""
    return law.__name__.replace("_", " ")


def check(offender: str, laws: Sequence[Law[C]], case: C) -> None:
    """Raise at the first law that is broken; an error on the way breaks the law too."""
    for law in laws:
        broken = f"{offender} breaks the law “{sentence(law)}”"
        try:
            fault = next(law(case), None)
        except Exception as error:
            raise AssertionError(f"{broken}: {type(error).__name__}, {error}") from error
        if fault is not None:
            raise AssertionError(f"{broken}: {fault}")


def name_of(part: object) -> str:
    """What a part is called in a sentence: its own name, or that of its class."""
    about = getattr(part, "about", None)
    name = getattr(part, "name", None) or getattr(about, "name", None)
    return str(name) if name else type(part).__name__
