"""Several uses at once against one use at a time, and local recodings against nodes.

    python benchmarks/bench_uses.py [evaluations]

Adult, 2,000 records, three class labels and a table: for k of 5 or more, the least that any point
of the front of all uses costs each use, beside the least that a search for that use alone finds
with as many evaluations, and beside the least of nodes alone. Reference data through EVOMASK_DATA.
"""

import sys
import time
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from evomask.data.frames import Declaration, table_from
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import evaluations
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.io.datasets import reference_file
from evomask.io.hierarchies import read_hierarchies
from evomask.measures.analyses.analyses import AnalysesToPreserve
from evomask.searches.base import SearchContext
from evomask.searches.generalization.search import GeneralizationSearch, Parameters

QUASI = ("age", "education", "marital-status", "race", "sex", "native-country", "workclass")
LABELS = ("income", "occupation", "relationship")
TABLE = "sex x education"
RECORDS, MOST_ANONYMITY = 2_000, 20.0
"""Points that count have a k of 5 or more."""


def adult() -> Table:
    frame = pl.read_csv(reference_file("uci/adult.csv"), null_values="?").select(*QUASI, *LABELS)
    frame = frame.drop_nulls()
    frame = frame[(np.arange(RECORDS) * (frame.height / RECORDS)).astype(int).tolist()]
    trees = "hierarchies/adult/adult_hierarchy_{}.csv"
    declared = {
        name: Declaration(
            Kind.ORDINAL if name == "age" else Kind.NOMINAL,
            Role.QUASI_IDENTIFIER,
            hierarchy=str(reference_file(trees.format(name))),
        )
        for name in QUASI
    }
    return table_from(frame, declared | {name: Declaration(Kind.NOMINAL) for name in LABELS})


def searched(
    table: Table, labels: tuple[str, ...], keep: AnalysesToPreserve, effort: int
) -> tuple[Any, Any]:
    trees: Any = read_hierarchies(table.schema)
    around = SearchContext(partial(draw_stream, 1), hierarchies=trees, keep=keep)
    parameters = Parameters(uses=True, labels=labels, attributes=QUASI)
    setup = GeneralizationSearch.setup(table, parameters, around)
    work = InProcess(Worker(setup.problem, 1))
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    until = evaluations(effort)
    return setup.problem, evolve(state, setup.scheme, work, seed=1, until=until, cost=setup.cost)


def least(problem: Any, state: Any, *, nodes: bool = False) -> dict[str, float]:
    """The least that a point costs each use, of those with k of 5 or more."""
    rows = [
        member.fitness
        for member in state.archive.members
        if member.fitness[0] <= MOST_ANONYMITY and not (nodes and member.genome.is_local)
    ]
    lows = np.min(rows, axis=0) if rows else np.full(len(problem.uses.names), np.nan)
    return dict(zip(problem.uses.names, lows.tolist(), strict=True))


def main(effort: int) -> None:
    table, began = adult(), time.process_time()
    problem, state = searched(table, LABELS, AnalysesToPreserve((TABLE,)), effort)
    together, nodes = least(problem, state), least(problem, state, nodes=True)
    front = state.archive.members
    local = sum(member.genome.is_local for member in front)
    print(f"{len(front)} points, {local} of them local; {time.process_time() - began:.0f} CPU s")
    print("use                      all uses at once   nodes alone   this use alone")
    for name in LABELS:
        alone = least(*searched(table, (name,), AnalysesToPreserve(), effort))
        use = f"label {name}"
        print(f"{use:24} {together[use]:16.2f} {nodes[use]:13.2f} {alone[use]:16.2f}", flush=True)
    alone = least(*searched(table, (), AnalysesToPreserve((TABLE,)), effort))
    use = f"table {TABLE}"
    print(f"{use:24} {together[use]:16.2f} {nodes[use]:13.2f} {alone[use]:16.2f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
