"""The clustered search as an evolutionary problem: recipes, their operators and evaluation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from evomask.data.clustering import Clusterer, cluster_labels
from evomask.data.edits import EditRepair
from evomask.data.table import Table
from evomask.evolution.individual import FIRST, Cost, Fitness, Outcome, Task
from evomask.evolution.loop import Draws
from evomask.evolution.schemes import CROSS
from evomask.evolution.streams import litter_stream
from evomask.evolution.variation import cross_uniformly
from evomask.masking.method import provenance_of
from evomask.masking.microaggregation.clustered import (
    ClusteredGlobalMedian,
    ClusteredMicroaggregation,
)
from evomask.masking.provenance import Provenance
from evomask.masking.recipe import Recipe, canonical, is_recipe
from evomask.searches.base import MaskingProblem
from evomask.types import Labels

Genome = NDArray[np.int64]
"""The genes listed below, in this order: positions in lists of choices, or numbers."""

METHOD, CLUSTERER, START, CLUSTERS, K = range(5)
COUNTED = (CLUSTERS, K)
"""Genes that are numbers; the others are positions in a list of choices."""


class ClusterMethod(StrEnum):
    """How the records of a cluster are masked."""

    MICROAGGREGATION = "microaggregation"
    GLOBAL_MEDIAN = "global-median"


@dataclass(frozen=True)
class RecipeSpace:
    """The domain of recipes.

    Args:
        starts: number of sets of restarts to choose the clustering from.
        least_k, most_k: smallest and largest k.
        most_clusters: largest number of clusters; 1 means no clustering.
    """

    methods: tuple[ClusterMethod, ...]
    clusterers: tuple[Clusterer, ...]
    starts: int
    most_clusters: int
    least_k: int
    most_k: int

    @property
    def lowest(self) -> Genome:
        return np.array([0, 0, 0, 1, self.least_k])

    @property
    def highest(self) -> Genome:
        choices = len(self.methods), len(self.clusterers), self.starts
        return np.array([*(count - 1 for count in choices), self.most_clusters, self.most_k])

    def method(self, recipe: Genome) -> ClusterMethod:
        return self.methods[int(recipe[METHOD])]

    def clusterer(self, recipe: Genome) -> Clusterer:
        return self.clusterers[int(recipe[CLUSTERER])]

    def grid(self, levels: int) -> tuple[Genome, ...]:
        """Return all choices at the first start, with *levels* values of k and of clusters."""
        return tuple(
            np.array([method, clusterer, 0, clusters, k])
            for method in range(len(self.methods))
            for clusterer in range(len(self.clusterers))
            for k in log_spaced(self.least_k, self.most_k, levels)
            for clusters in log_spaced(1, self.most_clusters, levels)
        )


def log_spaced(low: int, high: int, levels: int) -> Sequence[int]:
    """Return up to *levels* integers from *low* to *high*, spaced geometrically."""
    numbers: list[int] = np.unique(np.round(np.geomspace(low, high, levels)).astype(int)).tolist()
    return numbers


STRIDE = 0.35
"""Standard deviation of the logarithm of a step."""

Mutation = Callable[[Genome, RecipeSpace, np.random.Generator], Genome]


def draw_recipe(space: RecipeSpace, rng: np.random.Generator) -> Genome:
    """Draw a recipe; numbers are drawn log-uniformly."""
    low, high = space.lowest, space.highest
    recipe = rng.integers(low, high + 1)
    for gene in COUNTED:
        ends = np.log(int(low[gene])), np.log(int(high[gene]) + 1)
        recipe[gene] = int(np.floor(np.exp(rng.uniform(*ends))))
    return recipe


def step(parent: Genome, space: RecipeSpace, rng: np.random.Generator) -> Genome:
    """Increase or decrease the number of clusters or k a little, by one at least."""
    gene = int(rng.choice(COUNTED))
    moved = float(parent[gene]) * float(np.exp(rng.normal(0.0, STRIDE)))
    change = round(moved) - int(parent[gene]) or (1 if moved > parent[gene] else -1)
    return _set_gene(parent, gene, int(parent[gene]) + change, space)


def redraw(parent: Genome, space: RecipeSpace, rng: np.random.Generator) -> Genome:
    """Redraw one gene that has alternatives; without any, return a copy."""
    free = np.flatnonzero(space.lowest < space.highest)
    if not len(free):
        return parent.copy()
    gene = int(rng.choice(free))
    return _set_gene(parent, gene, int(draw_recipe(space, rng)[gene]), space)


def cross(first: Genome, second: Genome, rng: np.random.Generator) -> Genome:
    """Take each gene from one of the two parents."""
    child: Genome = cross_uniformly(first, second, rng)[0].astype(np.int64)
    return child


def _set_gene(parent: Genome, gene: int, value: int, space: RecipeSpace) -> Genome:
    child = parent.copy()
    child[gene] = np.clip(value, space.lowest[gene], space.highest[gene])
    return child


MUTATIONS: Mapping[str, Mutation] = {"step": step, "redraw": redraw}


NAME = "clustered"

LossAndRisk = Callable[[Table], Fitness]
"""Function from a masked file to its loss and risk."""

METHODS: Mapping[ClusterMethod, type[ClusteredMicroaggregation] | type[ClusteredGlobalMedian]] = {
    ClusterMethod.MICROAGGREGATION: ClusteredMicroaggregation,
    ClusterMethod.GLOBAL_MEDIAN: ClusteredGlobalMedian,
}


@dataclass(frozen=True, eq=False)
class ClusteredProtection(MaskingProblem):
    """Clustering of one table and masking of its clusters.

    Args:
        first: initial recipes; the others are drawn.
        cost: score of loss and risk.
        fitness_cache: cache of the fitness of masked files.
        clusterings: cache of cluster labels by method, number of clusters and start.
    """

    packed_as = "recipe"

    original: Table
    space: RecipeSpace
    restarts: int
    first: tuple[Genome, ...]
    judge: LossAndRisk
    cost: Cost
    draws: Draws
    mender: EditRepair
    fitness_cache: dict[bytes, Fitness] = field(default_factory=dict)
    clusterings: dict[tuple[Clusterer, int, int], Labels] = field(default_factory=dict)

    def work(self, task: Task[Genome], rng: np.random.Generator) -> Outcome[Genome]:
        genome = self.child(task, rng)
        counts = {"clusters": int(genome[CLUSTERS]), "k": int(genome[K])}
        return Outcome(genome, self.fitness(genome), counts=counts)

    def child(self, task: Task[Genome], rng: np.random.Generator) -> Genome:
        if task.operator == FIRST:
            number = task.rival or 0
            return self.first[number] if number < len(self.first) else draw_recipe(self.space, rng)
        parents = [parent.genome for parent in task.parents]
        if task.operator == CROSS:
            return cross(parents[0], parents[1], litter_stream(task.litter))
        return MUTATIONS[task.operator](parents[0], self.space, rng)

    def fitness(self, genome: Genome) -> Fitness:
        masked = self.decode(genome, 0)
        content = blake2b(digest_size=16)
        for name in masked.schema.quasi_identifiers:
            content.update(masked[name].tobytes())
        digest = content.digest()
        if digest not in self.fitness_cache:
            self.fitness_cache[digest] = self.judge(masked)
        return self.fitness_cache[digest]

    def decode(self, genome: Genome, draw: int) -> Table:
        method = self._method(genome)
        rng = self.draws(int(genome[START]))
        labels = method.partition_within(self.original, self.clusters(genome), rng)
        masked = method.released(self.original, labels)
        return self.mender.mended(masked, whole_classes=True)

    def _method(self, genome: Genome) -> ClusteredMicroaggregation | ClusteredGlobalMedian:
        return METHODS[self.space.method(genome)](
            self.original.schema.quasi_identifiers,
            int(genome[K]),
            int(genome[CLUSTERS]),
            self.restarts,
            self.space.clusterer(genome),
        )

    def clusters(self, genome: Genome) -> Labels:
        by, clusters = self.space.clusterer(genome), int(genome[CLUSTERS])
        start = 0 if by is Clusterer.TREE else int(genome[START])
        if (by, clusters, start) not in self.clusterings:
            names = self.original.schema.quasi_identifiers
            self.clusterings[by, clusters, start] = cluster_labels(
                self.original, names, clusters, self.draws(start), self.restarts, by
            )
        return self.clusterings[by, clusters, start]

    def read(self, genome: Genome, draw: int) -> Mapping[str, float]:
        fitness = self.fitness(genome)
        median = self.space.method(genome) is ClusterMethod.GLOBAL_MEDIAN
        return {
            "loss": fitness[0],
            "risk": fitness[1],
            "score": self.cost(fitness),
            "k": float(genome[K]),
            "clusters": float(genome[CLUSTERS]),
            "global_median": float(median),
        }

    def answer(self, genome: Genome) -> Mapping[str, object]:
        recipe = {
            "method": self.space.method(genome).value,
            "clustering": self.space.clusterer(genome).value,
            "clusters": int(genome[CLUSTERS]),
            "clusters_used": int(self.clusters(genome).max()) + 1,
            "k": int(genome[K]),
        }
        return {"recipe": recipe}

    def recipe(self, genome: Genome) -> Recipe | None:
        steps = provenance_of(self._method(genome)).steps
        return canonical(steps) if is_recipe(steps) else None

    def making(self, genome: Genome) -> Provenance:
        return replace(provenance_of(self._method(genome)), search=NAME)
