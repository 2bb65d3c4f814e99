"""Genetic programming of PRAM matrices (Algorithm 7 of the thesis): the search put together."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.individual import Cost, mean, worst
from evomask.evolution.loop import Scheme
from evomask.evolution.schemes import Generational, PlusSelection, WinnersAndLosers
from evomask.evolution.setup import Setup, Surroundings
from evomask.evolution.stopping import Budget
from evomask.evolution.tree import full, grow
from evomask.masking.common_draws import CommonDraws
from evomask.measures.outlook import Outlook
from evomask.measures.randomized import Randomized, profile_measures
from evomask.searches.equations.genome import SYMBOLS, Equation, Rows, Terminals
from evomask.searches.equations.known import known_equations
from evomask.searches.equations.operators import MUTATIONS, first_equation, settled
from evomask.searches.equations.problem import Begin, Language, MatrixEquations, terms_of_table
from evomask.searches.equations.survival import Parsimonious, Restarting, ShortestFront

DEEPEST = 12


class Breeding(StrEnum):
    """How equations breed and who stays."""

    PLUS = "plus"
    WINNERS = "winners"
    GENERATIONAL = "generational"


class Start(StrEnum):
    """What the first equations are."""

    KNOWN = "known"
    HALF_AND_HALF = "half-and-half"
    GROW = "grow"
    FULL = "full"


class Mutated(StrEnum):
    """What a mutation does."""

    ANY = "any"
    SUBTREE = "subtree"
    POINT = "point"
    HOIST = "hoist"
    COLLAPSE = "collapse"
    EXPAND = "expand"
    NUDGE = "nudge"


class Joined(StrEnum):
    """How loss and risk become one number."""

    MEAN = "mean"
    WORST = "worst"


class Risk(StrEnum):
    """Which risk profile equations are judged by."""

    STRICT = "strict"
    PAPERS = "papers"


COSTS: dict[Joined, Cost] = {Joined.MEAN: mean, Joined.WORST: worst}


@dataclass(frozen=True)
class Parameters:
    """What can be set on the equations search.

    Args:
        profile: the risk profile, strict or papers.
        score: mean or worst of loss and risk.
        probabilistic: read probabilistic linkage too, in draws.
        draws: how many common draws are averaged where a measure has no expectation.
        levels: how deep an equation may be; a lone terminal has one level.
        terminals: thesis (numbers of records alone) or more (also the diagonal, the distance
            and number of categories, and constants).
        rows: normalised, rest (the equation gives what leaves the diagonal) or penalised (rows
            that do not sum to one by themselves cost).
        start: known (standard matrices written as equations, then half-and-half), half-and-half,
            grow or full.
        scheme: plus (the best of parents and children stay), winners (the steady state of the
            thesis) or generational.
        mutation: any, or one of subtree, point, hoist, collapse, expand, nudge.
        population: how many equations stay.
        children: how many a generation, in the scheme plus.
        tries: how many an operator makes for each child, the one foretold best being measured.
        subset: of how many the better half breeds, in the scheme winners.
        crossover_rate: share of crossovers.
        parsimony: what each symbol of an equation adds to its score, in the scheme plus.
        patience: generations without a better equation after which the scheme plus begins anew.
        invariant: apply each matrix and its reverse, so that expected frequencies stay.
    """

    profile: Risk = Risk.STRICT
    score: Joined = Joined.WORST
    probabilistic: bool = False
    draws: int = 5
    levels: int = 6
    terminals: Terminals = Terminals.MORE
    rows: Rows = Rows.NORMALISED
    start: Start = Start.KNOWN
    scheme: Breeding = Breeding.PLUS
    mutation: Mutated = Mutated.ANY
    population: int = 60
    children: int = 30
    tries: int = 20
    subset: int = 4
    crossover_rate: float = 0.5
    parsimony: float = 0.0
    patience: int = 40
    invariant: bool = False

    def __post_init__(self) -> None:
        if not 2 <= self.levels <= DEEPEST:
            raise ParameterError(f"levels must lie in 2 to {DEEPEST}, got {self.levels}")
        if not 2 <= self.subset <= self.population:
            raise ParameterError(
                f"subset must lie in 2 to the population of {self.population}, got {self.subset}"
            )
        if self.children < 2:
            raise ParameterError(f"children must be at least 2, got {self.children}")
        if self.tries < 1:
            raise ParameterError(f"tries must be at least 1, got {self.tries}")
        if not 0 <= self.crossover_rate <= 1:
            raise ParameterError(f"crossover_rate must lie in [0, 1], got {self.crossover_rate}")
        if self.patience < 1:
            raise ParameterError(f"patience must be at least 1, got {self.patience}")
        if self.parsimony < 0:
            raise ParameterError(f"parsimony must not be negative, got {self.parsimony}")


class EquationsSearch:
    """Mask categories by PRAM; the equation that makes its matrices evolves."""

    name = "equations"
    parameters = Parameters
    budget = Budget(generations=300)

    @staticmethod
    def setup(table: Table, parameters: Parameters, around: Surroundings) -> Setup[Equation]:
        """The search made ready; draws are the run's."""
        names = categories_of(table)
        draws = CommonDraws(table, names, around.draws)
        measures = profile_measures(
            parameters.profile.value, names, probabilistic=parameters.probabilistic
        )
        cost = COSTS[parameters.score]
        problem = MatrixEquations(
            draws,
            Randomized.of(table, measures, draws.masked, parameters.draws),
            Outlook.of(table, names, strict=parameters.profile is Risk.STRICT),
            _language(parameters),
            _begin(parameters),
            cost,
            parameters.tries,
            terms_of_table(table, names),
        )
        return Setup(
            problem,
            _scheme(parameters, cost),
            first=parameters.population,
            archive=ShortestFront(),
            cost=cost,
        )


