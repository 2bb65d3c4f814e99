"""The search for masked files put together: algorithms, defaults, what can be set."""

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
from evomask.evolution.individual import COSTS, Cost, Joined
from evomask.evolution.loop import Scheme
from evomask.evolution.schemes import MutateOrCross
from evomask.evolution.setup import Setup
from evomask.evolution.stopping import Budget
from evomask.masking.composition import Stratified
from evomask.masking.grid import GridMethod, first_population
from evomask.masking.guarantees.fulfilment import Guarantees
from evomask.masking.guarantees.requirement import Requirement, requirement_of
from evomask.masking.method import About
from evomask.measures.profiles import RiskProfile
from evomask.searches.files.fitness import (
    AIMS,
    Judge,
    towards_origin,
)
from evomask.searches.files.genome import Coding, Genome
from evomask.searches.files.problem import NAME, Aim, Habits, MaskedFiles
from evomask.searches.files.schemes import (
    BredFront,
    CrossAndMutate,
    FrontPolishing,
    Polishing,
    WithoutBest,
)
from evomask.searches.files.steps import NOTHING, Guarantee, Steps
from evomask.searches.search import File, Surroundings, Variants


class Algorithm(StrEnum):
    """How files evolve: guided bursts for one score or along the front, or as in the thesis."""

    GUIDED = "guided"
    FRONT = "front"
    THESIS = "thesis"
    BOTH_ONE = "both-one"
    BOTH_ALL = "both-all"


BURSTING = (Algorithm.GUIDED, Algorithm.FRONT)


BURSTS = {RiskProfile.PAPERS: (4, 30_000), RiskProfile.STRICT: (8, 10_000)}
"""A burst has a step for so many cells, and at most so many steps: below a second or so."""

SHORTEST = 2_000

WORK = 20_000_000
"""Steps times records of a burst in a portfolio."""

FEW_RECORDS, MOST_CHANGED = 2_000, 10_000
"""Records up to which a portfolio has many bursts in a turn, and any at all."""


class Width(StrEnum):
    """Among which bits of a gene the thesis' mutation chooses."""

    FIXED = "fixed"
    OWN = "own"


@dataclass(frozen=True)
class Parameters:
    """What can be set on the search for masked files.

    Args:
        algorithm: guided (bursts of tracked steps, ours), front (the same for loss and risk
            apart), thesis (one mutation or crossover a generation), both-one and both-all
            (figure 3.5: both operators in one generation, one value mutated or all).
        profile: the risk that is searched for, strict or papers.
        score: worst or mean of loss and risk.
        require: what every file must fulfil, such as k=5 or k=5,l=2,t=0.3.
        first: how many first files, evenly from all that methods make; 0 for all.
        burst: elementary steps of a burst; by default as many as suit the table.
        turns: bursts in a generation.
        leaders: how many of the best lead: they are polished, and give to crossovers.
        mutation: how often the thesis' algorithm mutates; else it crosses.
        width: bits that its mutation chooses among, fixed or the gene's own.
        without_best: percent of the first population to leave out, the best ones.
        held_out: attack the best first file and the best one now, after the search.
    """

    algorithm: Algorithm = Algorithm.GUIDED
    profile: RiskProfile = RiskProfile.STRICT
    score: Joined = Joined.WORST
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
        for name in ("burst", "turns", "leaders"):
            given = getattr(self, name)
            if given is not None and given < 1:
                raise ParameterError(f"{name} must be at least 1, got {given}")
        if self.first < 0:
            raise ParameterError(f"first must be at least 0, got {self.first}")
        if not 0 <= self.mutation <= 1:
            raise ParameterError(f"mutation must lie in [0, 1], got {self.mutation:g}")
        if not 0 <= self.without_best < 100:
            raise ParameterError(
                f"without-best must be at least 0 and below 100 percent, got {self.without_best:g}"
            )


@dataclass(frozen=True)
class Kept:
    """What every file on offer must keep.

    Args:
        release: brings a file to keep it; None where nothing is asked.
        guarantee: what bursts must leave as it is.
    """

    release: Callable[[Table], Table] | None = None
    guarantee: Guarantee = NOTHING


