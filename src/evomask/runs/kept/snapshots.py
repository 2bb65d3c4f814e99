"""When a run's state is kept. Which snapshots there are changes nothing in the results."""

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from evomask.evolution.checkpoint import Codec
from evomask.runs.kept.journal import Journal
from evomask.runs.kept.store import Kept, Store

S = TypeVar("S", bound=Kept)

TIME_FOR_SNAPSHOTS = 0.05
"""The largest share of the time that taking snapshots may have."""

LONGEST_WAIT = 30.0
"""Seconds after which a snapshot is wanted in any case."""


class Snapshots(Generic[S]):
    """Takes a snapshot every so many evaluations, or every half minute.

    It waits while snapshots would take more than a twentieth of the time.

    Args:
        every: evaluations between two; with 0 every state that is offered is wanted.
        since: evaluations that the run began with.
    """

    def __init__(
        self,
        store: Store,
        codec: Codec[S],
        journal: Journal,
        *,
        every: int = 0,
        since: int = 0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._codec, self._journal = store, codec, journal
        self._every, self._saved, self._now = every, since, now
        self._ended, self._not_before = now(), now()

    def offer(self, state: S) -> None:
        """Take one if it is wanted and there is time for it."""
        started = self._now()
        enough = state.evaluations - self._saved >= self._every
        if (enough or started - self._ended >= LONGEST_WAIT) and started >= self._not_before:
            self.take(state)

    def take(self, state: S) -> None:
        """Take one; what the journal tells of the state is on the disk before."""
        started = self._now()
        self._journal.sync()
        self._store.save_state(state, self._codec)
        self._saved, self._ended = state.evaluations, self._now()
        self._not_before = self._ended + (self._ended - started) / TIME_FOR_SNAPSHOTS
