"""What a Dask cluster costs: tasks of some length on two workers, against the ideal.

A task sleeps, so that nothing but the engine is measured, whatever else the machine does. The
ideal is all tasks shared out evenly, without a moment between them.

    python benchmarks/bench_overhead.py [MILLISECONDS ...]
"""

import sys
import time
from dataclasses import dataclass

from evomask.execution.local import open_evaluators

WORKERS = 2
SECONDS = 8.0
"""How long the ideal takes."""


@dataclass(frozen=True)
class Sleeping:
    """A task that does nothing for a while."""

    seconds: float

    def __call__(self, task: int, serial: int) -> int:
        time.sleep(self.seconds)
        return task + serial


def main() -> None:
    with open_evaluators(cluster=f"local:{WORKERS}") as evaluators:
        for milliseconds in map(float, sys.argv[1:] or ("5", "50", "500")):
            count = round(SECONDS * WORKERS * 1000 / milliseconds)
            with evaluators(Sleeping(milliseconds / 1000)) as work:
                work(range(2 * WORKERS), 0)
                began = time.perf_counter()
                work(range(count), 0)
                took = time.perf_counter() - began
            print(
                f"{count} tasks of {milliseconds:g} ms on {WORKERS} workers: {took:.2f} s, "
                f"{100 * SECONDS / took:.1f} % of the ideal",
                flush=True,
            )


if __name__ == "__main__":
    main()
