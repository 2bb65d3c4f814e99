"""Files beyond memory: generalization to k = 5 and microaggregation, part by part.

Records are made in parts: five skewed categorical quasi-identifiers that depend on one another
and three skewed numbers. Two workers of a local cluster with 2 GB each. What was written is
counted again by pandas, which shares no code with evomask. Time, CPU seconds and the peak of
the largest process are printed; `measure` measures what `aggregate` made, and `whole` compares the
loss of regions with MDAV of all records.

    python benchmarks/bench_parts.py FOLDER generalize 10_000_000
    python benchmarks/bench_parts.py FOLDER aggregate 1_000_000 10_000_000
    python benchmarks/bench_parts.py FOLDER measure 1_000_000 10_000_000
    python benchmarks/bench_parts.py FOLDER recipes 1_000_000
    python benchmarks/bench_parts.py FOLDER whole 1_000_000
"""

import resource
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl

from evomask.execution.local import open_evaluators
from evomask.masking.enforce.requirement import Requirement
from evomask.outofcore.compare import Comparison
from evomask.outofcore.generalize import GeneralizeJob, generalize_parts
from evomask.outofcore.mask import PartsJob, mask_parts
from evomask.outofcore.measure import MeasurePartsJob, measure_parts
from evomask.outofcore.protect import protect_parts
from evomask.runs.inputs import Input
from evomask.runs.measure import MeasureOutcome
from evomask.runs.protect import ProtectJob

CHUNK = 250_000
CLUSTER = "local:2:2GB"
SEARCHED = 120.0
"""Seconds of the search on the sample."""
TOGETHER = 20
"""Files whose counts pandas adds up at once."""
BOTH = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
QUASI = ("age", "sex", "region", "education", "occupation")
NUMBERS = ("income", "wealth", "hours", "age")
MIXED = ("income", "wealth", "sex", "region")


def people(number: int, n: int) -> pl.DataFrame:
    """Some of the records, always the same for the same number."""
    rng = np.random.default_rng([11, number])
    age = np.clip(rng.normal(44, 19, n), 0, 99).astype(np.int16)
    education = np.clip(rng.poisson(3 + (age > 25) * 3 - (age > 70) * 2), 0, 11)
    occupation = np.clip(rng.poisson(education * 1.5) + (age < 16) * 19, 0, 19)
    z = rng.normal(size=(n, 3))
    grown = 0.08 * education + 0.01 * np.minimum(age, 60)
    return pl.DataFrame(
        {
            "age": age,
            "sex": rng.integers(0, 2, n).astype(np.int8),
            "region": np.minimum(199, rng.zipf(1.35, n) - 1).astype(np.int16),
            "education": education.astype(np.int8),
            "occupation": occupation.astype(np.int8),
            "income": np.exp(9.3 + grown + 0.55 * z[:, 0]).round(),
            "wealth": np.exp(9.0 + 0.03 * age + 0.6 * z[:, 0] + 1.1 * z[:, 1]).round(),
            "hours": np.clip(37 + 4 * z[:, 0] + 8 * z[:, 2], 0, 90).round(1),
        }
    )


def made(folder: Path, n: int) -> Path:
    """A folder of Parquet files with so many records, made once."""
    target = folder / f"people-{n}"
    target.mkdir(parents=True, exist_ok=True)
    for number, first in enumerate(range(0, n, CHUNK)):
        path = target / f"part-{number:05}.parquet"
        if not path.exists():
            people(number, min(CHUNK, n - first)).write_parquet(path, compression="zstd")
    return target


def counted(folder: Path, names: tuple[str, ...]) -> str:
    """The smallest class and the records of all written parts, by pandas."""
    waiting: list[pd.Series] = []
    for path in sorted(folder.glob("*.parquet")):
        frame = pd.read_parquet(path, columns=list(names))
        waiting.append(frame.groupby(list(names), dropna=False).size())
        if len(waiting) == TOGETHER:
            waiting = [pd.concat(waiting).groupby(level=list(names), dropna=False).sum()]
    total = pd.concat(waiting).groupby(level=list(names), dropna=False).sum()
    return f"pandas counts k = {int(total.min())} in {int(total.sum()):,} records"


def told(step: str, done: int, count: int) -> None:
    print(f"  {time.strftime('%H:%M:%S')} {step}: {done} of {count}", file=sys.stderr, flush=True)


