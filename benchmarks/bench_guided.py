"""The guided search on lattices that it was not tuned on: share of the exact front it finds.

The search reads 5 % of a lattice's nodes (`--share`), PBG-EA as many tasks; RR of both and
the share of the exact front's hypervolume (objectives scaled to the front, its worst corner a tenth
beyond). The search was made on the four problems of the PBG-EA paper and with a look at the
lattices marked *; the others were only used to check it. What it forecasts of k, l, entropy and t
from whole nodes, and the people who bound nodes, were made on made-up files and on samples of Adult
alone. `--only
TEXT` takes those whose name has it, `--unseen` those without a mark, `--runs N` averages over N
runs.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np

from bench_generalization import NINE, arx_tree
from evomask.data.frames import Declaration
from evomask.data.hierarchy import Hierarchy, flat_hierarchy, hierarchy_from_lines
from evomask.data.hierarchy_builders import (
    automatic_widths,
    interval_hierarchy,
    neighbour_hierarchy,
)
from evomask.data.schema import Attribute, Kind, Role, Schema, Storage
from evomask.data.table import Table
from evomask.evolution.archive import fitness_array, hypervolume
from evomask.evolution.loop import Worker, begin, evolve
from evomask.execution.local import InProcess
from evomask.io.datasets import reference_file, write_survey
from evomask.io.schemas import read_schema
from evomask.io.tables import read_table
from evomask.searches.generalization.guided_search import batch_size
from evomask.searches.generalization.lattice import Lattice, lattice_of
from evomask.searches.generalization.objectives import Objectives, index_named
from evomask.searches.generalization.problem import minimal, representation_ratio
from evomask.searches.generalization.search import POPULATION, Algorithm, Conditions, build_setup
from evomask_papers.adult import HEIGHTS, LABEL, SENSITIVE, complete_records, hierarchies


@dataclass(frozen=True)
class Problem:
    """A lattice, what its nodes are compared by, and the share of records that may go."""

    name: str
    lattice: Callable[[], Lattice]
    objectives: tuple[str, ...]
    suppression: float = 0.01

    @property
    def limit(self) -> int:
        return int(self.lattice().n_records * self.suppression)


@cache
def arx(*, with_occupation: bool) -> Lattice:
    """Adult with ARX's trees: 12,960 nodes, or 4,320 with occupation as the sensitive one."""
    table = complete_records()
    names = [name for name in NINE if with_occupation or name != SENSITIVE]
    sensitive = None if with_occupation else SENSITIVE
    return lattice_of(table, {name: arx_tree(name) for name in names}, sensitive=sensitive)


@cache
def some_adults(n_records: int, seed: int) -> Lattice:
    """So many people of Adult, drawn at random, with the first six of ARX's trees."""
    table = complete_records()
    drawn = np.random.default_rng(seed).choice(len(table), n_records, replace=False)
    names = [name for name in NINE if name != SENSITIVE][:6]
    trees = {name: arx_tree(name) for name in names}
    return lattice_of(table.take(np.sort(drawn)), trees, sensitive=SENSITIVE)


@cache
def paper(*, classified: bool = False) -> Lattice:
    """Adult with the trees of the reproduction, other objectives than there."""
    trees = {n: tree for n, tree in hierarchies().items() if not (classified and n == LABEL)}
    label = LABEL if classified else None
    return lattice_of(complete_records(), trees, sensitive=SENSITIVE, label=label)


@cache
def random_trees(seed: int) -> Lattice:
    """Adult with the paper's heights, values put together at random."""
    rng = np.random.default_rng(seed)
    table = complete_records()
    trees = {
        name: random_tree(table.attribute(name).categories, height, rng)
        for name, height in HEIGHTS.items()
    }
    return lattice_of(table, trees, sensitive=SENSITIVE)


def random_tree(values: tuple[str, ...], height: int, rng: np.random.Generator) -> Hierarchy:
    """Cells of one level are put together at random, the same share of them at each level."""
    cells = rng.permutation(len(values))
    lines = [list(values)]
    for level in range(1, height):
        count = max(2, round(len(values) ** (1 - level / height)))
        cells = rng.integers(count, size=cells.max() + 1)[cells]
        lines.append([f"{level}.{cell}" for cell in cells])
    return hierarchy_from_lines(list(zip(*lines, ["*"] * len(values), strict=True)))


@cache
def of_file(path: str, names: tuple[str, ...], sensitive: str) -> Lattice:
    """A file whose values all count as ordered, in trees of neighbours two by two."""
    kinds = dict.fromkeys((*names, sensitive), Declaration(kind=Kind.ORDINAL))
    table = read_table(reference_file(path), kinds)
    trees = {name: neighbour_hierarchy(table.attribute(name).categories) for name in names}
    return lattice_of(table, trees, sensitive=sensitive)


