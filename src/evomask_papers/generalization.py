"""Reproductions of PBG-EA on Adult (Dewri, Ray, Ray and Whitley, 2010).

The hierarchies are ours (see `adult`), so exact fronts and all figures differ a little from the
paper's.

CE is printed there as a sum over the archive, but its values fit a mean: with as many points off
the front as RR implies, sums are 30 to 75 times as large with our hierarchies while means agree, in
Table 1 and for two properties in Table 2(a). With l and large boxes the paper's CE is 20 times our
mean or more; a point that is off by one value of l counts 1/14 there. Rows show both.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from statistics import mean, pvariance

import numpy as np

from evomask.data.chart import Chart
from evomask.evolution.archive import fitness_array
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.state import State
from evomask.evolution.stopping import evaluations
from evomask.execution.local import InProcess
from evomask.searches.generalization.lattice import Lattice, Levels, lattice_of
from evomask.searches.generalization.objectives import Objectives, index_named
from evomask.searches.generalization.problem import (
    convergence_error,
    lattice_chart,
    minimal,
    points,
    representation_ratio,
)
from evomask.searches.generalization.search import Algorithm, Conditions, build_setup
from evomask.types import Points
from evomask_papers.adult import HEIGHTS, LABEL, SENSITIVE, complete_records, hierarchies

LIMIT = 301
"""Records that may be suppressed: 1 % of 30,162."""

TASKS = {Algorithm.PBG_EA: 25 * 100, Algorithm.GUIDED: 872}
"""Number of created nodes: 100 populations of 25 as in the paper; ours evaluates at most 896, 5
%."""


@dataclass(frozen=True)
class Case:
    """One experiment, with the printed means of CE, RR and nodes, and two variances."""

    objectives: tuple[str, ...]
    boxes: tuple[float, ...] = ()
    ce: float | None = None
    rr: float | None = None
    nodes: int | None = None
    variances: tuple[float, float] | tuple[None, None] = (None, None)


TABLE_1B = (
    Case(("k", "glm"), (), 3.7e-4, 0.94, 916, (6.5e-9, 8e-4)),
    Case(("k", "l", "glm"), (), 3.3e-4, 0.93, 946, (1.1e-7, 1.1e-3)),
    Case(("sk", "glm"), (), 5.7e-4, 0.84, 1136, (2.5e-7, 1.7e-3)),
    Case(("sk", "sl", "glm"), (), 6.6e-4, 0.83, 1197, (2.0e-7, 1.4e-3)),
)
TABLE_2A = (
    Case(("k", "glm"), (5, 100), 4.3e-4, 0.95, None, (2.6e-7, 1.6e-3)),
    Case(("k", "glm"), (10, 1000), 1.6e-4, 0.98, None, (8.0e-8, 8.2e-4)),
    Case(("k", "glm"), (50, 10000), 1.7e-4, 1.0, None, (1.1e-8, 0.0)),
    # the sides of the next row are lost in our copy; these continue the pattern of the others
    Case(("k", "l", "glm"), (5, 2, 100), 4.9e-3, 0.92, None, (2.5e-7, 1.2e-3)),
    Case(("k", "l", "glm"), (10, 4, 1000), 7.4e-3, 0.92, None, (9.3e-7, 7.0e-4)),
    Case(("k", "l", "glm"), (50, 6, 10000), 1.8e-2, 0.88, None, (8.2e-6, 1.7e-3)),
)
TABLE_2B = (*TABLE_1B, Case(("k", "glm", "cm"), nodes=1073))

VALUES = {
    "age": 74, "workclass": 7, "education": 16, "marital-status": 7, "race": 5, "sex": 2,
    "native-country": 41, "income": 2, "occupation": 14,
}  # fmt: skip
"""Values of each attribute as Table 1(a) counts them."""

Row = dict[str, object]


@cache
def adult_lattice(*, classified: bool = False) -> Lattice:
    """The paper's lattice: 17,920 nodes, or 8,960 with income as class label."""
    trees = hierarchies()
    if classified:
        trees = {name: tree for name, tree in trees.items() if name != LABEL}
    return lattice_of(
        complete_records(), trees, sensitive=SENSITIVE, label=LABEL if classified else None
    )


def table_1a() -> list[Row]:
    """Attributes, their numbers of values in the complete records and in the paper, and heights."""
    table = adult_lattice().table
    values = {name: len(np.unique(table.codes(name))) for name in VALUES}
    heights: dict[str, object] = {**HEIGHTS, SENSITIVE: "sensitive"}
    return [
        {
            "attribute": name,
            "values": values[name],
            "values_paper": printed,
            "height": heights[name],
        }
        for name, printed in VALUES.items()
    ]


def table_1b(runs: int = 20, seed: int = 0) -> list[Row]:
    """CE and RR with all boxes of side 1."""
    return [_row(case, Algorithm.PBG_EA, runs, seed) for case in TABLE_1B]


def table_2a(runs: int = 20, seed: int = 0) -> list[Row]:
    """CE and RR with larger boxes."""
    return [_row(case, Algorithm.PBG_EA, runs, seed) for case in TABLE_2A]


