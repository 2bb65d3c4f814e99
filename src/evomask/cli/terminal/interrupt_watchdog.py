"""Watchdog process that answers Ctrl-C at once and ends a command that does not stop.

Compiled kernels run no Python code until they return, so the command may handle an interrupt
late. The watchdog receives it with the terminal's process group: it prints a message, interrupts
the command again after a while, and kills it if that does not help. Snapshots of a run are on
disk by then, so that it can be resumed.
"""

import os
import select
import signal
import sys
import time
from typing import NoReturn

REMIND_AFTER, KILL_AFTER = 3.0, 4.2
"""Seconds from the interrupt to the second interrupt, and to the kill."""

STOPPING = "\nstopping; the results so far are saved\n"
KILLED = "\nstopped; continue a saved run with `evomask resume DIR`\n"


def start_watchdog() -> bool:
    """Fork the watchdog where the command runs in a terminal; return whether there is one.

    It ends with the command, when the system closes the command's end of the pipe.
    """
    if not hasattr(os, "fork") or not _in_terminal():
        return False
    reader, writer = os.pipe()
    command = os.getpid()
    if os.fork() == 0:
        os.close(writer)
        try:
            _watch(command, reader)
        finally:
            os._exit(0)
    os.close(reader)
    return True


def leave(code: int, *, at_once: bool) -> NoReturn:
    """Exit; at once after an interrupt, without waiting for threads of libraries."""
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


def _watch(command: int, pipe: int) -> None:
    """Wait until the command ends, which closes the pipe, or for an interrupt."""
    interrupted: list[float] = []

    def on_interrupt(*_: object) -> None:
        if not interrupted:
            os.write(2, STOPPING.encode())
        interrupted.append(time.monotonic())

    signal.signal(signal.SIGINT, on_interrupt)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while not interrupted:
        if select.select([pipe], [], [], 0.1)[0]:
            return
    if _ends_before(pipe, interrupted[0] + REMIND_AFTER):
        return
    os.kill(command, signal.SIGINT)
    if not _ends_before(pipe, interrupted[0] + KILL_AFTER):
        os.kill(command, signal.SIGKILL)
        os.write(2, KILLED.encode())


def _ends_before(pipe: int, deadline: float) -> bool:
    while (left := deadline - time.monotonic()) > 0:
        if select.select([pipe], [], [], left)[0]:
            return True
    return False
