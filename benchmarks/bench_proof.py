"""How far from the best possible the partition search is, and what proving that takes.

    python benchmarks/bench_proof.py [evaluations] [name ...]

Prints, for each file and k, the gap of the quick bound and the proven gap in percent of the bound,
the sum of squares before and after the proof, and the CPU seconds of search and proof.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from evomask.io.datasets import reference_file
from evomask.runs.inputs import Input
from evomask.runs.search import Limits, SearchJob, search_file

EVALUATIONS = 50_000_000
CASES = {
    "tarragona": (3, 5),
    "census": (3, 5),
    "random": (3, 5),
    "uniform": (3,),
}
"""The files and k; those made up have 1,000 records of 2 numbers."""


def file_of(name: str, folder: Path) -> Path:
    if name not in ("random", "uniform"):
        return reference_file(f"casc/{name}.csv")
    rng = np.random.default_rng(5)
    records = rng.normal(size=(1000, 2)) if name == "random" else rng.random((1000, 2))
    pl.DataFrame(records, schema=["x", "y"]).write_csv(folder / f"{name}.csv")
    return folder / f"{name}.csv"


def searched(path: Path, k: int, evaluations: int, prove: bool) -> tuple[dict[str, Any], float]:
    parameters = {"k": str(k)} | ({"prove": "true"} if prove else {})
    job = SearchJob(Input(path), "partition", parameters, Limits(evaluations=evaluations), seed=1)
    began = time.process_time()
    answer = dict(search_file(job).answer)
    return answer, time.process_time() - began


def main(evaluations: int, names: list[str]) -> None:
    print("file          k  quick gap  proven gap      sse   proved sse  search s  proof s")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = file_of(name, Path(folder))
            for k in CASES[name]:
                plain, seconds = searched(path, k, evaluations, prove=False)
                proven, both = searched(path, k, evaluations, prove=True)
                quick = 100.0 * (plain["sse"] / plain["lower_bound"] - 1.0)
                print(
                    f"{name:12} {k:2}  {quick:8.2f}%  {proven['gap']:9.3f}%  {plain['sse']:9.4f}"
                    f"  {proven['sse']:9.4f}  {seconds:8.1f}  {both - seconds:7.1f}",
                    flush=True,
                )


if __name__ == "__main__":
    effort = [int(word) for word in sys.argv[1:] if word.isdigit()]
    chosen = [word for word in sys.argv[1:] if not word.isdigit()]
    main(effort[0] if effort else EVALUATIONS, chosen or list(CASES))
