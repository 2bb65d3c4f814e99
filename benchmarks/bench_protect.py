"""The main job: the portfolio against each of its searches alone, and against simple methods.

``python benchmarks/bench_protect.py [SECONDS [CASE...]]``, cases by a part of their names;
reference data through EVOMASK_DATA.
Every run has the same wall time; the hypervolume is the share of all pairs of loss and risk
that a front beats. sdcMicro's usual methods stand here by ours with the same parameters: MDAV
with 3, rank swapping within 5 %, additive noise of 150 %.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

import numpy as np
import polars as pl

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.engine.front import balanced, volume_of
from evomask.engine.specialists import searches_for
from evomask.execution.local import Local
from evomask.io.datasets import reference_file
from evomask.io.hierarchies import read_hierarchies
from evomask.masking.enforce.requirement import NOTHING, Requirement
from evomask.masking.method import MaskingMethod
from evomask.masking.microaggregation.mdav import Mdav
from evomask.masking.noise import IndependentNoise
from evomask.masking.rank_swapping import RankSwapping
from evomask.report.protection import Protection
from evomask.runs.inputs import Input, load
from evomask.runs.protect import ProtectJob, protect_table
from evomask.searches.base import SearchInput

SECONDS, WORKERS, SEED = 60.0, 2, 1


def census() -> Table:
    return load(Input(reference_file("casc/census.csv"))).table


def german() -> Table:
    return load(Input(reference_file("uci/german_credit.csv"))).table


def adult() -> Table:
    """Complete records, their quasi-identifiers categorical, with value trees."""
    names = (
        "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
        "native-country",
    )  # fmt: skip
    frame = pl.read_csv(reference_file("uci/adult.csv"), null_values="?").drop_nulls(names)
    trees = {n: reference_file(f"hierarchies/adult/adult_hierarchy_{n}.csv") for n in names}
    kinds = dict.fromkeys(names, Kind.NOMINAL) | {"age": Kind.ORDINAL}
    return table_from(
        frame,
        {n: Declaration(kinds[n], Role.QUASI_IDENTIFIER, hierarchy=str(trees[n])) for n in names},
    )


@dataclass(frozen=True)
class Case:
    """A file with what is required of it."""

    name: str
    load: Callable[[], Table]
    requirement: Requirement = NOTHING


CASES = (
    Case("Census", census),
    Case("Census, k = 5", census, Requirement(k=5)),
    Case("German credit", german),
    Case("Adult, k = 5", adult, Requirement(k=5)),
)


def found(case: Case, table: Table, seconds: float, searches: tuple[str, ...]) -> Protection:
    job = ProtectJob(
        Input(Path(case.name)),
        Path(),
        case.requirement,
        seconds=seconds,
        seed=SEED,
        searches=searches,
    )
    return protect_table(
        table, job, evaluators=Local(WORKERS), hierarchies=read_hierarchies(table.schema)
    )


def against_each_alone(case: Case, seconds: float) -> Protection:
    """The portfolio's hypervolume over that of the best single search at the same time."""
    table = case.load()
    names = searches_for(
        SearchInput(table, case.requirement, "strict", read_hierarchies(table.schema))
    )
    alone = {name: volume_of(found(case, table, seconds, (name,)).front) for name in names}
    together = found(case, table, seconds, ())
    volume = volume_of(together.front)
    most = max(getrusage(who).ru_maxrss for who in (RUSAGE_SELF, RUSAGE_CHILDREN)) / 1e6
    print(f"{case.name}: largest process so far {most:.2f} GB")
    for name, own in alone.items():
        print(f"{case.name}: {name} alone, hypervolume {own:.2f} %")
    ratio = volume / max(alone.values())
    shares = ", ".join(f"{name} {share:.0f} %" for name, share in together.shares.items())
    print(f"{case.name}: portfolio, hypervolume {volume:.2f} %; shares: {shares}")
    best, tried = balanced(together.front), len(together.state.candidates)
    pair = f"loss {best.loss:.2f} %, risk {best.risk:.2f} %"
    print(f"{case.name}: {tried} files tried; balanced point: {pair}")
    print(f"{case.name}: portfolio over the best search alone: {ratio:.3f}")
    return together


def against_first_population(case: Case, done: Protection) -> None:
    """The balanced point against every file of the grid, all of it tried."""
    names = done.table.schema.quasi_identifiers
    alone = found(case, done.table, 600.0, ("grid",))
    grid = [candidate.worst for candidate in alone.state.candidates]
    score = balanced(done.front).worst
    print(f"{case.name}: balanced {score:.2f} %, best of {len(grid)} first files {min(grid):.2f} %")
    simple: dict[str, MaskingMethod] = {
        "MDAV, k = 3": Mdav(names, 3),
        "rank swapping, 5 %": RankSwapping(names, 5.0),
        "noise, 150 %": IndependentNoise(names, 150.0),
    }
    for title, method in simple.items():
        masked = method.mask(done.table, np.random.default_rng(SEED))
        read = done.maker.measured(masked)
        ratio = score / max(read.loss, read.risk)
        print(f"{case.name}: {title}: loss {read.loss:.2f} %, risk {read.risk:.2f} %; {ratio:.3f}")


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    wanted = sys.argv[2:] or [case.name for case in CASES]
    for case in CASES:
        if any(part in case.name for part in wanted):
            done = against_each_alone(case, seconds)
            if case.name == "Census":
                against_first_population(case, done)


if __name__ == "__main__":
    main()
