"""Generalization on Adult: CPU seconds over their aims, and what the searches find.

ARX 3.9.2 took, idle: 3.9 and 9.2 s for all 17,920 nodes (k; k and l), 1.20 and 1.36 s for the
optimum at 1 and 2 % suppression, and kept a granularity of 0.932 by local recoding. `--runs N`
averages the searches over N runs (20 for the figures in the documentation). `--huge` adds a
lattice of 10^9 nodes for 60 seconds.
"""

import argparse
import csv
import resource
import time
from collections.abc import Callable

import numpy as np

from evomask.data.hierarchy import Hierarchy
from evomask.data.hierarchy_builders import neighbour_hierarchy
from evomask.data.schema import Attribute, Kind, Role, Schema
from evomask.data.table import Table
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import seconds
from evomask.execution.local import InProcess
from evomask.io.datasets import reference_file
from evomask.searches.generalization.lattice import Lattice, lattice_of
from evomask.searches.generalization.local_recoding import recode_locally
from evomask.searches.generalization.objectives import index_named
from evomask.searches.generalization.optimum import optimum
from evomask.searches.generalization.search import Conditions, build_setup
from evomask_papers import generalization as paper
from evomask_papers.adult import complete_records, hierarchies

NINE = (
    "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
    "occupation", "income",
)  # fmt: skip


def arx_tree(name: str) -> Hierarchy:
    file = {"income": "salary-class"}.get(name, name)
    path = reference_file(f"hierarchies/adult/adult_hierarchy_{file}.csv")
    with path.open(newline="", encoding="utf-8") as lines:
        levels = tuple(zip(*csv.reader(lines, delimiter=";"), strict=True))
    return Hierarchy(levels[0], levels)


def timed(what: str, aim: float, work: Callable[[], object]) -> None:
    """Best of three, in CPU seconds and as a ratio to the aim."""
    spent = []
    for _ in range(3):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    print(f"{what:42} {min(spent):6.3f} s CPU, {min(spent) / aim:5.2f} of the aim of {aim} s")


def speeds() -> None:
    table = complete_records()
    plain, full = lattice_of(table, hierarchies()), paper.adult_lattice()
    nine = lattice_of(table, {name: arx_tree(name) for name in NINE})
    for lattice in (plain, full, nine):
        lattice.sweep(lattice.rule(limit=301))
    timed("all 17,920 nodes, k", 1.0, lambda: plain.sweep(plain.rule(limit=301)))
    timed("all 17,920 nodes, k, l, GLM", 2.0, lambda: full.sweep(full.rule(limit=301)))
    timed("optimum of 12,960, k = 5, 1 %", 0.4, lambda: optimum(nine, k=5, limit=301))
    timed("optimum of 12,960, k = 5, 2 %", 0.4, lambda: optimum(nine, k=5, limit=603))
    timed("local recoding, 9 attributes, k = 5", 10.0, lambda: recode_locally(nine, 5))
    kept = recode_locally(nine, 5).granularity
    print(f"granularity of local recoding {kept:.4f}, {kept / 0.932:.3f} of ARX's")


def searches(runs: int) -> None:
    for name, table in (("PBG-EA", paper.table_1b), ("guided", paper.guided)):
        for row in table(runs):
            print(
                f"{name:7} {row['objectives']!s:12} RR {row['rr']:.3f} (paper {row['rr_paper']}), "
                f"CE {row['ce']:.1e} (paper {row['ce_paper']}), "
                f"nodes {row['nodes']:.0f} (paper {row['nodes_paper']}), front {row['exact_front']}"
            )


def huge_lattice() -> Lattice:
    """15 attributes of 8 values in trees of height 3: 4^15 nodes."""
    rng = np.random.default_rng(1)
    names = [f"a{i}" for i in range(15)]
    values = tuple(str(v) for v in range(8))
    schema = Schema(tuple(Attribute(n, Kind.ORDINAL, Role.QUASI_IDENTIFIER, values) for n in names))
    common = rng.normal(size=30_000)
    columns = {
        name: np.clip((common + rng.normal(size=30_000)) * 1.5 + 4, 0, 7).astype(int)
        for name in names
    }
    return lattice_of(Table(schema, columns), dict.fromkeys(names, neighbour_hierarchy(values)))


def huge(limit: float) -> None:
    lattice = huge_lattice()
    setup = build_setup(
        lattice, [index_named("k"), index_named("glm")], conditions=Conditions(limit=300)
    )
    work = InProcess(Worker(setup.problem, 0))
    started = time.perf_counter()
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    until = seconds(limit, lambda: time.perf_counter() - started)
    state = evolve(state, setup.scheme, work, seed=0, until=until, cost=setup.cost)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{lattice.size:,} nodes: a front of {len(state.archive.members)} after "
        f"{time.perf_counter() - started:.0f} s and {state.tasks} nodes, {memory:.0f} MB"
    )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--runs", type=int, default=2)
    asked.add_argument("--huge", type=float, nargs="?", const=60.0, default=0.0)
    options = asked.parse_args()
    speeds()
    searches(options.runs)
    if options.huge:
        huge(options.huge)


if __name__ == "__main__":
    main()
