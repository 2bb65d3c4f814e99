"""Works that tests send to the workers of a cluster; workers import them from here."""

import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Sleeping:
    """Takes a while; the answer tells what was asked."""

    seconds: float = 0.05

    def __call__(self, task, serial):
        time.sleep(self.seconds)
        return task, serial


@dataclass(frozen=True)
class Dying:
    """Kills its worker as often as there are names left in a folder, then answers."""

    folder: str
    at: int

    def __call__(self, task, serial):
        if serial == self.at:
            for name in sorted(Path(self.folder).iterdir()):
                name.unlink()
                os._exit(9)
        return task * 10 + serial


@dataclass(frozen=True)
class Deadly:
    """Kills every worker but the process that a test runs in."""

    spared: int

    def __call__(self, task, serial):
        if os.getpid() != self.spared:
            os._exit(9)
        return task


@dataclass(frozen=True)
class OfThisProcess:
    """Comes out differently in every process."""

    def __call__(self, task, serial):
        time.sleep(0.05)
        return os.getpid()


class Borrowing:
    """Work that lends an array."""

    def __init__(self, arrays):
        self.arrays = arrays

    def lent(self):
        return Borrowing, self.arrays

    def __call__(self, task, serial):
        some = self.arrays["some"]
        return task, hashlib.sha256(np.ascontiguousarray(some)).hexdigest(), some.flags.writeable
