"""A command in a pseudo-terminal: when it wrote, and how it ended after Ctrl-C."""

import itertools
import os
import pty
import select
import signal
import sys
import time
from dataclasses import dataclass, field

CTRL_C = b"\x03"


@dataclass
class Session:
    """What a command wrote and when, in seconds from its start."""

    written: list[tuple[float, bytes]] = field(default_factory=list)
    asked: float | None = None
    ended: float = 0.0
    code: int = 0

    @property
    def text(self):
        return b"".join(part for _, part in self.written).decode(errors="replace")

    @property
    def silence(self):
        """The longest time without a sign of life, from the first one on."""
        moments = [*(moment for moment, _ in self.written), self.ended]
        return max((b - a for a, b in itertools.pairwise(moments)), default=0.0)

    @property
    def seconds_to_end(self):
        return self.ended - self.asked

    def answered(self, words):
        """Seconds from Ctrl-C until the words are there."""
        after = b""
        for moment, part in self.written:
            after += part if moment >= self.asked else b""
            if words.encode() in after:
                return moment - self.asked
        return float("inf")


def in_terminal(*words, interrupt_after=None, sign="", most=300.0):
    """Run the command line in a terminal of its own.

    Args:
        interrupt_after: seconds after which it gets Ctrl-C, counted from its first sign of life.
        sign: what that must be.
    """
    process, terminal = pty.fork()
    if process == 0:
        os.execvpe(
            sys.executable, [sys.executable, "-m", "evomask", *map(str, words)],
            {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "100"},
        )  # fmt: skip
    session, began, first = Session(), time.monotonic(), None
    while (now := time.monotonic() - began) < most:
        if first is None and session.written and sign in session.text:
            first = now
        due = first is not None and interrupt_after is not None and session.asked is None
        if due and now - first >= interrupt_after:
            session.asked = now
            os.write(terminal, CTRL_C)
        if select.select([terminal], [], [], 0.02)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            if not part:
                break
            session.written.append((time.monotonic() - began, part))
    else:
        os.kill(process, signal.SIGKILL)
    session.code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    session.ended = time.monotonic() - began
    os.close(terminal)
    return session
