"""Clustering before protecting against the thesis and against a grid; mending edit rules.

Reference data through EVOMASK_DATA. Seconds are CPU seconds, kernels compiled before.
"""

import sys
import time
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from evomask.data.edits import EditRepair, rules_of
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import either, generations, idle
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.measures.profiles import RiskProfile
from evomask.searches.base import SearchContext
from evomask.searches.clustered.search import (
    GENERATIONS,
    ClusteredSearch,
    Parameters,
    WantedClustering,
    WantedMethod,
)
from evomask_papers.clustered import GERMAN, HOUSING, original

THESIS = 31.62
SEEDS = range(1, 6)
LIKE_THESIS = Parameters(
    method=WantedMethod.GLOBAL_MEDIAN,
    clustering=WantedClustering.C_MEDIANS,
    profile=RiskProfile.PAPERS,
)
FREE = Parameters(profile=RiskProfile.PAPERS)
STRICT = Parameters()


class Found(NamedTuple):
    """A search carried out."""

    first: float
    best: tuple[float, ...]
    evaluations: int
    seconds: float


def searched(name: str, parameters: Parameters, seed: int) -> Found:
    """The search with its own budget."""
    around = SearchContext(partial(draw_stream, seed))
    setup = ClusteredSearch.setup(original(name), parameters, around)
    work = InProcess(Worker(setup.problem, seed))
    started = time.process_time()
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    first = state.summary.best
    until = either(generations(GENERATIONS), idle)
    state = evolve(state, setup.scheme, work, seed=seed, until=until, cost=setup.cost)
    best = min(state.archive.members, key=lambda member: setup.cost(member.fitness))
    return Found(first, best.fitness, state.evaluations, time.process_time() - started)


def balanced(name: str, label: str, parameters: Parameters, target: float | None = None) -> None:
    """The best balanced loss and risk, median of five seeds."""
    runs = [searched(name, parameters, seed) for seed in SEEDS]
    worst = median(max(run.best) for run in runs)
    middle = min(runs, key=lambda run: abs(max(run.best) - worst))
    told = f", ratio to the thesis {worst / target:.3f}" if target else ""
    print(
        f"{name}, {label}: worst of loss and risk {worst:.2f} "
        f"({middle.best[0]:.2f} and {middle.best[1]:.2f}), all seeds "
        f"{min(max(r.best) for r in runs):.2f} to {max(max(r.best) for r in runs):.2f}; "
        f"first population {median(r.first for r in runs):.2f}; {middle.evaluations} evaluations, "
        f"{median(r.seconds for r in runs):.1f} s{told}",
        flush=True,
    )


def against_grid() -> None:
    """Evolution beside the exhaustive grid of the same space, German credit."""
    evolved = searched(GERMAN, LIKE_THESIS, 1)
    grid = Parameters(
        method=LIKE_THESIS.method,
        clustering=LIKE_THESIS.clustering,
        profile=LIKE_THESIS.profile,
        exhaustive=True,
        levels=24,
    )
    listed = searched(GERMAN, grid, 1)
    print(
        f"evolution {max(evolved.best):.2f} in {evolved.evaluations} evaluations, "
        f"grid {max(listed.best):.2f} in {listed.evaluations}: "
        f"ratio of evaluations {evolved.evaluations / listed.evaluations:.2f}",
        flush=True,
    )


def mending(n_records: int = 100_000) -> None:
    """Seconds to make records obey four rules after noise, beside making the noise."""
    rng = np.random.default_rng(1)
    names = ("a", "b", "total", "start", "end")
    a, b = rng.integers(0, 1000, n_records), rng.integers(0, 500, n_records)
    start = rng.integers(1990, 2010, n_records)
    columns: tuple[Any, ...] = (a, b, a + b, start, start + rng.integers(0, 10, n_records))
    attributes = (
        Attribute(name, Kind.CONTINUOUS, Role.QUASI_IDENTIFIER, decimals=0) for name in names
    )
    edits = ("total = a + b", "start <= end", "0 <= a <= 990", "b <= total")
    table = Table(Schema(tuple(attributes), edits), dict(zip(names, columns, strict=True)))
    masked = table.with_columns(
        {n: table[n] + rng.normal(0, 0.3 * table[n].std(), n_records) for n in names}
    )
    mender = EditRepair.of(table)
    broken = int(rules_of(table.schema).broken_by(masked).sum())
    started = time.process_time()
    mended = mender.mended(masked)
    seconds = time.process_time() - started
    left = int(rules_of(table.schema).broken_by(mended).sum())
    print(
        f"edit rules: {broken} of {n_records} records mended in {seconds:.2f} s "
        f"({1e6 * seconds / broken:.1f} microseconds each), {left} left",
        flush=True,
    )


def main() -> None:
    parts = sys.argv[1:] or ["thesis", "free", "strict", "unseen", "grid", "rules"]
    if "thesis" in parts:
        balanced(GERMAN, "clustered global median, c-medians, papers", LIKE_THESIS, THESIS)
    if "free" in parts:
        balanced(GERMAN, "any method and clustering, papers", FREE, THESIS)
    if "strict" in parts:
        balanced(GERMAN, "any method and clustering, strict", STRICT)
    if "unseen" in parts:
        balanced(HOUSING, "clustered global median, c-medians, papers", LIKE_THESIS)
    if "grid" in parts:
        against_grid()
    if "rules" in parts:
        mending()


if __name__ == "__main__":
    main()
