"""How many workers a run can use: measured task times, replayed with any number of workers.

A run in this process tells the CPU seconds of every task, call by call. With so many workers a
call lasts as long as the worker that has most to do, each taking the next task when it is free;
between calls only this process works. `used` is what the workers were busy of the time that
calls lasted, `of all` the same of the whole run.

    python benchmarks/bench_width.py protect [EVALUATIONS] [WIDTH ...]
    python benchmarks/bench_width.py partition [EVALUATIONS] [WIDTH ...]
"""

import heapq
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evomask.io.datasets import reference_file
from evomask.masking.guarantees.requirement import Requirement
from evomask.runs.inputs import Input, load
from evomask.runs.protect import ProtectJob, protect_table
from evomask.runs.search import Limits, SearchJob, search_file

WORKERS = (2, 4, 8, 16, 1000)


@dataclass(frozen=True)
class Timed:
    """Evaluators in this process that keep how long every task took."""

    calls: list[list[float]] = field(default_factory=list)
    workers: int = 1

    def __call__(self, work: Callable[[Any, int], Any], /) -> AbstractContextManager[Any]:
        def evaluator(tasks: Sequence[Any], first: int) -> list[Any]:
            outcomes, times = [], []
            for serial, task in enumerate(tasks, first):
                began = time.process_time()
                outcomes.append(work(task, serial))
                times.append(time.process_time() - began)
            self.calls.append(times)
            return outcomes

        return nullcontext(evaluator)


def lasts(times: Sequence[float], workers: int) -> float:
    """How long a call lasts when each worker takes the next task as soon as it is free."""
    free = [0.0] * workers
    for seconds in times:
        heapq.heappush(free, heapq.heappop(free) + seconds)
    return max(free)


def protect(evaluations: int, width: int, timed: Timed) -> None:
    table = load(Input(reference_file("casc/census.csv"))).table
    job = ProtectJob(
        Input(Path("census")), Path(), Requirement(k=3), seed=7, evaluations=evaluations,
        width=width,
    )  # fmt: skip
    protect_table(table, job, evaluators=timed)


def partition(evaluations: int, width: int, timed: Timed) -> None:
    options = {"k": "3"} | ({"width": str(width)} if width > 1 else {})
    source = Input(reference_file("casc/tarragona.csv"))
    job = SearchJob(source, "partition", options, Limits(evaluations=evaluations), seed=7)
    print(f"  il {search_file(job, evaluators=timed).answer['il']:.4f} %")


def main() -> None:
    what = sys.argv[1] if len(sys.argv) > 1 else "protect"
    run = {"protect": protect, "partition": partition}[what]
    evaluations = (
        int(sys.argv[2]) if len(sys.argv) > 2 else {"protect": 400, "partition": 20_000_000}[what]
    )
    for width in map(int, sys.argv[3:] or ("1", "16")):
        timed, began = Timed(), time.process_time()
        run(evaluations, width, timed)
        total, inside = time.process_time() - began, sum(map(sum, timed.calls))
        sizes = sorted(len(call) for call in timed.calls if call)
        print(
            f"{what}, {evaluations:,} evaluations, width {width}: {len(sizes)} calls of "
            f"{sizes[len(sizes) // 2]} tasks in the middle, {inside:.1f} of {total:.1f} CPU s in "
            "tasks"
        )
        for workers in WORKERS:
            span = sum(lasts(call, workers) for call in timed.calls)
            quicker, whole = inside / span, inside / (total - inside + span)
            print(
                f"  {workers:5} workers: {quicker:6.1f} times quicker, used "
                f"{100 * quicker / workers:5.1f} %, of all {100 * whole / workers:5.1f} %"
            )


if __name__ == "__main__":
    main()
