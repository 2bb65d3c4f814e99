"""The door to the compiler: every kernel is compiled once and kept on disk.

The compiler's own cache notices an edit of a kernel, but not of the functions it calls. So
the cache has a folder whose name is a hash of all kernel sources: any edit starts afresh.
"""

import getpass
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")

FLOATS = numba.types.Array(numba.float64, 1, "C", readonly=True)
POINTS = numba.types.Array(numba.float64, 2, "C", readonly=True)
CODES = numba.types.Array(numba.int32, 1, "C", readonly=True)
CODE_ROWS = numba.types.Array(numba.int32, 2, "C", readonly=True)
INDICES = numba.types.Array(numba.int64, 1, "C", readonly=True)
INDEX_ROWS = numba.types.Array(numba.int64, 2, "C", readonly=True)
WHOLE = numba.int64
REAL = numba.float64
TRUTH = numba.boolean


def _sources_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_homes() -> tuple[Path, ...]:
    """Folders to keep compiled kernels in, the preferred one first."""
    kept = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "evomask"
    own = Path(tempfile.gettempdir()) / f"evomask-{getpass.getuser()}"
    return Path(os.environ.get("EVOMASK_CACHE", kept)), own


def _cache() -> Path:
    for home in _cache_homes():
        folder = home / "kernels" / _sources_hash()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="evomask-kernels-"))


CACHE = _cache()


def kernel(*signature: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:  # noqa: ANN401
    """Compile for the given argument types, on disk, when its module is imported.

    Arguments that are declared with the read-only array types above take any array of that
    type and layout, and the kernel cannot change them.
    """

    def compiled(function: Callable[P, R]) -> Callable[P, R]:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(CACHE)
        try:
            return numba.njit(signature, cache=True)(function)
        finally:
            numba.config.CACHE_DIR = before

    return compiled


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """A part of kernels, compiled into those that call it."""
    return numba.njit(function)


def extreme(function: Callable[P, R]) -> Callable[P, R]:
    """A search for a minimum or maximum of numbers that are never NaN.

    Knowing that, the compiler compares several at once; infinities stay exact.
    """
    return numba.njit(fastmath={"nnan", "nsz"})(function)


OWN_FLOATS = numba.types.Array(numba.float64, 1, "C")
OWN_POINTS = numba.types.Array(numba.float64, 2, "C")
OWN_CODE_ROWS = numba.types.Array(numba.int32, 2, "C")
OWN_INDICES = numba.types.Array(numba.int64, 1, "C")
OWN_INDEX_ROWS = numba.types.Array(numba.int64, 2, "C")
"""Arrays that a kernel may change; inside a named tuple arrays have to be of these types."""


def bundle(name: type[tuple[Any, ...]], *fields: Any) -> Any:  # noqa: ANN401
    """The type of a named tuple with fields of the given types, for signatures of kernels."""
    return numba.types.BaseTuple.from_types(fields, name)
