"""Writing without accidents: whole files or none, and never over another."""

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO

from evomask.errors import FileError

OWNER_ALONE = 0o600


def write_atomically(
    path: Path, write: Callable[[Path], object], *, force: bool = False, mode: int | None = None
) -> None:
    """Let *write* fill a temporary file beside *path*, then move it there in one step.

    A reader never sees half a file; whatever fails, nothing half-written stays behind. When
    this returns, the file is on the disk, even should the machine stop.

    Args:
        mode: who may read and write it; by default what the system gives new files.
    """
    check_target(path, force=force)
    try:
        temporary = _temporary_beside(path)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        write(temporary)
        _sync(temporary)
        temporary.chmod(0o666 & ~_umask() if mode is None else mode)
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def remove_half_written(folder: Path) -> None:
    """Remove what somebody who was killed while writing has left in a folder and below."""
    for path in folder.rglob(".*.????????"):
        if path.is_file():
            path.unlink(missing_ok=True)


def replace_file(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Write a file that only its owner may read, such as those of a run; an older one goes."""

    def fill(temporary: Path) -> None:
        with temporary.open("wb") as file:
            write(file)

    write_atomically(path, fill, force=True, mode=OWNER_ALONE)


def replace_text(path: Path, text: str) -> None:
    """Write a text in UTF-8 that only its owner may read; an older one goes."""
    content = text.encode()
    replace_file(path, lambda file: file.write(content))


def whole_content(path: Path) -> bytes:
    """The bytes of a file that somebody names; a device, which may never end, is none."""
    mode = path.stat().st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise OSError(errno.EINVAL, "it is a device")
    return path.read_bytes()


def for_owner(path: str, flags: int) -> int:
    """Open a file that only its owner may read, as an opener of `open`."""
    return os.open(path, flags, OWNER_ALONE)


def write_text(path: Path, text: str, *, force: bool = False) -> None:
    """Write a whole text file in UTF-8, with line ends as they are."""
    content = text.encode()
    write_atomically(path, lambda temporary: temporary.write_bytes(content), force=force)


def check_target(path: Path, *, force: bool, inputs: Iterable[Path | None] = ()) -> None:
    """Refuse a target that exists, or whose folder does not or cannot be written to.

    Args:
        inputs: files that are read, which nothing is ever written onto.
    """
    check_name(path)
    check_apart(path, inputs)
    if path.is_dir():
        raise FileError(f"{path} is a folder; give the name of a file in it")
    if os.path.lexists(path) and not force:
        raise FileError(f"{path} exists; choose another name or overwrite it with --force")
    check_writable(path.parent)


def check_name(path: Path) -> None:
    """Refuse a name that is no text: libraries that read and write files want one."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise FileError(f"the name {str(path)!r} is no text in UTF-8; rename it") from None


def check_writable(folder: Path) -> None:
    """Refuse a folder that is not there or cannot be written to."""
    if not folder.is_dir():
        raise FileError(f"the folder {folder} does not exist; create it first")
    if not os.access(folder, os.W_OK):
        raise FileError(f"the folder {folder} is not writable; choose another one")


def check_apart(path: Path, inputs: Iterable[Path | None]) -> None:
    """Refuse a target that is one of the inputs, by whatever name or link."""
    for given in inputs:
        if given is not None and _is_same(path, given):
            raise FileError(
                f"{path} is a file that is read here, and nothing is written onto an input, with "
                "--force either; choose another name"
            )


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):
        return False


def _temporary_beside(path: Path) -> Path:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    return Path(name)


def _unwritable(path: Path, error: OSError) -> FileError:
    return FileError(f"{path} could not be written: {error.strerror or error}; nothing was kept")


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
