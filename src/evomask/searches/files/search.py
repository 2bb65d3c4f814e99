"""The files search: parameters, algorithms and setup."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from evomask.data.classes import classes_of
from evomask.data.schema import Role
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.archive import Front
from evomask.evolution.individual import COSTS, Cost, ScoreRule
from evomask.evolution.loop import Scheme, Setup
from evomask.evolution.schemes import MutateOrCross
from evomask.evolution.stopping import Budget
from evomask.masking.composition import Stratified
from evomask.masking.enforce.enforcement import Enforcement
from evomask.masking.enforce.requirement import parse_requirement
from evomask.masking.grid import GridMethod, first_population
from evomask.masking.method import About
from evomask.measures.profiles import RiskProfile
from evomask.searches.base import Search, SearchContext, SearchInput, Variants, require_at_least
from evomask.searches.files.fitness import (
    AIMS,
    FileMeasures,
    towards_origin,
)
from evomask.searches.files.genome import Coding, Genome
from evomask.searches.files.problem import NAME, MaskedFiles, VariationSettings
from evomask.searches.files.schemes import (
    BredFront,
    CrossAndMutate,
    FrontPolishing,
    Polishing,
    WithoutBest,
)
from evomask.searches.files.steps import NO_CONSTRAINT, BurstConstraint, Steps


class Algorithm(StrEnum):
    """Search algorithm: bursts for one score or along the front, or as in the thesis."""

    GUIDED = "guided"
    FRONT = "front"
    THESIS = "thesis"
    BOTH_ONE = "both-one"
    BOTH_ALL = "both-all"


BURSTING = (Algorithm.GUIDED, Algorithm.FRONT)


BURSTS = {RiskProfile.PAPERS: (4, 30_000), RiskProfile.STRICT: (8, 10_000)}
"""Cells per step of a burst, and most steps of a burst, which keep it below about a second."""

SHORTEST = 2_000

WORK = 3_000_000
"""Steps times records of a burst in `protect`."""

FEW_RECORDS, MOST_CHANGED = 2_000, 10_000
"""Records up to which a portfolio runs many bursts per generation, and any at all."""


class Width(StrEnum):
    """Bits of a gene among which the mutation of the thesis chooses."""

    FIXED = "fixed"
    OWN = "own"


@dataclass(frozen=True)
class Parameters:
    """Parameters of the search for masked files.

    Args:
        algorithm: guided (bursts of local search, default), front (bursts along the front of loss
            and risk), thesis (one mutation or crossover per generation), both-one and both-all
            (figure 3.5: both operators in one generation, mutating one value or all).
        profile: risk profile to optimise, strict or papers.
        score: worst or mean of loss and risk.
        require: requirement of every file, such as k=5 or k=5,l=2,t=0.3.
        first: number of initial files, evenly from those of all methods; 0 for all.
        burst: elementary steps of a burst; by default by the size of the table.
        turns: bursts per generation.
        leaders: number of the best files, which are improved more often and lead crossovers.
        mutation: probability of a mutation in the thesis' algorithm; otherwise a crossover.
        width: bits that its mutation chooses among, fixed or the gene's own.
        without_best: percentage of the initial population, the best, to leave out.
        held_out: attack the best initial and the best final file after the search.
    """

    algorithm: Algorithm = Algorithm.GUIDED
    profile: RiskProfile = RiskProfile.STRICT
    score: ScoreRule = ScoreRule.WORST
    require: str = ""
    first: int = 0
    burst: int | None = None
    turns: int = 2
    leaders: int = 2
    mutation: float = 0.5
    width: Width = Width.FIXED
    without_best: float = 0.0
    held_out: bool = True

    def __post_init__(self) -> None:
        require_at_least(self, burst=1, turns=1, leaders=1, first=0)
        if not 0 <= self.mutation <= 1:
            raise ParameterError(f"mutation must lie in [0, 1], got {self.mutation:g}")
        if not 0 <= self.without_best < 100:
            raise ParameterError(
                f"without-best must be at least 0 and below 100 percent, got {self.without_best:g}"
            )


@dataclass(frozen=True)
class FileConstraints:
    """Constraints on evolved files.

    Args:
        release: enforces the requirements on a file; None if there are none.
        guarantee: constraints that bursts respect.
    """

    release: Callable[[Table], Table] | None = None
    guarantee: BurstConstraint = NO_CONSTRAINT


def build_setup(
    table: Table, parameters: Parameters, context: SearchContext, enforcement: FileConstraints
) -> Setup[Genome]:
    """Prepare the search for one table."""
    names = table.schema.quasi_identifiers
    if not names:
        raise SchemaError("there is no quasi-identifier to mask; name at least one")
    coding = Coding(table, names)
    judge = FileMeasures(coding, parameters.profile)
    steps = Steps(coding, judge.followed, enforcement.guarantee)
    cost, weights = COSTS[parameters.score], np.array(AIMS[parameters.score])
    problem = MaskedFiles(
        coding,
        judge,
        steps.load() if parameters.algorithm in BURSTING else steps,
        _select_evenly(_methods(table), parameters.first),
        context.draws,
        enforcement.release,
        cost,
        towards_origin if parameters.algorithm is Algorithm.FRONT else lambda _: weights,
        _variation_settings(parameters, len(table) * len(names)),
        parameters.held_out,
    )
    scheme, archive = _scheme(parameters, cost), Front[Genome]()
    if parameters.without_best:
        scheme, archive = WithoutBest(scheme, parameters.without_best, cost), BredFront[Genome]()
    return Setup(problem, scheme, len(problem.methods), archive, cost)


def _methods(table: Table) -> tuple[GridMethod, ...]:
    """Masking methods of the initial files; with strata, those that fit the smallest stratum."""
    strata = table.schema.with_role(Role.STRATUM)
    if not strata:
        return tuple(first_population(table))
    classes = classes_of(table, strata)
    smallest = table.take(np.flatnonzero(classes.labels == classes.sizes.argmin()))
    fitting = first_population(smallest)
    return tuple(GridMethod(Stratified(m, strata), family) for m, family in fitting)


def _select_evenly(methods: tuple[GridMethod, ...], count: int) -> tuple[GridMethod, ...]:
    if count in (0, len(methods)):
        return methods
    places = np.linspace(0, len(methods) - 1, min(count, len(methods))).round().astype(int)
    return tuple(methods[place] for place in places)


def _variation_settings(parameters: Parameters, cells: int) -> VariationSettings:
    share, most = BURSTS[parameters.profile]
    return VariationSettings(
        parameters.burst or min(max(cells // share, SHORTEST), most),
        parameters.width is Width.OWN,
        parameters.algorithm is Algorithm.BOTH_ALL,
    )


def _scheme(parameters: Parameters, cost: Cost) -> Scheme[Genome]:
    if parameters.algorithm is Algorithm.GUIDED:
        return Polishing(cost, parameters.turns, parameters.leaders)
    if parameters.algorithm is Algorithm.FRONT:
        return FrontPolishing(parameters.turns)
    if parameters.algorithm is Algorithm.THESIS:
        return MutateOrCross(parameters.mutation, parameters.leaders, cost=cost)
    return CrossAndMutate(cost, parameters.leaders)


class FilesSearch(Search):
    """Change masked files cell by cell; the files themselves evolve."""

    name = NAME
    parameters = Parameters
    budget = Budget(seconds=60.0)
    about = About(
        name=NAME,
        title="cells changed one by one",
        steward=(
            "cells changed one by one: {changed:mean} differ{changed:extremes}[, numbers by "
            "{moved:.2f} standard deviations]"
        ),
        public=(
            "The file was masked by several methods, and single values were then changed or "
            "exchanged between masked files by a search for a better balance."
        ),
    )
    keeps_strata = True
    kernels = ("incremental.state", "incremental.bursts")

    @staticmethod
    def variants(source: SearchInput) -> Variants:
        n = len(source.table)
        if n > MOST_CHANGED:
            return {}
        shared = {
            "profile": source.profile,
            "require": source.requirement.as_text,
            "held_out": False,
            "burst": min(10 * n * len(source.names), WORK // n),
            "turns": 4 if n <= FEW_RECORDS else 2,
        }
        return {
            "-front": {**shared, "algorithm": Algorithm.FRONT.value},
            "-balanced": {**shared, "algorithm": Algorithm.GUIDED.value},
        }

    @staticmethod
    def setup(table: Table, parameters: Parameters, context: SearchContext) -> Setup[Any]:
        requirement = parse_requirement(parameters.require)
        enforcement = Enforcement.of(table, requirement)
        asks = enforcement.asks_anything or bool(len(enforcement.mender.rules))
        may_join = requirement.l == 1 and requirement.t == 1
        k = 1 if table.schema.scenarios else requirement.k
        constraints = FileConstraints(enforcement if asks else None, BurstConstraint(k, may_join))
        return build_setup(table, parameters, context, constraints)


FILES = FilesSearch()
