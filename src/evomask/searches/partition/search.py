"""The partition search: parameters, algorithms and distribution of the budget."""

import warnings
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np

from evomask.data.partition import canonical, group_sizes, validate_k
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.archive import Best
from evomask.evolution.individual import Outcome, Task
from evomask.evolution.loop import Setup
from evomask.evolution.schemes import Unbred
from evomask.evolution.stopping import Budget
from evomask.kernels.groups.exact import MOST_RECORDS
from evomask.kernels.groups.vmdav import vmdav
from evomask.masking.method import About
from evomask.masking.microaggregation.aggregation import PUBLIC_AGGREGATES
from evomask.searches.base import Search, SearchContext, SearchInput, Variants, time_call
from evomask.searches.partition.constructions import GAMMA, Construction, fixed_size
from evomask.searches.partition.genetic import (
    MACROGROUPS,
    PARTS,
    PRESETS,
    Genetic,
    Hybrid,
    Inner,
    JoinParts,
    MoreEpochs,
    Preset,
    Rates,
    group_within_macrogroups,
    one_step,
    refine_macrogroup,
    two_step,
)
from evomask.searches.partition.genome import check_points, embed, is_large, is_very_large
from evomask.searches.partition.memetic import (
    BURSTS,
    FEW_FOUNDERS,
    FIRST_FOUNDERS,
    OTHER_TASKS,
    POPULATION,
    AnnealParts,
    Effort,
    MemeticScheme,
    Regional,
    StratifiedMemetic,
)
from evomask.searches.partition.memetic import STEPS as REGION_STEPS
from evomask.searches.partition.problem import NAME, Annealing, Memetic, PartitionProblem
from evomask.searches.partition.proof import require_few
from evomask.types import Labels, Points

TRIAL = 400_000
"""Steps of the burst that measures the speed of the machine."""


LEAST_SPARE = 0.1
"""Smallest share of the time for bursts, even after a slow construction."""

STEPS = 300_000
"""Elementary steps of a burst in `protect`, well below a second."""

STEPS_PER_RECORD = 100
"""Steps per record that a burst needs to be effective."""


class Algorithm(StrEnum):
    """Search algorithm: evolutionary, constructive, hybrid or exact."""

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
"""Constructions that each algorithm accepts; the others accept the default only."""


@dataclass(frozen=True)
class Parameters:
    """Parameters of the partition search.

    Args:
        k: smallest number of records in a group.
        algorithm: memetic, genetic, one-step, two-step, mdav, vmdav or exact.
        burst: steps of a long annealing burst; by default from the budget.
        macro: records in a macrogroup of the hybrids; for two-step a multiple of k.
        inner: search inside a macrogroup: best, genetic, exact or memetic.
        preset: parameters of the genetic algorithm as in the papers: whole-file, fifty-records or
            macrogroups; by default those of the algorithm's paper.
        chromosomes: population size of the genetic algorithm; by default that of the preset.
        mutation: mutation rate of the genetic algorithm; by default that of the preset.
        crossover: crossover rate of the genetic algorithm; by default that of the preset.
        epochs: generations of the genetic algorithm; by default those of the preset.
        per_gene: whether the mutation rate is per gene, as in the papers.
        gamma: gain factor of V-MDAV; larger values extend groups more readily.
        construction: heuristic for macrogroups: mdav, mdav-classic (as the papers end it), cbfs,
            projection or halves (groups of k to 2k-1); mdav also accepts mdav-classic.
        informed: whether one-step starts from MDAV's groups inside macrogroups, not from random
            ones as in the paper.
        prove: compute a bound of the optimum after the search.
        width: tasks per generation, 3 or more, to keep many workers busy; a few by default.
    """

    k: int = 3
    algorithm: Algorithm = Algorithm.MEMETIC
    burst: int | None = None
    macro: int | None = None
    inner: Inner = Inner.BEST
    preset: Preset | None = None
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
        validate_k(self.k)
        if self.burst is not None and self.burst < 1:
            raise ParameterError(f"burst must be at least 1 step, got {self.burst}")
        if not self.gamma >= 0:
            raise ParameterError(f"gamma must be 0 or more, got {self.gamma}")
        if self.prove and self.algorithm is not Algorithm.MEMETIC:
            raise ParameterError("--prove requires --algorithm memetic, the default")
        if self.construction not in CONSTRUCTIONS.get(self.algorithm, (Construction.MDAV,)):
            raise ParameterError(
                f"--construction {self.construction} does not apply to {self.algorithm}; use it "
                "with one-step or two-step, mdav-classic also with mdav"
            )
        if self.width is not None and self.width <= OTHER_TASKS:
            raise ParameterError(f"width must be at least {OTHER_TASKS + 1}, got {self.width}")

    def rates(self, default: Preset) -> Rates:
        names = "chromosomes", "mutation", "crossover", "epochs"
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        preset = PRESETS[self.preset or default]
        return replace(preset, per_gene=self.per_gene, **given)


