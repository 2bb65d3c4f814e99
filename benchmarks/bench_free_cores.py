"""What `evomask protect` does in so many seconds of two free cores, measured on a busy machine.

    python benchmarks/bench_free_cores.py RECORDS [SECONDS [COLUMNS]]

The clock of the run counts CPU seconds: those of this process and those of its busiest worker,
which on free cores is the time on the wall, since either waits while the other works. Turns are
not given up for being late on the wall. The people are those of ``bench_large.py``; k = 5, two
workers, seed 1.
"""

import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from unittest.mock import patch

from bench_large import SEED, WORKERS, K, people, volume_of
from evomask.execution.local import Local
from evomask.masking.enforce.requirement import Requirement
from evomask.runs import protect
from evomask.runs.exploration import Exploration
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_file
from evomask.runs.store import run_folder
from evomask.runs.store.journal import EventDispatcher, Journal

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class FreeCores:
    """A clock by which this process and its workers never wait for others."""

    began: float = field(default_factory=time.process_time)
    workers: dict[str, float] = field(default_factory=dict)

    def __call__(self) -> float:
        """CPU seconds of this process and of its busiest worker."""
        for thread in Path("/proc/self/task").iterdir():
            for worker in (thread / "children").read_text().split():
                self._look_at(worker)
        return time.process_time() - self.began + max(self.workers.values(), default=0.0)

    def _look_at(self, worker: str) -> None:
        try:
            fields = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return
        self.workers[worker] = (int(fields[11]) + int(fields[12])) / TICKS


def main() -> None:
    """Print what became of one file."""
    records = int(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 120.0
    columns = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.parquet"
        people(records, columns).write_parquet(path)
        names = people(10, columns).columns
        ordinal = tuple(name for name in names if name.startswith("education"))
        source = Input(path, None, tuple(names), ordinal=ordinal)
        job = ProtectJob(source, Path(folder) / "out", Requirement(k=K), seconds=seconds, seed=SEED)
        clock, began = FreeCores(), time.monotonic()
        with (
            patch.object(protect, "EventDispatcher", partial(EventDispatcher, now=clock)),
            patch.object(run_folder, "Journal", partial(Journal, now=clock)),
            patch.object(Exploration, "_patience", lambda *_: None),
        ):
            done = protect_file(job, evaluators=Local(WORKERS))
    state = done.protection.state
    took = f"{clock():.0f} s of free cores, {time.monotonic() - began:.0f} s on the wall"
    print(f"{records:,} x {columns}, {seconds:.0f} s: {took}, load {os.getloadavg()[0]:.0f}")
    front = [{"loss": c.loss, "risk": c.risk} for c in done.protection.front]
    found = f"{state.trials} on the sample, {len(state.candidates)} on the whole"
    print(f"{found}, front of {len(front)}, hypervolume {volume_of(front):.2f} %")
    print("seconds:", ", ".join(f"{name} {taken:.0f}" for name, taken in done.phases.items()))
    print("members:", ", ".join(f"{n} {s:.0f} %" for n, s in done.protection.shares.items()))
    for note in done.protection.notes:
        print(f"note: {note}")


if __name__ == "__main__":
    main()
