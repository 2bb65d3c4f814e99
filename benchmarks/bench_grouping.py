"""The grouping search against baselines, an exhaustive search, the clock, and itself made dynamic.

Reference data through EVOMASK_DATA. Seconds are CPU seconds, kernels compiled before.
"""

import sys
import time
from functools import partial
from statistics import mean
from typing import Any

import numpy as np

from evomask.evolution.individual import Task
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.stopping import evaluations, generations
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.searches.base import SearchContext
from evomask.searches.grouping.baselines import baselines, correlations
from evomask.searches.grouping.search import GroupingSearch, Parameters
from evomask_papers.effort import Effort
from evomask_papers.grouping.inputs import BEST, CENSUS, SIZES, WATER, hand_made, original
from evomask_papers.grouping.tables import searched

PAPER_SECONDS = 868.0
SEEDS = range(1, 6)
EXHAUSTED = 8
OWN: dict[str, dict[str, Any]] = {
    "fixed rates": {},
    "adaptive": {"adaptive": True},
    "adaptive, screened": {"adaptive": True, "screen": 4, "sample": 200},
}
"""How groupings with a k for each group are searched for."""


def against_baselines(name: str) -> None:
    """F found by each k, beside the best of all groupings that nobody searched for."""
    for k in SIZES:
        found = searched(name, k, Effort(1))
        others = baselines(correlations(found.problem.parts.points)) | hand_made(name)
        scores = {n: found.problem.components(g).score for n, g in others.items()}
        best = min(scores, key=scores.__getitem__)
        score, groups = found.state.summary.best, int(found.best.max()) + 1
        ratio = score / scores[best]
        verdict = "at most every baseline" if ratio <= 1 + 1e-12 else "WORSE"
        print(
            f"{name:15} k={k:<3} F {score:7.4f}  best baseline {scores[best]:7.4f} ({best})  "
            f"ratio {ratio:.4f} {verdict}; groups {groups}, paper {BEST[name][k][4]}; "
            f"{found.seconds:.1f} s, {found.state.evaluations} evaluations",
            flush=True,
        )
    paper = PAPER_SECONDS if name == WATER else None
    spent = searched(name, 25, Effort(1)).seconds
    told = f", {paper / spent:.0f} times as fast as the paper's {paper:.0f} s" if paper else ""
    print(f"{name:15} k=25: {spent:.1f} s for 10,200 evaluations{told}", flush=True)


def exhaustive(k: int = 25) -> None:
    """How often the optimum of all 4,140 groupings of eight attributes is found."""
    whole = original(CENSUS)
    table = whole.only(whole.schema.names[:EXHAUSTED])
    around = SearchContext(partial(draw_stream, 1))
    groupings = [[0]]
    for _ in range(EXHAUSTED - 1):
        groupings = [[*g, new] for g in groupings for new in range(max(g) + 2)]
    setup = GroupingSearch.setup(table, Parameters(k=k), around)
    problem: Any = setup.problem
    best = min(setup.cost(problem.fitness(np.array(g))) for g in groupings)
    hits = 0
    for seed in range(1, 11):
        work = InProcess(Worker(setup.problem, seed))
        state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
        state = evolve(
            state, setup.scheme, work, seed=seed, until=generations(100), cost=setup.cost
        )
        hits += state.summary.best == best
    print(f"exhaustive, {len(groupings)} groupings: optimum {best:.4f} in {hits} of 10 seeds")


def dynamic(name: str, k: int = 25) -> None:
    """D-GOMM beside GOMM: mean score, and evaluations saved."""
    plain = [searched(name, k, Effort(seed)).state for seed in SEEDS]
    saving = [searched(name, k, Effort(seed), dynamic=True).state for seed in SEEDS]
    scores = [mean(s.summary.best for s in states) for states in (plain, saving)]
    evaluations = [sum(s.evaluations for s in states) for states in (plain, saving)]
    print(
        f"{name:15} k={k}: GOMM {scores[0]:.4f}, D-GOMM {scores[1]:.4f}, "
        f"ratio {scores[1] / scores[0]:.4f}; evaluations saved "
        f"{100 * (1 - evaluations[1] / evaluations[0]):.1f} %",
        flush=True,
    )


def own_sizes(name: str, sizes: tuple[int, ...] = SIZES) -> None:
    """A k for each group against GOMM, with the same least k and as many evaluations."""
    for k in sizes:
        gomm = searched(name, k, Effort(1)).state
        scores = {}
        for title, settings in OWN.items():
            setup = GroupingSearch.setup(
                original(name), Parameters(k=k, own_k=True, **settings), Effort(1).around
            )
            started = time.process_time()
            work = InProcess(Worker(setup.problem, 1))
            state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
            state = evolve(
                state, setup.scheme, work, seed=1, until=evaluations(gomm.evaluations),
                cost=setup.cost,
            )  # fmt: skip
            problem: Any = setup.problem
            best = min(state.population, key=lambda member: setup.cost(member.fitness))
            groups = [(len(group), size) for group, size in problem.genes.groups(best.genome)]
            scores[title] = (state.summary.best, groups, time.process_time() - started)
        told = "; ".join(
            f"{title} {score:.3f} {groups}, {seconds:.0f} s"
            for title, (score, groups, seconds) in scores.items()
        )
        print(
            f"{name:15} k={k:<3} {gomm.evaluations} evaluations: "
            f"GOMM {gomm.summary.best:.3f}; {told}",
            flush=True,
        )


def surrogate(name: str, k: int = 25, count: int = 60) -> None:
    """How a sample of the records orders groupings, against all records: Spearman's correlation."""
    table = original(name)
    parameters = Parameters(k=k, own_k=True, screen=2, sample=len(table) // 2)
    problem: Any = GroupingSearch.setup(table, parameters, Effort(1).around).problem
    tasks: list[Task[Any]] = [Task("first", (), 9 + i) for i in range(count)]
    made = [problem.genes.child(task, np.random.default_rng(i)) for i, task in enumerate(tasks)]
    costs = []
    for judge in (problem, problem.screening.sample):
        started = time.process_time()
        costs.append([judge.cost(judge.fitness(genome)) for genome in made])
        print(f"{name:15} {len(judge.parts.original)} records: "
              f"{1e3 * (time.process_time() - started) / count:.1f} ms a grouping")  # fmt: skip
    ranks = np.argsort(np.argsort(costs, axis=1), axis=1)
    alike = np.asarray(np.corrcoef(ranks))[0, 1]
    print(f"{name:15} k={k}: correlation of ranks {alike:.3f}", flush=True)


def main() -> None:
    started = time.process_time()
    parts = sys.argv[1:] or ["baselines", "exhaustive", "dynamic", "own", "surrogate"]
    searched(CENSUS, 25, Effort(1, 0.01))
    if "baselines" in parts:
        against_baselines(CENSUS)
        against_baselines(WATER)
    if "exhaustive" in parts:
        exhaustive()
    if "dynamic" in parts:
        dynamic(CENSUS)
        dynamic(WATER)
    if "own" in parts:
        chosen = tuple(int(word) for word in parts if word.isdigit()) or SIZES
        for name in (CENSUS, WATER):
            own_sizes(name, chosen)
    if "surrogate" in parts:
        surrogate(CENSUS)
        surrogate(WATER)
    print(f"all in {time.process_time() - started:.0f} CPU seconds")


if __name__ == "__main__":
    main()
