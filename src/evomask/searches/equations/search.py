"""Genetic programming of PRAM matrices (chapter 4.2 of the thesis): parameters and setup.

Algorithm 7 of the thesis breeds the better half of a random subset. The memetic algorithm keeps the
best of all, improves every child by hill climbing on predicted loss and risk, searches along the
whole front, and restarts when it stagnates.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from evomask.data.distance import category_distances
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.individual import COSTS, Cost, ScoreRule
from evomask.evolution.loop import Scheme, Setup
from evomask.evolution.schemes import Generational, PlusSelection, WinnersAndLosers
from evomask.evolution.stopping import Budget
from evomask.evolution.tree import full, grow
from evomask.masking.method import About
from evomask.masking.randomization.formula_pram import Domains, Equation, RowRule
from evomask.masking.randomization.pram import CommonDraws
from evomask.measures.expected.expectation import DEFAULT_DRAWS, PramEvaluation, warn_unused_draws
from evomask.measures.expected.forecast import Forecast
from evomask.measures.profiles import PROFILES, RiskProfile
from evomask.searches.base import (
    Search,
    SearchContext,
    SearchInput,
    Variants,
    affordable_steps,
    pram_attributes,
)
from evomask.searches.equations.genome import CONSTANT, SYMBOLS, Terminals, standard_equations
from evomask.searches.equations.operators import MUTATIONS, fill_constants, first_equation
from evomask.searches.equations.problem import (
    NAME,
    InitialEquation,
    Language,
    MatrixEquations,
    Parsimonious,
    Restarting,
    ShortestFront,
)

DEEPEST = 12

DEFAULT_CLIMB, CLIMB_LIMITS = 100, (20, 300)
"""Mutations tried on each child: without a time budget, and the limits with one."""

CLIMB_SECONDS, TRIAL = 0.03, 20
"""Seconds of a climb under a time budget, and number of steps to measure the speed."""


class Algorithm(StrEnum):
    """Search algorithm: memetic (default), as in the thesis, or generational."""

    MEMETIC = "memetic"
    THESIS = "thesis"
    GENERATIONAL = "generational"


class Start(StrEnum):
    """Initial equations: standard designs, or random trees of one of three shapes."""

    KNOWN = "known"
    HALF_AND_HALF = "half-and-half"
    GROW = "grow"
    FULL = "full"


class Mutation(StrEnum):
    """Change of an equation: any kind, or one of those in the thesis and a nudged constant."""

    ANY = "any"
    SUBTREE = "subtree"
    POINT = "point"
    HOIST = "hoist"
    COLLAPSE = "collapse"
    EXPAND = "expand"
    NUDGE = "nudge"


@dataclass(frozen=True)
class Defaults:
    """Default parameters of an algorithm."""

    terminals: Terminals
    levels: int
    start: Start
    mutation: Mutation
    population: int


THESIS_DEFAULTS = Defaults(Terminals.THESIS, 5, Start.HALF_AND_HALF, Mutation.SUBTREE, 6)
DEFAULTS = {
    Algorithm.MEMETIC: Defaults(Terminals.MORE, 6, Start.KNOWN, Mutation.ANY, 40),
    Algorithm.THESIS: THESIS_DEFAULTS,
    Algorithm.GENERATIONAL: THESIS_DEFAULTS,
}


@dataclass(frozen=True)
class Parameters:
    """Parameters of the search for equations.

    Args:
        attributes: attributes to mask; by default all categorical quasi-identifiers.
        algorithm: memetic (default), thesis (Algorithm 7) or generational.
        profile: risk profile, strict or papers.
        probabilistic: include probabilistic record linkage; slower.
        score: worst or mean of loss and risk.
        draws: masked files averaged for each equation, if there is no closed-form expectation.
        expected: use closed-form expectations where available; else all measures from draws (4.4).
        terminals: thesis (frequencies only) or more (also the diagonal, the distance and the number
            of categories, and constants); default more for memetic, else thesis.
        levels: largest depth of an equation, 1 for a terminal; default 6 for memetic, else 5.
        rows: normalised, rest (the equation gives the off-diagonal cells) or penalised (rows that
            do not sum to one are penalised).
        invariant: make matrices invariant, so that expected frequencies are preserved.
        start: known (standard designs, then half-and-half; default of memetic), half-and-half
            (default of the others), grow or full.
        mutation: any (default of memetic), subtree (default of the others), point, hoist,
            collapse, expand or nudge.
        crossover_rate: share of crossovers.
        population: size of the population; default 40 for memetic, else 6.
        subset: size of the subset of which the better half breeds (thesis).
        children: children per generation (memetic); a quarter more climb along the front.
        climb: mutations tried on each child before evaluation (memetic); by default 100, or as
            many as the time budget allows.
        patience: generations without improvement after which memetic restarts.
        parsimony: penalty of each symbol in the survivor selection of memetic.
        matrices: folder for the matrices as CSV and heat maps.
    """

    attributes: tuple[str, ...] = ()
    algorithm: Algorithm = Algorithm.MEMETIC
    profile: RiskProfile = RiskProfile.STRICT
    probabilistic: bool = False
    score: ScoreRule = ScoreRule.WORST
    draws: int = DEFAULT_DRAWS
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
        effective = self.effective
        if not 2 <= effective.levels <= DEEPEST:
            raise ParameterError(f"levels must lie in 2 to {DEEPEST}, got {effective.levels}")
        if not 2 <= self.subset <= effective.population:
            raise ParameterError(
                f"subset must lie in 2 to the population of {effective.population}, "
                f"got {self.subset}"
            )
        if self.children < 2 or self.patience < 1 or self.draws < 1:
            raise ParameterError("children must be at least 2, patience and draws at least 1")
        if not 0 <= self.crossover_rate <= 1:
            raise ParameterError(f"crossover_rate must lie in [0, 1], got {self.crossover_rate}")
        if (self.climb or 0) < 0 or self.parsimony < 0:
            raise ParameterError("climb and parsimony must not be negative")

    @property
    def effective(self) -> Defaults:
        """The parameters given, with the defaults of the algorithm for the others."""
        base = DEFAULTS[self.algorithm]
        return Defaults(
            self.terminals or base.terminals,
            base.levels if self.levels is None else self.levels,
            self.start or base.start,
            self.mutation or base.mutation,
            base.population if self.population is None else self.population,
        )

    @property
    def is_memetic(self) -> bool:
        return self.algorithm is Algorithm.MEMETIC


class EquationsSearch(Search):
    """Apply PRAM; the equation that defines the transition matrices evolves."""

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
    recipes = True
    keeps_strata = True

    @staticmethod
    def variants(source: SearchInput) -> Variants:
        if source.numbers or source.asks_anything:
            return {}
        return {"": {"profile": source.profile, "children": 8, "population": 20}}

    @staticmethod
    def setup(table: Table, parameters: Parameters, context: SearchContext) -> Setup[Equation]:
        names = pram_attributes(table, parameters.attributes)
        scope = tuple(dict.fromkeys((*table.schema.quasi_identifiers, *names)))
        draws = CommonDraws(table, names, context.draws)
        pair = PROFILES[parameters.profile]
        measures = pair.measures(scope, probabilistic=parameters.probabilistic)
        cost = COSTS[parameters.score]
        by_draws = not parameters.expected
        measured = PramEvaluation.of(
            table, measures, draws.masked, parameters.draws, by_draws=by_draws
        )
        warn_unused_draws(measured, parameters.draws)
        distances = [category_distances(table.attribute(name)) for name in names]
        problem = MatrixEquations(
            draws,
            measured,
            Forecast(table, scope, strict=parameters.profile is RiskProfile.STRICT),
            _language(parameters),
            _initial_equation(parameters),
            cost,
            0,
            Domains.of(list(draws.frequencies.values()), distances),
        )
        problem = replace(problem, climb=_climb(problem, parameters, context))
        scheme = _scheme(parameters, cost)
        first = parameters.effective.population
        return Setup(problem, scheme, first=first, archive=ShortestFront(), cost=cost)


def _climb(problem: MatrixEquations, parameters: Parameters, context: SearchContext) -> int:
    """Return the number of mutations tried on each child: given, by the clock, or the default."""
    if not parameters.is_memetic:
        return 0
    if parameters.climb is not None:
        return parameters.climb
    equation = ("+", "same", "/", "freq_j", "N")
    return affordable_steps(
        context, "climb", lambda: problem.forecast(problem.matrices(equation)),
        default=DEFAULT_CLIMB, seconds=CLIMB_SECONDS, limits=CLIMB_LIMITS, trial=TRIAL,
    )  # fmt: skip


def _language(parameters: Parameters) -> Language:
    effective = parameters.effective
    symbols = SYMBOLS[effective.terminals]
    usable = (n for n in MUTATIONS if n != Mutation.NUDGE or CONSTANT in symbols.terminals)
    return Language(
        symbols,
        effective.levels,
        parameters.rows,
        tuple(usable) if effective.mutation is Mutation.ANY else (effective.mutation.value,),
        simplify=parameters.is_memetic,
        invariant=parameters.invariant,
    )


def _initial_equation(parameters: Parameters) -> InitialEquation:
    effective = parameters.effective
    symbols, levels = SYMBOLS[effective.terminals], effective.levels
    known: tuple[Equation, ...] = ()
    if effective.start is Start.KNOWN:
        known = standard_equations(parameters.rows, symbols, levels)

    def initial(number: int, rng: np.random.Generator) -> Equation:
        if number < len(known):
            return known[number]
        if effective.start is Start.GROW:
            return fill_constants(grow(symbols, levels, rng), rng)
        if effective.start is Start.FULL:
            return fill_constants(full(symbols, levels, rng), rng)
        return first_equation(number - len(known), symbols, levels, rng)

    return initial


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
    return Restarting(plus, parameters.patience, parameters.children // 4, cost)
