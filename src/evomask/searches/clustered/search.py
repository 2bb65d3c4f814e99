"""The clustered search (chapter 5 of the thesis): parameters and setup."""

from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np

from evomask.data.clustering import RESTARTS, Clusterer, usable_clusterers
from evomask.data.edits import EditRepair
from evomask.data.partition import validate_k
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.individual import (
    COSTS,
    FIRST,
    Brood,
    Cost,
    Outcomes,
    Population,
    ScoreRule,
    Task,
)
from evomask.evolution.loop import Scheme, Setup
from evomask.evolution.schemes import PlusSelection
from evomask.evolution.selection import Replace, plus, without_clones
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget
from evomask.masking.method import About
from evomask.measures.papers.clustering_loss import ClusteringLoss
from evomask.measures.profiles import RiskProfile, profile
from evomask.searches.base import Search, SearchContext, SearchInput, Variants, require_at_least
from evomask.searches.clustered.problem import (
    NAME,
    ClusteredProtection,
    ClusterMethod,
    Genome,
    LossAndRisk,
    RecipeSpace,
)

ANY = "any"
GENERATIONS = 20
"""Default number of generations; an exhaustive search is divided into the same number."""


class WantedMethod(StrEnum):
    """Masking methods of clusters that recipes may use."""

    ANY = ANY
    MICROAGGREGATION = ClusterMethod.MICROAGGREGATION.value
    GLOBAL_MEDIAN = ClusterMethod.GLOBAL_MEDIAN.value


class WantedClustering(StrEnum):
    """Clusterings that recipes may use."""

    ANY = ANY
    C_MEDIANS = Clusterer.C_MEDIANS.value
    K_MODES = Clusterer.K_MODES.value
    TREE = Clusterer.TREE.value


class LossOf(StrEnum):
    """Information loss that is measured: of statistics, or of a clustering."""

    STATISTICS = "statistics"
    CLUSTERING = "clustering"


@dataclass(frozen=True)
class Parameters:
    """Parameters of the clustered search.

    Args:
        method: microaggregation, global-median (ordinal attributes only), or any applicable one.
        clustering: c-medians (as in the thesis), k-modes, tree, or any of them.
        least_k: smallest k.
        most_k: largest k.
        most_clusters: largest number of clusters.
        restarts: clusterings computed per start; the one with the smallest total distance is used.
        starts: number of sets of restarts to choose from.
        loss: statistics (CTBIL, DBIL, EBIL) or clustering (Rand, Jaccard, Wallace).
        loss_clusters: number of clusters for the loss of clustering.
        profile: risk profile, strict or papers.
        score: worst or mean of loss and risk.
        population: size of the population.
        children: candidates per generation.
        exhaustive: evaluate a grid of recipes at the first start instead of evolving them.
        levels: number of values of k and of the number of clusters in the grid.
    """

    method: WantedMethod = WantedMethod.ANY
    clustering: WantedClustering = WantedClustering.ANY
    least_k: int = 2
    most_k: int = 100
    most_clusters: int = 60
    restarts: int = RESTARTS
    starts: int = 5
    loss: LossOf = LossOf.STATISTICS
    loss_clusters: int = 10
    profile: RiskProfile = RiskProfile.STRICT
    score: ScoreRule = ScoreRule.WORST
    population: int = 16
    children: int = 16
    exhaustive: bool = False
    levels: int = 12

    def __post_init__(self) -> None:
        validate_k(self.least_k)
        if self.most_k < self.least_k:
            raise ParameterError(f"most_k must be at least least_k, got {self.most_k}")
        require_at_least(
            self, most_clusters=1, restarts=1, starts=1, loss_clusters=1, population=1,
            children=4, levels=2,
        )  # fmt: skip


