# ruff: noqa: ANN401
"""Cache of compiled kernels: the cache folder, one file per kernel, prebuilt kernels of a wheel.

A cache file is executed when it is loaded, so the cache folder and its files are used only if
nobody but this user (or root) can write to them; otherwise a warning is given and the next folder
is tried, at last a temporary one that is deleted when the process ends. This module is not part of
the hash of kernel sources: where kernels are stored does not change them. `FORMAT` has to change
with the content of the files.

A wheel may contain kernels compiled for a processor level. They are used if sources, Python and
numba are the same, the processor has the features of the level, and no file for this very processor
is in the cache. Their folder is as trustworthy as the package itself.
"""

import atexit
import hashlib
import os
import platform
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numba
from llvmlite import binding
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps, loads

from evomask.system import NO_LINKS, SYSTEM

CACHE_VARIABLE = "EVOMASK_CACHE"
"""Environment variable that names the cache folder; child processes inherit it."""

PREBUILT_VARIABLE = "EVOMASK_CARRIED"
"""Environment variable that, set to 0, disables the prebuilt kernels of a wheel."""

PREBUILT = Path(__file__).parents[1] / "carried"
FORMAT = 1
GROUP_OR_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
OWNER_ONLY = 0o700
DAMAGED = (
    UnpicklingError,
    EOFError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ImportError,
)
"""Errors of loading an incomplete or foreign file; the kernel is compiled again."""


def cache_folder() -> Path:
    """Return the first safe and writable folder; `EVOMASK_CACHE` may name a read-only one."""
    named = os.environ.get(CACHE_VARIABLE)
    for parent in _parent_folders():
        folder = parent / "kernels"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=OWNER_ONLY)
        except OSError:
            if not folder.is_dir():
                continue
        if not _is_safe(folder):
            warnings.warn(
                f"compiled kernels in {folder} are not used, because another user owns that "
                f"folder or can write to it; restrict it with chmod 700",
                stacklevel=2,
            )
        elif str(parent) == named or os.access(folder, os.W_OK):
            return folder
    return _temporary_folder()


def _parent_folders() -> list[Path]:
    """Candidates for the parent of the cache folder, in order of preference."""
    named = os.environ.get(CACHE_VARIABLE)
    user = str(os.getuid()) if os.name == "posix" else os.environ.get("USERNAME", "user")
    folders = [Path(named)] if named else []
    with suppress(RuntimeError):  # a user without a home folder
        folders.append(SYSTEM.cache_folder())
    return [*folders, Path(tempfile.gettempdir()) / f"evomask-{user}"]


def _is_safe(path: Path) -> bool:
    try:
        return is_trusted(path.stat())
    except OSError:
        return False


def is_trusted(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user or root and nobody else can write to it."""
    if os.name != "posix":
        return True
    return status.st_uid in (os.getuid(), 0) and not status.st_mode & GROUP_OR_OTHERS_WRITE


def _temporary_folder() -> Path:
    """Create a folder that child processes share and that this process deletes at its end."""
    parent = Path(tempfile.mkdtemp(prefix="evomask-kernels-"))
    os.environ[CACHE_VARIABLE] = str(parent)
    atexit.register(_remove_if_created_here, parent, os.getpid())
    folder = parent / "kernels"
    folder.mkdir(mode=OWNER_ONLY)
    return folder


def _remove_if_created_here(folder: Path, creator: int) -> None:
    if os.getpid() == creator:
        shutil.rmtree(folder, ignore_errors=True)


def toolchain() -> str:
    """Return what compiled code depends on besides its source and the processor."""
    python, machine = sys.implementation.cache_tag, f"{sys.platform}-{platform.machine()}"
    return f"{python}-numba{numba.__version__}-{machine}-{FORMAT}"


@cache
def processor_name() -> str:
    """Return the name of the processor to compile for, with a hash of its features."""
    kind, name, features = cpu_target.target_context.codegen().magic_tuple()
    return f"{name}-{hashlib.sha256(f'{kind} {features}'.encode()).hexdigest()[:8]}"


class KernelFile:
    """Cache file of one kernel, with the two methods that numba's dispatcher calls.

    Args:
        name: name of the kernel.
        folder: folder of the file.
        prebuilt: folder with a prebuilt file, read where the cache has none.
    """

    def __init__(self, name: str, folder: Path, prebuilt: Path | None = None) -> None:
        self.path = folder / f"{name}.kernel"
        self.prebuilt = prebuilt and prebuilt / self.path.name

    @property
    def exists(self) -> bool:
        return self.path.is_file() or (self.prebuilt is not None and self.prebuilt.is_file())

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold a lock while the kernel is compiled; other processes wait and load the result."""
        handle = -1
        with suppress(OSError):  # a folder that cannot be written to, or has no locks
            if not self.exists:
                self._make_folders()
                path = self.path.with_suffix(".lock")
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | NO_LINKS, 0o600)
                SYSTEM.lock(handle, wait=True)
        try:
            yield
        finally:
            if handle >= 0:
                os.close(handle)

    def _make_folders(self) -> None:
        for folder in reversed(self.path.parents[:3]):
            folder.mkdir(mode=0o755, exist_ok=True)

    def load_overload(self, _: Any, context: Any) -> Any:
        context.refresh()
        data = self._bytes()
        try:
            return None if data is None else CompileResult._rebuild(context, *loads(data))
        except DAMAGED:
            return None

    def _bytes(self) -> bytes | None:
        """Content of the file; none if anybody else could have written it."""
        try:
            handle = os.open(self.path, os.O_RDONLY | NO_LINKS)
            with os.fdopen(handle, "rb") as file:
                return file.read() if is_trusted(os.fstat(handle)) else None
        except OSError:
            pass
        try:
            return None if self.prebuilt is None else self.prebuilt.read_bytes()
        except OSError:
            return None

    def save_overload(self, _: Any, result: Any) -> None:
        """Write the file atomically; a folder that cannot be written to is no error."""
        if result.library.has_dynamic_globals:
            raise TypeError(
                f"{self.path.stem} contains addresses of this process; it cannot be cached"
            )
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            self._make_folders()
            draft.write_bytes(dumps(result._reduce()))
            draft.chmod(0o644)
            SYSTEM.replace(draft, self.path)
        except OSError:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


@dataclass(frozen=True)
class ProcessorLevel:
    """Processor level that a wheel is compiled for.

    Args:
        name: as LLVM calls it.
        features: features that a processor must have.
    """

    name: str
    features: frozenset[str] = frozenset()


X86_64_V3 = ProcessorLevel(
    "x86-64-v3",
    frozenset({"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "sse4.2"}),
)
LEVELS = {"x86_64": X86_64_V3, "AMD64": X86_64_V3}


def level() -> ProcessorLevel:
    """Return the level that wheels for this kind of machine are compiled for."""
    return LEVELS.get(platform.machine(), ProcessorLevel("generic"))


@cache
def prebuilt_folder() -> Path | None:
    """Return the folder of prebuilt kernels, if there is one that this processor can run."""
    if os.environ.get(PREBUILT_VARIABLE) == "0" or not PREBUILT.is_dir():
        return None
    features = binding.get_host_cpu_features()
    return PREBUILT if all(features.get(name) for name in level().features) else None
