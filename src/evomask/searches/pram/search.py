"""Evolved PRAM matrices (chapter 4.1 of the thesis), put together.

Algorithm 6 of the thesis keeps one set of matrices and tries a mutation or a crossover at a
time. Ours keeps several and improves them in bursts of small changes, judged by what loss and
risk are to be expected; it looks for the whole front as well as for the best score.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evomask.arrays import Floats
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.individual import COSTS, Cost, Joined, first
from evomask.evolution.loop import Scheme
from evomask.evolution.schemes import CROSS, MUTATE, OneAgainstChild
from evomask.evolution.setup import Setup
from evomask.evolution.stopping import Budget
from evomask.masking.checks import require_share
from evomask.masking.method import About
from evomask.masking.randomization.common_draws import CommonDraws
from evomask.masking.randomization.limits import DOMINANT, Limits
from evomask.masking.randomization.pram import Design, Pram
from evomask.masking.randomization.transitions import rows_to_one
from evomask.measures.expected.forecast import Forecast
from evomask.measures.expected.randomized import (
    USUAL_DRAWS,
    Randomized,
    tell_of_unused_draws,
)
from evomask.measures.loss.bivariate import BivariateLoss
from evomask.measures.measure import Measure
from evomask.measures.profiles import PROFILES, RiskProfile
from evomask.searches.pram.genome import Layout
from evomask.searches.pram.operators import Guide
from evomask.searches.pram.problem import NAME, TransitionProblem
from evomask.searches.pram.scheme import Climbers
from evomask.searches.search import File, Surroundings, Variants

CHANGES = (0.5, 0.2, 0.8)
"""Probabilities of change of the standard matrices among the first."""

STEPS = 1_000
"""Small changes in a burst, where no clock decides."""

BURST, TRIAL, LEAST_STEPS, MOST_STEPS = 0.06, 50, 50.0, 20_000.0
"""CPU seconds of a burst under a time budget, changes that are timed, and the limits."""

SETTING_UP = 2**32
"""Number of the draw that setting up uses; no evaluation comes near it."""


MANY_RECORDS = 5_000
"""Records from which on one draw of PRAM says as much as several."""


class Algorithm(StrEnum):
    """How matrices are searched: by climbs and blends (ours), or as Algorithm 6 of the thesis."""

    MEMETIC = "memetic"
    THESIS = "thesis"


class Sought(StrEnum):
    """What is sought: a good score, or bivariate counts that stay (4.5)."""

    SCORE = "score"
    BIVARIATE = "bivariate"


@dataclass(frozen=True)
class Parameters:
    """What can be set on the search for PRAM matrices.

    Args:
        attributes: what to mask; by default all categorical quasi-identifiers.
        algorithm: memetic (ours) or thesis (Algorithm 6).
        profile: the risk, strict or papers.
        probabilistic: read probabilistic linkage too; slower.
        score: worst or mean of loss and risk.
        fitness: score, or bivariate: the counts of each masked attribute crossed with another.
        beside: the attribute that stays as it is, for bivariate.
        draws: files averaged for each set of matrices, where there is no expectation.
        expected: read expectations where there are some; else all measures from draws, as (4.4).
        invariant: make matrices that keep expected frequencies.
        alpha: weight of an invariant matrix against the identity (4.6), for all matrices of the
            thesis' algorithm and for the first ones of ours; below 1 fewer values change.
        diagonal: lowest and highest probability that a category stays, as 0.55,0.75.
        dominant: let every category rather stay than change.
        band: how many places an ordinal category may move; 0: any number.
        start: design of the first matrices: off-diagonal, diagonal or entropy.
        change: probability of change in the first matrices.
        population: how many sets of matrices stay.
        steps: small changes in a burst.
        matrices: folder for the matrices as CSV and heat maps.
    """

    attributes: tuple[str, ...] = ()
    algorithm: Algorithm = Algorithm.MEMETIC
    profile: RiskProfile = RiskProfile.STRICT
    probabilistic: bool = False
    score: Joined = Joined.WORST
    fitness: Sought = Sought.SCORE
    beside: str = ""
    draws: int = USUAL_DRAWS
    expected: bool = True
    invariant: bool = False
    alpha: float = 1.0
    diagonal: tuple[float, ...] = ()
    dominant: bool = False
    band: int = 0
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
        if (self.fitness is Sought.BIVARIATE) != bool(self.beside):
            raise ParameterError("bivariate fitness and beside go together; give both or neither")
        _ = self.limits

    @property
    def limits(self) -> Limits:
        """What every matrix must keep to: its diagonal's range, its band, invariance."""
        low, high = self.diagonal or (0.0, 1.0)
        low = max(low, DOMINANT) if self.dominant else low
        return Limits(low, high, self.band or None, invariant=self.invariant, alpha=self.alpha)

    @property
    def cost(self) -> Cost:
        """One number of loss and risk; bivariate counts are a loss that stands alone."""
        return first if self.fitness is Sought.BIVARIATE else COSTS[self.score]


