"""The partition search as users find it: algorithms, what can be set, how budgets are spent."""

import warnings
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np

from evomask.arrays import Labels, Points
from evomask.data.partition import canonical, checked_k, group_sizes
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.archive import Best
from evomask.evolution.brood import Outcome, Task
from evomask.evolution.calibration import timed
from evomask.evolution.schemes import Unbred
from evomask.evolution.setup import Setup
from evomask.evolution.stopping import Budget
from evomask.kernels.groups.exact import MOST_RECORDS
from evomask.kernels.groups.vmdav import vmdav
from evomask.masking.method import About
from evomask.searches.partition import genetic, hybrid
from evomask.searches.partition.constructions import GAMMA, Construction, fixed_size
from evomask.searches.partition.embedding import embedded
from evomask.searches.partition.genome import checked_points, is_large, is_vast
from evomask.searches.partition.memetic import (
    BESIDE,
    BURSTS,
    FEW_FOUNDERS,
    FIRST_FOUNDERS,
    KEPT,
    Effort,
    Memes,
)
from evomask.searches.partition.problem import NAME, Annealing, Memetic, PartitionProblem
from evomask.searches.partition.proof import require_few
from evomask.searches.partition.regional import STEPS as REGION_STEPS
from evomask.searches.partition.regional import PartByPart, Regional
from evomask.searches.partition.strata import Apart
from evomask.searches.search import File, Surroundings, Variants

TRIAL = 400_000
"""Steps of the burst that shows how fast this machine is."""


LEAST_SPARE = 0.1
"""Share of the time that bursts are given, however long a construction takes."""

STEPS = 300_000
"""Elementary steps of a burst in a portfolio, well below a second."""

STEPS_PER_RECORD = 100
"""Steps that a burst needs for each record to come to anything."""


class Algorithm(StrEnum):
    """How the partition is found: evolved, constructed, a mixture of both, or exactly."""

    MEMETIC = "memetic"
    GENETIC = "genetic"
    ONE_STEP = "one-step"
    TWO_STEP = "two-step"
    MDAV = "mdav"
    VMDAV = "vmdav"
    EXACT = "exact"


CONSTRUCTIONS = {
    Algorithm.ONE_STEP: tuple(Construction),
    Algorithm.TWO_STEP: tuple(Construction),
    Algorithm.MDAV: (Construction.MDAV, Construction.CLASSIC),
}
"""What an algorithm may use to group records; the others use none that can be named."""


@dataclass(frozen=True)
class Parameters:
    """What can be set on the partition search.

    Args:
        k: smallest number of records in a group.
        algorithm: memetic, genetic, one-step, two-step, mdav, vmdav or exact.
        burst: steps of a long annealing burst; by default from the budget.
        macro: records in a macrogroup of the hybrids; for two-step a multiple of k.
        inner: what refines a macrogroup: best, genetic, exact or memetic.
        preset: parameters of the genetic algorithm as in the papers: whole-file, fifty-records or
            macrogroups; by default those of the algorithm's paper.
        chromosomes: size of the genetic population; by default that of the preset.
        mutation: mutation rate of the genetic algorithm; by default that of the preset.
        crossover: crossover rate of the genetic algorithm; by default that of the preset.
        epochs: generations of the genetic algorithm; by default those of the preset.
        per_gene: whether the mutation rate is that of each gene, as in the papers.
        gamma: how readily V-MDAV widens a group.
        construction: what makes macrogroups: mdav, mdav-classic (the papers' ending), cbfs,
            projection or halves (groups of k to 2k-1); mdav also with mdav-classic.
        informed: whether one-step starts from MDAV's groups inside macrogroups; in the paper it
            starts from random ones.
        prove: in the end, tell how far the partition can be from the best possible.
        width: tasks of a generation, 3 or more, so that many workers have work; a few by default.
    """

    k: int = 3
    algorithm: Algorithm = Algorithm.MEMETIC
    burst: int | None = None
    macro: int | None = None
    inner: hybrid.Inner = hybrid.Inner.BEST
    preset: genetic.Preset | None = None
    chromosomes: int | None = None
    mutation: float | None = None
    crossover: float | None = None
    epochs: int | None = None
    per_gene: bool = True
    gamma: float = GAMMA
    construction: Construction = Construction.MDAV
    informed: bool = True
    prove: bool = False
    width: int | None = None

    def __post_init__(self) -> None:
        checked_k(self.k)
        if self.burst is not None and self.burst < 1:
            raise ParameterError(f"burst must be at least 1 step, got {self.burst}")
        if not self.gamma >= 0:
            raise ParameterError(f"gamma must be 0 or more, got {self.gamma}")
        if self.prove and self.algorithm is not Algorithm.MEMETIC:
            raise ParameterError("--prove goes with --algorithm memetic, the default")
        self._check_construction()
        if self.width is not None and self.width <= BESIDE:
            raise ParameterError(f"width must be at least {BESIDE + 1}, got {self.width}")

    def _check_construction(self) -> None:
        if self.construction not in CONSTRUCTIONS.get(self.algorithm, (Construction.MDAV,)):
            raise ParameterError(
                f"--construction {self.construction} means nothing to {self.algorithm}; it "
                "goes with one-step and two-step, mdav-classic also with mdav"
            )

    def rates(self, usual: genetic.Preset) -> genetic.Rates:
        """The preset asked for, or the usual one, with what was set in its place."""
        names = "chromosomes", "mutation", "crossover", "epochs"
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        preset = genetic.PRESETS[self.preset or usual]
        return replace(preset, per_gene=self.per_gene, **given)