def put_together(
    table: Table, parameters: Parameters, around: Surroundings, kept: Kept
) -> Setup[Genome]:
    """The search made ready for one table."""
    names = table.schema.quasi_identifiers
    if not names:
        raise SchemaError("there is no quasi-identifier to mask; name at least one")
    coding = Coding(table, names)
    judge = Judge(coding, parameters.profile)
    steps = Steps(coding, judge.followed, kept.guarantee)
    cost = COSTS[parameters.score]
    problem = MaskedFiles(
        coding,
        judge,
        steps.load() if parameters.algorithm in BURSTING else steps,
        _evenly(_methods(table), parameters.first),
        around.draws,
        kept.release,
        cost,
        _aim(parameters),
        _habits(parameters, len(table) * len(names)),
        parameters.held_out,
    )
    scheme, archive = _scheme(parameters, cost)
    return Setup(problem, scheme, len(problem.methods), archive, cost)


def _methods(table: Table) -> tuple[GridMethod, ...]:
    """What makes first files; where there are strata, what fits the smallest of them all."""
    strata = table.schema.with_role(Role.STRATUM)
    if not strata:
        return tuple(first_population(table))
    classes = classes_of(table, strata)
    smallest = table.take(np.flatnonzero(classes.labels == classes.sizes.argmin()))
    fitting = first_population(smallest)
    return tuple(GridMethod(Stratified(m, strata), family) for m, family in fitting)


def _evenly(methods: tuple[GridMethod, ...], count: int) -> tuple[GridMethod, ...]:
    """So many of the methods, evenly from first to last; 0 means all."""
    if count in (0, len(methods)):
        return methods
    places = np.linspace(0, len(methods) - 1, min(count, len(methods))).round().astype(int)
    return tuple(methods[place] for place in places)


def _aim(parameters: Parameters) -> Aim:
    if parameters.algorithm is Algorithm.FRONT:
        return towards_origin
    weights = np.array(AIMS[parameters.score])
    return lambda _: weights


def _habits(parameters: Parameters, cells: int) -> Habits:
    share, most = BURSTS[parameters.profile]
    return Habits(
        parameters.burst or min(max(cells // share, SHORTEST), most),
        parameters.width is Width.OWN,
        parameters.algorithm is Algorithm.BOTH_ALL,
    )


def _scheme(parameters: Parameters, cost: Cost) -> tuple[Scheme[Genome], Front[Genome]]:
    scheme = _full_scheme(parameters, cost)
    if parameters.without_best == 0:
        return scheme, Front[Genome]()
    return WithoutBest(scheme, parameters.without_best, cost), BredFront[Genome]()


def _full_scheme(parameters: Parameters, cost: Cost) -> Scheme[Genome]:
    if parameters.algorithm is Algorithm.GUIDED:
        return Polishing(cost, parameters.turns, parameters.leaders)
    if parameters.algorithm is Algorithm.FRONT:
        return FrontPolishing(parameters.turns)
    if parameters.algorithm is Algorithm.THESIS:
        return MutateOrCross(parameters.mutation, parameters.leaders, cost=cost)
    return CrossAndMutate(cost, parameters.leaders)


class FilesSearch:
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
    cost = 1.0
    keeps_strata = True
    kernels = ("tracked.state", "tracked.bursts")

    def variants(self, file: File) -> Variants:
        """For the whole front, and for its balanced point; a step costs with the records."""
        n = len(file.table)
        if n > MOST_CHANGED:
            return {}
        shared = {
            "profile": file.profile,
            "require": file.requirement.as_text,
            "held_out": False,
            "burst": min(10 * n * len(file.names), WORK // n),
            "turns": 4 if n <= FEW_RECORDS else 2,
        }
        return {
            "-front": {**shared, "algorithm": Algorithm.FRONT.value},
            "-balanced": {**shared, "algorithm": Algorithm.GUIDED.value},
        }

    def setup(self, table: Table, parameters: Parameters, around: Surroundings) -> Setup[Any]:
        """First files from every method that fits, and a way to better ones."""
        kept = kept_by(table, requirement_of(parameters.require))
        return put_together(table, parameters, around, kept)


def kept_by(table: Table, requirement: Requirement) -> Kept:
    """What every masked version of a table must keep: a requirement and its edit rules."""
    guarantees = Guarantees.of(table, requirement)
    asks = requirement.asks_anything or bool(len(guarantees.mender.rules))
    may_join = requirement.l == 1 and requirement.t == 1
    return Kept(guarantees if asks else None, Guarantee(requirement.k, may_join))


FILES = FilesSearch()
