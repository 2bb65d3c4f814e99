"""Compiled kernels on disk, a file for each, in a folder that is named by what went into it."""

import hashlib
import os
import platform
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numba
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps, loads

from evomask.kernels.homes import is_own

DAMAGED = (
    UnpicklingError,
    EOFError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ImportError,
)
"""What reading a kernel that is not whole may raise; it is compiled again."""


def makers() -> str:
    """What compiled code depends on besides its source and the processor."""
    python, machine = sys.implementation.cache_tag, f"{sys.platform}-{platform.machine()}"
    return f"{python}-numba{numba.__version__}-{machine}"


@cache
def processor() -> str:
    """The processor to compile for as a word: its name, and a hash of all that it can do."""
    kind, name, features = cpu_target.target_context.codegen().magic_tuple()
    return f"{name}-{hashlib.sha256(f'{kind} {features}'.encode()).hexdigest()[:8]}"


class Kept:
    """The file of one kernel, as the compiler asks for it and gives it.

    Args:
        name: the kernel's.
        folder: where it is kept.
        carried: where it lies if it came with the package; read where nothing is kept.
    """

    def __init__(self, name: str, folder: Path, carried: Path | None = None) -> None:
        self.path = folder / f"{name}.kernel"
        self.carried = carried and carried / self.path.name

    @property
    def is_there(self) -> bool:
        """Whether the kernel was compiled before."""
        return self.path.is_file() or (self.carried is not None and self.carried.is_file())

    def load_overload(self, _: Any, context: Any) -> Any:
        """The kernel, if it is there."""
        context.refresh()
        data = self._bytes()
        try:
            return None if data is None else CompileResult._rebuild(context, *loads(data))
        except DAMAGED:
            return None

    def _bytes(self) -> bytes | None:
        """What the file holds; nothing where others than its owner can have written it."""
        try:
            handle = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with os.fdopen(handle, "rb") as file:
                return file.read() if is_own(os.fstat(handle)) else None
        except OSError:
            return self._carried_bytes()

    def _carried_bytes(self) -> bytes | None:
        """What came with the package, and is as much to be trusted as the package itself."""
        try:
            return None if self.carried is None else self.carried.read_bytes()
        except OSError:
            return None

    def save_overload(self, _: Any, result: Any) -> None:
        """Keep the kernel; other processes see all of it or nothing.

        Where nothing can be written it works all the same, and is compiled again next time.
        """
        if result.library.has_dynamic_globals:
            raise TypeError(f"{self.path.stem} holds addresses of this process; it cannot be kept")
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            _make(self.path.parent)
            draft.write_bytes(dumps(result._reduce()))
            draft.chmod(0o644)
            draft.replace(self.path)
        except OSError:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def _make(folder: Path) -> None:
    """Make a folder that its owner alone can write to, and those of its own above it."""
    for part in (folder.parents[1], folder.parent, folder):
        part.mkdir(mode=0o755, exist_ok=True)
