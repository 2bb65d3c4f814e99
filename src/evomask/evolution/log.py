"""A sequence that only grows, cheap to keep in every state of a run."""

from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Log(Generic[T]):
    """An immutable sequence whose longer versions share their storage with the shorter ones.

    So a run of a million generations keeps one list, not a million copies; a second
    continuation of the same version gets a copy of its own.
    """

    __slots__ = ("_rows", "_size")

    def __init__(self, rows: Iterable[T] = ()) -> None:
        self._rows = list(rows)
        self._size = len(self._rows)

    def plus(self, rows: Iterable[T]) -> "Log[T]":
        """The log with *rows* at its end; this one stays as it is."""
        longer: Log[T] = Log.__new__(Log)
        longer._rows = self._rows if self._size == len(self._rows) else self._rows[: self._size]
        longer._rows.extend(rows)
        longer._size = len(longer._rows)
        return longer

    def last(self, count: int) -> list[T]:
        """The newest *count* rows, the oldest of them first."""
        return self._rows[max(0, self._size - count) : self._size]

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        return iter(self.last(self._size))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Log) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Log({list(self)!r})"
