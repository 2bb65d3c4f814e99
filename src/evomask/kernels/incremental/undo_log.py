"""Memory with an undo log, on which incremental measures are computed.

All numbers of an incremental state are in two arrays. Every write appends the position and the
former value to a log, so that undoing restores all numbers to the last bit.
"""

from typing import NamedTuple

import numpy as np

from evomask.kernels.jit import RW_FLOATS, RW_INDICES, bundle, inner
from evomask.types import Floats, Indices


class Memory(NamedTuple):
    """Two arrays of numbers, and the log of writes since the last commit.

    Args:
        places: positions written to; the complement of a position in the integer array.
        size: one number: length of the log.
    """

    reals: Floats
    wholes: Indices
    places: Indices
    former: Floats
    size: Indices


MEMORY = bundle(Memory, RW_FLOATS, RW_INDICES, RW_INDICES, RW_FLOATS, RW_INDICES)


def create_memory(reals: Floats, wholes: Indices, room: int) -> Memory:
    """Return a memory whose log has *room* entries."""
    return Memory(
        reals, wholes, np.empty(room, np.int64), np.empty(room), np.zeros(1, np.int64)
    )  # fmt: skip


@inner
def require_capacity(memory: Memory, needed: int) -> None:
    """Raise an error if the log has not enough space for a change."""
    if memory.size[0] + needed > memory.places.size:
        raise IndexError("too many changes since the last commit; keep or undo some first")


@inner
def write_float(memory: Memory, place: int, value: float) -> None:
    """Write one real number and log the former one."""
    k = memory.size[0]
    memory.places[k] = place
    memory.former[k] = memory.reals[place]
    memory.reals[place] = value
    memory.size[0] = k + 1


@inner
def write_int(memory: Memory, place: int, value: int) -> None:
    """Write one integer (below 2^53) and log the former one."""
    k = memory.size[0]
    memory.places[k] = ~place
    memory.former[k] = memory.wholes[place]
    memory.wholes[place] = value
    memory.size[0] = k + 1


@inner
def add_float(memory: Memory, place: int, value: float) -> None:
    """Add to one real number and log it."""
    write_float(memory, place, memory.reals[place] + value)


@inner
def add_int(memory: Memory, place: int, value: int) -> None:
    """Add to one integer and log it."""
    write_int(memory, place, memory.wholes[place] + value)


@inner
def restore(memory: Memory) -> None:
    """Undo all logged writes, the last first."""
    for k in range(memory.size[0] - 1, -1, -1):
        place = memory.places[k]
        if place >= 0:
            memory.reals[place] = memory.former[k]
        else:
            memory.wholes[~place] = int(memory.former[k])
    memory.size[0] = 0


@inner
def clear_log(memory: Memory) -> None:
    """Commit all writes: undoing no longer reverts them."""
    memory.size[0] = 0
