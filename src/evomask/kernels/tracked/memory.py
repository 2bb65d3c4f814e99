"""Memory that can take back what was written: the ground of tracked readings.

All numbers of a tracked state lie in two arrays. Whoever changes one notes its place and its
former value, so taking back is restoring, to the last bit, whatever was changed.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.kernels.compiler import OWN_FLOATS, OWN_INDICES, bundle, inner


class Journal(NamedTuple):
    """Two arrays of numbers and what was written to them since the last time of keeping."""

    reals: Floats
    wholes: Indices
    places: Indices
    """Places written to; the complement of a place is one among the whole numbers."""

    former: Floats
    size: Indices
    """One number: how many writings are noted."""


JOURNAL = bundle(Journal, OWN_FLOATS, OWN_INDICES, OWN_INDICES, OWN_FLOATS, OWN_INDICES)


def journal_of(reals: Floats, wholes: Indices, room: int) -> Journal:
    """A journal with room for that many writings between two times of keeping."""
    return Journal(
        reals, wholes, np.empty(room, np.int64), np.empty(room), np.zeros(1, np.int64)
    )  # fmt: skip


@inner
def require_room(journal: Journal, needed: int) -> None:
    """Refuse a change that might write more than there is room for."""
    if journal.size[0] + needed > journal.places.size:
        raise IndexError("too many changes since the last keeping; keep or undo some first")


@inner
def write_real(journal: Journal, place: int, value: float) -> None:
    """Write one number and note the former one."""
    k = journal.size[0]
    journal.places[k] = place
    journal.former[k] = journal.reals[place]
    journal.reals[place] = value
    journal.size[0] = k + 1


@inner
def write_whole(journal: Journal, place: int, value: int) -> None:
    """Write one whole number (below 2^53) and note the former one."""
    k = journal.size[0]
    journal.places[k] = ~place
    journal.former[k] = journal.wholes[place]
    journal.wholes[place] = value
    journal.size[0] = k + 1


@inner
def add_real(journal: Journal, place: int, value: float) -> None:
    """Add to one number."""
    write_real(journal, place, journal.reals[place] + value)


@inner
def add_whole(journal: Journal, place: int, value: int) -> None:
    """Add to one whole number."""
    write_whole(journal, place, journal.wholes[place] + value)


@inner
def take_back(journal: Journal) -> None:
    """Restore all numbers as they were at the last time of keeping."""
    for k in range(journal.size[0] - 1, -1, -1):
        place = journal.places[k]
        if place >= 0:
            journal.reals[place] = journal.former[k]
        else:
            journal.wholes[~place] = int(journal.former[k])
    journal.size[0] = 0


@inner
def keep_all(journal: Journal) -> None:
    """From now on, this is what taking back leads to."""
    journal.size[0] = 0
