"""The main job: the portfolio against each of its searches alone, and against simple methods.

``python benchmarks/bench_protect.py [SECONDS]``; reference data through EVOMASK_DATA.
Every run has the same wall time; the hypervolume is the share of all pairs of loss and risk
that a front beats. sdcMicro's usual methods stand here by ours with the same parameters: MDAV
with 3, rank swapping within 5 %, additive noise of 150 %.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evomask.data.table import Table
from evomask.io.datasets import reference_file
from evomask.masking.mdav import Mdav
from evomask.masking.method import MaskingMethod
from evomask.masking.noise import IndependentNoise
from evomask.masking.rank_swapping import RankSwapping
from evomask.runs.candidates import volume_of
from evomask.runs.inputs import Input, load
from evomask.runs.members import File, searches_for
from evomask.runs.protect import protect_table
from evomask.runs.protected import Protected, ProtectJob
from evomask.runs.requirements import Requirement

SECONDS, WORKERS, SEED = 60.0, 2, 1


@dataclass(frozen=True)
class Case:
    """A file with what is required of it."""

    name: str
    source: Input
    requirement: Requirement

    @property
    def table(self) -> Table:
        return load(self.source).table


CASES = (
    Case("Census", Input(reference_file("casc/census.csv")), Requirement()),
    Case("Census, k = 5", Input(reference_file("casc/census.csv")), Requirement(k=5)),
    Case("German credit", Input(reference_file("uci/german_credit.csv")), Requirement()),
)


def found(case: Case, table: Table, seconds: float, searches: tuple[str, ...]) -> Protected:
    job = ProtectJob(
        case.source, Path(), case.requirement, seconds=seconds, seed=SEED, searches=searches
    )
    return protect_table(table, job, workers=WORKERS)


def against_each_alone(case: Case, seconds: float) -> Protected:
    """The portfolio's hypervolume over that of the best single search at the same time."""
    table = case.table
    names = searches_for(File(table, case.requirement, "strict"))
    alone = {name: volume_of(found(case, table, seconds, (name,)).front) for name in names}
    together = found(case, table, seconds, ())
    volume = volume_of(together.front)
    for name, own in alone.items():
        print(f"{case.name}: {name} alone, hypervolume {own:.2f} %")
    ratio = volume / max(alone.values())
    shares = ", ".join(f"{name} {share:.0f} %" for name, share in together.shares.items())
    print(f"{case.name}: portfolio, hypervolume {volume:.2f} %; shares: {shares}")
    print(f"{case.name}: portfolio over the best search alone: {ratio:.3f}")
    return together


def against_first_population(case: Case, done: Protected) -> None:
    """The balanced point against every file of the grid, all of it tried."""
    names = done.schema.quasi_identifiers
    grid = [one.worst for one in found(case, done.table, 600.0, ("grid",)).candidates]
    score = done.chosen.worst
    print(f"{case.name}: balanced {score:.2f} %, best of {len(grid)} first files {min(grid):.2f} %")
    simple: dict[str, MaskingMethod] = {
        "MDAV, k = 3": Mdav(names, 3),
        "rank swapping, 5 %": RankSwapping(names, 5.0),
        "noise, 150 %": IndependentNoise(names, 150.0),
    }
    for title, method in simple.items():
        masked = method.mask(done.table, np.random.default_rng(SEED))
        read = done.shop.measured(masked)
        ratio = score / max(read.loss, read.risk)
        print(f"{case.name}: {title}: loss {read.loss:.2f} %, risk {read.risk:.2f} %; {ratio:.3f}")


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    for place, case in enumerate(CASES):
        done = against_each_alone(case, seconds)
        if place == 0:
            against_first_population(case, done)


if __name__ == "__main__":
    main()
