"""What workers are given, with its large arrays in one place that all processes read.

A table of a million records is then held once, however many work on it. The place is a file in
memory where the system has room for it there, else in the folder for temporary files; only its
owner may read it, and it has no name any more once the workers have opened it.
"""

import mmap
import os
import pickle
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LARGE = 1 << 20
"""Bytes of an array from which on it is worth sharing."""

IN_MEMORY = Path("/dev/shm")  # noqa: S108
ROOM = 2
"""How many times the size of the arrays must be free in memory."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Shared:
    """Something that can be opened in other processes while its file has a name.

    Args:
        content: all but the large arrays.
        path: where those are, one after another; empty where there are none.
        spans: where each begins and ends there.
    """

    content: bytes
    path: str
    spans: tuple[Span, ...]

    def opened(self) -> Any:  # noqa: ANN401
        """The same thing in this process; its large arrays can only be read."""
        if not self.spans:
            return pickle.loads(self.content)  # noqa: S301
        with Path(self.path).open("rb") as file:
            place = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        arrays = [place[start:end] for start, end in self.spans]
        return pickle.loads(self.content, buffers=arrays)  # noqa: S301

    def without_name(self) -> None:
        """Take the file's name away; it is gone when the last process has ended."""
        if self.path:
            with suppress(OSError):  # it has none any more, or a system keeps names of open files
                Path(self.path).unlink()


def shared(thing: object) -> Shared:
    """Lay the large arrays of a thing where other processes can read them."""
    buffers: list[memoryview] = []

    def apart(buffer: pickle.PickleBuffer) -> bool:
        """Whether a buffer stays with the rest; the large ones are put aside."""
        raw = buffer.raw()
        if raw.nbytes < LARGE:
            return True
        buffers.append(raw)
        return False

    content = pickle.dumps(thing, protocol=5, buffer_callback=apart)
    if not buffers:
        return Shared(content, "", ())
    starts = [0]
    for buffer in buffers:
        starts.append(_aligned(starts[-1] + buffer.nbytes))
    spans = tuple((s, s + b.nbytes) for s, b in zip(starts[:-1], buffers, strict=True))
    return Shared(content, _written(buffers, spans, starts[-1]), spans)


def _written(buffers: list[memoryview], spans: tuple[Span, ...], size: int) -> str:
    folder = IN_MEMORY if _has_room(IN_MEMORY, size) else Path(tempfile.gettempdir())
    handle, path = tempfile.mkstemp(prefix="evomask-", dir=folder)
    with os.fdopen(handle, "wb") as file:
        file.truncate(size)
        for (start, _), buffer in zip(spans, buffers, strict=True):
            file.seek(start)
            file.write(buffer)
    return path


def _has_room(folder: Path, size: int) -> bool:
    return folder.is_dir() and shutil.disk_usage(folder).free >= ROOM * size


def _aligned(place: int) -> int:
    """The next place at which an array of any kind may begin."""
    return -(-place // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
