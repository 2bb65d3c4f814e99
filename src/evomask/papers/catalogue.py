"""The tables and figures that can be made again, by name.

A paper's module has a list ``ITEMS``; its name stands in `PAPERS`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

from evomask.data.chart import Chart
from evomask.errors import ParameterError

PAPERS = ("grouping",)
"""Modules of this package, a paper each."""

Row: TypeAlias = dict[str, object]


@dataclass(frozen=True)
class Reproduction:
    """A table or figure made again.

    Args:
        rows: what the paper prints beside ours; of a figure, its points.
    """

    rows: tuple[Row, ...]
    charts: tuple[Chart, ...] = ()


@dataclass(frozen=True)
class Effort:
    """How hard to try.

    Args:
        share: of the generations that the paper spends; 1 is all of them.
    """

    seed: int = 1
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ParameterError(f"share must lie in (0, 1], got {self.share}")

    def of(self, whole: int) -> int:
        """That share of a number, at least 1."""
        return max(1, round(self.share * whole))


@dataclass(frozen=True)
class Item:
    """One table or figure of a paper.

    Args:
        about: one sentence that says what it shows.
    """

    name: str
    about: str
    make: Callable[[Effort], Reproduction]


def items() -> dict[str, Item]:
    """All that can be made again, by name."""
    modules = [import_module(f"evomask.papers.{paper}") for paper in PAPERS]
    return {item.name: item for module in modules for item in module.ITEMS}


def reproduced(name: str, effort: Effort) -> Reproduction:
    """The table or figure called *name*."""
    known = items()
    if name not in known:
        raise ParameterError(f"no table is called {name!r}; there are {', '.join(known)}")
    return known[name].make(effort)
