"""Runs and tables of evolved masked files (Marés, 2013, chapter 3).

The thesis names a probabilistic loss of numbers without its scale; its initial scores are those of
the classic loss, IL1 to IL5. So figures use the classic loss, and table 3.2 shows ours beside it.
Probabilistic linkage is not part of our fitness. Initial files of numbers are those of
`evomask.masking.grid` by the thesis' methods; for categories see `initial_files`.
docs/evolved-protections.md says what is reproduced and what is not.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import product
from typing import Any

from evomask.data.table import Table
from evomask.evolution.individual import Fitness, ScoreRule
from evomask.evolution.loop import Setup
from evomask.evolution.schemes import CROSS, MUTATE
from evomask.evolution.stopping import Budget
from evomask.masking.grid import GridMethod
from evomask.masking.method import provenance_of
from evomask.measures.measure import Measure, Reading
from evomask.measures.profiles import RiskProfile, classic_loss
from evomask.searches.files.fitness import FileMeasures
from evomask.searches.files.genome import Genome
from evomask.searches.files.search import FILES, Algorithm, Parameters
from evomask_papers.effort import Effort
from evomask_papers.file_study import FilesStudy, GenerationTime, Timing, observe_run
from evomask_papers.files.initial_files import first_files
from evomask_papers.files.inputs import (
    CONTINUOUS,
    FINAL_SCORES,
    FIRST_BEST,
    FIRST_FILES,
    SECONDS,
    original_for,
)

GENERATIONS = 1000
TIMED = 60
"""Generations timed for table 3.3, at full effort."""
OTHER_EXECUTION = 1000
"""Added to the seed for a second execution."""

STRANGE = ("independent-noise", "correlated-noise")
"""Methods for numbers in our first population that the thesis does not have."""

Row = dict[str, object]


@dataclass(frozen=True, eq=False)
class AnotherJudge(FileMeasures):
    """Evaluates files by another loss, and optionally by another risk, than the profile's."""

    other_loss: Measure
    other_risk: Measure | None = None

    @cached_property
    def loss(self) -> Reading:
        return self.other_loss.against(self.coding.original)

    @cached_property
    def risk(self) -> Reading:
        if self.other_risk is None:
            return super().risk
        return self.other_risk.against(self.coding.original)

    def like_parent(self, genome: Genome, masked: Table, parent: Genome) -> Fitness:
        if self.other_risk is None:
            return super().like_parent(genome, masked, parent)
        return self.full(masked)


def prepared(name: str, parameters: Parameters, effort: Effort, *, classic: bool) -> Setup[Genome]:
    """Set up the search on one of the thesis' files, started from files by its methods."""
    setup = FILES.setup(original_for(name, effort), parameters, effort.around)
    problem: Any = setup.problem
    if name in CONTINUOUS:
        methods = methods_for(problem.methods, FIRST_FILES[name])
    else:
        methods = first_files(name, problem.coding.original)
    judge = problem.judge
    if classic:
        judge = AnotherJudge(problem.coding, parameters.profile, classic_loss(problem.coding.names))
    begun = replace(problem, methods=methods, judge=judge)
    return replace(setup, problem=begun, first=len(methods))


def methods_for(
    methods: tuple[GridMethod, ...], count: int | None = None
) -> tuple[GridMethod, ...]:
    """The thesis' methods for numbers (without noise); an even selection if a number is given."""
    steps = [provenance_of(entry.method).steps for entry in methods]
    usual = [
        entry
        for entry, done in zip(methods, steps, strict=True)
        if not any(step.method in STRANGE for step in done)
    ]
    if count is None:
        return tuple(usual)
    return tuple(usual[i * len(usual) // count] for i in range(count))


@lru_cache(maxsize=64)
def searched(
    name: str,
    score: ScoreRule,
    effort: Effort,
    algorithm: Algorithm = Algorithm.THESIS,
    execution: int = 0,
    without_best: float = 0.0,
    whole: int = GENERATIONS,
    classic: bool | None = None,
) -> FilesStudy:
    """Run the search as in the thesis; another execution starts from the same first files.

    Args:
        whole: generations at full effort.
        classic: whether IL1 to IL5 are the loss; by default, for files of numbers.
    """
    parameters = Parameters(
        algorithm=algorithm,
        profile=RiskProfile.PAPERS,
        score=score,
        without_best=without_best,
        held_out=False,
    )
    budget = Budget(generations=effort.of(whole))
    seed = effort.seed + OTHER_EXECUTION * execution
    classic = name in CONTINUOUS if classic is None else classic
    setup = prepared(name, parameters, effort, classic=classic)
    return observe_run(setup, budget, seed, time.process_time)


def fall(before: float, after: float) -> float:
    """Decrease of a score in percent."""
    return 100.0 * (before - after) / before


def table_3_2(seed: int = 1, share: float = 1.0, runs: int = 2) -> list[Row]:
    """Scores after 1000 generations, four files of numbers, two executions, two losses."""
    effort = Effort(seed, share)
    return [row for name in CONTINUOUS for row in _final_rows(name, effort, runs)]


def _final_rows(name: str, effort: Effort, executions: int) -> Iterator[Row]:
    for execution, classic in product(range(executions), (True, False)):
        study = searched(name, ScoreRule.MEAN, effort, execution=execution, classic=classic)
        least, middle, most = _printed(name, execution)
        begun, ended = study.scores[0], study.scores[-1]
        yield {
            "data": name,
            "execution": execution + 1,
            "loss": "IL1 to IL5" if classic else "probabilistic",
            "min paper": least,
            "min ours": ended.smallest,
            "mean paper": middle,
            "mean ours": ended.mean,
            "max paper": most,
            "max ours": ended.largest,
            "first min paper": FIRST_BEST[name],
            "first min ours": begun.smallest,
            "fall paper": None if least is None else fall(FIRST_BEST[name], least),
            "fall ours": study.fall,
            "fall of mean ours": study.mean_fall,
            "generations": ended.generation,
            "seconds": study.seconds,
        }


def _printed(name: str, execution: int) -> tuple[float | None, ...]:
    """Return the printed smallest, mean and largest score of an execution; none for a third one."""
    printed = FINAL_SCORES[name]
    return printed[execution] if execution < len(printed) else (None, None, None)


def table_3_3(seed: int = 1, share: float = 1.0) -> list[Row]:
    """Seconds of a generation, fitness and the rest, crossover and mutation, four files."""
    return [row for name in CONTINUOUS for row in _time_rows(name, Effort(seed, share))]


def _time_rows(name: str, effort: Effort) -> Iterator[Row]:
    study = searched(name, ScoreRule.MEAN, effort, whole=TIMED)
    for operator, printed in zip((CROSS, MUTATE), SECONDS[name], strict=True):
        for part, theirs in zip(("fitness", "other"), printed, strict=True):
            timing = study.timing(operator, partial(_seconds, part))
            if timing is not None:
                yield {"data": name, "operator": operator, "part": part, **_beside(theirs, timing)}


def _beside(theirs: Timing, ours: Timing) -> Row:
    row: Row = {}
    for label, paper, own in zip(("mean", "min", "max", "sd"), theirs, ours, strict=True):
        row |= {f"{label} paper, s": paper, f"{label} ours, ms": 1000 * own}
    return row | {"times as fast": theirs.mean / ours.mean if ours.mean else None}


def _seconds(part: str, turn: GenerationTime) -> float:
    return float(getattr(turn, part))
