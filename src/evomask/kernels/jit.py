"""Decorators and argument types of kernels; `evomask.kernels.compiler` explains how they compile.

A kernel is compiled for declared argument types and stored in a cache folder. The folder's name
contains a hash of the source of the kernel's module and of all modules of kernels that it imports,
so that an edit compiles again what it can change and nothing else. The location of the sources is
not part of the hash: all checkouts and environments share compiled kernels.
"""

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

import numba

from evomask.kernels.compiler.bundles import Bundle
from evomask.kernels.compiler.cache import (
    KernelFile,
    cache_folder,
    level,
    prebuilt_folder,
    processor_name,
    toolchain,
)

P = ParamSpec("P")
R = TypeVar("R")

INT64 = numba.int64
FLOAT64 = numba.float64
BOOL = numba.boolean

FLOATS = numba.types.Array(numba.float64, 1, "C", readonly=True)
POINTS = numba.types.Array(numba.float64, 2, "C", readonly=True)
CODES = numba.types.Array(numba.int32, 1, "C", readonly=True)
CODE_ROWS = numba.types.Array(numba.int32, 2, "C", readonly=True)
INDICES = numba.types.Array(numba.int64, 1, "C", readonly=True)
INDEX_ROWS = numba.types.Array(numba.int64, 2, "C", readonly=True)
"""Read-only arrays; as an argument, any array of that element type and layout."""

RW_FLOATS = numba.types.Array(numba.float64, 1, "C")
RW_POINTS = numba.types.Array(numba.float64, 2, "C")
RW_CODE_ROWS = numba.types.Array(numba.int32, 2, "C")
RW_INDICES = numba.types.Array(numba.int64, 1, "C")
RW_INDEX_ROWS = numba.types.Array(numba.int64, 2, "C")
"""Arrays that a kernel may change; the arrays of a bundle have to be of these types."""

TESTED_NUMBA = ("0.67", "0.68")
"""Versions of numba that the hooks were tested with; all others use the plain path."""

CHECKS_INDICES = bool(os.environ.get("EVOMASK_CHECK_INDICES"))

if numba.__version__.startswith(TESTED_NUMBA) and not os.environ.get("EVOMASK_PLAIN"):
    PATH = "hooked"
    from evomask.kernels.compiler.linker import compile_inner, compile_kernel
else:
    PATH = "plain"

    def compile_inner(function: Any, options: dict[str, Any]) -> Any:
        """Return a function that kernels call, with options of numba's compiler."""
        return numba.njit(boundscheck=CHECKS_INDICES or None, **options)(function)

    def compile_kernel(function: Any, signature: Any, file: Any) -> Any:
        """Compile a kernel for the given argument types, or load it from its cache file."""
        kernel = numba.njit(nogil=True, boundscheck=CHECKS_INDICES or None)(function)
        kernel._cache = file
        kernel.compile(signature)
        kernel.disable_compile()
        return kernel


SOURCES = Path(__file__).parent
IMPORTED = re.compile(
    r"^from (?:evomask\.kernels\.|(?=evomask_\w+\.kernels\.))([\w.]+) import", re.MULTILINE
)
NOT_HASHED = ("compiler.cache",)
"""Modules that compiled code does not depend on."""

KERNELS = re.compile(r"^@kernel\([^@]*?\bdef (\w+)", re.MULTILINE | re.DOTALL)
"""Names of the kernels in a source, without lazy ones."""

CACHE = cache_folder()
"""Folder of compiled kernels."""


def module_name(module: str) -> str:
    """Return the full name of a module of kernels, given as ``groups.mdav`` or in full."""
    return module if module.startswith("evomask_") else f"{__package__}.{module}"


def source_of(module: str) -> Path:
    """Return the source file of a module of kernels, given as ``groups.mdav`` or in full."""
    return SOURCES.parents[1] / f"{module_name(module).replace('.', '/')}.py"


