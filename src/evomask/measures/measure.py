"""What every measure promises."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from evomask.data.table import Table

Reading = Callable[[Table], float]
"""A measure bound to its original: a masked table in, percent in [0, 100] out.

Many readings can also follow single changed cells, and some have an expectation under PRAM;
see ``evomask.measures.tracked.trackable``.
"""


class Side(StrEnum):
    """Whether a measure tells a loss, a risk, or a property of the masked file alone."""

    LOSS = "loss"
    RISK = "risk"
    PROPERTY = "property"


class Direction(StrEnum):
    """Which end of its range is the good one."""

    LOWER = "lower is better"
    HIGHER = "higher is better"


@dataclass(frozen=True)
class About:
    """How a measure introduces itself to someone who is not an expert.

    Args:
        name: the word for it on the command line.
        title: its full name, with the acronym of the papers.
        low, high: its range; an unbounded one ends in infinity.
        meaning: one plain sentence.
    """

    name: str
    title: str
    side: Side
    meaning: str
    direction: Direction = Direction.LOWER
    low: float = 0.0
    high: float = 100.0


class Measure(Protocol):
    """Loss or risk of a masked table, lower is better.

    ``against`` does once what depends on the original alone; the reading it gives is pure,
    never NaN, and for a loss reads 0 on the original itself.
    """

    about: ClassVar[About]

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the attributes it looks at."""
        ...

    def against(self, original: Table) -> Reading:
        """The measure, prepared for many masked versions of *original*."""
        ...
