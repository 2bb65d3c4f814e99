"""The equations search against standard matrices, the thesis and its own algorithm.

Reference data through EVOMASK_DATA. Seconds are CPU seconds. Scores are the worst of loss and
risk, by expectation (papers) or over five common draws (strict); `fresh` is the mean over twenty
draws that the search did not see.
"""

import sys
import time
from typing import Any

import numpy as np

from evomask.evolution.individual import Individual, worst_objective
from evomask.evolution.loop import Worker, begin, evolve
from evomask.execution.local import InProcess
from evomask.masking.randomization.formula_pram import Equation, RowRule
from evomask.measures.profiles import RiskProfile
from evomask.searches.equations.genome import readable_formula
from evomask.searches.equations.problem import MatrixEquations
from evomask.searches.equations.search import (
    Algorithm,
    EquationsSearch,
    Parameters,
)
from evomask_papers.effort import Effort
from evomask_papers.pram.designs import standard_matrices
from evomask_papers.pram.inputs import FLARE, GERMAN, HOUSING, original

FIGURE = {GERMAN: 30.97, FLARE: 36.09}
"""The thesis' best, or its best standard matrix: the worst of loss and risk to beat."""

FRESH = range(1_000, 1_020)


def searched(
    name: str, parameters: Parameters, seconds: float, seed: int
) -> tuple[MatrixEquations, Individual[Equation], int]:
    """The problem, its best individual after so many CPU seconds, and the generations."""
    setup = EquationsSearch.setup(original(name), parameters, Effort(seed).around)
    work = InProcess(Worker(setup.problem, seed))
    started = time.process_time()
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    state = evolve(
        state,
        setup.scheme,
        work,
        seed=seed,
        until=lambda _: time.process_time() - started >= seconds,
        cost=setup.cost,
    )
    best = min(state.archive.members, key=lambda member: setup.cost(member.fitness))
    problem: Any = setup.problem
    return problem, best, state.generation


def best_standard(problem: MatrixEquations) -> tuple[float, str]:
    """The standard matrix with the smallest worst score, as it is or made invariant."""
    table, names = problem.draws.table, problem.draws.attributes
    made = [
        one
        for invariant in (False, True)
        for one in standard_matrices(table, names, invariant=invariant)
    ]
    scores = [worst_objective(problem.measured(one.matrices)) for one in made]
    place = int(np.argmin(scores))
    return scores[place], made[place].title


def fresh(problem: MatrixEquations, genome: Equation) -> float:
    """The worst score over draws that the search did not see."""
    judge, matrices = problem.measured, problem.matrices(genome)
    readings = []
    for number in FRESH:
        masked = problem.draws.masked(matrices, number)
        readings.append((judge.loss.reading(masked), judge.risk.reading(masked)))
    return worst_objective(tuple(np.mean(readings, axis=0).tolist()))


def compared(name: str, profile: RiskProfile, seconds: float, seed: int) -> None:
    """One line: the score, the best standard matrix, the figure to beat."""
    problem, best, turns = searched(name, Parameters(profile=profile), seconds, seed)
    score, (standard, title) = worst_objective(best.fitness), best_standard(problem)
    figure = FIGURE.get(name) if profile is RiskProfile.PAPERS else None
    told = f", thesis {figure} (ratio {score / figure:.3f})" if figure else ""
    print(
        f"{name:6} {profile:6} seed {seed}: {score:6.2f}, fresh draws "
        f"{fresh(problem, best.genome):6.2f}, best standard {standard:6.2f} "
        f"({title}; ratio {score / standard:.3f}){told}; {turns} generations of "
        f"{seconds / max(1, turns):.2f} s; {readable_formula(best.genome, RowRule.NORMALISED)}",
        flush=True,
    )


def algorithms(name: str, seconds: float, seed: int) -> None:
    """Ours and the thesis' algorithm in the same time."""
    scores = {}
    for algorithm in (Algorithm.MEMETIC, Algorithm.THESIS):
        parameters = Parameters(algorithm=algorithm, profile=RiskProfile.PAPERS)
        scores[algorithm] = worst_objective(searched(name, parameters, seconds, seed)[1].fitness)
    ours, theirs = scores.values()
    print(f"{name:6} memetic {ours:.2f}, Algorithm 7 {theirs:.2f}, ratio {ours / theirs:.3f}")


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    parts = sys.argv[2:] or ["papers", "strict", "algorithms"]
    for name in (GERMAN, FLARE, HOUSING):
        for profile in RiskProfile:
            if profile.value in parts:
                compared(name, profile, seconds, seed=1)
        if "algorithms" in parts:
            algorithms(name, seconds / 4, seed=1)


if __name__ == "__main__":
    main()
