"""Writing without accidents: whole files or none, and never over another."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from evomask.errors import FileError


def write_atomically(path: Path, write: Callable[[Path], None], *, force: bool = False) -> None:
    """Let *write* fill a temporary file beside *path*, then move it there in one step.

    A reader never sees half a file; whatever fails, nothing half-written stays behind.
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
        _sync(temporary)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str, *, force: bool = False) -> None:
    """Write a whole text file in UTF-8, with line ends as they are."""
    content = text.encode()

    def fill(temporary: Path) -> None:
        temporary.write_bytes(content)

    write_atomically(path, fill, force=force)


def check_target(path: Path, *, force: bool) -> None:
    """Refuse a target that exists, or whose folder does not or cannot be written to."""
    if path.is_dir():
        raise FileError(f"{path} is a folder; give the name of a file in it")
    if path.exists() and not force:
        raise FileError(f"{path} exists; choose another name or overwrite it with --force")
    if not path.parent.is_dir():
        raise FileError(f"the folder {path.parent} does not exist; create it first")
    if not os.access(path.parent, os.W_OK):
        raise FileError(f"the folder {path.parent} is not writable; choose another one")


def _unwritable(path: Path, error: OSError) -> FileError:
    return FileError(f"{path} could not be written: {error.strerror or error}; nothing was kept")


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
