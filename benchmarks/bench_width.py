"""How many workers a run can use: measured task times, replayed with any number of workers.

A run in this process tells the CPU seconds of every task, call by call. With so many workers a
call lasts as long as the worker that has most to do, each taking the next task when it is free;
between calls only this process works. `used` is what the workers were busy of the time that
calls lasted, `of all` the same of the whole run.

    python benchmarks/bench_width.py protect [EVALUATIONS] [WIDTH ...] [--file NAME] [--seed N]
    python benchmarks/bench_width.py partition [EVALUATIONS] [WIDTH ...]

Of `protect` also what the front dominates, and its best worst of loss and risk: a wide run knows
less of its own earlier turns, and that costs something at the same number of evaluations.
"""

import argparse
import heapq
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


def protect(asked: argparse.Namespace, width: int, timed: Timed) -> None:
    table = load(Input(reference_file(asked.file or "casc/census.csv"))).table
    job = ProtectJob(
        Input(Path("file")), Path(), Requirement(k=3), seed=asked.seed,
        evaluations=asked.evaluations or 400, width=width,
    )  # fmt: skip
    state = protect_table(table, job, evaluators=timed).state
    best = min(candidate.worst for candidate in state.front)
    print(
        f"  {state.evaluations} evaluations, {len(state.candidates)} files: volume "
        f"{state.volume:.2f} %, best {best:.2f}"
    )


def partition(asked: argparse.Namespace, width: int, timed: Timed) -> None:
    options = {"k": "3"} | ({"width": str(width)} if width > 1 else {})
    source = Input(reference_file(asked.file or "casc/tarragona.csv"))
    limits = Limits(evaluations=asked.evaluations or 20_000_000)
    job = SearchJob(source, "partition", options, limits, seed=asked.seed)
    print(f"  il {search_file(job, evaluators=timed).answer['il']:.4f} %")


RUNS = {"protect": protect, "partition": partition}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("what", nargs="?", choices=RUNS, default="protect")
    options.add_argument("evaluations", nargs="?", type=int)
    options.add_argument("widths", nargs="*", type=int, default=[1, 16])
    options.add_argument("--file")
    options.add_argument("--seed", type=int, default=7)
    asked = options.parse_args()
    for width in asked.widths:
        timed, began = Timed(), time.process_time()
        RUNS[asked.what](asked, width, timed)
        total, inside = time.process_time() - began, sum(map(sum, timed.calls))
        sizes = sorted(len(call) for call in timed.calls if call)
        print(
            f"{asked.what}, width {width}: {len(sizes)} calls of "
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
