"""Study of the evolution of masked files, as in the figures of chapter 3.

Initial and final population as points of loss and risk; largest, mean and smallest score of every
generation; time per generation.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import mean, stdev
from typing import Any, NamedTuple

from evomask.data.chart import Axis, Chart, Series
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.individual import Brood, Fitness, Outcomes, Population
from evomask.evolution.loop import Setup, Worker, begin, evolve
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget
from evomask.evolution.streams import draw_stream
from evomask.execution.evaluator import Evaluators
from evomask.execution.local import InProcess
from evomask.runs.inputs import load
from evomask.runs.search import Run
from evomask.runs.store.run_folder import search_parameters
from evomask.searches.base import SearchContext
from evomask.searches.files.genome import Genome
from evomask.searches.files.search import FILES, Parameters

Clock = Callable[[], float]


class ScoreRange(NamedTuple):
    """Largest, mean and smallest score of one generation's population."""

    generation: int
    largest: float
    mean: float
    smallest: float


class GenerationTime(NamedTuple):
    """Seconds of one generation: creating and measuring children, and everything else."""

    operator: str
    fitness: float
    other: float


class Timing(NamedTuple):
    """Seconds over several generations, as in Table 3.3."""

    mean: float
    least: float
    most: float
    deviation: float


@dataclass(frozen=True)
class FilesStudy:
    """Observed evolution of a search for masked files.

    Args:
        first: loss and risk of the initial population. seconds: seconds after the initial
            population.
    """

    first: tuple[Fitness, ...]
    last: tuple[Fitness, ...]
    scores: tuple[ScoreRange, ...]
    turns: tuple[GenerationTime, ...]
    evaluations: int
    seconds: float
    best: Genome

    @classmethod
    def of(cls, run: Run, *, evaluators: Evaluators | None = None) -> "FilesStudy":  # noqa: ARG003
        """Study a run by repeating it generation by generation."""
        if run.plan.search != FILES.name:
            raise ParameterError(
                f"population studies need the search {FILES.name}, got {run.plan.search}"
            )
        parameters = search_parameters(run.plan, FILES)
        budget = Budget(generations=run.state.generation)
        return study_files(load(run.plan.input).table, parameters, budget, run.plan.seed)

    @property
    def records(self) -> int:
        return len(self.best)

    @property
    def as_json(self) -> dict[str, Any]:
        return {
            "first": [list(point) for point in self.first],
            "last": [list(point) for point in self.last],
            "scores": [spread._asdict() for spread in self.scores],
        }

    @property
    def charts(self) -> tuple[Chart, ...]:
        return (
            self.map("populations", "First and last population"),
            self.evolution("scores", "Scores of the population"),
        )

    @property
    def fall(self) -> float:
        """Decrease of the best score in percent."""
        return _fall(self.scores[0].smallest, self.scores[-1].smallest)

    @property
    def mean_fall(self) -> float:
        """Decrease of the mean score of the population in percent."""
        return _fall(self.scores[0].mean, self.scores[-1].mean)

    def timing(self, operator: str, part: Callable[[GenerationTime], float]) -> Timing | None:
        """Seconds of the generations that used an operator; None if there were none."""
        spent = [part(turn) for turn in self.turns if turn.operator == operator]
        if not spent:
            return None
        deviation = stdev(spent) if len(spent) > 1 else 0.0
        return Timing(mean(spent), min(spent), max(spent), deviation)

    def map(self, name: str, title: str) -> Chart:
        """The R-U map of first and last population."""
        return Chart(
            name,
            title,
            f"The mean score of the population falls by {self.mean_fall:.0f} percent, that of its "
            f"best file by {self.fall:.0f} percent.",
            Axis("disclosure risk, percent"),
            Axis("information loss, percent"),
            (_points("first population", self.first), _points("last population", self.last)),
        )

    def evolution(self, name: str, title: str) -> Chart:
        """Largest, mean and smallest score of each generation."""
        shown = self.scores[:: max(1, len(self.scores) // 500)]
        at = tuple(float(spread.generation) for spread in shown)
        return Chart(
            name,
            title,
            f"The smallest score falls from {self.scores[0].smallest:.2f} to "
            f"{self.scores[-1].smallest:.2f}.",
            Axis("generation"),
            Axis("score, percent"),
            tuple(
                Series(label, "line", at, tuple(getattr(spread, label) for spread in shown))
                for label in ("largest", "mean", "smallest")
            ),
        )


def study_files(
    table: Table,
    parameters: Parameters,
    budget: Budget,
    seed: int,
    clock: Clock = time.perf_counter,
) -> FilesStudy:
    """Run a search in this process and observe it; time counts from the initial population on."""
    around = SearchContext(partial(draw_stream, seed), budget=budget)
    return observe_run(FILES.setup(table, parameters, around), budget, seed, clock)


def observe_run(
    setup: Setup[Genome], budget: Budget, seed: int, clock: Clock = time.perf_counter
) -> FilesStudy:
    """Run a prepared search and observe it; another seed starts from the same initial files."""
    work = _Timed(InProcess(Worker(setup.problem, seed)), clock)
    state = begin(setup.first, work, archive=setup.archive, cost=setup.cost)
    started = getattr(setup.scheme, "started", lambda same: same)(state)
    watch = _Watch(setup.cost, started.population, work)
    last = evolve(
        state, setup.scheme, work, seed=seed, until=budget.until(lambda _: watch.seconds),
        observers=[watch], cost=setup.cost,
    )  # fmt: skip
    best = min(last.population, key=lambda member: (setup.cost(member.fitness), member.serial))
    return FilesStudy(
        _fitnesses(started.population), _fitnesses(last.population), tuple(watch.scores),
        tuple(watch.turns), last.evaluations, watch.seconds, best.genome,
    )  # fmt: skip


class _Timed:
    """Evaluator that measures its own time."""

    def __init__(self, work: Any, clock: Clock) -> None:  # noqa: ANN401
        self._work = work
        self.clock = clock
        self.seconds = 0.0

    def __call__(self, brood: Brood[Any], first: int) -> Outcomes[Any]:
        begun = self.clock()
        outcomes: Outcomes[Any] = self._work(brood, first)
        self.seconds = self.clock() - begun
        return outcomes


class _Watch:
    """Observer that records scores and times."""

    def __init__(self, cost: Any, population: Population[Any], work: _Timed) -> None:  # noqa: ANN401
        self._cost, self._work = cost, work
        self.scores = [self._spread(0, population)]
        self.turns: list[GenerationTime] = []
        self.seconds = 0.0
        self._origin = self._mark = work.clock()

    def __call__(
        self, _: State[Any], brood: Brood[Any], __: Outcomes[Any], after: State[Any]
    ) -> None:
        self.scores.append(self._spread(after.generation, after.population))
        now = self._work.clock()
        spent, measured = now - self._mark, self._work.seconds
        self.turns.append(GenerationTime(brood[0].operator, measured, spent - measured))
        self._mark, self.seconds = now, now - self._origin

    def _spread(self, generation: int, population: Population[Any]) -> ScoreRange:
        costs = [self._cost(member.fitness) for member in population]
        return ScoreRange(generation, max(costs), mean(costs), min(costs))


def _fall(before: float, after: float) -> float:
    return 100.0 * (before - after) / before if before else 0.0


def _fitnesses(population: Population[Any]) -> tuple[Fitness, ...]:
    return tuple(member.fitness for member in population)


def _points(name: str, places: Sequence[Fitness]) -> Series:
    losses, risks = zip(*places, strict=True)
    return Series(name, "points", tuple(risks), tuple(losses))