class PartitionSearch(Search):
    """Microaggregate records; the partition into groups of k or more evolves."""

    name = NAME
    parameters = Parameters
    budget = Budget(seconds=10.0)
    about = About(
        name=NAME,
        title="microaggregation with evolved groups",
        steward=(
            "records put into {groups} groups of {k} or more similar ones and given common values"
        ),
        public=PUBLIC_AGGREGATES,
    )
    keeps_strata = True
    kernels = (
        "groups.annealing",
        "groups.exact",
        "groups.mdav",
        "groups.orders",
        "groups.splits",
        "groups.vmdav",
    )

    @staticmethod
    def variants(source: SearchInput) -> Variants:
        n = len(source.table)
        burst = min(2_000 * n, max(STEPS, STEPS_PER_RECORD * n))
        default = (3, 30) if source.is_large else (3, 10, 30)
        return {f"-{k}": {"k": k, "burst": burst} for k in source.sizes(default)}

    @staticmethod
    def setup(table: Table, parameters: Parameters, context: SearchContext) -> Setup[Any]:
        names = table.schema.quasi_identifiers
        strata, algorithm = table.schema.with_role(Role.STRATUM), parameters.algorithm
        if strata and algorithm is not Algorithm.MEMETIC:
            warnings.warn(
                f"partition by {algorithm} ignores the strata of {', '.join(strata)}: groups may "
                "contain records of several strata",
                stacklevel=2,
            )
        points = check_points(embed(table, names), parameters.k)
        return build_setup(
            PartitionProblem(table, names, points, parameters.k), parameters, context
        )


def build_setup(
    common: PartitionProblem, parameters: Parameters, context: SearchContext
) -> Setup[Any]:
    """Prepare the algorithm for one set of points."""
    algorithm = parameters.algorithm
    if algorithm is Algorithm.MEMETIC:
        return _memetic(common, parameters, context)
    if algorithm is Algorithm.GENETIC:
        rates = parameters.rates(Preset.WHOLE_FILE)
        return Setup(Genetic(common, rates), MoreEpochs(rates.epochs), 1, Best())
    if algorithm in (Algorithm.ONE_STEP, Algorithm.TWO_STEP):
        return _hybrid(common, parameters)
    if algorithm is Algorithm.EXACT:
        _require_few(len(common.points), "there are", "--algorithm memetic")
    direct = ConstructionProblem(
        *_fields(common), algorithm, parameters.gamma, parameters.construction
    )
    return Setup(direct, Unbred(), 1, Best())


def _require_few(records: int, where: str, instead: str) -> None:
    if records > MOST_RECORDS:
        raise ParameterError(
            f"exact supports at most {MOST_RECORDS} records, and {where} {records}; use {instead}"
        )


def _fields(common: PartitionProblem) -> tuple[Table, tuple[str, ...], Points, int]:
    return common.original, common.names, common.points, common.k