class PartitionSearch:
    """Group records by k or more with the least sum of squares; groups evolve."""

    name = NAME
    parameters = Parameters
    budget = Budget(seconds=10.0)
    about = About(
        name=NAME,
        title="microaggregation with evolved groups",
        steward=(
            "records put into {groups} groups of {k} or more similar ones and given common values"
        ),
        public=(
            "Records were put into groups of similar ones. In every group each masked "
            "attribute has one value for all: the mean of numbers, the middle or most "
            "frequent category."
        ),
    )
    cost = 1.0
    keeps_strata = True
    kernels = (
        "groups.annealing",
        "groups.exact",
        "groups.near",
        "groups.orders",
        "groups.splits",
        "groups.vmdav",
    )

    @staticmethod
    def variants(file: File) -> Variants:
        """A member for each of a few sizes of groups, by the algorithm that keeps strata."""
        n = len(file.table)
        burst = min(2_000 * n, max(STEPS, STEPS_PER_RECORD * n))
        usual = (3, 30) if file.is_large else (3, 10, 30)
        return {f"-{k}": {"k": k, "burst": burst} for k in file.sizes(usual)}

    @staticmethod
    def setup(table: Table, parameters: Parameters, around: Surroundings) -> Setup[Any]:
        """The algorithm made ready for one table; all but the memetic one ignore strata."""
        names = table.schema.quasi_identifiers
        _tell_of_strata(table, parameters.algorithm)
        points = checked_points(embedded(table, names), parameters.k)
        return prepared(PartitionProblem(table, names, points, parameters.k), parameters, around)


def _tell_of_strata(table: Table, algorithm: Algorithm) -> None:
    strata = table.schema.with_role(Role.STRATUM)
    if strata and algorithm is not Algorithm.MEMETIC:
        warnings.warn(
            f"partition by {algorithm} puts records of several strata of {', '.join(strata)} "
            "together",
            stacklevel=3,
        )


def prepared(common: PartitionProblem, parameters: Parameters, around: Surroundings) -> Setup[Any]:
    """The algorithm made ready for one set of points."""
    algorithm = parameters.algorithm
    if algorithm is Algorithm.MEMETIC:
        return _memetic(common, parameters, around)
    if algorithm is Algorithm.GENETIC:
        return _genetic(common, parameters)
    if algorithm in (Algorithm.ONE_STEP, Algorithm.TWO_STEP):
        return _hybrid(common, parameters)
    if algorithm is Algorithm.EXACT:
        _require_few(len(common.points), "there are", "--algorithm memetic")
    direct = Direct(*_fields(common), algorithm, parameters.gamma, parameters.construction)
    return Setup(direct, Unbred(), 1, Best())


def _require_few(records: int, where: str, instead: str) -> None:
    if records > MOST_RECORDS:
        raise ParameterError(
            f"exact is for {MOST_RECORDS} records or fewer, and {where} {records}; use {instead}"
        )


def _fields(common: PartitionProblem) -> tuple[Table, tuple[str, ...], Points, int]:
    return common.original, common.names, common.points, common.k


def _memetic(common: PartitionProblem, parameters: Parameters, around: Surroundings) -> Setup[Any]:
    apart = bool(common.original.schema.with_role(Role.STRATUM))
    if parameters.prove:
        _require_provable(len(common.points), apart)
    if is_large(common.points) and not apart:
        return _regional(common, parameters, around)
    problem = Apart.of(common, around.draws) if apart else Memetic.of(common, around.draws)
    effort = _effort(problem, parameters, around)
    problem = problem.lasting(effort.long, effort.short)
    if isinstance(problem, Memetic):
        problem = replace(problem, proves=parameters.prove, largest=effort.largest)
    scheme = Memes(
        effort.renewals,
        size=max(KEPT, effort.width),
        bursts=effort.bursts,
        crossings=effort.crossings,
    )
    return Setup(problem, scheme, effort.first, Best())


