"""Large arrays of the work in one place that all processes read.

A table of a million records is then held once, however many work on it. The place is a file in
memory where the system has room for it there, else in the folder for temporary files; only its
owner may read it, and it is removed when the work ends, however that ends.
"""

import mmap
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

IN_MEMORY = Path("/dev/shm")  # noqa: S108
ROOM = 2
"""How many times the size of the arrays must be free in memory."""

ALIGNED = 64
"""Bytes at whose multiples arrays begin."""

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
Work: TypeAlias = Callable[[Any, int], Any]


@runtime_checkable
class Lending(Protocol):
    """Work whose large arrays other processes can read where they are."""

    def lent(self) -> tuple[Callable[[Arrays], Work], Arrays]:
        """How another process puts the work together, and the arrays that it needs for that."""
        ...


@dataclass(frozen=True)
class Place:
    """Where an array is in the file."""

    start: int
    shape: tuple[int, ...]
    kind: str


@dataclass(frozen=True)
class Shared:
    """Work that can be opened in other processes until its file is removed.

    Args:
        made_of: puts the work together from its arrays.
        path: where those are; empty where there are none.
    """

    made_of: Callable[[Arrays], Work]
    path: str = ""
    places: tuple[tuple[str, Place], ...] = ()

    def opened(self) -> Work:
        """The work in this process; its arrays can only be read."""
        if not self.path:
            return self.made_of({})
        with Path(self.path).open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return self.made_of({name: _array(content, place) for name, place in self.places})

    def remove(self) -> None:
        """Remove the file; those who have opened it still read it."""
        if self.path:
            with suppress(OSError):  # it is gone already
                Path(self.path).unlink()


@dataclass(frozen=True)
class _Whole:
    """Work without anything to share."""

    work: Work

    def __call__(self, _: Arrays) -> Work:
        return self.work


def shared(work: Any) -> Shared:  # noqa: ANN401
    """Lay the large arrays of work, if it lends some, where other processes can read them."""
    if not isinstance(work, Lending):
        return Shared(_Whole(work))
    made_of, arrays = work.lent()
    places, end = [], 0
    for name, array in arrays.items():
        places.append((name, Place(end, array.shape, array.dtype.str)))
        end += -(-max(1, array.nbytes) // ALIGNED) * ALIGNED
    return Shared(made_of, _written(list(arrays.values()), end), tuple(places))


def _written(arrays: list[NDArray[Any]], size: int) -> str:
    folder = IN_MEMORY if _has_room(IN_MEMORY, size) else Path(tempfile.gettempdir())
    handle, path = tempfile.mkstemp(prefix="evomask-", dir=folder)
    with os.fdopen(handle, "wb") as file:
        for array in arrays:
            file.write(np.ascontiguousarray(array).data)
            file.write(bytes(-file.tell() % ALIGNED if array.nbytes else ALIGNED))
    return path


def _has_room(folder: Path, size: int) -> bool:
    return folder.is_dir() and shutil.disk_usage(folder).free >= ROOM * size


def _array(content: mmap.mmap, place: Place) -> NDArray[Any]:
    count = int(np.prod(place.shape, dtype=np.int64))
    found: NDArray[Any] = np.frombuffer(content, place.kind, count, place.start)
    return found.reshape(place.shape)
