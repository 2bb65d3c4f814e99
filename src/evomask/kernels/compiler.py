"""The door to the compiler: every kernel is compiled once and kept on disk.

The compiler's own cache notices an edit of a kernel, but not of the functions it calls. So
each module's kernels have a folder whose name is a hash of that module's source and of all
that it imports from here: an edit compiles again what it can change, and nothing else.
"""

import getpass
import hashlib
import os
import re
import tempfile
from collections.abc import Callable
from functools import cache
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


SOURCES = Path(__file__).parent
IMPORTED = re.compile(r"^from evomask\.kernels\.([\w.]+) import", re.MULTILINE)


def source_of(module: str) -> Path:
    """The file of a module with kernels, named as below this folder: ``groups.mdav``."""
    return SOURCES / f"{module.replace('.', '/')}.py"


def _sources_of(path: Path) -> frozenset[Path]:
    """The source of a module with kernels, and of all that it calls, however far away."""
    found: frozenset[Path] = frozenset()
    waiting = {path}
    while waiting:
        source = waiting.pop()
        found |= {source}
        called = IMPORTED.findall(source.read_text(encoding="utf-8"))
        waiting |= {source_of(name) for name in called} - found
    return found


@cache
def _sources_hash(path: Path) -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(_sources_of(path)):
        digest.update(source.relative_to(SOURCES).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_homes() -> tuple[Path, ...]:
    """Folders to keep compiled kernels in, the preferred one first."""
    kept = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "evomask"
    own = Path(tempfile.gettempdir()) / f"evomask-{getpass.getuser()}"
    return Path(os.environ.get("EVOMASK_CACHE", kept)), own


def _cache() -> Path:
    for home in _cache_homes():
        folder = home / "kernels"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="evomask-kernels-"))


CACHE = _cache()


def is_compiled(module: str) -> bool:
    """Whether the kernels of a module have been compiled before."""
    return (CACHE / _sources_hash(source_of(module))).exists()


def kernel(*signature: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:  # noqa: ANN401
    """Compile for the given argument types, on disk, when its module is imported.

    Arguments that are declared with the read-only array types above take any array of that
    type and layout, and the kernel cannot change them.
    """

    def compiled(function: Callable[P, R]) -> Callable[P, R]:
        before = numba.config.CACHE_DIR
        folder = CACHE / _sources_hash(Path(function.__code__.co_filename))
        numba.config.CACHE_DIR = str(folder)
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