class ClusteredSearch(Search):
    """Cluster records and mask each cluster separately; method, number of clusters and k evolve."""

    name = NAME
    parameters = Parameters
    budget = Budget(generations=GENERATIONS)
    about = About(
        name=NAME,
        title="clustering before masking",
        steward="records clustered, and every cluster masked separately",
        public=(
            "Records were clustered, and similar ones within each cluster were given common "
            "categories."
        ),
    )
    recipes = True

    @staticmethod
    def variants(source: SearchInput) -> Variants:
        if source.numbers:
            return {}
        least = max(2, source.requirement.k)
        several, restarts = (4, 1) if source.is_large else (8, RESTARTS)
        sizes = {"least_k": least, "most_k": max(100, least)}
        effort = {"population": several, "children": several, "restarts": restarts}
        return {"": {"profile": source.profile, **sizes, **effort}}

    @staticmethod
    def setup(table: Table, parameters: Parameters, context: SearchContext) -> Setup[Genome]:
        space, cost = space_of(table, parameters), COSTS[parameters.score]
        grid = space.grid(parameters.levels) if parameters.exhaustive else ()
        problem = ClusteredProtection(
            table,
            space,
            parameters.restarts,
            grid,
            _loss_and_risk(table, parameters),
            cost,
            context.draws,
            EditRepair.of(table),
        )
        scheme = _scheme(parameters, len(grid), cost)
        size = min(parameters.population, len(grid)) if grid else parameters.population
        return Setup(problem, scheme, first=size, cost=cost)


def space_of(table: Table, parameters: Parameters) -> RecipeSpace:
    """Return the recipe space of a table."""
    validate_k(parameters.least_k, len(table))
    allowed = parameters.clustering
    usable = usable_clusterers(table, table.schema.quasi_identifiers)
    return RecipeSpace(
        _methods(table, parameters.method),
        usable if allowed is WantedClustering.ANY else (Clusterer(allowed.value),),
        parameters.starts,
        min(parameters.most_clusters, len(table)),
        parameters.least_k,
        min(parameters.most_k, len(table)),
    )


def _methods(table: Table, allowed: WantedMethod) -> tuple[ClusterMethod, ...]:
    names = table.schema.quasi_identifiers
    if not names:
        raise SchemaError("there is no quasi-identifier to cluster by; name categorical ones")
    for name in names:
        if table.attribute(name).kind is Kind.CONTINUOUS:
            raise SchemaError(
                f"clustering needs categorical attributes, and {name!r} is continuous; "
                "declare it ordinal or leave it out of the quasi-identifiers"
            )
    nominal = [name for name in names if table.attribute(name).kind is Kind.NOMINAL]
    if nominal and allowed is WantedMethod.GLOBAL_MEDIAN:
        raise SchemaError(
            f"the global median needs an order, and {nominal[0]!r} is nominal; "
            "declare it ordinal or choose microaggregation"
        )
    if allowed is not WantedMethod.ANY:
        return (ClusterMethod(allowed.value),)
    return (ClusterMethod.MICROAGGREGATION,) if nominal else tuple(ClusterMethod)


def _loss_and_risk(table: Table, parameters: Parameters) -> LossAndRisk:
    names = table.schema.quasi_identifiers
    pair = profile(parameters.profile.value)
    risk = pair.risk(names).against(table)
    if parameters.loss is LossOf.CLUSTERING:
        loss = ClusteringLoss(names, parameters.loss_clusters).against(table)
    else:
        loss = pair.loss(names).against(table)
    return lambda masked: (loss(masked), risk(masked))


def _scheme(parameters: Parameters, grid: int, cost: Cost) -> Scheme[Genome]:
    keep: Replace[Genome] = without_clones(partial(plus, by=cost))
    if grid:
        return Enumerated(grid, -(-grid // GENERATIONS), keep)
    quarter = parameters.children // 4
    steps = parameters.children - 3 * quarter
    return PlusSelection(quarter, {"step": steps, "redraw": quarter}, keep=keep)


@dataclass(frozen=True)
class Enumerated:
    """Every recipe of a list once, in order.

    Args:
        recipes: number of recipes.
        batch: recipes per generation.
    """

    recipes: int
    batch: int
    keep: Replace[Genome]

    def propose(self, state: State[Genome], rng: np.random.Generator) -> Brood[Genome]:
        numbers = range(state.tasks, min(state.tasks + self.batch, self.recipes))
        return tuple(Task(FIRST, (), number) for number in numbers)

    def replace(
        self, state: State[Genome], brood: Brood[Genome], outcomes: Outcomes[Genome]
    ) -> Population[Genome]:
        return self.keep(state, brood, outcomes)
