"""Evolution of PRAM matrices (Marés, 2013, chapter 4.1): parameters and setup.

Algorithm 6 of that thesis keeps one set of matrices and tries one mutation or crossover at a time.
The memetic algorithm keeps several and improves them in bursts of small changes by predicted loss
and risk; it searches for the whole front as well as for the best score.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evomask.data.hierarchy import Bands, fit_hierarchy
from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.individual import COSTS, Cost, ScoreRule, first_objective
from evomask.evolution.loop import Scheme, Setup
from evomask.evolution.schemes import CROSS, MUTATE, OneAgainstChild
from evomask.evolution.stopping import Budget
from evomask.masking.method import About, require_share
from evomask.masking.randomization.pram import CommonDraws, Design, Pram, normalize_rows
from evomask.masking.randomization.transition_limits import TransitionLimits
from evomask.measures.expected.expectation import DEFAULT_DRAWS, PramEvaluation, warn_unused_draws
from evomask.measures.expected.forecast import Forecast
from evomask.measures.measure import Measure
from evomask.measures.papers.categorical_loss import BivariateLoss
from evomask.measures.profiles import PROFILES, RiskProfile
from evomask.searches.base import (
    Search,
    SearchContext,
    SearchInput,
    Variants,
    affordable_steps,
    pram_attributes,
)
from evomask.searches.pram.genome import DOMINANT, Layout, Limits
from evomask.searches.pram.problem import NAME, Climbers, Guide, TransitionProblem
from evomask.types import Floats

CHANGES = (0.5, 0.2, 0.8)
"""Change probabilities of the standard designs among the initial matrices."""

STEPS = 1_000
"""Small changes per burst without a time budget."""

BURST, TRIAL, STEPS_LIMITS = 0.06, 50, (50.0, 20_000.0)
"""CPU seconds of a burst under a time budget, changes to measure the speed, and the limits."""

SETUP_DRAW = 2**32
"""Number of the random draw used by the setup, beyond those of evaluations."""


MANY_RECORDS = 5_000
"""Number of records from which on one draw is as accurate as several."""


class Algorithm(StrEnum):
    """Search algorithm: memetic (default), or Algorithm 6 of the thesis."""

    MEMETIC = "memetic"
    THESIS = "thesis"


class Target(StrEnum):
    """Objective: the score, or the preservation of bivariate counts (4.5)."""

    SCORE = "score"
    BIVARIATE = "bivariate"


@dataclass(frozen=True)
class Parameters:
    """Parameters of the search for PRAM matrices.

    Args:
        attributes: attributes to mask; by default all categorical quasi-identifiers.
        algorithm: memetic (default) or thesis (Algorithm 6).
        profile: risk profile, strict or papers.
        probabilistic: include probabilistic record linkage; slower.
        score: worst or mean of loss and risk.
        fitness: score, or bivariate: the counts of each masked attribute crossed with another.
        beside: the unmasked attribute that masked ones are crossed with, for bivariate.
        draws: masked files averaged for each set of matrices where there is no closed form.
        expected: use closed-form expectations where available; else all measures from draws (4.4).
        invariant: make matrices that preserve expected frequencies.
        alpha: weight of an invariant matrix against the identity (4.6), for all matrices of the
            thesis' algorithm and the initial ones of memetic; below 1 fewer values change.
        diagonal: smallest and largest probability that a category is preserved, as 0.55,0.75.
        dominant: preserve every category with a probability of more than one half.
        band: number of positions that an ordinal category may move; 0 for any number.
        forbidden: transitions with probability 0, as ``ATTRIBUTE:FROM->TO``; ``*`` is any other
            category. With ``invariant``, the opposite direction is forbidden too.
        level: level of the attribute's hierarchy at which a category and its replacement must have
            the same ancestor; 0 for no such limit.
        start: design of the initial matrices: off-diagonal, diagonal or entropy.
        change: change probability of the initial matrices.
        population: number of sets of matrices.
        steps: small changes per burst.
        matrices: folder for the matrices as CSV and heat maps.
    """

    attributes: tuple[str, ...] = ()
    algorithm: Algorithm = Algorithm.MEMETIC
    profile: RiskProfile = RiskProfile.STRICT
    probabilistic: bool = False
    score: ScoreRule = ScoreRule.WORST
    fitness: Target = Target.SCORE
    beside: str = ""
    draws: int = DEFAULT_DRAWS
    expected: bool = True
    invariant: bool = False
    alpha: float = 1.0
    diagonal: tuple[float, ...] = ()
    dominant: bool = False
    band: int = 0
    forbidden: tuple[str, ...] = ()
    level: int = 0
    start: Design = Design.OFF_DIAGONAL
    change: float = 0.5
    population: int = 12
    steps: int | None = None
    matrices: str = ""

    def __post_init__(self) -> None:
        require_share(self.change, "change")
        if self.population < 1 or self.draws < 1 or (self.steps or 1) < 1:
            raise ParameterError("population, draws and steps must be at least 1")
        if len(self.diagonal) not in (0, 2):
            raise ParameterError(
                f"diagonal must be two numbers, as 0.55,0.75, got {len(self.diagonal)}"
            )
        if (self.fitness is Target.BIVARIATE) != bool(self.beside):
            raise ParameterError(
                "bivariate fitness requires beside, and vice versa; give both or neither"
            )
        _ = self.limits, TransitionLimits(self.forbidden, level=self.level)

    @property
    def limits(self) -> Limits:
        low, high = self.diagonal or (0.0, 1.0)
        low = max(low, DOMINANT) if self.dominant else low
        return Limits(low, high, self.band or None, invariant=self.invariant, alpha=self.alpha)

    @property
    def cost(self) -> Cost:
        return first_objective if self.fitness is Target.BIVARIATE else COSTS[self.score]


class PramSearch(Search):
    """Apply PRAM to categories; the transition matrices evolve."""

    name = NAME
    parameters = Parameters
    budget = Budget(generations=100)
    about = About(
        name=NAME,
        title="PRAM",
        steward=(
            "categories changed by chance (PRAM[{invariant}, frequencies kept in "
            "expectation]): about {kept:mean} of the cells stay{kept:extremes}"
        ),
        public=(
            "Categories were changed by chance, one attribute at a time, with fixed "
            "probabilities (post-randomisation)."
        ),
    )
    cost = 2.0
    recipes = True
    keeps_strata = True
    kernels = ("pram.transitions", "pram.expectation", "pram.expected_loss")

    @staticmethod
    def variants(source: SearchInput) -> Variants:
        """Return general and invariant matrices, if all quasi-identifiers are categorical.

        Not if something is required: enforcement would undo the effect of the matrices.
        """
        if source.numbers or source.asks_anything:
            return {}
        common: dict[str, object] = {"profile": source.profile}
        if len(source.table) > MANY_RECORDS:
            common["population"] = 4
            if source.profile is RiskProfile.STRICT:
                common["draws"] = 1
        return {"": common, "-invariant": {**common, "invariant": True}}

    @staticmethod
    def setup(table: Table, parameters: Parameters, context: SearchContext) -> Setup[Floats]:
        layout = _layout(table, parameters, context)
        _warn_of_wider_ranges(layout)
        draws = CommonDraws(table, layout.attributes, context.draws)
        names = tuple(dict.fromkeys((*table.schema.quasi_identifiers, *layout.attributes)))
        measures = _measures(layout, names, parameters)
        by_draws = not parameters.expected
        measured = PramEvaluation.of(
            table, measures, draws.masked, parameters.draws, by_draws=by_draws
        )
        warn_unused_draws(measured, parameters.draws)
        guide = _guide(layout, names, measured, parameters)
        firsts = _initial_genomes(layout, parameters, context.draws(SETUP_DRAW))
        begin = layout.shaped(_designed(layout, parameters.start, parameters.change))
        steps = parameters.steps or affordable_steps(
            context, "steps", lambda: guide(begin), default=STEPS, seconds=BURST,
            limits=STEPS_LIMITS, trial=TRIAL, clock=time.process_time,
        )  # fmt: skip
        made, scheme = _by_algorithm(layout, parameters)
        problem = TransitionProblem(
            layout, draws, measured, parameters.cost, guide, made, firsts, steps
        )
        return Setup(problem, scheme, first=len(firsts), cost=parameters.cost)


def _layout(table: Table, parameters: Parameters, context: SearchContext) -> Layout:
    names = masked_attributes(table, parameters)
    trees = {
        name: fit_hierarchy(name, lines, table)
        for name, lines in context.hierarchies.items()
        if parameters.level and name in names and not isinstance(lines, Bands)
    }
    transitions = TransitionLimits(parameters.forbidden, level=parameters.level, hierarchies=trees)
    transitions.check_attributes(names)
    return Layout(table, names, parameters.limits, transitions)


def masked_attributes(table: Table, parameters: Parameters) -> tuple[str, ...]:
    """Return the attributes to mask: those chosen, or all categorical quasi-identifiers."""
    names = pram_attributes(table, parameters.attributes)
    if parameters.beside in parameters.attributes:
        raise ParameterError(
            f"{parameters.beside!r} must not be masked (beside); remove it from attributes"
        )
    return tuple(name for name in names if name != parameters.beside)


def _measures(
    layout: Layout, names: tuple[str, ...], parameters: Parameters
) -> tuple[Measure, Measure]:
    pair = PROFILES[parameters.profile]
    loss, risk = pair.measures(names, probabilistic=parameters.probabilistic)
    if parameters.fitness is Target.BIVARIATE:
        return BivariateLoss((*layout.attributes, parameters.beside)), risk
    return loss, risk


def _guide(
    layout: Layout, names: tuple[str, ...], measured: PramEvaluation, parameters: Parameters
) -> Guide:
    """Fast approximation of loss and risk for bursts."""
    strict = parameters.profile is RiskProfile.STRICT
    forecast_in_scope = _in_scope(layout, Forecast(layout.table, names, strict=strict))
    if parameters.fitness is Target.SCORE:
        return forecast_in_scope
    return lambda flat: (measured.loss(layout.matrices(flat)), forecast_in_scope(flat)[1])


def _in_scope(layout: Layout, forecast: Forecast) -> Guide:
    """Forecast for the matrices of the masked attributes; the other attributes stay unchanged."""
    if layout.attributes == forecast.attributes:
        return forecast.of_flat
    numbered = {
        name: np.full((size, size), np.nan)
        for name, size in zip(layout.attributes, layout.sizes, strict=True)
    }
    frame = forecast.flat(numbered)
    order = [name for name in forecast.attributes if name in layout.attributes]
    holes = np.flatnonzero(np.isnan(frame))

    def read(flat: Floats) -> tuple[float, float]:
        whole = frame.copy()
        matrices = layout.matrices(flat)
        whole[holes] = np.concatenate([matrices[name].ravel() for name in order])
        return forecast.of_flat(whole)

    return read


def _designed(layout: Layout, design: Design, change: float) -> dict[str, Floats]:
    method = Pram(layout.attributes, design, change)
    return {name: method.matrix(layout.table, name) for name in layout.attributes}


def _initial_genomes(
    layout: Layout, parameters: Parameters, rng: np.random.Generator
) -> tuple[Floats, ...]:
    start = _designed(layout, parameters.start, parameters.change)
    if parameters.algorithm is Algorithm.THESIS:
        return (layout.whole(layout.flat(start)),)
    standard = (_designed(layout, design, change) for change in CHANGES for design in Design)
    starts = [start, *standard]
    sizes = list(zip(layout.attributes, layout.sizes, strict=True))
    while len(starts) < parameters.population:  # a few likely categories per row
        starts.append({n: normalize_rows(rng.random((size, size)) ** 8) for n, size in sizes})
    return tuple(layout.shaped(matrices) for matrices in starts[: parameters.population])


def _by_algorithm(
    layout: Layout, parameters: Parameters
) -> tuple[Callable[[Floats], Floats], Scheme[Floats]]:
    if parameters.algorithm is Algorithm.THESIS:
        rates = {MUTATE: 0.5, CROSS: 0.5}
        return layout.from_whole, OneAgainstChild(rates, by=parameters.cost)
    return lambda genome: genome, Climbers(parameters.cost)


def _warn_of_wider_ranges(layout: Layout) -> None:
    given = layout.wanted
    for name, limits in layout.limits.items():
        if limits.high > given.high:
            warnings.warn(
                f"no invariant matrix of {name!r} keeps its diagonal within {given.low:g} to "
                f"{given.high:g}, because one category holds too many records; the "
                f"nearest possible range is used, {limits.low:g} to {limits.high:.4g}",
                stacklevel=3,
            )
