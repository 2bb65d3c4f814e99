"""The grouping as an evolutionary problem: children, what they cost, their masked file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

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
from evomask.searches.grouping.genome import Grouping, groups_of, identity
from evomask.searches.grouping.operators import MUTATIONS, cross, first_grouping

NAME = "grouping"

Judge = Callable[[Table], Fitness]
"""Loss and risk of a masked file."""


@dataclass(frozen=True, eq=False)
class AttributeGrouping:
    """Which attributes of one table are microaggregated together.

    Args:
        cost: one number of loss and risk.
        judge: loss and risk where they are not those of the thesis.
        remembered: fitness of each grouping met so far; it saves time and changes nothing.
    """

    parts: Microaggregations
    cost: Cost
    judge: Judge | None = None
    remembered: dict[tuple[int, ...], Fitness] = field(default_factory=dict)

    def work(self, task: Task[Grouping], rng: np.random.Generator) -> Outcome[Grouping]:
        """One child by the task's operator."""
        genome = self.child(task, rng)
        return Outcome(genome, self.fitness(genome), counts={"groups": int(genome.max()) + 1})

    def child(self, task: Task[Grouping], rng: np.random.Generator) -> Grouping:
        """The grouping that an operator makes."""
        if task.operator == FIRST:
            return first_grouping(len(self.parts.names), rng)
        parents = [parent.genome for parent in task.parents]
        if task.operator == CROSS:
            return cross(parents[0], parents[1], rng)
        return MUTATIONS[task.operator](parents[0], rng)

    def fitness(self, genome: Grouping) -> Fitness:
        """Loss and risk of a grouping's masked file, measured once and remembered."""
        known = identity(genome)
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
        return self.parts.components(groups_of(genome))

    def decode(self, genome: Grouping, draw: int) -> Table:
        """Each group microaggregated on its own; nothing is random."""
        masked = self.parts.original
        for group in groups_of(genome):
            names = [self.parts.names[a] for a in group]
            masked = aggregated(masked, names, self.parts.masked(group).labels)
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
        groups = sorted(groups_of(genome))
        return {
            **{name: readings[name] for name in ("score", "il", "id", "dld")},
            "groups": self.named(genome),
            "explanation": explained(groups, self.parts.names, strengths),
            "baselines": {
                name: {**self.read(grouping, 0), "groups": self.named(grouping)}
                for name, grouping in baselines(strengths).items()
            },
        }

    def making(self, genome: Grouping) -> Making:
        """Which attributes are microaggregated together, and in groups of how many records."""
        parameters = {"k": self.parts.k, "together": self.named(genome)}
        return Making((Step(NAME, parameters, tuple(self.parts.names)),), search=NAME)

    def named(self, genome: Grouping) -> list[list[str]]:
        """The names of each group's attributes."""
        return [[self.parts.names[a] for a in group] for group in sorted(groups_of(genome))]

    def pack(self, genome: Grouping) -> Mapping[str, NDArray[Any]]:
        """The number of each attribute's group as one array."""
        return {"groups": genome}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Grouping:
        """The grouping whose group numbers were packed."""
        return arrays["groups"]
