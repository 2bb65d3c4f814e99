"""Clustering before protecting (chapter 5 of the thesis): the search put together."""

from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np

from evomask.data.clustering import RESTARTS, Clusterer, usable_clusterers
from evomask.data.partition import checked_k
from evomask.data.rules.mending import Mender
from evomask.data.schema import Kind
from evomask.data.table import Table
from evomask.errors import ParameterError, SchemaError
from evomask.evolution.brood import FIRST, Brood, Outcomes, Task
from evomask.evolution.individual import COSTS, Cost, Joined, Population
from evomask.evolution.loop import Scheme
from evomask.evolution.replacement import Replace, plus, without_clones
from evomask.evolution.schemes import PlusSelection
from evomask.evolution.setup import Setup
from evomask.evolution.state import State
from evomask.evolution.stopping import Budget
from evomask.masking.method import About
from evomask.measures.loss.clustering import ClusteringLoss
from evomask.measures.profiles import RiskProfile, profile
from evomask.searches.clustered.genome import ClusterMethod, Recipe, RecipeSpace
from evomask.searches.clustered.problem import NAME, ClusteredProtection, Judge
from evomask.searches.search import File, Surroundings, Variants

ANY = "any"
GENERATIONS = 20
"""After so many an evolution ends, and an exhaustive search has tried all."""


class WantedMethod(StrEnum):
    """Which protection of a cluster may be chosen."""

    ANY = ANY
    MICROAGGREGATION = ClusterMethod.MICROAGGREGATION.value
    GLOBAL_MEDIAN = ClusterMethod.GLOBAL_MEDIAN.value


class WantedClustering(StrEnum):
    """Which clustering a recipe may use: any, or one that is fixed."""

    ANY = ANY
    C_MEDIANS = Clusterer.C_MEDIANS.value
    K_MODES = Clusterer.K_MODES.value
    TREE = Clusterer.TREE.value


class LossOf(StrEnum):
    """What the file is to be good for."""

    STATISTICS = "statistics"
    CLUSTERING = "clustering"


