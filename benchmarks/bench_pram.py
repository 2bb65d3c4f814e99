"""Evolved matrices against the figures aimed at and against every standard matrix; and speed.

Reference data through EVOMASK_DATA. A budget is CPU seconds, kernels compiled before, so that
a busy machine changes nothing. Scores are those of the released draw, the expected beside.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from evomask.data.frames import Declaration
from evomask.data.schema import Kind, Role
from evomask.data.table import Table
from evomask.evolution.individual import ScoreRule
from evomask.evolution.loop import Setup, Worker, begin, evolve
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget, seconds
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.io.datasets import reference_file
from evomask.io.tables import read_table
from evomask.measures.profiles import RiskProfile
from evomask.searches.base import SearchContext
from evomask.searches.pram.problem import TransitionProblem
from evomask.searches.pram.search import (
    Parameters,
    PramSearch,
)
from evomask_papers.pram.designs import standard_matrices

FILES = {
    "german": ("uci/german_credit.csv", ("EXISTACC", "SAVINGS", "PRESEMPLOY"), Kind.ORDINAL),
    "flare": ("uci/solar_flare.csv", ("CLASS", "LARGSPOT", "SPOTDIST"), Kind.NOMINAL),
}
AIMS = {
    ("german", ScoreRule.MEAN): 16.0, ("german", ScoreRule.WORST): 28.0,
    ("flare", ScoreRule.MEAN): 25.5, ("flare", ScoreRule.WORST): 36.0,
}  # fmt: skip
BUDGET = 30.0
SEED = 1
UNSEEN = range(100, 110)


def original(name: str) -> Table:
    path, names, kind = FILES[name]
    declared = {n: Declaration(kind, Role.QUASI_IDENTIFIER) for n in names}
    return read_table(reference_file(path), declared).only(names)


@dataclass(frozen=True)
class Found:
    """A finished search."""

    setup: Setup[Any]
    state: State[Any]
    spent: float

    @property
    def problem(self) -> TransitionProblem:
        return self.setup.problem  # type: ignore[return-value]

    @property
    def best(self) -> Any:
        return min(self.state.archive.members, key=lambda m: self.setup.cost(m.fitness))

    @property
    def unseen(self) -> float:
        """Mean score over draws that no evaluation used."""
        cost, reads = self.setup.cost, self.problem.measured
        files = [self.problem.decode(self.best.genome, number) for number in UNSEEN]
        scores = [cost((reads.loss.reading(one), reads.risk.reading(one))) for one in files]
        return sum(scores) / len(scores)

    @property
    def told(self) -> dict[str, float]:
        return dict(self.problem.read(self.best.genome, 0))


def searched(table: Table, parameters: Parameters, budget: float) -> Found:
    around = SearchContext(
        partial(draw_stream, SEED), lambda _, compute: compute(), Budget(seconds=budget)
    )
    setup = PramSearch.setup(table, parameters, around)
    work = InProcess(Worker(setup.problem, SEED))
    started = time.process_time()

    def clock() -> float:
        return time.process_time() - started

    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    until = seconds(budget, clock)
    state = evolve(state, setup.scheme, work, seed=SEED, until=until, cost=setup.cost)
    return Found(setup, state, clock())


def line(title: str, found: Found) -> str:
    told = found.told
    return (
        f"{title:38} {told['score']:6.2f} (loss {told['loss']:.2f}, risk {told['risk']:.2f}; "
        f"expected {told['expected_score']:.2f}, unseen draws {found.unseen:.2f}), "
        f"front {len(found.state.archive.members)}, "
        f"{found.state.generation} generations, {found.state.evaluations} evaluations, "
        f"{found.spent:.1f} s"
    )


def against_aims(name: str, budget: float) -> None:
    """RiskProfile papers with risk (ID + DBRL) / 2."""
    for joined in ScoreRule:
        parameters = Parameters(profile=RiskProfile.PAPERS, score=joined)
        found = searched(original(name), parameters, budget)
        aim = AIMS[name, joined]
        ratio = found.told["score"] / aim
        print(line(f"{name} papers {joined}", found), f"- {ratio:.3f} of the aim", flush=True)


def with_probabilistic_linkage(name: str, budget: float) -> None:
    """RiskProfile papers with PRL in the risk: reported."""
    parameters = Parameters(profile=RiskProfile.PAPERS, probabilistic=True)
    found = searched(original(name), parameters, budget)
    print(line(f"{name} papers worst, with PRL", found), flush=True)


def against_standard(name: str, budget: float) -> None:
    """RiskProfile strict, beside the best standard matrix over all its parameters."""
    found = searched(original(name), Parameters(), budget)
    problem = found.problem
    scores = {}
    for invariant in (False, True):
        for one in standard_matrices(
            original(name), problem.layout.attributes, invariant=invariant
        ):
            told = problem.measured.released(one.matrices, 0)
            scores[one.title] = max(told["loss"], told["risk"])
    best = min(scores, key=scores.__getitem__)
    print(line(f"{name} strict worst", found))
    print(
        f"  best of {len(scores)} standard matrices {scores[best]:.2f} ({best}): "
        f"{100 * (1 - found.told['score'] / scores[best]):.1f} % better"
    )
    front = sorted(member.fitness for member in found.state.archive.members)
    shown = front[:: max(1, len(front) // 8)]
    print("  front, loss/risk:", "  ".join(f"{a:.1f}/{b:.1f}" for a, b in shown), flush=True)


def speed(name: str) -> None:
    """Foretold against expected or drawn, for one set of matrices."""
    for profile in RiskProfile:
        setup = PramSearch.setup(
            original(name), Parameters(profile=profile), SearchContext(partial(draw_stream, SEED))
        )
        problem: Any = setup.problem
        flat = problem.firsts[0]
        fast = spent(partial(problem.guide, flat), 300)
        full = spent(partial(problem.fitness, flat), 10)
        print(f"{name} {profile}: foretold {fast * 1e6:.0f} us, measured {full * 1e6:.0f} us, "
              f"{full / fast:.0f} times as long", flush=True)  # fmt: skip


def spent(work: Callable[[], object], times: int) -> float:
    work()
    start = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - start) / times


def main() -> None:
    budget = float(sys.argv[1]) if len(sys.argv) > 1 else BUDGET
    names = sys.argv[2:] or list(FILES)
    for name in names:
        speed(name)
        against_aims(name, budget)
        with_probabilistic_linkage(name, budget)
        against_standard(name, budget)


if __name__ == "__main__":
    main()
