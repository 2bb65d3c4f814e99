"""The door to the compiler: every kernel is compiled once and kept on disk.

The compiler's own cache notices an edit of a kernel, but not of the functions it calls. So
each module's kernels have a folder whose name is a hash of that module's source and of all
that it imports from here: an edit compiles again what it can change, and nothing else. Where
the sources lie does not matter: every checkout and every environment shares what is compiled.
"""

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

import numba

from evomask.kernels.bundles import Bundle
from evomask.kernels.carried import carried, level
from evomask.kernels.homes import cache as cache_folder
from evomask.kernels.kept import Kept, makers, processor

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


TESTED = ("0.67", "0.68")
"""Versions of numba that whole kernels were tested with; others compile the usual way."""

if numba.__version__.startswith(TESTED) and not os.environ.get("EVOMASK_PLAIN"):
    from evomask.kernels.parts import kernel_of, part_of_kernels
else:
    from evomask.kernels.plain import kernel_of, part_of_kernels

SOURCES = Path(__file__).parent
IMPORTED = re.compile(r"^from evomask\.kernels\.([\w.]+) import", re.MULTILINE)
NOT_COMPILED = ("homes", "carried")
"""Modules that say where kernels are kept; what is compiled does not depend on them."""


def source_of(module: str) -> Path:
    """The file of a module with kernels, named as below this folder: ``groups.mdav``."""
    return SOURCES / f"{module.replace('.', '/')}.py"


def _sources_of(path: Path) -> frozenset[Path]:
    """The source of a module with kernels, and of all that it calls, however far away."""
    found: frozenset[Path] = frozenset()
    waiting = {path, Path(kernel_of.__code__.co_filename)}
    while waiting:
        source = waiting.pop()
        found |= {source}
        called = IMPORTED.findall(source.read_text(encoding="utf-8"))
        waiting |= {source_of(name) for name in called if name not in NOT_COMPILED} - found
    return found


@cache
def _sources_hash(path: Path) -> str:
    digest = hashlib.sha256(makers().encode())
    for source in sorted(_sources_of(path)):
        is_ours = source.is_relative_to(SOURCES)
        name = source.relative_to(SOURCES).as_posix() if is_ours else source.name
        digest.update(name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


CACHE = cache_folder()
"""Where compiled kernels are kept."""


KERNELS = re.compile(r"^@kernel\([^@]*?\bdef (\w+)", re.MULTILINE | re.DOTALL)
"""The names of kernels in a source that are compiled with it."""


def is_compiled(module: str) -> bool:
    """Whether every kernel that comes with a module has been compiled, here or beforehand."""
    path = source_of(module)
    names = KERNELS.findall(path.read_text(encoding="utf-8"))
    return all(_kept(path, name).is_there for name in names)


def _kept(path: Path, name: str) -> Kept:
    folder = carried()
    return Kept(
        f"{path.stem}.{name}",
        CACHE / _sources_hash(path) / processor(),
        folder and folder / _sources_hash(path) / level().name,
    )


def kernel(*signature: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile for the given argument types, on disk; what was compiled before is loaded at once.

    Importing a module compiles nothing, so that whoever needs kernels can have them compiled
    ahead, side by side, and say so; what nobody did is compiled by the first call. Arguments
    that are declared with the read-only array types above take any array of that type and
    layout, and the kernel cannot change them. No kernel calls another: they share `inner` parts.
    """

    def ready(function: Callable[P, R]) -> Callable[P, R]:
        is_there = _kept(Path(function.__code__.co_filename), function.__name__).is_there
        return (_compiled if is_there else Lazy)(function, signature)

    return ready


def _compiled(function: Callable[P, R], signature: tuple[Any, ...]) -> Callable[P, R]:
    kept = _kept(Path(function.__code__.co_filename), function.__name__)
    return kernel_of(function, signature, kept)


class Lazy(Generic[P, R]):
    """A kernel that is compiled, or loaded, when it is called first.

    Args:
        function: what is compiled.
        signature: the types of its arguments.
        for_few: whether most commands do without it.
    """

    def __init__(
        self, function: Callable[P, R], signature: tuple[Any, ...], *, for_few: bool = False
    ) -> None:
        self.function = function
        self.signature = signature
        self.for_few = for_few
        self.kernel: Callable[P, R] | None = None
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the kernel; the first time this compiles or loads it."""
        return (self.kernel or self.load())(*args, **kwargs)

    def load(self) -> Callable[P, R]:
        """Compile the kernel, or load what was compiled before."""
        self.kernel = _compiled(self.function, self.signature)
        return self.kernel


def lazy(*signature: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The same for a kernel that most commands do without."""
    return lambda function: Lazy(function, signature, for_few=True)


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """A part of kernels, compiled into those that call it."""
    return part_of_kernels(function, {})


def extreme(function: Callable[P, R]) -> Callable[P, R]:
    """A search for a minimum or maximum of numbers that are never NaN.

    Knowing that, the compiler compares several at once; infinities stay exact.
    """
    return part_of_kernels(function, {"fastmath": {"nnan", "nsz"}})


OWN_FLOATS = numba.types.Array(numba.float64, 1, "C")
OWN_POINTS = numba.types.Array(numba.float64, 2, "C")
OWN_CODE_ROWS = numba.types.Array(numba.int32, 2, "C")
OWN_INDICES = numba.types.Array(numba.int64, 1, "C")
OWN_INDEX_ROWS = numba.types.Array(numba.int64, 2, "C")
"""Arrays that a kernel may change; inside a named tuple arrays have to be of these types."""


def bundle(name: type[tuple[Any, ...]], *fields: Any) -> Any:
    """The type of a named tuple with fields of the given types, for signatures of kernels."""
    return Bundle(name, fields)
