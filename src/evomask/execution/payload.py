"""Transfer of work to other processes: shared arrays on one machine, serialized payloads to others.

On one machine, large arrays are written once to a file that all processes map: in memory where
there is space, else in the folder for temporary files. Only its owner may read the file, and it is
removed when the work ends. To other machines, the work is pickled once, broadcast, and decoded on
first use, if the versions of all relevant packages agree.
"""

import hashlib
import mmap
import os
import pickle
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import machine, python_version_tuple
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from evomask.errors import RunError

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108
FREE_SPACE = 2
"""Free shared memory that is required, as a multiple of the size of the arrays."""

ALIGNMENT = 64
"""Arrays begin at multiples of this number of bytes."""

COMPARED = ("evomask", "numpy", "scipy", "numba", "llvmlite", "polars")
"""Packages whose versions must agree on all machines."""

SOURCES = Path(__file__).parents[1]

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
Work: TypeAlias = Callable[[Any, int], Any]


@runtime_checkable
class Lending(Protocol):
    """Work with large arrays that processes can share (lend)."""

    def lent(self) -> tuple[Callable[[Arrays], Work], Arrays]:
        """Return a function that builds the work from its arrays, and the arrays."""
        ...


@dataclass(frozen=True)
class ArrayLocation:
    """Location of an array in the file."""

    start: int
    shape: tuple[int, ...]
    kind: str

    def view(self, content: mmap.mmap) -> NDArray[Any]:
        """Read-only array on the mapped file."""
        count = int(np.prod(self.shape, dtype=np.int64))
        found: NDArray[Any] = np.frombuffer(content, self.kind, count, self.start)
        return found.reshape(self.shape)


@dataclass(frozen=True)
class SharedWork:
    """Work that other processes can open until its file is removed.

    Args:
        work: the work itself, or a function that builds it from its arrays.
        path: file of the arrays; empty where there are none.
    """

    work: Callable[..., Any]
    path: str = ""
    locations: tuple[tuple[str, ArrayLocation], ...] = ()

    def open(self) -> Work:
        """Build the work in this process on read-only arrays."""
        if not self.path:
            return self.work
        with Path(self.path).open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        work: Work = self.work({name: place.view(content) for name, place in self.locations})
        return work

    def remove(self) -> None:
        """Remove the file; processes that have opened it keep their mapping."""
        if self.path:
            with suppress(OSError):  # it was removed already
                Path(self.path).unlink()


def share(work: Any) -> SharedWork:  # noqa: ANN401
    """Write the large arrays of the work, if it has any, to a file that processes can map."""
    if not isinstance(work, Lending):
        return SharedWork(work)
    build, arrays = work.lent()
    locations, size = [], 0
    for name, array in arrays.items():
        locations.append((name, ArrayLocation(size, array.shape, array.dtype.str)))
        size += -(-max(1, array.nbytes) // ALIGNMENT) * ALIGNMENT
    is_free = SHARED_MEMORY.is_dir() and shutil.disk_usage(SHARED_MEMORY).free >= FREE_SPACE * size
    folder = SHARED_MEMORY if is_free else Path(tempfile.gettempdir())
    handle, path = tempfile.mkstemp(prefix="evomask-", dir=folder)
    with os.fdopen(handle, "wb") as file:
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).data)
            file.write(bytes(-file.tell() % ALIGNMENT if array.nbytes else ALIGNMENT))
    return SharedWork(build, path, tuple(locations))


@cache
def environment() -> Mapping[str, str]:
    """Versions that results may depend on, and a hash of the sources of evomask."""
    return {
        "python": ".".join(python_version_tuple()[:2]),
        "machine": machine(),
        **{name: _version(name) for name in COMPARED},
        "sources": _hash_of_sources(),
    }


def _hash_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(SOURCES.rglob("*.py")):
        digest.update(path.relative_to(SOURCES).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def environment_differences(there: Mapping[str, str]) -> str:
    """Differences between this environment and another one, in words; empty where none."""
    here = environment()
    apart = [name for name in here if there.get(name) != here[name]]
    return "; ".join(f"{name} {there.get(name, 'none')} there, {here[name]} here" for name in apart)


@dataclass(frozen=True)
class Payload:
    """Pickled work with its arrays out of band, so that they are sent and decoded without copies.

    Args:
        sender: environment of the process that encoded it.
    """

    body: bytes = field(repr=False)
    arrays: tuple[Any, ...] = field(repr=False)
    sender: Mapping[str, str] = field(repr=False, default_factory=environment)

    @classmethod
    def encode(cls, work: Work) -> "Payload":
        """Encode the work."""
        content = work.lent() if isinstance(work, Lending) else (None, work)
        buffers: list[pickle.PickleBuffer] = []
        body = pickle.dumps(content, protocol=5, buffer_callback=buffers.append)
        return cls(body, tuple(np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers))

    def decode(self) -> Work:
        """Decode the work with read-only arrays; refused where environments differ."""
        if apart := environment_differences(self.sender):
            raise RunError(
                f"the environment of a worker differs from this machine ({apart}), so its results "
                f""
                "could differ; give all machines the same environment"
            )
        buffers = [memoryview(array).toreadonly() for array in self.arrays]
        build, content = pickle.loads(self.body, buffers=buffers)  # noqa: S301
        work: Work = content if build is None else build(content)
        return work


class LoadedWork:
    """Work of a payload in a worker process, decoded on first use, for one task at a time."""

    def __init__(self, payload: Payload) -> None:
        self._payload: Payload | None = payload
        self._lock = threading.Lock()
        self._work: Work

    def load(self) -> None:
        """Decode the payload, unless that was done already."""
        with self._lock:
            self._decode()

    def __call__(self, tasks: Sequence[Any], first: int) -> list[Any]:
        """Return the outcomes of tasks, in order."""
        with self._lock:
            work = self._decode()
            return [work(task, serial) for serial, task in enumerate(tasks, first)]

    def _decode(self) -> Work:
        if self._payload is not None:
            self._work, self._payload = self._payload.decode(), None
        return self._work


class Batch:
    """Tasks or outcomes in transfer; their values do not appear in logs and dashboards of Dask."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = tuple(items)

    def __repr__(self) -> str:
        return f"<{len(self.items)} items>"


def is_identical(here: object, there: object) -> bool:
    """Whether an outcome of this process and a received one are equal to the bit."""
    received = pickle.loads(pickle.dumps(here))  # noqa: S301
    return pickle.dumps(received) == pickle.dumps(there)