german = partial(
    of_file,
    "uci/german_credit.csv",
    ("AGE", "STATSEX", "HOUSING", "JOB", "PRESEMPLOY", "CREDHIST", "RESIDENCE"),
    "SAVINGS",
)
loans = partial(
    of_file,
    "uci/german_credit.csv",
    ("DURATION", "PURPOSE", "INSTALRATE", "OTHER", "PROPERTY", "OTHERPLANS", "NUMCREDITS"),
    "SAVINGS",
)
flares = partial(
    of_file,
    "uci/solar_flare.csv",
    ("CLASS", "LARGSPOT", "SPOTDIST", "ACTIVITY", "EVOLUTION", "PREVFLARE", "HISTOCOMP", "SUNDISK"),
    "C-CLASS",
)
households = partial(
    of_file,
    "sdcmicro/testdata.csv",
    ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "age"),
    "hhcivil",
)


@cache
def _plain(table: Table, name: str) -> Hierarchy:
    """Intervals, neighbours, or only a top: trees that every version builds alike."""
    attribute = table.attribute(name)
    if attribute.kind is Kind.NOMINAL:
        return flat_hierarchy(attribute.categories)
    if attribute.storage in (Storage.INTEGER, Storage.REAL):
        return interval_hierarchy(attribute.categories, automatic_widths(attribute.categories))
    return neighbour_hierarchy(attribute.categories)


def survey() -> Lattice:
    """The bundled survey with automatic trees."""
    with tempfile.TemporaryDirectory() as folder:
        write_survey(Path(folder))
        schema = read_schema(Path(folder) / "survey.toml")
        table = read_table(Path(folder) / "survey.csv", schema.declarations)
    names = ("age", "sex", "marital", "education", "household_size", "region", "occupation")
    return lattice_of(table, {n: _plain(table, n) for n in names}, sensitive="health")


@cache
def made_up(seed: int, common: float, values: int = 8, n_records: int = 10_000) -> Lattice:
    """Seven attributes that share a factor, in trees of neighbours."""
    rng = np.random.default_rng(seed)
    names = [f"a{i}" for i in range(7)]
    labels = tuple(f"{v:02}" for v in range(values))
    kind = Attribute("s", Kind.NOMINAL, Role.CONFIDENTIAL, tuple("abcdef"))
    schema = Schema(
        (*(Attribute(n, Kind.ORDINAL, Role.QUASI_IDENTIFIER, labels) for n in names), kind)
    )
    factor = rng.normal(size=n_records)
    columns = {
        name: _coded(common * factor + rng.normal(size=n_records), rng.uniform(0.5, 2.0), values)
        for name in names
    }
    columns["s"] = _coded(factor + rng.normal(size=n_records), 1.0, 6)
    return lattice_of(
        Table(schema, columns), dict.fromkeys(names, neighbour_hierarchy(labels)), sensitive="s"
    )


def _coded(scores: np.ndarray, width: float, values: int) -> np.ndarray:
    return np.clip(scores / width + values / 2, 0, values - 1).astype(int)


nine = partial(arx, with_occupation=True)
eight = partial(arx, with_occupation=False)

PROBLEMS = (
    Problem("*ARX 9", nine, ("k", "glm")),
    Problem("*ARX 9, loss", nine, ("k", "loss")),
    Problem("*German credit", german, ("k", "glm")),
    Problem("*German credit", german, ("k", "l", "glm")),
    Problem("*German credit", german, ("sk", "glm")),
    Problem("*made up", partial(made_up, 1, 1.0), ("k", "glm")),
    Problem("*made up", partial(made_up, 1, 1.0), ("sk", "sl", "glm")),
    Problem("*made up, four", partial(made_up, 13, 1.5, 4, 3_000), ("k", "t", "glm")),
    Problem("*Adult, 2,000", partial(some_adults, 2_000, 1), ("k", "t", "glm")),
    Problem("*Adult", paper, ("k", "loss")),
    Problem("*Adult", paper, ("entropy", "glm")),
    Problem("*ARX 8", eight, ("k", "l", "glm")),
    Problem("ARX 8", eight, ("sk", "sl", "glm")),
    Problem("random trees", partial(random_trees, 1), ("k", "glm")),
    Problem("random trees", partial(random_trees, 2), ("k", "l", "glm")),
    Problem("random trees", partial(random_trees, 3), ("sk", "glm")),
    Problem("*solar flares", flares, ("k", "glm")),
    Problem("*solar flares", flares, ("sk", "glm")),
    Problem("households", households, ("k", "l", "glm")),
    Problem("households", households, ("sk", "glm"), 0.05),
    Problem("*survey", survey, ("k", "glm")),
    Problem("*survey", survey, ("k", "t", "glm")),
    Problem("made up, apart", partial(made_up, 2, 0.0), ("k", "glm"), 0.0),
    Problem("made up, alike", partial(made_up, 3, 2.0), ("sk", "glm")),
    Problem("German loans", loans, ("k", "glm")),
    Problem("German loans", loans, ("k", "l", "glm")),
    Problem("random trees", partial(random_trees, 4), ("sk", "sl", "glm")),
    Problem("100,000 records", partial(made_up, 21, 1.0, 4, 100_000), ("k", "t", "glm")),
    Problem("made up, ten", partial(made_up, 5, 1.0, 10), ("k", "l", "glm")),
    Problem("Adult", paper, ("k", "precision")),
    Problem("Adult", paper, ("k", "l", "agreement")),
    Problem("Adult", paper, ("t", "glm")),
    Problem("Adult", partial(paper, classified=True), ("k", "glm", "cm")),
)


