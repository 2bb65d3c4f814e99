"""Work packed for a journey: sent once to every worker, opened by the first task that needs it."""

import pickle
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evomask.errors import RunError
from evomask.execution.sharing import Lending
from evomask.execution.standing import differences, standing

Work = Callable[[Any, int], Any]


@dataclass(frozen=True)
class Parcel:
    """Work as bytes, its arrays beside it: they travel and are opened without a copy.

    Args:
        sender: versions of the process that packed it.
    """

    body: bytes = field(repr=False)
    arrays: tuple[Any, ...] = field(repr=False)
    sender: Mapping[str, str] = field(repr=False, default_factory=standing)

    @classmethod
    def of(cls, work: Work) -> "Parcel":
        """The work, packed; what it lends is sent as plain arrays."""
        content = work.lent() if isinstance(work, Lending) else (None, work)
        buffers: list[pickle.PickleBuffer] = []
        body = pickle.dumps(content, protocol=5, buffer_callback=buffers.append)
        return cls(body, tuple(np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers))

    def opened(self) -> Work:
        """The work; its arrays can only be read. Refused where versions differ."""
        if apart := differences(self.sender):
            raise RunError(
                f"a worker of the cluster differs from the machine that asks it ({apart}), and "
                "results would too; give all machines the same environment"
            )
        buffers = [memoryview(array).toreadonly() for array in self.arrays]
        made_of, content = pickle.loads(self.body, buffers=buffers)  # noqa: S301
        work: Work = content if made_of is None else made_of(content)
        return work


class Bench:
    """Where one process does one work, a task at a time, whatever threads it has."""

    def __init__(self, parcel: Parcel) -> None:
        self._parcel: Parcel | None = parcel
        self._busy = threading.Lock()
        self._work: Work

    def open(self) -> None:
        """Open the parcel, unless a task did already."""
        with self._busy:
            self._opened()

    def __call__(self, tasks: Sequence[Any], first: int) -> list[Any]:
        """The outcomes of tasks, in order."""
        with self._busy:
            work = self._opened()
            return [work(task, serial) for serial, task in enumerate(tasks, first)]

    def _opened(self) -> Work:
        if self._parcel is not None:
            self._work, self._parcel = self._parcel.opened(), None
        return self._work


class Batch:
    """Tasks or outcomes on their way; logs and dashboards of the engine show no value of them."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = tuple(items)

    def __repr__(self) -> str:
        return f"<{len(self.items)} items>"


def same(here: object, there: object) -> bool:
    """Whether an outcome of this process and one that arrived are equal to the bit."""
    travelled = pickle.loads(pickle.dumps(here))  # noqa: S301
    return pickle.dumps(travelled) == pickle.dumps(there)