def _memetic(
    common: PartitionProblem, parameters: Parameters, context: SearchContext
) -> Setup[Any]:
    apart = bool(common.original.schema.with_role(Role.STRATUM))
    if parameters.prove and apart:
        raise ParameterError("--prove does not support strata; leave it out")
    if parameters.prove:
        require_few(len(common.points))
    if is_large(common.points) and not apart:
        return _regional(common, parameters, context)
    problem = (
        StratifiedMemetic.of(common, context.draws) if apart else Memetic.of(common, context.draws)
    )
    effort = _effort(problem, parameters, context)
    effort = effort if parameters.width is None else effort.wide(parameters.width)
    problem = problem.with_burst_lengths(effort.long, effort.short)
    if isinstance(problem, Memetic):
        problem = replace(problem, proves=parameters.prove, largest=effort.largest)
    scheme = MemeticScheme(
        effort.renewals,
        size=max(POPULATION, effort.width),
        bursts=effort.bursts,
        crossings=effort.crossings,
    )
    return Setup(problem, scheme, effort.first, Best())


def _regional(
    common: PartitionProblem, parameters: Parameters, context: SearchContext
) -> Setup[Any]:
    """Setup for a large file, annealed region by region."""
    annealing = Annealing(common.points, common.k, partial(context.draws, 0))
    steps = (parameters.burst or 0) // len(common.points) or REGION_STEPS
    problem = Regional(*_fields(common), annealing, steps)
    return Setup(problem, AnnealParts(), 1, Best())


def _effort(
    problem: Memetic | StratifiedMemetic, parameters: Parameters, context: SearchContext
) -> Effort:
    """Burst lengths as given, from the evaluations, or from the seconds and the machine's speed."""
    budget = context.budget or Budget(generations=0)
    if parameters.burst is not None:
        initial_tasks = FEW_FOUNDERS if is_very_large(problem.points) else FIRST_FOUNDERS
        return Effort.of(parameters.burst, initial_tasks)
    if budget.evaluations is not None:
        return Effort.within(budget.evaluations, len(problem.points), problem.k)
    if budget.seconds is None or context.decide is None:
        return Effort.default(len(problem.points))
    seconds, workers = budget.seconds, min(context.workers, parameters.width or BURSTS)
    steps = context.decide("evaluations", lambda: workers * _steps_within(seconds, problem))
    return Effort.within(steps, len(problem.points), problem.k)


def _steps_within(seconds: float, problem: Memetic | StratifiedMemetic) -> float:
    """Steps that one worker has time for after its construction, measured by a trial."""
    start, building = time_call(lambda: problem.construct(0))
    problem.run_trial(start, steps=1)  # finds what all bursts need
    steps, trying = time_call(lambda: problem.run_trial(start, TRIAL))
    spare = max(LEAST_SPARE * seconds, seconds - building)
    return spare * steps / max(1e-6, trying)


def _hybrid(common: PartitionProblem, parameters: Parameters) -> Setup[Any]:
    k, points = common.k, common.points
    heuristic = partial(fixed_size, construction=parameters.construction)
    if parameters.algorithm is Algorithm.ONE_STEP:
        macrogroups = one_step(points, k, parameters.macro or max(50, 2 * k), heuristic)
        informed = parameters.informed
        groups = group_within_macrogroups(points, macrogroups, k) if informed else macrogroups
    else:
        informed = True
        macrogroups, groups = two_step(points, k, parameters.macro or 6 * k, heuristic)
    if parameters.inner is Inner.EXACT:
        largest = int(group_sizes(macrogroups).max())
        _require_few(largest, "a macrogroup has", "a smaller --macro or --inner best")
    rates = parameters.rates(Preset.MACROGROUPS)
    problem = Hybrid(*_fields(common), macrogroups, groups, parameters.inner, rates, informed)
    return Setup(problem, JoinParts(), PARTS, Best(), least=1)


@dataclass(frozen=True, eq=False)
class ConstructionProblem(PartitionProblem):
    """Partitions by construction, without search."""

    algorithm: Algorithm
    gamma: float
    construction: Construction

    def work(self, task: Task[Labels], rng: np.random.Generator) -> Outcome[Labels]:
        if self.algorithm is Algorithm.VMDAV:
            return self.outcome(canonical(vmdav(self.points, self.k, self.gamma)))
        labels = canonical(fixed_size(self.points, self.k, self.construction))
        if self.algorithm is Algorithm.EXACT:
            labels = refine_macrogroup(self.points, self.k, Inner.EXACT, MACROGROUPS, labels, rng)
        return self.outcome(labels)
