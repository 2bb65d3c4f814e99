"""Where compiled kernels are kept: in a folder that nobody but its owner can write to.

What is kept there is run, so a folder that another user owns or can write to is not used: a
sentence says so, and kernels are compiled into the next home, in the end into a new one that
goes when the process ends. Where they are kept changes nothing in kernels; this module is no
part of the name of their folder.
"""

import atexit
import os
import shutil
import stat
import tempfile
import warnings
from pathlib import Path

NAMED = "EVOMASK_CACHE"
"""The variable that names a home; processes that are started from here have the same."""

OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
OWNER_ALONE = 0o700


def cache() -> Path:
    """The first home that is safe and can be written to; one that is named may be read alone."""
    named = os.environ.get(NAMED)
    for home in homes():
        folder = home / "kernels"
        if not _made(folder):
            continue
        if not is_safe(folder):
            _warn(folder)
        elif str(home) == named or os.access(folder, os.W_OK):
            return folder
    return _for_this_run()


def homes() -> tuple[Path, ...]:
    """Folders to keep compiled kernels in, the preferred one first."""
    named = os.environ.get(NAMED)
    of_system = Path(tempfile.gettempdir()) / f"evomask-{_user()}"
    return (*([Path(named)] if named else ()), *_of_user(), of_system)


def _of_user() -> list[Path]:
    """The user's folder for caches; none for a user without a home."""
    told = os.environ.get("XDG_CACHE_HOME", "")
    if Path(told).is_absolute():
        return [Path(told) / "evomask"]
    try:
        return [Path.home() / ".cache" / "evomask"]
    except RuntimeError:
        return []


def is_safe(path: Path) -> bool:
    """Whether nobody can have put something there but this user, or the system's own."""
    try:
        return is_own(path.stat())
    except OSError:
        return False


def is_own(status: os.stat_result) -> bool:
    """The same of a file or folder that was looked at."""
    if os.name != "posix":
        return True
    return status.st_uid in (os.getuid(), 0) and not status.st_mode & OTHERS_MAY_WRITE


def _made(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=OWNER_ALONE)
    except OSError:
        return folder.is_dir()
    return True


def _user() -> str:
    """A word for the user that needs no list of users."""
    return str(os.getuid()) if os.name == "posix" else os.environ.get("USERNAME", "user")


def _warn(folder: Path) -> None:
    warnings.warn(
        f"compiled kernels in {folder} are not used, because another user owns that folder or "
        "can write to it; make it yours alone (chmod 700)",
        stacklevel=2,
    )


def _for_this_run() -> Path:
    """A new home, which processes started from here share, and which goes with this one."""
    home = Path(tempfile.mkdtemp(prefix="evomask-kernels-"))
    os.environ[NAMED] = str(home)
    atexit.register(_removed, home, os.getpid())
    folder = home / "kernels"
    folder.mkdir(mode=OWNER_ALONE)
    return folder


def _removed(home: Path, maker: int) -> None:
    if os.getpid() == maker:
        shutil.rmtree(home, ignore_errors=True)
