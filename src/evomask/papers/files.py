"""Evolved masked files (chapter 3 of the thesis on evolved protections): runs and tables.

How the thesis scales its loss of numbers is not said, so scores begin elsewhere: what can be
compared is how far they fall. Probabilistic linkage is not in our fitness. First files are those
of `evomask.masking.grid` that the thesis' methods make.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial
from statistics import mean, pstdev
from typing import Any, NamedTuple

from evomask.data.table import Table
from evomask.evolution.brood import Brood, Outcomes
from evomask.evolution.individual import Fitness
from evomask.evolution.loop import Worker, begin, evolve
from evomask.evolution.schemes import CROSS, MUTATE
from evomask.evolution.setup import Setup, Surroundings
from evomask.evolution.state import State
from evomask.evolution.stopping import generations
from evomask.evolution.streams import draw_stream
from evomask.execution.local import InProcess
from evomask.papers.effort import Effort
from evomask.papers.files_inputs import (
    CONTINUOUS,
    FINAL_SCORES,
    FIRST_BEST,
    FIRST_FILES,
    SECONDS,
    original,
)
from evomask.searches.files.fitness import Profile, Score
from evomask.searches.files.genome import Genome
from evomask.searches.files.search import Algorithm, Kept, Parameters, put_together

GENERATIONS = 1000
TIMED = 60
"""Generations timed for table 3.3, at full effort."""

Row = dict[str, object]


class Scores(NamedTuple):
    """How a population stood at the end of one generation."""

    largest: float
    mean: float
    smallest: float


class Found(NamedTuple):
    """A run carried out.

    Args:
        first: loss and risk of every first file, and of every last one.
        history: the population's scores, generation by generation.
    """

    first: tuple[Fitness, ...]
    last: tuple[Fitness, ...]
    history: tuple[Scores, ...]
    seconds: float


def prepared(name: str, parameters: Parameters, effort: Effort) -> Setup[Genome]:
    """The search on one of the thesis' files, begun from files that its methods make."""
    around = Surroundings(partial(draw_stream, effort.seed))
    setup = put_together(original(name), parameters, around, Kept())
    problem: Any = setup.problem
    methods = _like_thesis(problem.methods, FIRST_FILES.get(name))
    return replace(setup, problem=replace(problem, methods=methods), first=len(methods))


