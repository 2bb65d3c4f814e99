"""Files that other programs would release of Adult, beside the front of `protect` (k = 5).

    python benchmarks/peers/rivals.py [SECONDS [RECORDS...]]

Their methods are our own equal implementations, with the parameters that their users would take:
Mondrian with k = 5; the recoding that anjana chooses (Datafly: the attribute with most values is
generalized until k holds, with 5 % left out); sdcMicro's local suppression of categories to k = 5
beside microaggregated ages; ARX's optimal recoding with 5 % left out; and a Gaussian copula as in
SDV. Every file is measured like a candidate of the engine, its twin made by the same method.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from works import QUASI, adult_table, hierarchies, trees, with_regions

from evomask.data.classes import classes_of
from evomask.data.hierarchy_builders import complete_hierarchies
from evomask.data.table import Table
from evomask.engine.evaluation import EvaluationContext, Settings
from evomask.engine.front import FrontPoint
from evomask.errors import EvomaskError
from evomask.execution.local import Local
from evomask.masking.enforce.requirement import NOTHING, Requirement
from evomask.masking.local_suppression import LocalSuppression
from evomask.masking.microaggregation.mdav import MdavGeneric
from evomask.masking.microaggregation.mondrian import Mondrian
from evomask.runs.inputs import Input
from evomask.runs.protect import ProtectJob, protect_table
from evomask.runs.synthetic import synthetic_file
from evomask.searches.generalization.lattice import lattice_of
from evomask.searches.generalization.optimum import optimum

K, LEFT_OUT, SEED = 5, 5.0, 1
SIZES = (2_000, 30_162, 100_000)


def mondrian(table: Table) -> Table:
    labels = Mondrian(QUASI, K).partition(table, np.random.default_rng(SEED))
    return with_regions(table, labels)


def recoded(table: Table, levels: tuple[int, ...]) -> Table:
    made = lattice_of(table, hierarchies(table)).applied(levels)
    classes = classes_of(made, QUASI)
    return made.suppressing(classes.sizes[classes.labels] < K)


def datafly(table: Table) -> Table:
    """Generalize the attribute with most values until few enough records are left out."""
    lattice = lattice_of(table, hierarchies(table))
    heights = [hierarchies(table)[name].height for name in QUASI]
    levels = [0] * len(QUASI)
    while True:
        made = lattice.applied(tuple(levels))
        classes = classes_of(made, QUASI)
        few = int(classes.sizes[classes.sizes < K].sum())
        if few <= LEFT_OUT / 100 * len(table):
            return recoded(table, tuple(levels))
        sizes = [
            len(np.unique(made[name])) if level < top else 0
            for name, level, top in zip(QUASI, levels, heights, strict=True)
        ]
        levels[int(np.argmax(sizes))] += 1


def suppressed(table: Table) -> Table:
    rng = np.random.default_rng(SEED)
    cells = LocalSuppression(tuple(name for name in QUASI if name != "age"), K).mask(table, rng)
    return MdavGeneric(("age",), K).mask(cells, rng)


def optimal(table: Table) -> Table:
    lattice = lattice_of(table, hierarchies(table))
    best = optimum(lattice, k=K, limit=int(LEFT_OUT / 100 * len(table)))
    assert best is not None
    return recoded(table, best.levels)


def copula(table: Table) -> Table:
    return synthetic_file(table, np.random.default_rng(SEED))


RIVALS: dict[str, Callable[[Table], Table]] = {
    "Mondrian": mondrian,
    "recoding as anjana": datafly,
    "local suppression and microaggregation as sdcMicro": suppressed,
    "optimal recoding as ARX": optimal,
    "copula as SDV": copula,
}


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 120.0
    for records in [int(word) for word in sys.argv[2:]] or SIZES:
        table = adult_table(records)
        lines = {name: list(zip(*own, strict=True)) for name, own in trees().items()}
        given = complete_hierarchies(table, lines)
        job = ProtectJob(Input(Path("adult")), Path(), Requirement(K), seconds=seconds, seed=SEED)
        done = protect_table(table, job, evaluators=Local(2), hierarchies=given)
        context = EvaluationContext(table, Settings(NOTHING, "strict", {}), SEED)
        points = ", ".join(f"({p.loss:.1f}, {p.risk:.1f})" for p in done.front)
        print(f"{records:,} records, {seconds:g} s: {points}", flush=True)
        for name, make in RIVALS.items():
            try:
                rest = context.rest_of(table)
                found = context.measured(make(table), None if rest is None else make(rest))
            except EvomaskError as error:
                print(f"  {name}: {error}", flush=True)
                continue
            better = [p for p in done.front if p.loss <= found.loss and p.risk <= found.risk]
            print(f"  {name}: {found.loss:.1f}, {found.risk:.1f}; {_verdict(better)}", flush=True)


def _verdict(better: list[FrontPoint]) -> str:
    if not better:
        return "dominated by no point"
    best = min(better, key=lambda point: point.worst)
    return f"dominated by ({best.loss:.1f}, {best.risk:.1f}), {best.search}"


if __name__ == "__main__":
    main()