@dataclass(frozen=True)
class Parameters:
    """What can be set on the clustered search.

    Args:
        method: microaggregation, global-median (ordinal attributes only), or any that fits.
        clustering: c-medians (the thesis'), k-modes, tree, or any of them.
        least_k: the smallest k.
        most_k: the largest k.
        most_clusters: the largest number of clusters.
        restarts: clusterings made of one start; the one with the least total distance is taken.
        starts: how many sets of restarts there are to choose from.
        loss: statistics (CTBIL, DBIL, EBIL) or clustering (Rand, Jaccard, Wallace).
        loss_clusters: clusters that the loss of clustering compares.
        profile: strict or papers, whose risk is taken.
        score: worst or mean of loss and risk.
        population: how many recipes stay.
        children: how many are tried in a generation.
        exhaustive: all recipes of a grid from the first start, instead of evolution.
        levels: how many values of k and of the number of clusters the grid has.
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
    score: Joined = Joined.WORST
    population: int = 16
    children: int = 16
    exhaustive: bool = False
    levels: int = 12

    def __post_init__(self) -> None:
        checked_k(self.least_k)
        if self.most_k < self.least_k:
            raise ParameterError(f"most_k must be at least least_k, got {self.most_k}")
        for name in ("most_clusters", "restarts", "starts", "loss_clusters", "population"):
            if getattr(self, name) < 1:
                raise ParameterError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.children < 4:
            raise ParameterError(f"children must be at least 4, got {self.children}")
        if self.levels < 2:
            raise ParameterError(f"levels must be at least 2, got {self.levels}")


class ClusteredSearch:
    """Cluster records, mask each cluster on its own; method, clusters and k evolve."""

    name = NAME
    parameters = Parameters
    budget = Budget(generations=GENERATIONS)
    about = About(
        name=NAME,
        title="clustering before masking",
        steward="records clustered, and every cluster masked on its own",
        public=(
            "Records were clustered, and similar ones within each cluster were given common "
            "categories."
        ),
    )
    cost = 1.0
    recipes = True
    keeps_strata = False
    kernels = ()

    @staticmethod
    def variants(file: File) -> Variants:
        """One member, where all quasi-identifiers have categories."""
        if file.numbers:
            return {}
        least = max(2, file.requirement.k)
        several, restarts = (4, 1) if file.is_large else (8, RESTARTS)
        sizes = {"least_k": least, "most_k": max(100, least)}
        effort = {"population": several, "children": several, "restarts": restarts}
        return {"": {"profile": file.profile, **sizes, **effort}}

    @staticmethod
    def setup(table: Table, parameters: Parameters, around: Surroundings) -> Setup[Recipe]:
        """The search made ready; clusterings are draws common to all evaluations."""
        space = space_of(table, parameters)
        cost = COSTS[parameters.score]
        grid = space.grid(parameters.levels) if parameters.exhaustive else ()
        problem = ClusteredProtection(
            table,
            space,
            parameters.restarts,
            grid,
            _judge(table, parameters),
            cost,
            around.draws,
            Mender.of(table),
        )
        scheme = _scheme(parameters, len(grid), cost)
        size = min(parameters.population, len(grid)) if grid else parameters.population
        return Setup(problem, scheme, first=size, cost=cost)


def space_of(table: Table, parameters: Parameters) -> RecipeSpace:
    """The recipes that a table allows."""
    checked_k(parameters.least_k, len(table))
    wanted = parameters.clustering
    usable = usable_clusterers(table, table.schema.quasi_identifiers)
    return RecipeSpace(
        _methods(table, parameters.method),
        usable if wanted is WantedClustering.ANY else (Clusterer(wanted.value),),
        parameters.starts,
        min(parameters.most_clusters, len(table)),
        parameters.least_k,
        min(parameters.most_k, len(table)),
    )


def _methods(table: Table, wanted: WantedMethod) -> tuple[ClusterMethod, ...]:
    names = table.schema.quasi_identifiers
    if not names:
        raise SchemaError("there is no quasi-identifier to cluster by; name categorical ones")
    for name in names:
        if table.attribute(name).kind is Kind.CONTINUOUS:
            raise SchemaError(
                f"clustering before protecting needs categories, and {name!r} is continuous; "
                "declare it ordinal or leave it out of the quasi-identifiers"
            )
    nominal = [name for name in names if table.attribute(name).kind is Kind.NOMINAL]
    if nominal and wanted is WantedMethod.GLOBAL_MEDIAN:
        raise SchemaError(
            f"the global median needs an order, and {nominal[0]!r} is nominal; "
            "declare it ordinal or choose microaggregation"
        )
    if wanted is not WantedMethod.ANY:
        return (ClusterMethod(wanted.value),)
    return (ClusterMethod.MICROAGGREGATION,) if nominal else tuple(ClusterMethod)


def _judge(table: Table, parameters: Parameters) -> Judge:
    names = table.schema.quasi_identifiers
    pair = profile(parameters.profile.value)
    risk = pair.risk(names).against(table)
    if parameters.loss is LossOf.CLUSTERING:
        loss = ClusteringLoss(names, parameters.loss_clusters).against(table)
    else:
        loss = pair.loss(names).against(table)
    return lambda masked: (loss(masked), risk(masked))


def _scheme(parameters: Parameters, grid: int, cost: Cost) -> Scheme[Recipe]:
    keep: Replace[Recipe] = without_clones(partial(plus, by=cost))
    if grid:
        return Enumerated(grid, -(-grid // GENERATIONS), keep)
    quarter = parameters.children // 4
    steps = parameters.children - 3 * quarter
    return PlusSelection(quarter, {"step": steps, "redraw": quarter}, keep=keep)


@dataclass(frozen=True)
class Enumerated:
    """Every recipe of a list once, in its order; nothing is proposed after the last.

    Args:
        recipes: how many there are.
        batch: how many make a generation.
    """

    recipes: int
    batch: int
    keep: Replace[Recipe]

    def propose(self, state: State[Recipe], rng: np.random.Generator) -> Brood[Recipe]:
        """The next recipes of the list, a batch at most."""
        numbers = range(state.tasks, min(state.tasks + self.batch, self.recipes))
        return tuple(Task(FIRST, (), number) for number in numbers)

    def replace(
        self, state: State[Recipe], brood: Brood[Recipe], outcomes: Outcomes[Recipe]
    ) -> Population[Recipe]:
        """The best recipes among those met so far."""
        return self.keep(state, brood, outcomes)
