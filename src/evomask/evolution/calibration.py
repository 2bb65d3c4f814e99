"""The clock as searches may read it: to find out by a trial how much this machine does in a time.

Call it only in what is handed to `Surroundings.decide`: that is noted in the journal and
replayed when a run is resumed, so no result hangs on the clock a second time.
"""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def timed(
    trial: Callable[[], T], clock: Callable[[], float] = time.perf_counter
) -> tuple[T, float]:
    """What a trial came to, and the seconds it took."""
    started = clock()
    result = trial()
    return result, clock() - started
