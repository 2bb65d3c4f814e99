"""Genetic programming of PRAM matrices (chapter 4.2 of the thesis), put together.

Algorithm 7 of the thesis breeds the better half of a random subset. Ours keeps the best of all,
lets every child climb by mutations whose loss and risk are foretold, looks along the whole
front, and begins anew when it improves no more.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.calibration import timed
from evomask.evolution.individual import COSTS, Cost, Joined
from evomask.evolution.loop import Scheme
from evomask.evolution.schemes import Generational, PlusSelection, WinnersAndLosers
from evomask.evolution.setup import Setup
from evomask.evolution.stopping import Budget
from evomask.evolution.tree import full, grow
from evomask.masking.method import About
from evomask.masking.randomization.common_draws import CommonDraws
from evomask.masking.randomization.equations import Equation, RowRule
from evomask.masking.randomization.transitions import frequencies_of
from evomask.measures.expected.forecast import Forecast
from evomask.measures.expected.randomized import (
    USUAL_DRAWS,
    Randomized,
    tell_of_unused_draws,
)
from evomask.measures.measure import Measure
from evomask.measures.profiles import PROFILES, RiskProfile
from evomask.searches.equations.genome import CONSTANT, SYMBOLS, Terminals
from evomask.searches.equations.known import known_equations
from evomask.searches.equations.operators import MUTATIONS, first_equation, settled
from evomask.searches.equations.problem import NAME, Begin, Language, MatrixEquations, domains_of
from evomask.searches.equations.survival import Parsimonious, Restless, ShortestFront
from evomask.searches.search import File, Surroundings, Variants

DEEPEST = 12

USUAL_CLIMB, LEAST_CLIMB, MOST_CLIMB = 100, 20, 300
"""Mutations tried on each child: without a clock, and at least and at most with one."""

MOMENT, TRIAL = 0.03, 20
"""Seconds that a climb may take under a time budget, and steps that are timed."""


class Algorithm(StrEnum):
    """How equations breed: by the memetic search (ours), as in the thesis, or in generations."""

    MEMETIC = "memetic"
    THESIS = "thesis"
    GENERATIONAL = "generational"


class Start(StrEnum):
    """Which equations come first: known designs, or random trees of one of three shapes."""

    KNOWN = "known"
    HALF_AND_HALF = "half-and-half"
    GROW = "grow"
    FULL = "full"


class Mutation(StrEnum):
    """What a mutation does to an equation; any of them where none is named."""

    ANY = "any"
    SUBTREE = "subtree"
    POINT = "point"
    HOIST = "hoist"
    COLLAPSE = "collapse"
    EXPAND = "expand"
    NUDGE = "nudge"


@dataclass(frozen=True)
class Usual:
    """What holds for an algorithm where nothing is said."""

    terminals: Terminals
    levels: int
    start: Start
    mutation: Mutation
    population: int


AS_PRINTED = Usual(Terminals.THESIS, 5, Start.HALF_AND_HALF, Mutation.SUBTREE, 6)
USUAL = {
    Algorithm.MEMETIC: Usual(Terminals.MORE, 6, Start.KNOWN, Mutation.ANY, 40),
    Algorithm.THESIS: AS_PRINTED,
    Algorithm.GENERATIONAL: AS_PRINTED,
}


@dataclass(frozen=True)
class Parameters:
    """What can be set on the search for equations.

    Args:
        attributes: what to mask; by default all categorical quasi-identifiers.
        algorithm: memetic (ours), thesis (Algorithm 7) or generational.
        profile: the risk, strict or papers.
        probabilistic: read probabilistic linkage too; slower.
        score: worst or mean of loss and risk.
        draws: files averaged for each equation, where there is no expectation.
        expected: read expectations where there are some; else all measures from draws, as (4.4).
        terminals: thesis (frequencies alone) or more (also the diagonal, the distance and the
            number of categories, and constants); memetic has more, the others thesis.
        levels: how deep an equation may be, a lone terminal being one level; memetic 6, else 5.
        rows: normalised, rest (the equation gives what leaves the diagonal) or penalised (rows
            that do not sum to one by themselves cost).
        invariant: apply each matrix and its reverse, so that expected frequencies stay.
        start: known (standard matrices written as equations, then half-and-half; memetic),
            half-and-half (the others), grow or full.
        mutation: any (memetic), or subtree (the others), point, hoist, collapse, expand, nudge.
        crossover_rate: share of crossovers.
        population: how many equations stay; memetic 40, else 6.
        subset: of how many the better half breeds, for thesis.
        children: how many a generation, for memetic; a quarter more climb along the front.
        climb: mutations tried on each child before it is measured, for memetic; by default 100,
            or as many as a moment allows under a time budget.
        patience: generations without a better equation after which memetic begins anew.
        parsimony: what each symbol adds to the score by which memetic chooses who stays.
        matrices: folder for the matrices as CSV and heat maps.
    """

    attributes: tuple[str, ...] = ()
    algorithm: Algorithm = Algorithm.MEMETIC
    profile: RiskProfile = RiskProfile.STRICT
    probabilistic: bool = False
    score: Joined = Joined.WORST
    draws: int = USUAL_DRAWS
    expected: bool = True
    terminals: Terminals | None = None
    levels: int | None = None
    rows: RowRule = RowRule.NORMALISED
    invariant: bool = False
    start: Start | None = None
    mutation: Mutation | None = None
    crossover_rate: float = 0.5
    population: int | None = None
    subset: int = 4
    children: int = 12
    climb: int | None = None
    patience: int = 25
    parsimony: float = 0.0
    matrices: str = ""

    def __post_init__(self) -> None:
        usual = self.usual
        if not 2 <= usual.levels <= DEEPEST:
            raise ParameterError(f"levels must lie in 2 to {DEEPEST}, got {usual.levels}")
        if not 2 <= self.subset <= usual.population:
            raise ParameterError(
                f"subset must lie in 2 to the population of {usual.population}, got {self.subset}"
            )
        if self.children < 2 or self.patience < 1 or self.draws < 1:
            raise ParameterError("children must be at least 2, patience and draws at least 1")
        if not 0 <= self.crossover_rate <= 1:
            raise ParameterError(f"crossover_rate must lie in [0, 1], got {self.crossover_rate}")
        if (self.climb or 0) < 0 or self.parsimony < 0:
            raise ParameterError("climb and parsimony must not be negative")

    @property
    def usual(self) -> Usual:
        """What was said, and what is usual for the algorithm where nothing was."""
        base = USUAL[self.algorithm]
        return Usual(
            self.terminals or base.terminals,
            base.levels if self.levels is None else self.levels,
            self.start or base.start,
            self.mutation or base.mutation,
            base.population if self.population is None else self.population,
        )

    @property
    def is_memetic(self) -> bool:
        """Whether children are improved by small changes before they compete."""
        return self.algorithm is Algorithm.MEMETIC


class EquationsSearch:
    """Change categories by chance; the equation that makes the transition matrices evolves."""

    name = NAME
    parameters = Parameters
    budget = Budget(generations=200)
    about = About(
        name=NAME,
        title="PRAM by a formula",
        steward=(
            "categories changed by chance, with the probabilities of one formula "
            "(PRAM[{invariant}, frequencies kept in expectation]): about {kept:mean} of the "
            "cells stay{kept:extremes}"
        ),
        public=(
            "Categories were changed by chance, one attribute at a time, with fixed "
            "probabilities (post-randomisation)."
        ),
    )
    cost = 1.0
    recipes = True
    keeps_strata = True
    kernels = ()

    @staticmethod
    def variants(file: File) -> Variants:
        """One member, where PRAM may take part: categories alone, and nothing required."""
        if file.numbers or file.requirement.asks_anything:
            return {}
        return {"": {"profile": file.profile, "children": 8, "population": 20}}

    @staticmethod
    def setup(table: Table, parameters: Parameters, around: Surroundings) -> Setup[Equation]:
        """The search made ready for one table."""
        names = masked_attributes(table, parameters.attributes)
        scope = tuple(dict.fromkeys((*table.schema.quasi_identifiers, *names)))
        draws = CommonDraws(table, names, around.draws)
        pair = PROFILES[parameters.profile]
        measures = pair.measures(scope, probabilistic=parameters.probabilistic)
        cost, frequencies = COSTS[parameters.score], frequencies_of(table, names)
        problem = MatrixEquations(
            draws,
            _measured(table, measures, draws, parameters),
            Forecast.in_part(table, scope, strict=parameters.profile is RiskProfile.STRICT),
            _language(parameters),
            _begin(parameters),
            cost,
            0,
            frequencies,
            domains_of(table, frequencies),
        )
        problem = replace(problem, climb=_climb(problem, parameters, around))
        scheme = _scheme(parameters, cost)
        first = parameters.usual.population
        return Setup(problem, scheme, first=first, archive=ShortestFront(), cost=cost)


def _measured(
    table: Table,
    measures: tuple[Measure, Measure],
    draws: CommonDraws,
    parameters: Parameters,
) -> Randomized:
    by_draws = not parameters.expected
    measured = Randomized.of(table, measures, draws.masked, parameters.draws, by_draws=by_draws)
    tell_of_unused_draws(measured, parameters.draws)
    return measured


def masked_attributes(table: Table, wanted: tuple[str, ...]) -> tuple[str, ...]:
    """What to mask: as told, or every quasi-identifier that has categories."""
    for name in wanted:
        if not table.attribute(name).is_categorical:
            raise SchemaError(f"PRAM changes categories, and {name!r} is continuous; leave it out")
    quasi = table.schema.quasi_identifiers
    names = wanted or tuple(name for name in quasi if table.attribute(name).is_categorical)
    if not names:
        raise SchemaError("PRAM changes categories; name an ordinal or nominal quasi-identifier")
    return names


def _climb(problem: MatrixEquations, parameters: Parameters, around: Surroundings) -> int:
    """Mutations tried on each child: as told, by the clock, or a fixed number."""
    if not parameters.is_memetic:
        return 0
    if parameters.climb is not None:
        return parameters.climb
    if around.decide is None:
        return USUAL_CLIMB
    equation = ("+", "same", "/", "freq_j", "N")

    def trial() -> None:
        for _ in range(TRIAL):
            problem.forecast(problem.matrices(equation))

    def affordable() -> float:
        problem.forecast(problem.matrices(equation))
        _, spent = timed(trial)
        return min(MOST_CLIMB, max(LEAST_CLIMB, MOMENT / max(spent / TRIAL, 1e-9)))

    return int(around.decide("climb", affordable))


def _language(parameters: Parameters) -> Language:
    usual = parameters.usual
    symbols = SYMBOLS[usual.terminals]
    usable = (n for n in MUTATIONS if n != Mutation.NUDGE or CONSTANT in symbols.terminals)
    return Language(
        symbols,
        usual.levels,
        parameters.rows,
        tuple(usable) if usual.mutation is Mutation.ANY else (usual.mutation.value,),
        simplify=parameters.is_memetic,
        invariant=parameters.invariant,
    )


def _begin(parameters: Parameters) -> Begin:
    usual = parameters.usual
    symbols, levels = SYMBOLS[usual.terminals], usual.levels
    known: tuple[Equation, ...] = ()
    if usual.start is Start.KNOWN:
        known = known_equations(parameters.rows, symbols, levels)

    def begin(number: int, rng: np.random.Generator) -> Equation:
        if number < len(known):
            return known[number]
        if usual.start is Start.GROW:
            return settled(grow(symbols, levels, rng), rng)
        if usual.start is Start.FULL:
            return settled(full(symbols, levels, rng), rng)
        return first_equation(number - len(known), symbols, levels, rng)

    return begin


def _scheme(parameters: Parameters, cost: Cost) -> Scheme[Equation]:
    rate = parameters.crossover_rate
    if parameters.algorithm is Algorithm.THESIS:
        return WinnersAndLosers(parameters.subset, rate, by=cost)
    if parameters.algorithm is Algorithm.GENERATIONAL:
        return Generational(rate, cost=cost)
    pairs = round(parameters.children * rate / 2)
    mutants = parameters.children - 2 * pairs
    keep = Parsimonious(cost, parameters.parsimony)
    plus = PlusSelection(pairs, {"mutate": mutants}, keep=keep)
    return Restless(plus, parameters.patience, parameters.children // 4, cost)
