"""Counts of many parts added up, in memory for what is different and not for all parts."""

from collections.abc import Callable, Iterable, Sequence, Sized
from typing import TypeVar

S = TypeVar("S", bound=Sized)


def added_up(parts: Iterable[S], join: Callable[[Sequence[S]], S]) -> S | None:
    """All parts joined into one; none where there are no parts.

    They are joined whenever as many rows wait as are known, so that each is touched a few times,
    however many parts there are, and twice what comes of it must fit in memory.
    """
    waiting: list[S] = []
    known = rows = 0
    for part in parts:
        waiting.append(part)
        rows += len(part)
        if rows > known:
            waiting = [join(waiting)]
            known, rows = len(waiting[0]), 0
    return join(waiting) if waiting else None