def _require_provable(n_records: int, apart: bool) -> None:
    if apart:
        raise ParameterError("--prove is for files without strata; leave it out")
    require_few(n_records)


def _regional(common: PartitionProblem, parameters: Parameters, around: Surroundings) -> Setup[Any]:
    """Region by region, turn after turn; the budget says how many turns there are."""
    annealing = Annealing(common.points, common.k, partial(around.draws, 0))
    steps = (parameters.burst or 0) // len(common.points) or REGION_STEPS
    problem = Regional(*_fields(common), annealing, steps)
    return Setup(problem, PartByPart(), 1, Best())


def _effort(problem: Memetic | Apart, parameters: Parameters, around: Surroundings) -> Effort:
    """Burst lengths as told, or from the evaluations, or from the seconds and this machine."""
    usual = _usual_effort(problem, parameters, around)
    return usual if parameters.width is None else usual.wide(parameters.width)


def _usual_effort(problem: Memetic | Apart, parameters: Parameters, around: Surroundings) -> Effort:
    budget = around.budget or Budget(generations=0)
    if parameters.burst is not None:
        founders = FEW_FOUNDERS if is_vast(problem.points) else FIRST_FOUNDERS
        return Effort.of(parameters.burst, founders)
    if budget.evaluations is not None:
        return Effort.within(budget.evaluations, len(problem.points), problem.k)
    if budget.seconds is None or around.decide is None:
        return Effort.usual(len(problem.points))
    seconds, workers = budget.seconds, min(around.workers, parameters.width or BURSTS)
    steps = around.decide("evaluations", lambda: workers * _steps_within(seconds, problem))
    return Effort.within(steps, len(problem.points), problem.k)


def _steps_within(seconds: float, problem: Memetic | Apart) -> float:
    """Steps that one worker has time for, after its construction, by a trial of both."""
    start, building = timed(lambda: problem.constructed(0))
    problem.tried(start, steps=1)  # finds what all bursts need
    steps, trying = timed(lambda: problem.tried(start, TRIAL))
    spare = max(LEAST_SPARE * seconds, seconds - building)
    return spare * steps / max(1e-6, trying)


def _genetic(common: PartitionProblem, parameters: Parameters) -> Setup[Any]:
    rates = parameters.rates(genetic.Preset.WHOLE_FILE)
    return Setup(genetic.Genetic(common, rates), genetic.MoreEpochs(rates.epochs), 1, Best())


def _hybrid(common: PartitionProblem, parameters: Parameters) -> Setup[Any]:
    k, points = common.k, common.points
    heuristic = partial(fixed_size, construction=parameters.construction)
    if parameters.algorithm is Algorithm.ONE_STEP:
        macrogroups = hybrid.one_step(points, k, parameters.macro or max(50, 2 * k), heuristic)
        informed = parameters.informed
        groups = hybrid.inside_macrogroups(points, macrogroups, k) if informed else macrogroups
    else:
        informed = True
        macrogroups, groups = hybrid.two_step(points, k, parameters.macro or 6 * k, heuristic)
    if parameters.inner is hybrid.Inner.EXACT:
        largest = int(group_sizes(macrogroups).max())
        _require_few(largest, "a macrogroup has", "a smaller --macro or --inner best")
    rates = parameters.rates(genetic.Preset.MACROGROUPS)
    problem = hybrid.Hybrid(
        *_fields(common), macrogroups, groups, parameters.inner, rates, informed
    )
    return Setup(problem, hybrid.PartsJoined(), hybrid.PARTS, Best(), least=1)


@dataclass(frozen=True, eq=False)
class Direct(PartitionProblem):
    """Partitions that are constructed, not searched."""

    algorithm: Algorithm
    gamma: float
    construction: Construction

    def work(self, task: Task[Labels], rng: np.random.Generator) -> Outcome[Labels]:
        """The partition by the chosen construction; there is no other genome."""
        if self.algorithm is Algorithm.VMDAV:
            return self.outcome(canonical(vmdav(self.points, self.k, self.gamma)))
        labels = canonical(fixed_size(self.points, self.k, self.construction))
        if self.algorithm is Algorithm.EXACT:
            labels = hybrid.refined(
                self.points, self.k, hybrid.Inner.EXACT, genetic.MACROGROUPS, labels, rng
            )
        return self.outcome(labels)
