"""Atomic writing of files, and checks of targets."""

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from evomask.errors import FileError
from evomask.system import SYSTEM

OWNER_ONLY = 0o600


def write_atomically(
    path: Path, write: Callable[[Path], object], *, force: bool = False, mode: int | None = None
) -> None:
    """Write a file by calling *write* on a temporary file in its folder, then rename it to *path*.

    A reader never sees an incomplete file, and no partial file remains after an error. The file
    is synchronized to disk before this returns.

    Args:
        mode: permissions; by default those of new files under the current umask.
    """
    check_target(path, force=force)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise _unwritable(path, error) from None
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        sync(temporary)
        temporary.chmod(0o666 & ~_umask() if mode is None else mode)
        SYSTEM.replace(temporary, path)
        sync(path.parent)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def remove_temporary_files(folder: Path) -> None:
    """Remove the temporary files of killed processes from a folder and its subfolders."""
    for path in folder.rglob(".*.????????"):
        if path.is_file():
            path.unlink(missing_ok=True)


def replace_file(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file that only its owner may read; an existing file is replaced."""

    def fill(temporary: Path) -> None:
        with temporary.open("wb") as file:
            write(file)

    write_atomically(path, fill, force=True, mode=OWNER_ONLY)


def replace_text(path: Path, text: str) -> None:
    """Write text in UTF-8 that only its owner may read; an existing file is replaced."""
    content = text.encode()
    replace_file(path, lambda file: file.write(content))


def read_regular_file(path: Path) -> bytes:
    """Read a file; a device, which may be endless, is an `OSError`."""
    mode = path.stat().st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise OSError(errno.EINVAL, "it is a device")
    return path.read_bytes()


def open_private(path: str, flags: int) -> int:
    """Open a file that only its owner may read; an opener for `open`."""
    return os.open(path, flags, OWNER_ONLY)


def write_text(path: Path, text: str, *, force: bool = False) -> None:
    """Write text in UTF-8 without changing its line ends."""
    content = text.encode()
    write_atomically(path, lambda temporary: temporary.write_bytes(content), force=force)


def check_target(path: Path, *, force: bool, inputs: Iterable[Path | None] = ()) -> None:
    """Raise an error if a target exists, or if its folder is missing or not writable.

    Args:
        inputs: files that are read; they are never overwritten.
    """
    check_name(path)
    check_not_input(path, inputs)
    if path.is_dir():
        raise FileError(f"{path} is a folder; give the name of a file in it")
    if os.path.lexists(path) and not force:
        raise FileError(f"{path} exists; choose another name or overwrite it with --force")
    check_writable(path.parent)


def check_name(path: Path) -> None:
    """Raise an error if a file name is not valid Unicode, which libraries require."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise FileError(f"the name {str(path)!r} is no text in UTF-8; rename it") from None


def check_writable(folder: Path) -> None:
    """Raise an error if a folder is missing or not writable."""
    if not folder.is_dir():
        raise FileError(f"the folder {folder} does not exist; create it first")
    if not os.access(folder, os.W_OK):
        raise FileError(f"the folder {folder} is not writable; choose another one")


def check_not_input(path: Path, inputs: Iterable[Path | None]) -> None:
    """Raise an error if a target is one of the inputs, also by a link."""
    for given in inputs:
        if given is not None and _is_same(path, given):
            raise FileError(
                f"{path} is an input of this command, and nothing is written onto an input, not "
                "even with --force; choose another name"
            )


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):
        return False


def _unwritable(path: Path, error: OSError) -> FileError:
    return FileError(f"{path} could not be written: {error.strerror or error}; nothing was kept")


def sync(path: Path) -> None:
    """Flush a file, or on POSIX the entries of a folder, to disk."""
    if os.name == "posix" or path.is_file():
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
