"""Memory that can take back what was written: the ground of tracked readings.

All numbers of a tracked state lie in two arrays. Whoever changes one notes its place and its
former value, so taking back is restoring, to the last bit, whatever was changed.
"""

from typing import NamedTuple

import numpy as np

from evomask.arrays import Floats, Indices
from evomask.kernels.compiler import OWN_FLOATS, OWN_INDICES, bundle, inner


class Memory(NamedTuple):
    """Two arrays of numbers and what was written to them since the last time of keeping."""

    reals: Floats
    wholes: Indices
    places: Indices
    """Places written to; the complement of a place is one among the whole numbers."""

    former: Floats
    size: Indices
    """One number: how many writings are noted."""


MEMORY = bundle(Memory, OWN_FLOATS, OWN_INDICES, OWN_INDICES, OWN_FLOATS, OWN_INDICES)


def memory_of(reals: Floats, wholes: Indices, room: int) -> Memory:
    """A memory with room for that many writings between two times of keeping."""
    return Memory(
        reals, wholes, np.empty(room, np.int64), np.empty(room), np.zeros(1, np.int64)
    )  # fmt: skip


@inner
def require_room(memory: Memory, needed: int) -> None:
    """Refuse a change that might write more than there is room for."""
    if memory.size[0] + needed > memory.places.size:
        raise IndexError("too many changes since the last keeping; keep or undo some first")


@inner
def write_real(memory: Memory, place: int, value: float) -> None:
    """Write one number and note the former one."""
    k = memory.size[0]
    memory.places[k] = place
    memory.former[k] = memory.reals[place]
    memory.reals[place] = value
    memory.size[0] = k + 1


@inner
def write_whole(memory: Memory, place: int, value: int) -> None:
    """Write one whole number (below 2^53) and note the former one."""
    k = memory.size[0]
    memory.places[k] = ~place
    memory.former[k] = memory.wholes[place]
    memory.wholes[place] = value
    memory.size[0] = k + 1


@inner
def add_real(memory: Memory, place: int, value: float) -> None:
    """Add to one number."""
    write_real(memory, place, memory.reals[place] + value)


@inner
def add_whole(memory: Memory, place: int, value: int) -> None:
    """Add to one whole number."""
    write_whole(memory, place, memory.wholes[place] + value)


@inner
def take_back(memory: Memory) -> None:
    """Restore all numbers as they were at the last time of keeping."""
    for k in range(memory.size[0] - 1, -1, -1):
        place = memory.places[k]
        if place >= 0:
            memory.reals[place] = memory.former[k]
        else:
            memory.wholes[~place] = int(memory.former[k])
    memory.size[0] = 0


@inner
def keep_all(memory: Memory) -> None:
    """From now on, this is what taking back leads to."""
    memory.size[0] = 0
