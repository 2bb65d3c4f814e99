"""Compiled kernels on disk, a file for each, in a folder that is named by what went into it."""

import hashlib
import os
import platform
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps, loads


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
    """The file of one kernel, as the compiler asks for it and gives it."""

    def __init__(self, name: str, folder: Path) -> None:
        self.path = folder / f"{name}.kernel"

    @property
    def is_there(self) -> bool:
        """Whether the kernel was compiled before."""
        return self.path.is_file()

    def load_overload(self, _: Any, context: Any) -> Any:
        """The kernel, if it is there."""
        context.refresh()
        try:
            data = self.path.read_bytes()
        except OSError:
            return None
        return CompileResult._rebuild(context, *loads(data))

    def save_overload(self, _: Any, result: Any) -> None:
        """Keep the kernel; other processes see all of it or nothing.

        Where nothing can be written it works all the same, and is compiled again next time.
        """
        if result.library.has_dynamic_globals:
            raise TypeError(f"{self.path.stem} holds addresses of this process; it cannot be kept")
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(dumps(result._reduce()))
            draft.replace(self.path)
        except OSError:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
