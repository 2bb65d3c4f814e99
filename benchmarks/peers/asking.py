"""How a peer is asked: one process for one piece of work, JSON in and JSON out.

Runs in the environments of the peers, so it needs the standard library alone. A script hands its
works to ``serve``; a work reads its file first and then has the clock time what matters.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

QUICK = 3.0
"""Work that takes fewer seconds is done three times, and the least counts."""


@dataclass
class Clock:
    """CPU seconds of the work itself, without reading files and without compiling.

    Args:
        most: how often quick work is done at most.
    """

    most: int = 3
    seconds: float = float("nan")
    wall: float = float("nan")
    runs: list[float] = field(default_factory=list)

    def timed(self, work: Callable[[], T]) -> T:
        """What *work* returns; quick work is done again, so that compiling does not count."""
        while True:
            cpu, wall = time.process_time(), time.perf_counter()
            found = work()
            self.runs.append(time.process_time() - cpu)
            self.wall = time.perf_counter() - wall
            self.seconds = min(self.runs)
            if len(self.runs) >= self.most or self.seconds > QUICK:
                return found


Task = Mapping[str, Any]
Work = Callable[[Task, Clock], dict[str, Any]]


def _peak_mb() -> float:
    """The most memory of this program; on Linux without what its parent had before it."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    told = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    most = int(told[0]) if told else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 1024


def serve(package: str, works: Mapping[str, Work]) -> None:
    """Do the work that the first file named asks for; write the answer to the second."""
    asked, answered = map(Path, sys.argv[1:])
    task = json.loads(asked.read_text(encoding="utf-8"))
    clock = Clock(most=task.get("most", 3))
    answer = works[task["work"]](task, clock)
    told: dict[str, Any] = {"seconds": clock.seconds, "wall": clock.wall, "peak_mb": _peak_mb()}
    told |= {"runs": clock.runs, "version": version(package), "python": sys.version.split()[0]}
    answered.write_text(json.dumps({**answer, **told}), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # some peers leave threads behind
