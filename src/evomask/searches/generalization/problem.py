"""The generalization search as an evolutionary problem: nodes, operators, files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.chart import Axis, Chart, Series
from evomask.data.hierarchy import Hierarchy
from evomask.data.schema import MISSING
from evomask.data.table import Table
from evomask.evolution.archive import BoxedFront, fitness_array
from evomask.evolution.individual import FIRST, Fitness, Outcome, Task
from evomask.evolution.schemes import CROSS
from evomask.evolution.state import State
from evomask.evolution.streams import litter_stream
from evomask.evolution.variation import cross_points
from evomask.kernels.lattice.classes import Rows
from evomask.masking.provenance import Provenance, Step
from evomask.masking.recipe import Recipe, canonical
from evomask.searches.base import MaskingProblem
from evomask.searches.generalization.lattice import Lattice, Levels
from evomask.searches.generalization.objectives import AnyIndex, Index, Objectives, Reader
from evomask.types import Floats, Indices, Points


def pack(levels: Levels) -> Mapping[str, NDArray[Any]]:
    """Return the levels as a named array."""
    return {"levels": np.array(levels, dtype=np.int64)}


def unpack(arrays: Mapping[str, NDArray[Any]]) -> Levels:
    """Return the levels that were packed."""
    return tuple(int(level) for level in arrays["levels"])


def number_of(levels: Levels, shape: tuple[int, ...]) -> int:
    """Return the position of a node in the lexicographic order of the lattice, as a Python int."""
    number = 0
    for level, count in zip(levels, shape, strict=True):
        number = number * count + level
    return number


def node_of(number: int, shape: tuple[int, ...]) -> Levels:
    """Return the node at a position of the lexicographic order."""
    levels = []
    for count in reversed(shape):
        number, level = divmod(number, count)
        levels.append(level)
    return tuple(reversed(levels))


def as_rows(nodes: "list[Levels] | tuple[Levels, ...]", width: int) -> Rows:
    """Return nodes as the rows of an array, one column per attribute."""
    return np.array(nodes, dtype=np.int64).reshape(len(nodes), width)


def random_node(shape: tuple[int, ...], rng: np.random.Generator) -> Levels:
    """Draw a node uniformly."""
    return tuple(int(rng.integers(levels)) for levels in shape)


def cross(first: Levels, second: Levels, rng: np.random.Generator) -> Levels:
    """One-point crossover: the child begins like *first* and ends like *second*."""
    child, _ = cross_points(np.array(first), np.array(second), 1, rng)
    return tuple(int(level) for level in child)


def step(
    levels: Levels, heights: Indices, rng: np.random.Generator, rate: float | None = None
) -> Levels:
    """Move each level up or down by one with probability *rate*, by default 1 / attributes.

    Levels stay within the hierarchy.
    """
    chance = 1 / len(levels) if rate is None else rate
    moves = rng.choice((-1, 1), size=len(levels)) * (rng.random(len(levels)) < chance)
    moved = np.clip(np.array(levels) + moves, 0, heights)
    return tuple(int(level) for level in moved)


def minimal(fitness: Points) -> Indices:
    """Return the positions of the non-dominated points (minimisation); one of equal points.

    In lexicographic order a point can only be dominated by an earlier one.
    """
    selected: list[int] = []
    front = np.empty((0, fitness.shape[1]))
    for place in np.lexsort(fitness.T[::-1]):
        if not (front <= fitness[place]).all(axis=1).any():
            selected.append(int(place))
            front = fitness[selected]
    return np.array(selected, dtype=np.int64)


def convergence_error(front: Points, exact: Points) -> float:
    """CE: sum of the distances of the points found to the nearest exact point.

    Both are natural values; each objective is divided by its largest exact value. The paper's
    formula is this sum, but its numbers fit the mean over the points found.
    """
    scale = np.abs(exact).max(axis=0)
    scale[scale == 0] = 1.0
    differences = (front[:, None, :] - exact[None, :, :]) / scale
    return float(np.sqrt((differences**2).sum(axis=2)).min(axis=1).sum())


def representation_ratio(front: Points, exact: Points, sides: Sequence[float]) -> float:
    """RR: share of the non-dominated boxes of the exact front that contain a point found."""
    boxed = BoxedFront[Levels](tuple(sides))
    exact_boxes = boxed.boxes(exact)
    exact_boxes = exact_boxes[minimal(exact_boxes)]
    reached = {tuple(box) for box in boxed.boxes(front).tolist()}
    return float(np.mean([tuple(box) in reached for box in exact_boxes.tolist()]))


MOST_NODES = 4_000
"""Largest number of nodes drawn behind the front; of more, every n-th."""


def lattice_chart(
    name: str, title: str, objectives: Objectives, nodes: Points, front: Points
) -> Chart:
    """Scatter chart of the nodes and the front, by their last and their first objective.

    Args:
        nodes, front: natural values, one row per node.
    """
    first, last = objectives.indices[0], objectives.indices[-1]
    return Chart(
        name,
        title,
        f"{len(front)} of {len(nodes):,} nodes make up the front: none of them has a better "
        f"{first.name} without a worse value elsewhere.",
        Axis(_title(last)),
        Axis(_title(first), logarithmic=bool((nodes[:, 0] > 0).all())),
        (points("nodes", nodes[:: max(1, len(nodes) // MOST_NODES)]), points("front", front)),
    )


def points(name: str, values: Points) -> Series:
    """Return nodes as a series, in the order of their last objective."""
    ordered = values[np.argsort(values[:, -1], kind="stable")]
    x, y = (tuple(float(v) for v in ordered[:, c]) for c in (-1, 0))
    return Series(name, "points", x, y)


def _title(index: AnyIndex) -> str:
    return f"{index.name}: {index.meaning}" if isinstance(index, Index) else index.name


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


def node_provenance(reader: Reader, levels: Levels) -> Provenance:
    """Return the provenance of the file of a node."""
    suppressed = int(reader.figures(levels).suppressed[0])
    if not (any(levels) or suppressed):
        return Provenance(search=NAME)
    trees = zip(reader.lattice.trees.items(), levels, strict=True)
    by_name = {name: coarseness(tree, level) for (name, tree), level in trees}
    parameters = {"levels": by_name, "suppressed": suppressed}
    return Provenance((Step(NAME, parameters, tuple(by_name)),), search=NAME)


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
        if levels not in self._known and self.every and self.objectives.from_figures:
            figures = self.lattice.sweep(self.reader.rule)
            nodes = map(tuple, figures.levels.tolist())
            self._known.update(zip(nodes, self.objectives.of_all(figures), strict=True))
        elif levels not in self._known:
            self._known[levels] = self.objectives.values(self.reader, levels)
        return self._known[levels]

    def fitness(self, levels: Levels) -> Fitness:
        fitness = self.objectives.fitness(self.values(levels)[None])[0]
        return tuple(float(value) for value in fitness)

    def pack(self, levels: Levels) -> Mapping[str, NDArray[Any]]:
        return pack(levels)

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Levels:
        return unpack(arrays)

    def making(self, levels: Levels) -> Provenance:
        return node_provenance(self.reader, levels)

    def recipe(self, levels: Levels) -> Recipe | None:
        """Return the levels of the node; records are suppressed by enforcement only.

        None where numbers are generalized to bands, which no masking method does.
        """
        by_name = dict(zip(self.lattice.names, levels, strict=True))
        table = self.lattice.table
        if any(level and not table.attribute(n).is_categorical for n, level in by_name.items()):
            return None
        return canonical(
            Step(NAME, {"levels": [level]}, (name,)) for name, level in by_name.items() if level
        )

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
        title = f"Evaluated nodes of {self.lattice.size:,}, and the front"
        read, front = (
            self.objectives.natural(fitness_array(individuals))
            for individuals in (state.population, state.archive.members)
        )
        return [lattice_chart("lattice", title, self.objectives, read, front)]
