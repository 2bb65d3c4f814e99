"""The generalization search as an evolutionary problem: nodes, their objectives and files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.chart import Chart
from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import MISSING
from evomask.data.table import Table
from evomask.evolution.archive import fitness_array
from evomask.evolution.individual import FIRST, Fitness, Outcome, Task
from evomask.evolution.schemes import CROSS
from evomask.evolution.state import State
from evomask.evolution.streams import litter_stream
from evomask.masking.provenance import Provenance, Step
from evomask.searches.base import MaskingProblem
from evomask.searches.generalization.comparison import (
    convergence_error,
    lattice_chart,
    minimal,
    representation_ratio,
)
from evomask.searches.generalization.genome import cross, node_of, pack, random_node, step, unpack
from evomask.searches.generalization.lattice import Lattice, Levels
from evomask.searches.generalization.node_evaluator import Objectives, Reader
from evomask.types import Floats, Points

NAME = "generalization"

Coarseness = dict[str, int | float]

_BAND = re.compile(r"[\[(]?\s*(-?\d+(?:\.\d+)?)\s*(?:-|–|,|to|\.\.)\s*(-?\d+(?:\.\d+)?)\s*[\[\])]?")
_STARRED = re.compile(r"([^*]+)\*+")


def coarseness(tree: Hierarchy, level: int) -> Coarseness:
    """Return the level, its number of labels and, if they show it, their precision.

    ``digits`` or ``characters`` is the length of the prefix left of a code such as 08***;
    ``bands`` is the number of intervals such as 20-29, ``width`` their width if all are equal.
    """
    labels = [label for label in tree.labels(level) if label != MISSING]
    counts: Coarseness = {"level": level, "labels": len(labels)}
    if level == 0 or len(labels) < 2:
        return counts
    return counts | (_prefix_length(labels) or _bands(labels))


def _prefix_length(labels: Sequence[str]) -> Coarseness:
    matches = [_STARRED.fullmatch(label) for label in labels]
    starts = [match.group(1) for match in matches if match]
    if len(starts) < len(labels) or len({len(start) for start in starts}) > 1:
        return {}
    unit = "digits" if all(start.isdigit() for start in starts) else "characters"
    return {unit: len(starts[0])}


def _bands(labels: Sequence[str]) -> Coarseness:
    matches = [_BAND.fullmatch(label) for label in labels]
    begins = sorted(float(match.group(1)) for match in matches if match)
    if len(begins) < max(2, len(labels) - 2):
        return {}
    widths = {later - earlier for earlier, later in pairwise(begins)}
    return {"bands": len(labels)} | ({"width": widths.pop()} if len(widths) == 1 else {})


NODE = "node"
"""Operator that evaluates the node whose number is the task's rival."""


@dataclass(frozen=True, eq=False)
class Nodes(MaskingProblem):
    """Nodes of a lattice as genomes.

    Args:
        sides: sides of the boxes of the archive, which keeps one node per box.
        every: whether the initial genomes are all nodes in order, not a random population.
        compare: whether the overview compares the front with the exact front.
        mutation: probability that a level of a child moves; by default 1 / attributes.
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
        return self.reader.lattice

    def work(self, task: Task[Levels], rng: np.random.Generator) -> Outcome[Levels]:
        levels = self._child(task, rng)
        return Outcome(levels, self.fitness(levels))

    def _child(self, task: Task[Levels], rng: np.random.Generator) -> Levels:
        if task.operator == FIRST:
            return self._first(int(task.rival or 0), rng)
        if task.operator == NODE:
            return node_of(int(task.rival or 0), self.lattice.shape)
        levels = task.parents[0].genome
        if task.operator == CROSS:
            levels = cross(levels, task.parents[1].genome, litter_stream(task.litter))
        return step(levels, self.lattice.heights, rng, self.mutation)

    def _first(self, number: int, rng: np.random.Generator) -> Levels:
        if self.every:
            return node_of(number, self.lattice.shape)
        ends = (self.lattice.top, (0,) * len(self.lattice.names))
        return ends[number] if number < 2 else random_node(self.lattice.shape, rng)

    def values(self, levels: Levels) -> Floats:
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
        fitness = self.objectives.fitness(self.values(levels)[None])[0]
        return tuple(float(value) for value in fitness)

    def pack(self, levels: Levels) -> Mapping[str, NDArray[Any]]:
        return pack(levels)

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Levels:
        return unpack(arrays)

    def making(self, levels: Levels) -> Provenance:
        suppressed = int(self.reader.figures(levels).suppressed[0])
        if not (any(levels) or suppressed):
            return Provenance(search=NAME)
        trees = self.lattice.trees.items()
        by_name = {
            name: coarseness(tree, level) for (name, tree), level in zip(trees, levels, strict=True)
        }
        parameters = {"levels": by_name, "suppressed": suppressed}
        return Provenance((Step(NAME, parameters, tuple(by_name)),), search=NAME)

    def decode(self, levels: Levels, draw: int) -> Table:
        return self.lattice.applied(levels, self.reader.suppressed(levels))

    def read(self, levels: Levels, draw: int) -> Mapping[str, float]:
        values = dict(zip(self.objectives.names, self.values(levels).tolist(), strict=True))
        suppressed = int(self.reader.figures(levels).suppressed[0])
        by_name = {f"level {n}": v for n, v in zip(self.lattice.names, levels, strict=True)}
        return {**values, "suppressed": suppressed, **by_name}

    def answer(self, levels: Levels) -> Mapping[str, object]:
        by_name = dict(zip(self.lattice.names, levels, strict=True))
        return {"lattice": self.lattice.size, "levels": by_name}

    def overview(self, state: State[Levels]) -> Mapping[str, object]:
        read = {"nodes_evaluated": len({individual.genome for individual in state.population})}
        return {**read, **self._comparison(state)} if self.compare else read

    def _comparison(self, state: State[Levels]) -> dict[str, float]:
        whole = self._all_values()
        exact = whole[minimal(self.objectives.fitness(whole))]
        front = fitness_array(state.archive.members)
        return {
            "ce": convergence_error(self.objectives.natural(front), exact),
            "rr": representation_ratio(front, self.objectives.fitness(exact), self.sides),
        }

    def _all_values(self) -> Points:
        if self.objectives.from_figures:
            return self.objectives.of_all(self.lattice.sweep(self.reader.rule))
        shape = self.lattice.shape
        nodes = (node_of(number, shape) for number in range(self.lattice.size))
        return np.array([self.values(node) for node in nodes])

    def charts(self, state: State[Levels]) -> Sequence[Chart]:
        title = f"Nodes read of {self.lattice.size:,}, and the front"
        read, front = (
            self.objectives.natural(fitness_array(individuals))
            for individuals in (state.population, state.archive.members)
        )
        return [lattice_chart("lattice", title, self.objectives, read, front)]
