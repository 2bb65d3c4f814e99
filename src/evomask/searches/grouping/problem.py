"""The grouping search as an evolutionary problem."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from evomask.data.table import Table
from evomask.evolution.individual import FIRST, Cost, Fitness, Outcome, Task
from evomask.evolution.schemes import CROSS
from evomask.masking.microaggregation.aggregation import aggregate
from evomask.masking.provenance import Provenance, Step
from evomask.masking.recipe import Recipe, canonical
from evomask.searches.base import MaskingProblem
from evomask.searches.grouping.baselines import baselines, correlations, explain_groups
from evomask.searches.grouping.components import Components, Microaggregations
from evomask.searches.grouping.genome import Grouping, SizedGroup, groups_of, identity
from evomask.searches.grouping.operators import MUTATIONS, cross, first_grouping

NAME = "grouping"

LossAndRisk = Callable[[Table], Fitness]
"""Function from a masked file to its loss and risk."""


@dataclass(frozen=True, eq=False)
class Screening:
    """Preselection of children by their cost on a sample of the records.

    Clusters of k among fewer records are wider, so costs differ from those of the file; only
    their order matters.

    Args:
        sample: the problem on the sample.
        children: number of children per task, of which the best is evaluated in full.
    """

    sample: "AttributeGrouping"
    children: int

    def best(self, genomes: Sequence[Grouping]) -> Grouping:
        costs = [self.sample.cost(self.sample.fitness(genome)) for genome in genomes]
        return genomes[int(np.argmin(costs))]


class Genes(Protocol):
    """Representation and variation of groupings."""

    @property
    def mutations(self) -> Sequence[str]:
        """Names of the mutations."""
        ...

    def child(self, task: Task[Grouping], rng: np.random.Generator) -> Grouping:
        """Return the child that the operator of the task makes."""
        ...

    def groups(self, genome: Grouping) -> tuple[SizedGroup, ...]:
        """Return each group with its k."""
        ...

    def identity(self, genome: Grouping) -> Hashable:
        """Return a key that is equal for genomes of the same groups only."""
        ...

    def of(self, grouping: Grouping) -> Grouping:
        """Return the genome of a grouping whose groups all have the smallest k."""
        ...


@dataclass(frozen=True)
class EqualSizeGenes:
    """Groupings whose groups all have the same k."""

    n_attributes: int
    k: int

    mutations = tuple(MUTATIONS)

    def child(self, task: Task[Grouping], rng: np.random.Generator) -> Grouping:
        if task.operator == FIRST:
            return first_grouping(self.n_attributes, rng)
        parents = [parent.genome for parent in task.parents]
        if task.operator == CROSS:
            return cross(parents[0], parents[1], rng)
        return MUTATIONS[task.operator](parents[0], rng)

    def groups(self, genome: Grouping) -> tuple[SizedGroup, ...]:
        return tuple((group, self.k) for group in groups_of(genome))

    def identity(self, genome: Grouping) -> Hashable:
        return identity(genome)

    def of(self, grouping: Grouping) -> Grouping:
        return grouping


@dataclass(frozen=True, eq=False)
class AttributeGrouping(MaskingProblem):
    """Which attributes of one table are microaggregated together.

    Args:
        cost: score of loss and risk.
        judge: loss and risk, if not those of the thesis.
        screening: preselection among several children of a task.
        cache: cache of the fitness of groupings.
    """

    packed_as = "groups"

    parts: Microaggregations
    cost: Cost
    genes: Genes
    judge: LossAndRisk | None = None
    screening: "Screening | None" = None
    cache: dict[Hashable, Fitness] = field(default_factory=dict)

    def work(self, task: Task[Grouping], rng: np.random.Generator) -> Outcome[Grouping]:
        genome = self.genes.child(task, rng)
        if self.screening is not None and task.operator != FIRST:
            others = [self.genes.child(task, rng) for _ in range(self.screening.children - 1)]
            genome = self.screening.best(self._without_clones(task, [genome, *others]))
        counts = {"groups": len(self.genes.groups(genome))}
        return Outcome(genome, self.fitness(genome), counts=counts)

    def _without_clones(
        self, task: Task[Grouping], children: Sequence[Grouping]
    ) -> Sequence[Grouping]:
        """Exclude clones of the parents, unless nothing else is left."""
        known = {self.genes.identity(parent.genome) for parent in task.parents}
        return [c for c in children if self.genes.identity(c) not in known] or children

    def fitness(self, genome: Grouping) -> Fitness:
        known = self.genes.identity(genome)
        if known not in self.cache:
            self.cache[known] = self._evaluate(genome)
        return self.cache[known]

    def _evaluate(self, genome: Grouping) -> Fitness:
        if self.judge is not None:
            return self.judge(self.decode(genome, 0))
        parts = self.components(genome)
        return parts.il, parts.risk

    def components(self, genome: Grouping) -> Components:
        return self.parts.sized_components(self.genes.groups(genome))

    def decode(self, genome: Grouping, draw: int) -> Table:
        masked = self.parts.original
        for group, k in self.genes.groups(genome):
            names = [self.parts.names[a] for a in group]
            masked = aggregate(masked, names, self.parts.released_labels(group, k))
        return masked

    def read(self, genome: Grouping, draw: int) -> Mapping[str, float]:
        fitness = self.fitness(genome)
        readings = {"loss": fitness[0], "risk": fitness[1], "score": self.cost(fitness)}
        return {**readings, **self.components(genome)._asdict()}

    def answer(self, genome: Grouping) -> Mapping[str, object]:
        readings = self.read(genome, 0)
        strengths = correlations(self.parts.points)
        groups = [group for group, _ in self._sort(genome)]
        known = {name: self.genes.of(plain) for name, plain in baselines(strengths).items()}
        return {
            **{name: readings[name] for name in ("score", "il", "id", "dld")},
            "groups": self.named(genome),
            "sizes": [k for _, k in self._sort(genome)],
            "explanation": explain_groups(groups, self.parts.names, strengths),
            "baselines": {
                name: {**self.read(grouping, 0), "groups": self.named(grouping)}
                for name, grouping in known.items()
            },
        }

    def making(self, genome: Grouping) -> Provenance:
        sizes = [k for _, k in self.genes.groups(genome)]
        parameters: dict[str, Any] = {"k": min(sizes), "together": self.named(genome)}
        if max(sizes) > min(sizes):
            parameters["largest"] = max(sizes)
        return Provenance((Step(NAME, parameters, tuple(self.parts.names)),), search=NAME)

    def recipe(self, genome: Grouping) -> Recipe:
        """Return a microaggregation of each group of attributes."""
        return canonical(
            Step("mdav-generic", {"k": k}, tuple(self.parts.names[a] for a in group))
            for group, k in self.genes.groups(genome)
        )

    def named(self, genome: Grouping) -> list[list[str]]:
        return [[self.parts.names[a] for a in group] for group, _ in self._sort(genome)]

    def _sort(self, genome: Grouping) -> list[SizedGroup]:
        return sorted(self.genes.groups(genome))