@cache
def exact(problem: Problem) -> np.ndarray:
    """Fitness of all minimal nodes, from reading the whole lattice."""
    lattice = problem.lattice()
    objectives = Objectives(lattice, tuple(map(index_named, problem.objectives)))
    rule = lattice.rule(limit=problem.limit, shares=objectives.shares)
    fitness = objectives.fitness(objectives.of_all(lattice.sweep(rule)))
    return fitness[minimal(fitness)]


class Found(NamedTuple):
    """RR and share of the hypervolume after at most so many tasks, and CPU seconds."""

    rr: float
    volume: float
    seconds: float


def volume_share(front: np.ndarray, best: np.ndarray) -> float:
    """Hypervolume of a front over that of the exact one."""
    low, high = best.min(axis=0), best.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    corner = [1.1] * best.shape[1]
    ours, whole = (hypervolume((points - low) / width, corner) for points in (front, best))
    return ours / whole


def found(problem: Problem, algorithm: Algorithm, nodes: int, seed: int) -> Found:
    """What a search finds of the exact front with so many nodes."""
    indices = [index_named(name) for name in problem.objectives]
    conditions = Conditions(limit=problem.limit)
    setup = build_setup(problem.lattice(), indices, algorithm, conditions)
    work = InProcess(Worker(setup.problem, seed))
    started = time.process_time()
    state = begin(min(setup.first, nodes), work, archive=setup.archive, cost=setup.cost)
    state = evolve(
        state,
        setup.scheme,
        work,
        seed=seed,
        until=lambda s: s.tasks + _next(algorithm, s.tasks) > nodes,
        cost=setup.cost,
    )
    spent = time.process_time() - started
    front = fitness_array(state.archive.members)
    boxes = setup.problem.sides  # type: ignore[attr-defined]
    rr = representation_ratio(front, exact(problem), boxes)
    return Found(rr, volume_share(front, exact(problem)), spent)


def _next(algorithm: Algorithm, tasks: int) -> int:
    return batch_size(tasks) if algorithm is Algorithm.GUIDED else POPULATION


def lines(problems: Iterable[Problem], share: float, runs: int) -> Iterator[str]:
    for problem in problems:
        nodes = int(problem.lattice().size * share)
        ours = [found(problem, Algorithm.GUIDED, nodes, seed) for seed in range(runs)]
        theirs = [found(problem, Algorithm.PBG_EA, nodes, seed) for seed in range(runs)]
        worst = min(ours, key=lambda one: one.volume)
        yield (
            f"{problem.name:15} {', '.join(problem.objectives):14} "
            f"{problem.lattice().size:6} nodes, {nodes:4} read, front {len(exact(problem)):4}: "
            f"RR {mean(o.rr for o in ours):.3f} (PBG-EA {mean(t.rr for t in theirs):.3f}), "
            f"volume {mean(o.volume for o in ours):.4f} (worst {worst.volume:.4f}, PBG-EA "
            f"{mean(t.volume for t in theirs):.4f}), {mean(o.seconds for o in ours):.1f} s"
        )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--runs", type=int, default=3)
    asked.add_argument("--share", type=float, default=0.05)
    asked.add_argument("--only", default="")
    asked.add_argument("--unseen", action="store_true")
    options = asked.parse_args()
    wanted = [p for p in PROBLEMS if options.only in p.name]
    if options.unseen:
        wanted = [p for p in wanted if "*" not in p.name]
    for line in lines(wanted, options.share, options.runs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