def table_2b(runs: int = 20, seed: int = 0) -> list[Row]:
    """Mean number of lattice nodes that PBG-EA evaluates."""
    return [_row(case, Algorithm.PBG_EA, runs, seed) for case in TABLE_2B]


def guided(runs: int = 20, seed: int = 0) -> list[Row]:
    """The problems of Table 1(b) with the guided search, which evaluates at most 5 % of the
    nodes."""
    return [_row(case, Algorithm.GUIDED, runs, seed) for case in TABLE_1B]


def figure_1(seed: int = 0) -> list[Chart]:
    """Worst cases: k and GLM; k, l and GLM."""
    return [_figure("figure-1", names, seed) for names in (("k", "glm"), ("k", "l", "glm"))]


def figure_2(seed: int = 0) -> list[Chart]:
    """Spread: S_k and GLM; S_k, S_l and GLM."""
    return [_figure("figure-2", names, seed) for names in (("sk", "glm"), ("sk", "sl", "glm"))]


def figure_3(seed: int = 0) -> list[Chart]:
    """Two losses: k, GLM and CM."""
    return [_figure("figure-3", ("k", "glm", "cm"), seed)]


@dataclass(frozen=True)
class FrontQuality:
    """Result of one run: natural values of its archive, CE, RR and evaluated nodes."""

    values: Points
    ce: float
    rr: float
    nodes: int

    @property
    def ce_per_point(self) -> float:
        """The mean distance to the exact front, where CE as printed is a sum."""
        return self.ce / len(self.values)


def run_once(case: Case, algorithm: Algorithm, seed: int) -> FrontQuality:
    """Run a search once on one experiment and compare it with the exact front."""
    lattice = _lattice(case.objectives)
    objectives = Objectives(lattice, tuple(index_named(name) for name in case.objectives))
    sides = case.boxes or (1.0,) * len(case.objectives)
    state = _evolved(lattice, case, algorithm, seed)
    fitness = fitness_array(state.archive.members)
    exact = exact_front(case.objectives)
    values = objectives.natural(fitness)
    return FrontQuality(
        values,
        convergence_error(values, exact),
        representation_ratio(fitness, objectives.fitness(exact), sides),
        len({member.genome for member in state.population}),
    )


def _evolved(lattice: Lattice, case: Case, algorithm: Algorithm, seed: int) -> State[Levels]:
    setup = build_setup(
        lattice,
        [index_named(name) for name in case.objectives],
        algorithm,
        Conditions(LIMIT, case.boxes),
    )
    work = InProcess(Worker(setup.problem, seed))
    until = evaluations(TASKS[algorithm])
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    return evolve(state, setup.scheme, work, seed=seed, until=until, cost=setup.cost)


@cache
def exact_front(names: tuple[str, ...]) -> Points:
    """Natural values of all minimal nodes, by exhaustive evaluation of the lattice."""
    values = _all_values(names)
    objectives = Objectives(_lattice(names), tuple(index_named(name) for name in names))
    return values[minimal(objectives.fitness(values))]


@cache
def _all_values(names: tuple[str, ...]) -> Points:
    lattice = _lattice(names)
    objectives = Objectives(lattice, tuple(index_named(name) for name in names))
    return objectives.of_all(lattice.sweep(lattice.rule(limit=LIMIT)))


def _lattice(names: Iterable[str]) -> Lattice:
    return adult_lattice(classified="cm" in names)


def _row(case: Case, algorithm: Algorithm, runs: int, seed: int) -> Row:
    outcomes = [run_once(case, algorithm, seed + run) for run in range(runs)]
    return {
        "objectives": ", ".join(case.objectives),
        "boxes": list(case.boxes) or "ones",
        "ce": mean(f.ce for f in outcomes),
        "ce_per_point": mean(f.ce_per_point for f in outcomes),
        "ce_per_point_variance": pvariance([f.ce_per_point for f in outcomes]),
        "ce_paper": case.ce,
        "ce_variance_paper": case.variances[0],
        "rr": mean(f.rr for f in outcomes),
        "rr_variance": pvariance([f.rr for f in outcomes]),
        "rr_paper": case.rr,
        "rr_variance_paper": case.variances[1],
        "nodes": mean(f.nodes for f in outcomes),
        "nodes_paper": case.nodes,
        "lattice": _lattice(case.objectives).size,
        "exact_front": len(exact_front(case.objectives)),
        "runs": runs,
    }


def _figure(name: str, names: tuple[str, ...], seed: int) -> Chart:
    """Chart of all nodes, the exact front, and the front of one run of PBG-EA."""
    objectives = Objectives(_lattice(names), tuple(index_named(n) for n in names))
    run, exact = run_once(Case(names), Algorithm.PBG_EA, seed), exact_front(names)
    chart = lattice_chart(
        f"{name}-{'-'.join(names)}",
        f"PBG-EA and all nodes: {', '.join(names)}",
        objectives,
        _all_values(names),
        exact,
    )
    return replace(
        chart,
        reading=f"PBG-EA finds {run.rr:.0%} of the {len(exact)} nodes that no other dominates, "
        f"reading {run.nodes:,} of {_lattice(names).size:,}.",
        series=(*chart.series, points("PBG-EA", run.values)),
    )