def _sources_of(path: Path) -> frozenset[Path]:
    """Sources of a module of kernels and of all modules that it imports, transitively."""
    found: frozenset[Path] = frozenset()
    waiting = {path, Path(compile_kernel.__code__.co_filename)}
    while waiting:
        source = waiting.pop()
        found |= {source}
        imported = IMPORTED.findall(source.read_text(encoding="utf-8"))
        waiting |= {source_of(name) for name in imported if name not in NOT_HASHED} - found
    return found


@cache
def _sources_hash(path: Path) -> str:
    digest = hashlib.sha256(f"{toolchain()} {PATH} {CHECKS_INDICES}".encode())
    for source in sorted(_sources_of(path)):
        is_ours = source.is_relative_to(SOURCES)
        name = source.relative_to(SOURCES).as_posix() if is_ours else source.name
        digest.update(name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def is_compiled(module: str) -> bool:
    """Whether all kernels of a module, lazy ones aside, are in the cache or prebuilt."""
    path = source_of(module)
    names = KERNELS.findall(path.read_text(encoding="utf-8"))
    return all(_kernel_file(path, name).exists for name in names)


def _kernel_file(path: Path, name: str) -> KernelFile:
    prebuilt = prebuilt_folder()
    return KernelFile(
        f"{path.stem}.{name}",
        CACHE / _sources_hash(path) / processor_name(),
        prebuilt and prebuilt / _sources_hash(path) / level().name,
    )


def _file_of(function: Callable[P, R]) -> KernelFile:
    return _kernel_file(Path(function.__code__.co_filename), function.__name__)


class LazyKernel(Generic[P, R]):
    """Kernel that is compiled, or loaded from the cache, by its first call.

    Args:
        function: Python function to compile.
        signature: types of its arguments.
        is_rare: whether compiling ahead leaves it out, because most commands do not need it.
    """

    def __init__(
        self, function: Callable[P, R], signature: tuple[Any, ...], *, is_rare: bool = False
    ) -> None:
        self.function = function
        self.signature = signature
        self.is_rare = is_rare
        self.kernel: Callable[P, R] | None = None
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return (self.kernel or self.load())(*args, **kwargs)

    def load(self) -> Callable[P, R]:
        """Load the kernel from the cache, or compile it unless another process is doing so."""
        file = _file_of(self.function)
        with file.lock():
            self.kernel = compile_kernel(self.function, self.signature, file)
        return self.kernel


def is_ready(kernel: Callable[..., Any]) -> bool:
    """Whether a kernel needs no compilation."""
    if not isinstance(kernel, LazyKernel):
        return True
    return kernel.kernel is not None or _file_of(kernel.function).exists


def kernel(*signature: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a kernel for the given argument types.

    An import loads a kernel that is in the cache and compiles none: kernels are compiled ahead by
    `compiler.precompile`, or by their first call. A kernel cannot change its read-only arguments,
    and it calls no other kernel: kernels share `inner` functions.
    """

    def declare(function: Callable[P, R]) -> Callable[P, R]:
        declared = LazyKernel(function, signature)
        return declared.load() if _file_of(function).exists else declared

    return declare


def lazy(*signature: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a kernel that most commands do not need; it is never compiled ahead of a run."""
    return lambda function: LazyKernel(function, signature, is_rare=True)


def inner(function: Callable[P, R]) -> Callable[P, R]:
    """Declare a function that is compiled into the kernels that call it."""
    return compile_inner(function, {})


def extreme(function: Callable[P, R]) -> Callable[P, R]:
    """Declare an inner function that finds a minimum or maximum of numbers that are never NaN.

    Without NaN, several numbers are compared at once; infinities stay exact.
    """
    return compile_inner(function, {"fastmath": {"nnan", "nsz"}})


def bundle(name: type[tuple[Any, ...]], *fields: Any) -> Any:
    """Return the argument type of a named tuple with fields of the given types."""
    return Bundle(name, fields)
