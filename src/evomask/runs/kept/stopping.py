"""Asking a run to stop: it ends its turn, keeps what it found, and can be resumed."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from evomask.errors import RunError
from evomask.io.files import OWNER_ALONE

STOP = "stop"
"""The file in a run's folder whose presence asks the run to stop."""

BETWEEN_LOOKS = 0.2
"""Seconds between two looks for that file."""


class StopRequest:
    """Asked by a call, or by a file in the folder of the run; a run looks between its turns.

    Args:
        folder: of the run, where it has one.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._file = None if folder is None else folder / STOP
        self._asked = threading.Event()
        self._next_look = 0.0

    def ask(self) -> None:
        """Ask the run to stop."""
        self._asked.set()

    @property
    def is_asked(self) -> bool:
        """Whether somebody asked; for the file it looks a few times a second at most."""
        now = time.monotonic()
        if self._file is not None and now >= self._next_look:
            self._next_look = now + BETWEEN_LOOKS
            if self._file.exists():
                self.ask()
        return self._asked.is_set()

    def withdraw(self) -> None:
        """Forget an earlier request, so that the run can go on."""
        self._asked.clear()
        if self._file is not None:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)


def ask_to_stop(folder: Path) -> None:
    """Ask the run kept in a folder to stop, whichever process works on it."""
    try:
        (folder / STOP).touch(mode=OWNER_ALONE)
    except OSError as error:
        raise RunError(f"{folder} cannot be written to: {error.strerror or error}") from None


class Interrupts:
    """Interrupts what the process does, and remembers that somebody asked for it."""

    def __init__(self) -> None:
        self.happened = False

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        """Stop at once; what was found is kept on the way out."""
        self.happened = True
        raise KeyboardInterrupt


@contextmanager
def interrupts_as_such() -> Iterator[None]:
    """Raise an interrupt as what it is.

    Compiled code that is interrupted as it returns fails with a system error, caused by the
    interrupt.
    """
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while isinstance(cause, SystemError):
            cause = cause.__cause__
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise


def interrupt_on_termination() -> Interrupts:
    """Let SIGTERM do what Ctrl-C does: the run stops at once and keeps what it found.

    Where the process was told to ignore Ctrl-C, it goes on doing so.
    """
    heard = Interrupts()
    signal.signal(signal.SIGTERM, heard)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, heard)
    return heard
