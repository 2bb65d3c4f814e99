"""A small process beside the command that answers Ctrl-C at once, and sees to it that all ends.

A kernel lets no Python code run until it returns, so the command itself may hear of an interrupt
late. The companion hears it when the terminal does: it says so, reminds the command after a while,
and ends it when that does not help. What a run has found is on disk by then, and is resumed.
"""

import os
import select
import signal
import sys
import time
from typing import NoReturn

REMINDED, ENDED = 3.0, 4.2
"""Seconds after an interrupt when the command is interrupted again, and when it is ended."""

STOPPING = "\nstopping: what was found so far is kept\n"
GAVE_UP = "\nstopped; a run that was kept goes on with `evomask resume DIR`\n"


def accompanied() -> bool:
    """Start a companion where the command runs in a terminal; whether there is one now.

    It ends with the command: the line between both is closed by the system, when all is over.
    """
    if not hasattr(os, "fork") or not _in_terminal():
        return False
    ours, theirs = os.pipe()
    command = os.getpid()
    if os.fork() == 0:
        os.close(theirs)
        try:
            _watch(command, ours)
        finally:
            os._exit(0)
    os.close(ours)
    return True


def leave(code: int, *, at_once: bool) -> NoReturn:
    """End the command; at once where it was interrupted, without waiting for libraries."""
    if at_once:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _in_terminal() -> bool:
    try:
        return sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


def _watch(command: int, line: int) -> None:
    """Wait until the command ends, which closes its end of the line, or for an interrupt."""
    interrupted: list[float] = []

    def hear(*_: object) -> None:
        if not interrupted:
            os.write(2, STOPPING.encode())
        interrupted.append(time.monotonic())

    signal.signal(signal.SIGINT, hear)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while not interrupted:
        if select.select([line], [], [], 0.1)[0]:
            return
    if _ends_by(line, interrupted[0] + REMINDED):
        return
    os.kill(command, signal.SIGINT)
    if not _ends_by(line, interrupted[0] + ENDED):
        os.kill(command, signal.SIGKILL)
        os.write(2, GAVE_UP.encode())


def _ends_by(line: int, moment: float) -> bool:
    """Whether the command ends until a moment by the monotonic clock."""
    while (left := moment - time.monotonic()) > 0:
        if select.select([line], [], [], left)[0]:
            return True
    return False