class Watch:
    """Wall and CPU seconds, and the peak of the largest process, once the block is left."""

    def __enter__(self) -> "Watch":
        self.wall, self.before = time.perf_counter(), self._cpu()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall = time.perf_counter() - self.wall
        self.cpu = self._cpu() - self.before

    @staticmethod
    def _cpu() -> float:
        own, others = (
            resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime

    def __str__(self) -> str:
        peaks = [resource.getrusage(who).ru_maxrss / 1024 for who in BOTH]
        return (
            f"{self.wall:.0f} s wall, {self.cpu:.0f} CPU s, peak {peaks[0]:.0f} MB here, "
            f"{peaks[1]:.0f} MB in the largest worker"
        )


def generalize(folder: Path, n: int) -> None:
    out, source = folder / f"generalized-{n}", made(folder, n)
    with Watch() as watch, open_evaluators(cluster=CLUSTER) as evaluators:
        job = GeneralizeJob(Input(source, quasi_identifiers=QUASI), out, Requirement(k=5), seed=1)
        done = generalize_parts(job, evaluators=evaluators, told=told)
    print(
        f"generalization of {n:,}: {watch}; {done.combinations:,} combinations, levels "
        f"{tuple(done.levels.values())}, {done.suppressed:,} left out, {pair(done.compared)}, "
        f"k = {done.alike.least}; {counted(out / 'masked', QUASI)}",
        flush=True,
    )


def pair(found: Comparison | MeasureOutcome) -> str:
    """Loss and risk, with the error of the risk."""
    judged = found.assessment
    assert judged is not None
    return f"loss {found.loss:.2f} %, risk {judged.risk:.2f} % (s.e. {judged.worst.error:.2f})"


def recipes(folder: Path, n: int) -> None:
    """The engine on a sample, with k = 5, and the suggested recipe applied to all chunks."""
    out, source = folder / f"recipe-{n}", Input(made(folder, n), quasi_identifiers=MIXED)
    with Watch() as watch, open_evaluators(cluster=CLUSTER) as evaluators:
        mixed = replace(source, nominal=("sex", "region"))
        job = ProtectJob(mixed, out, Requirement(5), seconds=SEARCHED, seed=1)
        done = protect_parts(job, evaluators=evaluators, told=told)
    points, chosen = done.found.points, done.found.chosen
    print(
        f"recipes for {n:,}: {watch}; {points.tried} candidates on {done.sample:,}, a front of "
        f"{len(points.front)}; point {chosen.point} had loss {chosen.loss:.2f} %, risk "
        f"{chosen.risk:.2f} % there and has {pair(done.compared)}; {chosen.method}",
        flush=True,
    )


def measure(folder: Path, n: int) -> None:
    source = Input(made(folder, n), quasi_identifiers=NUMBERS)
    with Watch() as watch, open_evaluators(cluster=CLUSTER) as evaluators:
        job = MeasurePartsJob(source, folder / f"aggregated-{n}")
        found = measure_parts(job, evaluators=evaluators, told=told)
    print(f"measuring {n:,}: {watch}; {pair(found)}", flush=True)


def aggregate(folder: Path, n: int) -> None:
    out, source = folder / f"aggregated-{n}", Input(made(folder, n), quasi_identifiers=NUMBERS)
    with Watch() as watch, open_evaluators(cluster=CLUSTER) as evaluators:
        job = PartsJob(source, "mdav", out, {"k": "5"}, NUMBERS, 1)
        done = mask_parts(job, evaluators=evaluators, told=told)
    found = done.aggregation
    assert found is not None
    print(
        f"microaggregation of {n:,}: {watch}; {found.regions} regions, shell {found.shell:g}, "
        f"{found.groups:,} groups, IL {found.il:.4f} %, k = {done.alike.least}",
        flush=True,
    )


def whole(folder: Path, n: int) -> None:
    """MDAV of all records at once, beside the regions."""
    from evomask.data.partition import within_sum_of_squares
    from evomask.kernels.groups.mdav import mdav

    frame = pl.read_parquet(made(folder, n) / "*.parquet", columns=list(NUMBERS)).select(NUMBERS)
    points = frame.cast(pl.Float64).to_numpy()
    points = np.ascontiguousarray((points - points.mean(0)) / points.std(0))
    with Watch() as watch:
        sse = within_sum_of_squares(points, mdav(points, 5))
    print(f"MDAV of {n:,} at once: {watch}; IL {100 * sse / points.size:.4f} %", flush=True)


if __name__ == "__main__":
    for size in sys.argv[3:]:
        {
            "generalize": generalize,
            "aggregate": aggregate,
            "recipes": recipes,
            "measure": measure,
            "whole": whole,
        }[sys.argv[2]](Path(sys.argv[1]), int(size))