def _like_thesis(methods: tuple[Any, ...], count: int | None) -> tuple[Any, ...]:
    """Without Mondrian, clusters and noise; evenly so many of the rest, if that is said."""
    strange = ("Mondrian", "clusters", "noise")
    usual = [m for m in methods if not any(word in m[1] for word in strange)]
    if count is None:
        return tuple(usual)
    return tuple(usual[i * len(usual) // count] for i in range(count))


@lru_cache(maxsize=64)
def searched(
    name: str,
    score: Score,
    effort: Effort,
    algorithm: Algorithm = Algorithm.THESIS,
    run: int = 0,
    without_best: float = 0.0,
) -> Found:
    """A run as in the thesis; another *run* begins from the same first files."""
    parameters = Parameters(
        algorithm=algorithm,
        profile=Profile.PAPERS,
        score=score,
        without_best=without_best,
        held_out=False,
    )
    setup = prepared(name, parameters, effort)
    work = InProcess(Worker(setup.problem, effort.seed))
    history: list[Scores] = []

    def watch(_: Any, __: Brood[Any], ___: Outcomes[Any], after: State[Genome]) -> None:  # noqa: ANN401
        history.append(_scores(after, setup))

    first = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    started = time.process_time()
    last = evolve(
        first,
        setup.scheme,
        work,
        seed=effort.seed + 1000 * run,
        until=generations(effort.of(GENERATIONS)),
        observers=[watch],
        cost=setup.cost,
    )
    began = _begun(first, without_best, setup)
    return Found(
        tuple(member.fitness for member in began.population),
        tuple(member.fitness for member in last.population),
        (_scores(began, setup), *history),
        time.process_time() - started,
    )


def _begun(state: State[Genome], without_best: float, setup: Setup[Genome]) -> State[Genome]:
    """The state that breeding begins with."""
    scheme: Any = setup.scheme
    begun: State[Genome] = scheme.started(state) if without_best else state
    return begun


def _scores(state: State[Genome], setup: Setup[Genome]) -> Scores:
    costs = [setup.cost(member.fitness) for member in state.population]
    return Scores(max(costs), mean(costs), min(costs))


def fall(before: float, after: float) -> float:
    """By how much a score fell, in percent."""
    return 100.0 * (before - after) / before if before else 0.0


def table_3_2(seed: int = 1, share: float = 1.0, runs: int = 2) -> list[Row]:
    """Scores after 1000 generations, four files of numbers, two executions each."""
    effort = Effort(seed, share)
    return [row for name in CONTINUOUS for row in _final_rows(name, effort, min(runs, 2))]


def _final_rows(name: str, effort: Effort, runs: int) -> Iterator[Row]:
    for run in range(runs):
        found = searched(name, Score.MEAN, effort, run=run)
        printed, begun, ended = FINAL_SCORES[name][run], found.history[0], found.history[-1]
        yield {
            "data": name,
            "execution": run + 1,
            "min paper": printed[0],
            "min ours": ended.smallest,
            "mean paper": printed[1],
            "mean ours": ended.mean,
            "max paper": printed[2],
            "max ours": ended.largest,
            "first min paper": FIRST_BEST[name],
            "first min ours": begun.smallest,
            "fall paper": fall(FIRST_BEST[name], printed[0]),
            "fall ours": fall(begun.smallest, ended.smallest),
            "generations": effort.of(GENERATIONS),
            "seconds": found.seconds,
        }


class _Clocked:
    """A judge that counts the seconds it takes."""

    def __init__(self, judge: Any) -> None:  # noqa: ANN401
        self.judge, self.seconds = judge, 0.0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self.judge, name)

    def full(self, masked: Table) -> Fitness:
        """Loss and risk, timed."""
        return self._timed(self.judge.full, masked)

    def like_parent(self, *what: Any) -> Fitness:  # noqa: ANN401
        """Loss and risk of a child, timed."""
        return self._timed(self.judge.like_parent, *what)

    def _timed(self, read: Any, *what: Any) -> Fitness:  # noqa: ANN401
        started = time.process_time()
        fitness: Fitness = read(*what)
        self.seconds += time.process_time() - started
        return fitness


class Lap(NamedTuple):
    """One generation: what it did, and seconds of fitness and of the rest."""

    operator: str
    fitness: float
    other: float


@lru_cache(maxsize=8)
def laps(name: str, effort: Effort) -> tuple[Lap, ...]:
    """The time that each generation takes."""
    parameters = Parameters(
        algorithm=Algorithm.THESIS, profile=Profile.PAPERS, score=Score.MEAN, held_out=False
    )
    setup = prepared(name, parameters, effort)
    problem: Any = setup.problem
    clock = _Clocked(problem.judge)
    work = InProcess(Worker(replace(problem, judge=clock), effort.seed))
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    found: list[Lap] = []
    for generation in range(effort.of(TIMED, 4)):
        clock.seconds, started, tasks = 0.0, time.process_time(), state.tasks
        until = generations(generation + 1)
        state = evolve(state, setup.scheme, work, seed=effort.seed, until=until, cost=setup.cost)
        spent = time.process_time() - started
        operator = MUTATE if state.tasks == tasks + 1 else CROSS
        found.append(Lap(operator, clock.seconds, spent - clock.seconds))
    return tuple(found)


def table_3_3(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Seconds of a generation, fitness and the rest, crossover and mutation, four files."""
    return [row for name in CONTINUOUS for row in _time_rows(name, Effort(seed, share))]


def _time_rows(name: str, effort: Effort) -> Iterator[Row]:
    timed = laps(name, effort)
    for operator, printed in zip((CROSS, MUTATE), SECONDS[name], strict=True):
        own = [lap for lap in timed if lap.operator == operator]
        for part, theirs in zip(("fitness", "other"), printed, strict=True):
            seconds = [float(getattr(lap, part)) for lap in own]
            if seconds:
                yield {
                    "data": name,
                    "operator": operator,
                    "part": part,
                    "seconds paper": theirs,
                    "milliseconds ours": 1000 * mean(seconds),
                    "least": 1000 * min(seconds),
                    "most": 1000 * max(seconds),
                    "sd": 1000 * pstdev(seconds),
                    "times as fast": theirs / mean(seconds) if mean(seconds) else None,
                }
