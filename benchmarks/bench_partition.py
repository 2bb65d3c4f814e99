"""How low the partition search gets: information loss against MDAV, in a given wall time.

    python benchmarks/bench_partition.py [seconds] [workers] [name ...]

Prints, for each reference file and k, the information loss of MDAV and of the memetic search in
percent, their ratio, the lower bound, and the CPU seconds of all processes together: where they
are fewer than seconds times workers, the machine was busy with something else. With the name
``random`` it runs on 50,000 random records of 5 numbers.
"""

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from evomask.data.distance import Standardizer
from evomask.data.partition import information_loss
from evomask.io.datasets import reference_file
from evomask.io.tables import read_table
from evomask.kernels.mdav import mdav
from evomask.runs.inputs import Input
from evomask.runs.search import Limits, SearchJob, search_file

EIA = (
    "UTILITYID", "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES",
    "OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES",
)  # fmt: skip
SIZES = (3, 5, 10)


def cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def compare(name: str, path: Path, k: int, seconds: float, workers: int) -> None:
    quasi = EIA if name == "eia" else read_table(path).schema.names
    points = read_table(path).matrix(quasi)
    points = Standardizer.of(points)(points)
    before = information_loss(points, mdav(points, k))
    started = cpu_seconds()
    job = SearchJob(
        Input(path, quasi_identifiers=quasi),
        "partition",
        {"k": str(k)},
        Limits(seconds=seconds),
        seed=1,
    )
    run = search_file(job, workers=workers)
    found, bound, sse = (float(str(run.answer[key])) for key in ("il", "lower_bound", "sse"))
    print(
        f"{name:10} k={k:2}  MDAV {before:8.4f}  memetic {found:8.4f}  ratio {found / before:.4f}  "
        f"bound {found * bound / sse:8.4f}  {run.seconds:5.1f} s wall  "
        f"{cpu_seconds() - started:6.1f} s CPU with start-up  {run.state.generation} generations",
        flush=True,
    )


def random_file(folder: str) -> Path:
    path = Path(folder) / "random.csv"
    numbers = np.random.default_rng(0).normal(size=(50_000, 5))
    np.savetxt(path, numbers, delimiter=",", header="a,b,c,d,e", comments="")
    return path


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    names = sys.argv[3:] or ["census", "eia", "tarragona"]
    for name in names:
        if name == "random":
            with tempfile.TemporaryDirectory() as folder:
                compare(name, random_file(folder), 3, seconds, workers)
            continue
        for k in SIZES:
            compare(name, reference_file(f"casc/{name}.csv"), k, seconds, workers)


if __name__ == "__main__":
    main()