class PramSearch:
    """Change categories by chance; the transition matrices evolve."""

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
    kernels = ("pram.transitions", "pram.expectation")

    @staticmethod
    def variants(file: File) -> Variants:
        """Any matrices and invariant ones, where all quasi-identifiers have categories.

        Not where something is required: repairing would undo what the matrices do.
        """
        if file.numbers or file.requirement.asks_anything:
            return {}
        common: dict[str, object] = {"profile": file.profile}
        if len(file.table) > MANY_RECORDS:
            common["population"] = 4
            if file.profile is RiskProfile.STRICT:
                common["draws"] = 1
        return {"": common, "-invariant": {**common, "invariant": True}}

    @staticmethod
    def setup(table: Table, parameters: Parameters, around: Surroundings) -> Setup[Floats]:
        """The search made ready for one table."""
        layout = Layout(table, masked_attributes(table, parameters), parameters.limits)
        _tell_of_wider_ranges(layout)
        draws = CommonDraws(table, layout.attributes, around.draws)
        names = _scope(table, layout.attributes)
        measures = _measures(layout, names, parameters)
        by_draws = not parameters.expected
        measured = Randomized.of(table, measures, draws.masked, parameters.draws, by_draws=by_draws)
        tell_of_unused_draws(measured, parameters.draws)
        guide = _guide(layout, names, measured, parameters)
        firsts = _firsts(layout, parameters, around.draws(SETTING_UP))
        begin = layout.shaped(_start(layout, parameters))
        steps = _steps(parameters, around, lambda: guide(begin))
        made, scheme = _by_algorithm(layout, parameters)
        problem = TransitionProblem(
            layout, draws, measured, parameters.cost, guide, made, firsts, steps
        )
        return Setup(problem, scheme, first=len(firsts), cost=parameters.cost)


def masked_attributes(table: Table, parameters: Parameters) -> tuple[str, ...]:
    """What to mask: as told, or every quasi-identifier that has categories."""
    schema = table.schema
    if not parameters.attributes:
        categorical = tuple(
            n for n in schema.quasi_identifiers if table.attribute(n).is_categorical
        )
        if not categorical:
            raise SchemaError(
                "PRAM changes categories; name an ordinal or nominal quasi-identifier"
            )
        return tuple(name for name in categorical if name != parameters.beside)
    for name in parameters.attributes:
        if not table.attribute(name).is_categorical:
            raise SchemaError(f"PRAM changes categories, and {name!r} is continuous; leave it out")
    if parameters.beside in parameters.attributes:
        raise ParameterError(
            f"{parameters.beside!r} is to stay as it is; leave it out of attributes"
        )
    return parameters.attributes


def _scope(table: Table, masked: tuple[str, ...]) -> tuple[str, ...]:
    """What loss and risk look at: quasi-identifiers, and whatever else is masked."""
    return tuple(dict.fromkeys((*table.schema.quasi_identifiers, *masked)))


