"""Readings that support incremental updates, and their expectation under PRAM."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, cast

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.measure import Reading
from evomask.types import Floats, Indices, Points

if TYPE_CHECKING:
    from evomask.measures.expected.expectation import ExpectationContext


class Tracked(Protocol):
    """A masked file under change; its value always equals a full reading of the file."""

    @property
    def value(self) -> float:
        """The measure of the current file."""
        ...

    def change(self, record: int, name: str, value: float) -> None:
        """Write a number, or the code of a category, into one cell."""
        ...

    def undo(self) -> None:
        """Undo every change since the last ``keep``, or since the beginning."""
        ...

    def keep(self) -> None:
        """Commit all pending changes."""
        ...


class Trackable(Protocol):
    """A reading that supports incremental updates."""

    def __call__(self, masked: Table) -> float:
        """Return the measure of a masked table."""
        ...

    def track(self, masked: Table) -> Tracked:
        """Start tracking changes of *masked*, which itself is not changed."""
        ...


@dataclass(frozen=True)
class Request:
    """A measure by name, its attributes, and parameters other than the defaults.

    Args:
        weights: weights of the three parts of the information loss.
    """

    measure: str
    attributes: tuple[str, ...]
    dimension: int = 2
    window: float | None = None
    windows: tuple[float, ...] | None = None
    ties: Callable[[Indices], Floats] | None = None
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class TrackableReading:
    """A reading with incremental updates; what these need is prepared on first use."""

    read: Reading
    original: Table
    request: Request

    def __call__(self, masked: Table) -> float:
        return self.read(masked)

    def track(self, masked: Table) -> Tracked:
        return self._start(masked)

    def expected(self, matrices: Mapping[str, Points]) -> float:
        """Expected value when PRAM masks the original with these matrices, by attribute."""
        from evomask.measures.expected.expectation import expectation

        return expectation(self._context, matrices)

    @property
    def has_expectation(self) -> bool:
        """Whether the expectation is available for any matrices of the attributes."""
        from evomask.measures.expected.expectation import has_expectation

        return has_expectation(self.original, self.request)

    @cached_property
    def _context(self) -> "ExpectationContext":
        from evomask.measures.expected.expectation import ExpectationContext

        return ExpectationContext(self.original, self.request)

    @cached_property
    def _start(self) -> Callable[[Table], Tracked]:
        from evomask.measures.incremental.tracker import Tracker

        return Tracker(self.original, self.request).begin


@dataclass(frozen=True, eq=False)
class CombinedTracked:
    """Several tracked measures of one file, combined into one number."""

    parts: Sequence[Tracked]
    combine: Callable[[list[float]], float]

    @property
    def value(self) -> float:
        return self.combine([part.value for part in self.parts])

    def change(self, record: int, name: str, value: float) -> None:
        for part in self.parts:
            part.change(record, name, value)

    def undo(self) -> None:
        for part in self.parts:
            part.undo()

    def keep(self) -> None:
        for part in self.parts:
            part.keep()


@dataclass(frozen=True, eq=False)
class CombinedReading:
    """Several readings combined into one number; trackable if all parts are."""

    parts: Sequence[Reading]
    combine: Callable[[list[float]], float]

    def __call__(self, masked: Table) -> float:
        return self.combine([read(masked) for read in self.parts])

    def track(self, masked: Table) -> Tracked:
        return CombinedTracked(
            [require_trackable(part).track(masked) for part in self.parts], self.combine
        )


def require_trackable(reading: Reading) -> Trackable:
    """Return the reading as a trackable one, or raise an error."""
    if not hasattr(reading, "track"):
        raise ParameterError(
            "this measure cannot be tracked; leave out probabilistic linkage, or "
            "evaluate the measure in full"
        )
    return cast(Trackable, reading)
