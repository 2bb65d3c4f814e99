"""The grouping as an evolutionary problem: children, what they cost, their masked file."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evomask.data.table import Table
from evomask.evolution.brood import FIRST, Outcome, Task
from evomask.evolution.individual import Cost, Fitness
from evomask.evolution.schemes import CROSS
from evomask.masking.making import Making, Step
from evomask.masking.microaggregation.aggregation import aggregated
from evomask.searches.grouping.baselines import baselines, correlations
from evomask.searches.grouping.components import Components, Microaggregations
from evomask.searches.grouping.explanation import explained
from evomask.searches.grouping.genome import Grouping, SizedGroup, groups_of, identity
from evomask.searches.grouping.operators import MUTATIONS, cross, first_grouping

NAME = "grouping"

Judge = Callable[[Table], Fitness]
"""Loss and risk of a masked file."""


@dataclass(frozen=True, eq=False)
class Screening:
    """Children are compared by what they cost on some of the records.

    Clusters of k among fewer records are wider, so the cost is another; what counts is
    whose is smaller.

    Args:
        sample: the same attributes of some records.
        children: how many are made of a task, of which the best is measured in full.
    """

    sample: "AttributeGrouping"
    children: int

    def best(self, genomes: Sequence[Grouping]) -> Grouping:
        """The one with the smallest cost in the sample; the first one of ties."""
        costs = [self.sample.cost(self.sample.fitness(genome)) for genome in genomes]
        return genomes[int(np.argmin(costs))]


class Genes(Protocol):
    """How groupings are written, varied and read."""

    @property
    def mutations(self) -> Sequence[str]:
        """Names of the mutations."""
        ...

    def child(self, task: Task[Grouping], rng: np.random.Generator) -> Grouping:
        """What an operator makes of its parents."""
        ...

    def groups(self, genome: Grouping) -> tuple[SizedGroup, ...]:
        """Each group with its k."""
        ...

    def identity(self, genome: Grouping) -> Hashable:
        """The same for two genomes that mean the same groups, and for no others."""
        ...

    def of(self, grouping: Grouping) -> Grouping:
        """The genome of a grouping whose groups all have the least k."""
        ...


@dataclass(frozen=True)
class PlainGenes:
    """Groupings of so many attributes, all groups with the same k."""

    n_attributes: int
    k: int

    mutations = tuple(MUTATIONS)

    def child(self, task: Task[Grouping], rng: np.random.Generator) -> Grouping:
        """The grouping that an operator makes."""
        if task.operator == FIRST:
            return first_grouping(self.n_attributes, rng)
        parents = [parent.genome for parent in task.parents]
        if task.operator == CROSS:
            return cross(parents[0], parents[1], rng)
        return MUTATIONS[task.operator](parents[0], rng)

    def groups(self, genome: Grouping) -> tuple[SizedGroup, ...]:
        """Each group with the k of all."""
        return tuple((group, self.k) for group in groups_of(genome))

    def identity(self, genome: Grouping) -> Hashable:
        """The same for two genomes that mean the same grouping."""
        return identity(genome)

    def of(self, grouping: Grouping) -> Grouping:
        """The grouping itself, for it is its own genome."""
        return grouping


@dataclass(frozen=True, eq=False)
class AttributeGrouping:
    """Which attributes of one table are microaggregated together.

    Args:
        cost: one number of loss and risk.
        judge: loss and risk where they are not those of the thesis.
        screening: chooses among several children of a task, of which only one is measured.
        remembered: fitness of each grouping met so far; it saves time and changes nothing.
    """

    parts: Microaggregations
    cost: Cost
    genes: Genes
    judge: Judge | None = None
    screening: "Screening | None" = None
    remembered: dict[Hashable, Fitness] = field(default_factory=dict)

    def work(self, task: Task[Grouping], rng: np.random.Generator) -> Outcome[Grouping]:
        """One child by the task's operator; the most promising of several where wanted."""
        genome = self.genes.child(task, rng)
        if self.screening is not None and task.operator != FIRST:
            others = [self.genes.child(task, rng) for _ in range(self.screening.children - 1)]
            genome = self.screening.best(self._unlike_parents(task, [genome, *others]))
        counts = {"groups": len(self.genes.groups(genome))}
        return Outcome(genome, self.fitness(genome), counts=counts)

    def _unlike_parents(
        self, task: Task[Grouping], children: Sequence[Grouping]
    ) -> Sequence[Grouping]:
        """Without clones of the parents, which would promise most; all where none is left."""
        known = {self.genes.identity(parent.genome) for parent in task.parents}
        return [c for c in children if self.genes.identity(c) not in known] or children

    def fitness(self, genome: Grouping) -> Fitness:
        """Loss and risk of a grouping's masked file, measured once and remembered."""
        known = self.genes.identity(genome)
        if known not in self.remembered:
            self.remembered[known] = self._measured(genome)
        return self.remembered[known]

    def _measured(self, genome: Grouping) -> Fitness:
        if self.judge is not None:
            return self.judge(self.decode(genome, 0))
        parts = self.components(genome)
        return parts.il, parts.risk

    def components(self, genome: Grouping) -> Components:
        """The parts of the thesis' score."""
        return self.parts.sized_components(self.genes.groups(genome))

    def decode(self, genome: Grouping, draw: int) -> Table:
        """Each group microaggregated on its own; nothing is random."""
        masked = self.parts.original
        for group, k in self.genes.groups(genome):
            names = [self.parts.names[a] for a in group]
            masked = aggregated(masked, names, self.parts.masked(group, k).labels)
        return masked

    def read(self, genome: Grouping, draw: int) -> Mapping[str, float]:
        """Loss, risk and score as searched for, and the parts of the thesis' score."""
        fitness = self.fitness(genome)
        readings = {"loss": fitness[0], "risk": fitness[1], "score": self.cost(fitness)}
        return {**readings, **self.components(genome)._asdict()}

    def answer(self, genome: Grouping) -> Mapping[str, object]:
        """The score and its parts, the groups and why, and what groupings without search cost."""
        readings = self.read(genome, 0)
        strengths = correlations(self.parts.points)
        groups = [group for group, _ in self._ordered(genome)]
        known = {name: self.genes.of(plain) for name, plain in baselines(strengths).items()}
        return {
            **{name: readings[name] for name in ("score", "il", "id", "dld")},
            "groups": self.named(genome),
            "sizes": [k for _, k in self._ordered(genome)],
            "explanation": explained(groups, self.parts.names, strengths),
            "baselines": {
                name: {**self.read(grouping, 0), "groups": self.named(grouping)}
                for name, grouping in known.items()
            },
        }

    def making(self, genome: Grouping) -> Making:
        """Which attributes are microaggregated together, and in groups of how many records."""
        sizes = [k for _, k in self.genes.groups(genome)]
        parameters: dict[str, Any] = {"k": min(sizes), "together": self.named(genome)}
        if max(sizes) > min(sizes):
            parameters["largest"] = max(sizes)
        return Making((Step(NAME, parameters, tuple(self.parts.names)),), search=NAME)

    def named(self, genome: Grouping) -> list[list[str]]:
        """The names of each group's attributes."""
        return [[self.parts.names[a] for a in group] for group, _ in self._ordered(genome)]

    def _ordered(self, genome: Grouping) -> list[SizedGroup]:
        return sorted(self.genes.groups(genome))

    def pack(self, genome: Grouping) -> Mapping[str, NDArray[Any]]:
        """The number of each attribute's group, and sizes where groups have their own."""
        return {"groups": genome}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Grouping:
        """The grouping whose group numbers were packed."""
        return arrays["groups"]