def _measures(
    layout: Layout, names: tuple[str, ...], parameters: Parameters
) -> tuple[Measure, Measure]:
    pair = PROFILES[parameters.profile]
    loss, risk = pair.measures(names, probabilistic=parameters.probabilistic)
    if parameters.fitness is Sought.BIVARIATE:
        return BivariateLoss((*layout.attributes, parameters.beside)), risk
    return loss, risk


def _guide(
    layout: Layout, names: tuple[str, ...], measured: Randomized, parameters: Parameters
) -> Guide:
    """Loss and risk that bursts climb by, fast to compute for every small change."""
    strict = parameters.profile is RiskProfile.STRICT
    foretell = _in_scope(layout, Forecast.in_part(layout.table, names, strict=strict))
    if parameters.fitness is Sought.SCORE:
        return foretell
    return lambda flat: (measured.loss(layout.matrices(flat)), foretell(flat)[1])


def _in_scope(layout: Layout, forecast: Forecast) -> Guide:
    """The forecast of the masked attributes' matrices; the others in scope stay."""
    if layout.attributes == forecast.attributes:
        return forecast.read
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
        return forecast.read(whole)

    return read


def _start(layout: Layout, parameters: Parameters) -> dict[str, Floats]:
    method = Pram(layout.attributes, parameters.start, parameters.change)
    return {name: method.matrix(layout.table, name) for name in layout.attributes}


def _firsts(layout: Layout, parameters: Parameters, rng: np.random.Generator) -> tuple[Floats, ...]:
    """The start; for ours, standard matrices and random ones too."""
    start = _start(layout, parameters)
    if parameters.algorithm is Algorithm.THESIS:
        return (layout.whole(layout.flat(start)),)
    standard = [Pram(layout.attributes, design, change) for change in CHANGES for design in Design]
    starts = [start]
    for method in standard:
        starts.append({name: method.matrix(layout.table, name) for name in layout.attributes})
    while len(starts) < parameters.population:
        starts.append(_random(layout, rng))
    return tuple(layout.shaped(matrices) for matrices in starts[: parameters.population])


def _random(layout: Layout, rng: np.random.Generator) -> dict[str, Floats]:
    """Rows with a few likely categories each."""
    sizes = zip(layout.attributes, layout.sizes, strict=True)
    return {name: rows_to_one(rng.random((size, size)) ** 8) for name, size in sizes}


def _steps(parameters: Parameters, around: Surroundings, once: Callable[[], object]) -> int:
    """Small changes in a burst: as told, by the clock, or a fixed number."""
    if parameters.steps is not None:
        return parameters.steps
    if around.decide is None:
        return STEPS

    def timed() -> float:
        once()
        started = time.process_time()
        for _ in range(TRIAL):
            once()
        spent = (time.process_time() - started) / TRIAL
        return min(MOST_STEPS, max(LEAST_STEPS, BURST / max(spent, 1e-9)))

    return int(around.decide("steps", timed))


def _by_algorithm(
    layout: Layout, parameters: Parameters
) -> tuple[Callable[[Floats], Floats], Scheme[Floats]]:
    """How a genome becomes valid matrices, and how genomes breed."""
    if parameters.algorithm is Algorithm.THESIS:
        rates = {MUTATE: 0.5, CROSS: 0.5}
        return layout.from_whole, OneAgainstChild(rates, by=parameters.cost)
    return lambda genome: genome, Climbers(parameters.cost)


def _tell_of_wider_ranges(layout: Layout) -> None:
    wanted = layout.wanted
    for name, limits in layout.limits.items():
        if limits.high > wanted.high:
            warnings.warn(
                f"no invariant matrix of {name!r} keeps its diagonal within {wanted.low:g} to "
                f"{wanted.high:g}, because one category holds too many of the records; the "
                f"nearest range is kept, {limits.low:g} to {limits.high:.4g}",
                stacklevel=3,
            )
