"""Five named analyses with limits of 5 %, against the same budget without steering.

    python benchmarks/bench_steering.py [survey] [adult] [--records 1500] [--evaluations 300]

For each file the engine runs twice with the same seed and budget: with a limit of 5 % for each of
five analyses, and without, where their errors are computed but steer nothing. Printed are the
limits that each front breaks, and the loss at equal risk: of each steered point over that of the
unsteered front at no more risk. No requirement, release draw 0.
"""

import argparse
import sys
from collections.abc import Sequence
from time import process_time

import numpy as np

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.engine.engine import Engine
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.front import FrontPoint
from evomask.engine.specialists import specialists_for
from evomask.engine.state import EngineState
from evomask.evolution.stopping import Budget
from evomask.execution.local import InProcess
from evomask.io.datasets import reference_file, survey
from evomask.io.tables import read_table
from evomask.masking.enforce.requirement import NOTHING
from evomask.measures.analyses.analyses import AnalysesToPreserve
from evomask.runs.store.journal import Journal
from evomask.searches.base import SearchInput

AIM = 1.1
"""Largest loss at equal risk, over that without steering."""

SURVEY = {
    Kind.NOMINAL: "sex marital occupation",
    Kind.ORDINAL: "age education household_size",
    Kind.CONTINUOUS: "wage income",
}
OF_SURVEY = AnalysesToPreserve(
    ("education x sex: mean wage <= 5 %", "marital x sex <= 5 %"),
    ("income ~ age + education + sex <= 5 %",),
    ("gini(income) by sex <= 5 %", "p90p50(wage) <= 5 %"),
)
ADULT = {
    Kind.CONTINUOUS: "age fnlwgt hours-per-week",
    Kind.NOMINAL: "workclass education marital-status sex",
}
OF_ADULT = AnalysesToPreserve(
    ("education x sex <= 5 %", "marital-status: mean age <= 5 %"),
    ("income = >50K ~ age + sex + hours-per-week <= 5 %",),
    ("share(income = >50K) by education <= 5 %", "p90p10(age) by sex <= 5 %"),
)
CASES = {"survey": (SURVEY, "health", OF_SURVEY), "adult": (ADULT, "income", OF_ADULT)}


def table_for(name: str, records: int) -> Table:
    kinds, secret, _ = CASES[name]
    people = {
        column: Declaration(kind, Role.QUASI_IDENTIFIER)
        for kind, names in kinds.items()
        for column in names.split()
    }
    people[secret] = Declaration(Kind.NOMINAL, Role.CONFIDENTIAL)
    if name == "survey":
        table = table_from(survey().select(*people), people)
    else:
        table = read_table(reference_file("uci/adult.csv"), people).only([*people])
    return table.take(np.random.default_rng(1).permutation(len(table))[:records])


def front_of_run(
    table: Table, keep: AnalysesToPreserve, how: argparse.Namespace, *, steered: bool
) -> Sequence[FrontPoint]:
    members = specialists_for(SearchInput(table, NOTHING, "strict", {}), tuple(how.searches))
    limits = keep.limits if steered else {}
    settings = Settings(NOTHING, "strict", members, keep=keep, limits=limits)
    context = EvaluationContext(table, settings, how.seed)
    budget = Budget(None, how.evaluations, None)
    states = Engine(context, budget, Journal(), InProcess(context)).states(EngineState())
    *_, last = states
    return last.front


def compare(name: str, how: argparse.Namespace) -> bool:
    began, keep = process_time(), CASES[name][2]
    table = table_for(name, how.records)
    fronts = {
        word: front_of_run(table, keep, how, steered=word == "steered")
        for word in ("free", "steered")
    }
    for word, front in fronts.items():
        broken = np.array([len(point.broken(keep.limits)) for point in front])
        least = min((p.risk for p, b in zip(front, broken, strict=True) if b == 0), default=np.nan)
        near = min(front, key=lambda point: (max(point.risk - 10.0, 0.0), point.loss))
        print(
            f"{name:<7}{word:<8}{len(front):>3} points, {(broken == 0).sum():>3} meet all limits "
            f"(least risk {least:5.1f}), {(broken >= 2).sum():>3} break two or more; nearest to a "
            f"risk of 10: loss {near.loss:.1f}, risk {near.risk:.1f}, breaks "
            f"{len(near.broken(keep.limits))}"
        )
    ratios = [
        point.loss / best
        for point in fronts["steered"]
        if (best := min((p.loss for p in fronts["free"] if p.risk <= point.risk), default=0.0)) > 0
    ]
    found = f"{np.median(ratios):.2f} (median), {np.max(ratios):.2f} (largest)" if ratios else "-"
    print(
        f"{name:<7}loss at equal risk, steered over free: {found}, aim {AIM:g}; "
        f"{process_time() - began:.0f} s CPU"
    )
    met = all(not point.broken(keep.limits) for point in fronts["steered"])
    return met and bool(ratios) and float(np.median(ratios)) <= AIM


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(CASES))
    parser.add_argument("--records", type=int, default=1500)
    parser.add_argument("--evaluations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--searches", nargs="*", default=[])
    how = parser.parse_args()
    met = [compare(name, how) for name in how.names]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
