"""How low the partition search gets: information loss against MDAV, in a given wall time.

    python benchmarks/bench_partition.py [--cpu] [seconds] [workers] [name ...]

Prints, for each reference file and k, the information loss of MDAV and of the memetic search in
percent, their ratio, the lower bound, and the CPU seconds of all processes together. Where they
are fewer than seconds times workers, the machine was busy with something else: ``--cpu`` then
does the work of so many seconds of so many workers in one process, as a budget of evaluations
found from a short trial. ``random`` is a file of 50,000 random records of 5 numbers, and
``large`` one of 100,000 of 13 correlated lognormal ones.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from evomask.data.distance import Standardizer
from evomask.data.partition import information_loss
from evomask.execution.local import Local
from evomask.io.datasets import reference_file
from evomask.io.tables import read_table
from evomask.kernels.groups.mdav import mdav
from evomask.runs.inputs import Input
from evomask.runs.search import Limits, Run, SearchJob, search_file

EIA = (
    "UTILITYID", "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES",
    "OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES",
)  # fmt: skip
SIZES = (3, 5, 10)
TRIAL = 4_000_000


def cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def searched(path: Path, quasi: tuple[str, ...], k: int, limits: Limits, workers: int) -> Run:
    source = Input(path, quasi_identifiers=quasi)
    job = SearchJob(source, "partition", {"k": str(k)}, limits, seed=1)
    return search_file(job, evaluators=Local(workers))


def evaluations_in(seconds: float, path: Path, quasi: tuple[str, ...], k: int) -> int:
    searched(path, quasi, k, Limits(evaluations=1000), 1)
    runs, times = [], [time.process_time()]
    for evaluations in (TRIAL, 2 * TRIAL):
        runs.append(searched(path, quasi, k, Limits(evaluations=evaluations), 1))
        times.append(time.process_time())
    more = runs[1].state.evaluations - runs[0].state.evaluations
    return int(seconds * more / (times[2] - 2 * times[1] + times[0]))


def compare(name: str, path: Path, k: int, seconds: float, workers: int, cpu: bool) -> None:
    quasi = EIA if name == "eia" else read_table(path).schema.names
    points = read_table(path).matrix(quasi)
    points = Standardizer.of(points)(points)
    before = information_loss(points, mdav(points, k))
    limits = Limits(seconds=seconds)
    if cpu:
        limits = Limits(evaluations=evaluations_in(seconds * workers, path, quasi, k))
    started = cpu_seconds()
    run = searched(path, quasi, k, limits, 1 if cpu else workers)
    found, bound, sse = (float(str(run.answer[key])) for key in ("il", "lower_bound", "sse"))
    print(
        f"{name:10} k={k:2}  MDAV {before:8.4f}  memetic {found:8.4f}  ratio {found / before:.4f}  "
        f"bound {found * bound / sse:8.4f}  {run.seconds:5.1f} s wall  "
        f"{cpu_seconds() - started:6.1f} s CPU with start-up  {run.state.generation} generations",
        flush=True,
    )


def normal() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(50_000, 5))


def lognormal() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.exp(0.5 * rng.normal(size=(100_000, 13)) @ rng.normal(size=(13, 13)) / 2)


MADE_UP = {"random": normal, "large": lognormal}


def made_up_file(name: str, folder: str) -> Path:
    path, numbers = Path(folder) / f"{name}.csv", MADE_UP[name]()
    header = ",".join(f"v{j}" for j in range(numbers.shape[1]))
    np.savetxt(path, numbers, delimiter=",", header=header, comments="")
    return path


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--cpu"]
    cpu = "--cpu" in sys.argv
    seconds = float(words[0]) if words else 10.0
    workers = int(words[1]) if len(words) > 1 else 2
    for name in words[2:] or ["census", "eia", "tarragona"]:
        if name in MADE_UP:
            with tempfile.TemporaryDirectory() as folder:
                compare(name, made_up_file(name, folder), 3, seconds, workers, cpu)
            continue
        for k in SIZES:
            compare(name, reference_file(f"casc/{name}.csv"), k, seconds, workers, cpu)


if __name__ == "__main__":
    main()
