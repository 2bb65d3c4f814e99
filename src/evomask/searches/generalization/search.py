"""The search as the catalogue knows it: what can be set, and how it is put together."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evomask.errors import ParameterError
from evomask.evolution.archive import BoxedFront
from evomask.evolution.individual import Fitness
from evomask.evolution.loop import Scheme
from evomask.evolution.setup import Setup
from evomask.searches.generalization.guided import Guided
from evomask.searches.generalization.indices import ClassIndex, Index
from evomask.searches.generalization.lattice import Lattice, Levels
from evomask.searches.generalization.pbg import PbgEa
from evomask.searches.generalization.problem import Nodes
from evomask.searches.generalization.reader import Objectives, Reader
from evomask.searches.generalization.visited import Nothing, Noting, Visited

POPULATION = 25
CROSSOVER_RATE = 0.8

TINY = 1e-9


class Algorithm(StrEnum):
    """How the lattice is searched: ours, the paper's, or all of it."""

    GUIDED = "guided"
    PBG_EA = "pbg-ea"
    EXHAUSTIVE = "exhaustive"


@dataclass(frozen=True)
class Conditions:
    """Under what conditions nodes are compared.

    Args:
        limit: how many records may be suppressed.
        boxes: the sides of boxes that hold one node each, by objective; ones by default.
        population: how many first nodes.
        compare: whether the answer tells CE and RR against the whole lattice.
    """

    limit: int = 0
    boxes: tuple[float, ...] = ()
    population: int = POPULATION
    compare: bool = False


def put_together(
    lattice: Lattice,
    indices: Sequence[Index | ClassIndex],
    algorithm: Algorithm = Algorithm.GUIDED,
    conditions: Conditions = Conditions(),  # noqa: B008
) -> Setup[Levels]:
    """A search over one lattice, ready for the loop."""
    objectives = Objectives(lattice, tuple(indices))
    reader = Reader(lattice, lattice.rule(limit=conditions.limit, shares=objectives.shares))
    visited = Visited(_sides(conditions.boxes, objectives))
    every = algorithm is Algorithm.EXHAUSTIVE
    problem = Nodes(reader, objectives, every, conditions.compare, visited)
    return Setup(
        problem,
        Noting(_scheme(algorithm, objectives), visited),
        lattice.size if every else conditions.population,
        BoxedFront[Levels](visited.sides),
        lambda fitness: _worst(objectives, fitness),
    )


def _scheme(algorithm: Algorithm, objectives: Objectives) -> Scheme[Levels]:
    if algorithm is Algorithm.EXHAUSTIVE:
        return Nothing()
    if algorithm is Algorithm.PBG_EA:
        return PbgEa(CROSSOVER_RATE)
    return Guided(objectives)


def _sides(boxes: tuple[float, ...], objectives: Objectives) -> tuple[float, ...]:
    """One side per objective; an objective that is a share gets boxes too small to matter."""
    if not boxes:
        return tuple(1.0 if largest > 2.0 else TINY for largest in objectives.largest)
    if len(boxes) != len(objectives.indices):
        raise ParameterError(
            f"boxes need a side for each of {len(objectives.indices)} objectives, got {len(boxes)}"
        )
    return boxes


def _worst(objectives: Objectives, fitness: Fitness) -> float:
    """One cost: the objective that is worst on a scale from 0 to 1, qualities by logarithm."""
    values = objectives.natural(np.array(fitness))
    largest = objectives.largest
    return max(
        1.0 - float(np.log1p(value) / np.log1p(bound)) if index.more else float(value / bound)
        for index, value, bound in zip(objectives.indices, values, largest, strict=True)
    )
