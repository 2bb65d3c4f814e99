"""Nodes as individuals: how they come about, what they are worth, what they make of the table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.table import Table
from evomask.evolution.brood import FIRST, Outcome, Task
from evomask.evolution.individual import Fitness
from evomask.evolution.schemes import CROSS
from evomask.evolution.streams import litter_stream
from evomask.kernels.arrays import Floats
from evomask.searches.generalization import genome, operators
from evomask.searches.generalization.comparison import (
    convergence_error,
    minimal,
    representation_ratio,
)
from evomask.searches.generalization.lattice import Lattice, Levels
from evomask.searches.generalization.reader import Objectives, Reader
from evomask.searches.generalization.visited import Visited

NODE = "node"
"""The operator that reads the node whose number is the task's rival."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a lattice as a search meets them.

    Args:
        every: whether the first genomes are all nodes in order, not a random population.
        compare: whether the answer compares what was found with the whole lattice.
        visited: what the scheme noted; tasks that other processes did are only there.
    """

    reader: Reader
    objectives: Objectives
    every: bool = False
    compare: bool = False
    visited: Visited = field(default_factory=Visited)
    _known: dict[Levels, Floats] = field(default_factory=dict)

    @property
    def lattice(self) -> Lattice:
        """Where the nodes are."""
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
        return operators.step(levels, self.lattice.heights, rng)

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
        """What is minimised."""
        fitness = self.objectives.fitness(self.values(levels)[None])[0]
        return tuple(float(value) for value in fitness)

    def pack(self, levels: Levels) -> Mapping[str, NDArray[Any]]:
        """Levels as a named array."""
        return genome.pack(levels)

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Levels:
        """The levels that were packed."""
        return genome.unpack(arrays)

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
        """The lattice, how much of it was read, and the best node's levels."""
        met = self._met()
        return {
            "lattice": self.lattice.size,
            "nodes_evaluated": len(met),
            "levels": dict(zip(self.lattice.names, levels, strict=True)),
            **(self._compared(met) if self.compare else {}),
        }

    def _met(self) -> dict[Levels, Fitness]:
        """Every node that was read, in the order it was first met."""
        here = {levels: self.fitness(levels) for levels in self._known}
        return {**self.visited.nodes, **here}

    def _compared(self, met: Mapping[Levels, Fitness]) -> dict[str, float]:
        """CE and RR of what was found against the exact front."""
        whole = self.objectives.of_all(self.lattice.sweep(self.reader.rule))
        exact = whole[minimal(self.objectives.fitness(whole))]
        found = np.array(self.visited.archive_of(met))
        return {
            "ce": convergence_error(self.objectives.natural(found), exact),
            "rr": representation_ratio(found, self.objectives.fitness(exact), self.visited.sides),
        }
