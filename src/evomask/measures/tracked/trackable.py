"""Readings that can follow single changed cells, and say what PRAM makes of them on average."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, cast

from evomask.arrays import Floats, Indices, Points
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.measures.measure import Reading

if TYPE_CHECKING:
    from evomask.measures.expected.expectation import Subject


class Tracked(Protocol):
    """A masked file under change; its value always equals a full reading of the file."""

    @property
    def value(self) -> float:
        """The measure of the file as it stands."""
        ...

    def change(self, record: int, name: str, value: float) -> None:
        """Write a number, or the code of a category, into one cell."""
        ...

    def undo(self) -> None:
        """Take back every change since the last ``keep``, or since the beginning."""
        ...

    def keep(self) -> None:
        """Make the changes so far last."""
        ...


class Trackable(Protocol):
    """A reading that also follows single changes."""

    def __call__(self, masked: Table) -> float:
        """The measure of a masked table."""
        ...

    def track(self, masked: Table) -> Tracked:
        """Begin to follow changes of *masked*, which itself stays as it is."""
        ...


@dataclass(frozen=True)
class Request:
    """What is asked for: a measure by its name, its attributes, and unusual parameters."""

    measure: str
    attributes: tuple[str, ...]
    dimension: int = 2
    window: float | None = None
    windows: tuple[float, ...] | None = None
    ties: Callable[[Indices], Floats] | None = None
    reference: int | None = None
    """Records in the sample that losses of numbers compare with; categories on their scales."""


@dataclass(frozen=True, eq=False)
class TrackableReading:
    """A reading with the way to follow it; what that needs is prepared when first asked for."""

    read: Reading
    original: Table
    request: Request

    def __call__(self, masked: Table) -> float:
        """The measure of a masked table."""
        return self.read(masked)

    def track(self, masked: Table) -> Tracked:
        """Begin to follow changes of *masked*."""
        return self._begin(masked)

    def expected(self, matrices: Mapping[str, Points]) -> float:
        """The expected value when PRAM masks the original with these matrices, by attribute."""
        from evomask.measures.expected.expectation import expectation

        return expectation(self._subject, matrices)

    @property
    def has_expectation(self) -> bool:
        """Whether the expectation can be had for any matrices of the attributes."""
        from evomask.measures.expected.expectation import has_expectation

        return has_expectation(self.original, self.request)

    @cached_property
    def _subject(self) -> "Subject":
        from evomask.measures.expected.expectation import Subject

        return Subject(self.original, self.request)

    @cached_property
    def _begin(self) -> Callable[[Table], Tracked]:
        from evomask.measures.tracked.tracking import Tracker

        return Tracker(self.original, self.request).begin


@dataclass(frozen=True, eq=False)
class JoinedTracked:
    """Several tracked measures of one file, and how they make one figure."""

    parts: Sequence[Tracked]
    join: Callable[[list[float]], float]

    @property
    def value(self) -> float:
        """The figure of the file as it stands."""
        return self.join([part.value for part in self.parts])

    def change(self, record: int, name: str, value: float) -> None:
        """Write into one cell, for every part that looks at its attribute."""
        for part in self.parts:
            part.change(record, name, value)

    def undo(self) -> None:
        """Take back every change since the last ``keep``."""
        for part in self.parts:
            part.undo()

    def keep(self) -> None:
        """Make the changes so far last."""
        for part in self.parts:
            part.keep()


@dataclass(frozen=True, eq=False)
class JoinedReading:
    """Several readings in one figure; it can be tracked if all its parts can."""

    parts: Sequence[Reading]
    join: Callable[[list[float]], float]

    def __call__(self, masked: Table) -> float:
        """The figure of a masked table."""
        return self.join([read(masked) for read in self.parts])

    def track(self, masked: Table) -> Tracked:
        """Begin to follow changes of *masked*."""
        return JoinedTracked([trackable(part).track(masked) for part in self.parts], self.join)


def trackable(reading: Reading) -> Trackable:
    """The reading as one that can be tracked, or an error."""
    if not hasattr(reading, "track"):
        raise ParameterError(
            "this measure cannot be tracked; probabilistic linkage is to be left out, "
            "other measures are to be read in full"
        )
    return cast(Trackable, reading)