def categories_of(table: Table) -> tuple[str, ...]:
    """The quasi-identifiers, all of which must have categories."""
    names = table.schema.quasi_identifiers
    if not names:
        raise SchemaError("there is no quasi-identifier to mask; name categorical ones")
    for name in names:
        if not table.attribute(name).is_categorical:
            raise SchemaError(
                f"PRAM changes categories, and {name!r} is continuous; "
                "declare it ordinal or leave it out of the quasi-identifiers"
            )
    return names


def _language(parameters: Parameters) -> Language:
    wanted = parameters.mutation
    return Language(
        SYMBOLS[parameters.terminals],
        parameters.levels,
        parameters.rows,
        tuple(MUTATIONS) if wanted is Mutated.ANY else (wanted.value,),
        parameters.scheme is Breeding.PLUS,
        parameters.invariant,
    )


def _begin(parameters: Parameters) -> Begin:
    symbols, levels = SYMBOLS[parameters.terminals], parameters.levels
    known: tuple[Equation, ...] = ()
    if parameters.start is Start.KNOWN:
        known = known_equations(parameters.rows, symbols, levels)

    def begin(number: int, rng: np.random.Generator) -> Equation:
        if number < len(known):
            return known[number]
        if parameters.start is Start.GROW:
            return settled(grow(symbols, levels, rng), rng)
        if parameters.start is Start.FULL:
            return settled(full(symbols, levels, rng), rng)
        return first_equation(number - len(known), symbols, levels, rng)

    return begin


def _scheme(parameters: Parameters, cost: Cost) -> Scheme[Equation]:
    rate = parameters.crossover_rate
    if parameters.scheme is Breeding.WINNERS:
        return WinnersAndLosers(parameters.subset, rate, by=cost)
    if parameters.scheme is Breeding.GENERATIONAL:
        return Generational(rate, cost=cost)
    pairs = round(parameters.children * rate / 2)
    names = _language(parameters).mutations
    each = max(1, (parameters.children - 2 * pairs) // len(names)) if rate < 1 else 0
    keep = Parsimonious(cost, parameters.parsimony)
    plus = PlusSelection(pairs, dict.fromkeys(names, each), keep=keep)
    return Restarting(plus, parameters.patience, cost)
