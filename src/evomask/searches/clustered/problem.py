"""The clustered search as an evolutionary problem."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import numpy as np

from evomask.data.clustering import Clusterer, cluster_labels
from evomask.data.edits.repair import EditRepair
from evomask.data.table import Table
from evomask.evolution.individual import FIRST, Cost, Fitness, Outcome, Task
from evomask.evolution.loop import Draws
from evomask.evolution.schemes import CROSS
from evomask.evolution.streams import litter_stream
from evomask.masking.method import provenance_of
from evomask.masking.microaggregation.clustered import (
    ClusteredGlobalMedian,
    ClusteredMicroaggregation,
)
from evomask.masking.provenance import Provenance
from evomask.searches.base import MaskingProblem
from evomask.searches.clustered.genome import CLUSTERS, START, ClusterMethod, K, Recipe, RecipeSpace
from evomask.searches.clustered.operators import MUTATIONS, cross, draw_recipe
from evomask.types import Labels

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
    first: tuple[Recipe, ...]
    judge: LossAndRisk
    cost: Cost
    draws: Draws
    mender: EditRepair
    fitness_cache: dict[bytes, Fitness] = field(default_factory=dict)
    clusterings: dict[tuple[Clusterer, int, int], Labels] = field(default_factory=dict)

    def work(self, task: Task[Recipe], rng: np.random.Generator) -> Outcome[Recipe]:
        genome = self.child(task, rng)
        counts = {"clusters": int(genome[CLUSTERS]), "k": int(genome[K])}
        return Outcome(genome, self.fitness(genome), counts=counts)

    def child(self, task: Task[Recipe], rng: np.random.Generator) -> Recipe:
        if task.operator == FIRST:
            number = task.rival or 0
            return self.first[number] if number < len(self.first) else draw_recipe(self.space, rng)
        parents = [parent.genome for parent in task.parents]
        if task.operator == CROSS:
            return cross(parents[0], parents[1], litter_stream(task.litter))
        return MUTATIONS[task.operator](parents[0], self.space, rng)

    def fitness(self, genome: Recipe) -> Fitness:
        masked = self.decode(genome, 0)
        content = blake2b(digest_size=16)
        for name in masked.schema.quasi_identifiers:
            content.update(masked[name].tobytes())
        digest = content.digest()
        if digest not in self.fitness_cache:
            self.fitness_cache[digest] = self.judge(masked)
        return self.fitness_cache[digest]

    def decode(self, genome: Recipe, draw: int) -> Table:
        method = self._method(genome)
        rng = self.draws(int(genome[START]))
        labels = method.partition_within(self.original, self.clusters(genome), rng)
        masked = method.released(self.original, labels)
        return self.mender.mended(masked, whole_classes=True)

    def _method(self, genome: Recipe) -> ClusteredMicroaggregation | ClusteredGlobalMedian:
        return METHODS[self.space.method(genome)](
            self.original.schema.quasi_identifiers,
            int(genome[K]),
            int(genome[CLUSTERS]),
            self.restarts,
            self.space.clusterer(genome),
        )

    def clusters(self, genome: Recipe) -> Labels:
        by, clusters = self.space.clusterer(genome), int(genome[CLUSTERS])
        start = 0 if by is Clusterer.TREE else int(genome[START])
        if (by, clusters, start) not in self.clusterings:
            names = self.original.schema.quasi_identifiers
            self.clusterings[by, clusters, start] = cluster_labels(
                self.original, names, clusters, self.draws(start), self.restarts, by
            )
        return self.clusterings[by, clusters, start]

    def read(self, genome: Recipe, draw: int) -> Mapping[str, float]:
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

    def answer(self, genome: Recipe) -> Mapping[str, object]:
        recipe = {
            "method": self.space.method(genome).value,
            "clustering": self.space.clusterer(genome).value,
            "clusters": int(genome[CLUSTERS]),
            "clusters_used": int(self.clusters(genome).max()) + 1,
            "k": int(genome[K]),
        }
        return {"recipe": recipe}

    def making(self, genome: Recipe) -> Provenance:
        return replace(provenance_of(self._method(genome)), search=NAME)
