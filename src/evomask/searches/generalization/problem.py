"""Nodes as individuals: how they come about, what they are worth, what they make of the table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.arrays import Floats, Points
from evomask.data.chart import Chart
from evomask.data.table import Table
from evomask.evolution.archive import fitness_array
from evomask.evolution.brood import FIRST, Outcome, Task
from evomask.evolution.individual import Fitness
from evomask.evolution.schemes import CROSS
from evomask.evolution.state import State
from evomask.evolution.streams import litter_stream
from evomask.masking.making import Making, Step
from evomask.searches.generalization import genome, operators
from evomask.searches.generalization.charts import lattice_chart
from evomask.searches.generalization.coarseness import NAME, coarseness
from evomask.searches.generalization.comparison import (
    convergence_error,
    minimal,
    representation_ratio,
)
from evomask.searches.generalization.lattice import Lattice, Levels
from evomask.searches.generalization.reader import Objectives, Reader

NODE = "node"
"""The operator that reads the node whose number is the task's rival."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a lattice as a search meets them.

    Args:
        sides: of the boxes that the archive keeps one node each of.
        every: whether the first genomes are all nodes in order, not a random population.
        compare: whether the overview compares what was found with the whole lattice.
        mutation: probability that a level of a child moves; 1 / attributes unless told.
    """

    reader: Reader
    objectives: Objectives
    sides: tuple[float, ...]
    every: bool = False
    compare: bool = False
    mutation: float | None = None
    _known: dict[Levels, Floats] = field(default_factory=dict)

    @property
    def lattice(self) -> Lattice:
        """The lattice whose nodes are searched."""
        return self.reader.lattice

    def work(self, task: Task[Levels], rng: np.random.Generator) -> Outcome[Levels]:
        """A node and its fitness; a node met before is not read again."""
        levels = self._child(task, rng)
        return Outcome(levels, self.fitness(levels))

    def _child(self, task: Task[Levels], rng: np.random.Generator) -> Levels:
        if task.operator == FIRST:
            return self._first(int(task.rival or 0), rng)
        if task.operator == NODE:
            return genome.node_of(int(task.rival or 0), self.lattice.shape)
        levels = task.parents[0].genome
        if task.operator == CROSS:
            levels = operators.cross(levels, task.parents[1].genome, litter_stream(task.litter))
        return operators.step(levels, self.lattice.heights, rng, self.mutation)

    def _first(self, number: int, rng: np.random.Generator) -> Levels:
        """All nodes; or the most general, the most special, and random ones."""
        if self.every:
            return genome.node_of(number, self.lattice.shape)
        ends = (self.lattice.top, (0,) * len(self.lattice.names))
        return ends[number] if number < 2 else operators.random_node(self.lattice.shape, rng)

    def values(self, levels: Levels) -> Floats:
        """The objectives of a node in their natural directions."""
        if levels not in self._known:
            if self.every and self.objectives.from_figures:
                self._read_all()
            else:
                self._known[levels] = self.objectives.values(self.reader, levels)
        return self._known[levels]

    def _read_all(self) -> None:
        figures = self.lattice.sweep(self.reader.rule)
        for node, values in zip(figures.levels, self.objectives.of_all(figures), strict=True):
            self._known[tuple(int(level) for level in node)] = values

    def fitness(self, levels: Levels) -> Fitness:
        """The objectives of a node, turned so that smaller is better in each."""
        fitness = self.objectives.fitness(self.values(levels)[None])[0]
        return tuple(float(value) for value in fitness)

    def pack(self, levels: Levels) -> Mapping[str, NDArray[Any]]:
        """The level of each attribute as one named array."""
        return genome.pack(levels)

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Levels:
        """The levels whose array was packed."""
        return genome.unpack(arrays)

    def making(self, levels: Levels) -> Making:
        """What became of each attribute, and how many records are left out; no step for nothing."""
        suppressed = int(self.reader.figures(levels).suppressed[0])
        if not (any(levels) or suppressed):
            return Making(search=NAME)
        trees = self.lattice.trees.items()
        by_name = {
            name: coarseness(tree, level) for (name, tree), level in zip(trees, levels, strict=True)
        }
        parameters = {"levels": by_name, "suppressed": suppressed}
        return Making((Step(NAME, parameters, tuple(by_name)),), search=NAME)

    def decode(self, levels: Levels, draw: int) -> Table:
        """The generalized table, records of classes too small flagged as suppressed."""
        return self.lattice.applied(levels, self.reader.suppressed(levels))

    def read(self, levels: Levels, draw: int) -> Mapping[str, float]:
        """The objectives by name, the suppressed records, and the level of each attribute."""
        values = dict(zip(self.objectives.names, self.values(levels).tolist(), strict=True))
        suppressed = int(self.reader.figures(levels).suppressed[0])
        by_name = {f"level {n}": v for n, v in zip(self.lattice.names, levels, strict=True)}
        return {**values, "suppressed": suppressed, **by_name}

    def answer(self, levels: Levels) -> Mapping[str, object]:
        """The size of the lattice, and the best node's levels."""
        by_name = dict(zip(self.lattice.names, levels, strict=True))
        return {"lattice": self.lattice.size, "levels": by_name}

    def overview(self, state: State[Levels]) -> Mapping[str, object]:
        """How many nodes a run read; where asked, CE and RR of what it found."""
        read = {"nodes_evaluated": len({individual.genome for individual in state.population})}
        return {**read, **self._compared(state)} if self.compare else read

    def _compared(self, state: State[Levels]) -> dict[str, float]:
        whole = self._all_values()
        exact = whole[minimal(self.objectives.fitness(whole))]
        front = fitness_array(state.archive.members)
        return {
            "ce": convergence_error(self.objectives.natural(front), exact),
            "rr": representation_ratio(front, self.objectives.fitness(exact), self.sides),
        }

    def _all_values(self) -> Points:
        """The objectives of every node; one by one where figures do not tell them."""
        if self.objectives.from_figures:
            return self.objectives.of_all(self.lattice.sweep(self.reader.rule))
        shape = self.lattice.shape
        nodes = (genome.node_of(number, shape) for number in range(self.lattice.size))
        return np.array([self.values(node) for node in nodes])

    def charts(self, state: State[Levels]) -> Sequence[Chart]:
        """The nodes that a run read, with its front among them."""
        title = f"Nodes read of {self.lattice.size:,}, and the front"
        read, front = (
            self.objectives.natural(fitness_array(individuals))
            for individuals in (state.population, state.archive.members)
        )
        return [lattice_chart("lattice", title, self.objectives, read, front)]
