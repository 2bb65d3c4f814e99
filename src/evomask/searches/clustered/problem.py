"""Clustering before protecting as an evolutionary problem."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Labels
from evomask.data.clustering import Clusterer, cluster_labels
from evomask.data.rules.mending import Mender
from evomask.data.table import Table
from evomask.evolution.brood import FIRST, Outcome, Task
from evomask.evolution.individual import Cost, Fitness
from evomask.evolution.schemes import CROSS
from evomask.evolution.setup import Draws
from evomask.evolution.streams import litter_stream
from evomask.masking.making import Making
from evomask.masking.method import making_of
from evomask.masking.microaggregation.clustered import (
    ClusteredGlobalMedian,
    ClusteredMicroaggregation,
)
from evomask.searches.clustered.genome import CLUSTERS, START, ClusterMethod, K, Recipe, RecipeSpace
from evomask.searches.clustered.operators import MUTATIONS, cross, drawn

NAME = "clustered"

Judge = Callable[[Table], Fitness]
"""Loss and risk of a masked file."""

METHODS: Mapping[ClusterMethod, type[ClusteredMicroaggregation] | type[ClusteredGlobalMedian]] = {
    ClusterMethod.MICROAGGREGATION: ClusteredMicroaggregation,
    ClusterMethod.GLOBAL_MEDIAN: ClusteredGlobalMedian,
}


@dataclass(frozen=True, eq=False)
class ClusteredProtection:
    """How one table is clustered, and how its clusters are masked.

    Args:
        first: recipes to begin with; where there are fewer than wanted the rest is drawn.
        cost: one number of loss and risk.
        judged: fitness of each masked file met so far; it saves time and changes nothing.
        clusterings: the clusters of each record, by method, number and start, made once.
    """

    original: Table
    space: RecipeSpace
    restarts: int
    first: tuple[Recipe, ...]
    judge: Judge
    cost: Cost
    draws: Draws
    mender: Mender
    judged: dict[bytes, Fitness] = field(default_factory=dict)
    clusterings: dict[tuple[Clusterer, int, int], Labels] = field(default_factory=dict)

    def work(self, task: Task[Recipe], rng: np.random.Generator) -> Outcome[Recipe]:
        """One child by the task's operator."""
        genome = self.child(task, rng)
        counts = {"clusters": int(genome[CLUSTERS]), "k": int(genome[K])}
        return Outcome(genome, self.fitness(genome), counts=counts)

    def child(self, task: Task[Recipe], rng: np.random.Generator) -> Recipe:
        """The recipe that an operator makes."""
        if task.operator == FIRST:
            number = task.rival or 0
            return self.first[number] if number < len(self.first) else drawn(self.space, rng)
        parents = [parent.genome for parent in task.parents]
        if task.operator == CROSS:
            return cross(parents[0], parents[1], litter_stream(task.litter))
        return MUTATIONS[task.operator](parents[0], self.space, rng)

    def fitness(self, genome: Recipe) -> Fitness:
        """Loss and risk; a file met before is not measured again."""
        masked = self.decode(genome, 0)
        content = blake2b(digest_size=16)
        for name in masked.schema.quasi_identifiers:
            content.update(masked[name].tobytes())
        known = content.digest()
        if known not in self.judged:
            self.judged[known] = self.judge(masked)
        return self.judged[known]

    def decode(self, genome: Recipe, draw: int) -> Table:
        """Clusters found, each masked on its own, edit rules obeyed."""
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
        """The clusters of a recipe; each clustering is made once."""
        by, clusters, start = self._clustering(genome)
        if (by, clusters, start) not in self.clusterings:
            names = self.original.schema.quasi_identifiers
            self.clusterings[by, clusters, start] = cluster_labels(
                self.original, names, clusters, self.draws(start), self.restarts, by
            )
        return self.clusterings[by, clusters, start]

    def _clustering(self, genome: Recipe) -> tuple[Clusterer, int, int]:
        by = self.space.clusterer(genome)
        start = 0 if by is Clusterer.TREE else int(genome[START])
        return by, int(genome[CLUSTERS]), start

    def read(self, genome: Recipe, draw: int) -> Mapping[str, float]:
        """Loss, risk and score, and the numbers of the recipe."""
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
        """The recipe as the answer tells it: method, clustering, clusters asked for and used, k."""
        recipe = {
            "method": self.space.method(genome).value,
            "clustering": self.space.clusterer(genome).value,
            "clusters": int(genome[CLUSTERS]),
            "clusters_used": int(self.clusters(genome).max()) + 1,
            "k": int(genome[K]),
        }
        return {"recipe": recipe}

    def making(self, genome: Recipe) -> Making:
        """The method that masks clusters, with the recipe as its parameters."""
        return replace(making_of(self._method(genome)), search=NAME)

    def pack(self, genome: Recipe) -> Mapping[str, NDArray[Any]]:
        """The numbers of the recipe, one for each gene, as one array."""
        return {"recipe": genome}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Recipe:
        """The recipe whose genes were packed."""
        return arrays["recipe"]
