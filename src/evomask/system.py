"""What differs between operating systems: locks, processes, and how files are replaced.

All parts may import this module. POSIX systems and Windows each have an implementation; everything
else in evomask is the same on both. Files that only their owner may read rely on the rights of the
user's folders on Windows, where the modes of POSIX have no meaning.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
"""Flags of `os.open` that refuse symbolic links, and translation of line ends, where there are."""

LOCK_VARIABLE = "EVOMASK_LOCK"
"""Environment variable that names the file that a child process locks for its lifetime."""

REPLACEMENT_WAITS = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Seconds between attempts to replace a file that another process reads on Windows."""

NEW_GROUP, NO_WINDOW = 0x00000200, 0x08000000
"""Flags of Windows for a process that ignores the interrupts of its parent, without a window."""

FAR_BYTE = 1 << 30
"""Position of the byte that is locked on Windows: beyond the content, which stays readable."""


class System(Protocol):
    """What evomask needs from an operating system."""

    def lock(self, handle: int, *, wait: bool = False) -> bool:
        """Lock an open file until it is closed; return whether this process has the lock."""
        ...

    def start(
        self, words: Sequence[str], env: Mapping[str, str], alive: Path, out: int, errors: int
    ) -> "subprocess.Popen[bytes]":
        """Start a process that outlives this one and ignores its interrupts.

        Args:
            alive: existing file whose lock the process holds for its lifetime.
            out: open file for what it prints; *errors* for its errors.
        """
        ...

    def end(self, process: int) -> None:
        """Ask a process that was started here to end."""
        ...

    def replace(self, source: Path, target: Path) -> None:
        """Move a file to *target* in one step; a file that is there is replaced."""
        ...

    def cache_folder(self) -> Path:
        """Folder of the user for files that can be made again."""
        ...


class Posix:
    """Linux, macOS and other POSIX systems."""

    def lock(self, handle: int, *, wait: bool = False) -> bool:
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def start(
        self, words: Sequence[str], env: Mapping[str, str], alive: Path, out: int, errors: int
    ) -> "subprocess.Popen[bytes]":
        """The process inherits the lock itself, so that there is no moment without it."""
        handle = os.open(alive, os.O_RDWR | NO_LINKS)
        try:
            self.lock(handle, wait=True)
            return _start(words, env, out, errors, start_new_session=True, pass_fds=(handle,))
        finally:
            os.close(handle)

    def end(self, process: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)

    def replace(self, source: Path, target: Path) -> None:
        source.replace(target)

    def cache_folder(self) -> Path:
        named = Path(os.environ.get("XDG_CACHE_HOME", ""))
        if named.is_absolute():
            return named / "evomask"
        mac = sys.platform == "darwin"
        return Path.home() / ("Library/Caches" if mac else ".cache") / "evomask"


class Windows:
    """Windows, through the module `msvcrt`.

    Args:
        msvcrt: the module of the standard library; another one with the same functions in tests.
    """

    def __init__(self, msvcrt: Any = None, sleep: Callable[[float], None] = time.sleep) -> None:  # noqa: ANN401
        self._msvcrt, self._sleep = msvcrt or __import__("msvcrt"), sleep

    def lock(self, handle: int, *, wait: bool = False) -> bool:
        while True:
            try:
                os.lseek(handle, FAR_BYTE, os.SEEK_SET)
                self._msvcrt.locking(handle, self._msvcrt.LK_NBLCK, 1)
            except OSError:
                if not wait:
                    return False
                self._sleep(0.05)
            else:
                return True
            finally:
                os.lseek(handle, 0, os.SEEK_SET)

    def start(
        self, words: Sequence[str], env: Mapping[str, str], alive: Path, out: int, errors: int
    ) -> "subprocess.Popen[bytes]":
        """Locks cannot be inherited: the process locks the file itself when it starts."""
        own = {**env, LOCK_VARIABLE: str(alive)}
        return _start(words, own, out, errors, creationflags=NEW_GROUP | NO_WINDOW)

    def end(self, process: int) -> None:
        with suppress(OSError):
            os.kill(process, getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))

    def replace(self, source: Path, target: Path) -> None:
        """Windows refuses while another process has the target open: try for a second."""
        for wait in REPLACEMENT_WAITS:
            try:
                source.replace(target)
            except PermissionError:
                self._sleep(wait)
            else:
                return
        source.replace(target)

    def cache_folder(self) -> Path:
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData/Local") / "evomask/Cache"


def _start(
    words: Sequence[str],
    env: Mapping[str, str],
    out: int,
    errors: int,
    **how: Any,  # noqa: ANN401
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - a command of ours, its words in a list
        list(words), stdin=subprocess.DEVNULL, stdout=out, stderr=errors, env=dict(env), **how
    )


SYSTEM: System = Windows() if os.name == "nt" else Posix()
"""The implementation for this machine."""


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock of a file; never blocks."""
    try:
        handle = os.open(path, os.O_RDWR | NO_LINKS)
    except OSError:
        return False
    try:
        return not SYSTEM.lock(handle)
    except OSError:
        return False
    finally:
        os.close(handle)


def hold_lifetime_lock() -> None:
    """Lock the file that the parent process named, until this process ends."""
    if path := os.environ.pop(LOCK_VARIABLE, ""):
        with suppress(OSError):
            SYSTEM.lock(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), wait=True)
