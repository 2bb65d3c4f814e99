"""The search as the catalogue knows it: what can be set, and how it is put together."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evomask.errors import ParameterError
from evomask.evolution.archive import BoxedFront
from evomask.evolution.loop import Scheme
from evomask.evolution.schemes import Archived
from evomask.evolution.setup import Setup
from evomask.searches.generalization.guided import Guided
from evomask.searches.generalization.indices import ClassIndex, Index
from evomask.searches.generalization.lattice import Lattice, Levels
from evomask.searches.generalization.problem import Nodes
from evomask.searches.generalization.reader import Objectives, Reader
from evomask.searches.generalization.visited import Nothing, Noting, Visited

POPULATION = 25
CROSSOVER_RATE = 0.8
ITERATIONS = 100


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
    scale = _scale(objectives)
    return Setup(
        problem,
        Noting(_scheme(algorithm, objectives), visited),
        lattice.size if every else conditions.population,
        BoxedFront[Levels](visited.sides),
        lambda fitness: float(np.mean(np.array(fitness) / scale)),
    )


def _scheme(algorithm: Algorithm, objectives: Objectives) -> Scheme[Levels]:
    if algorithm is Algorithm.EXHAUSTIVE:
        return Nothing()
    if algorithm is Algorithm.PBG_EA:
        return Archived(CROSSOVER_RATE)
    return Guided(objectives)


def _sides(boxes: tuple[float, ...], objectives: Objectives) -> tuple[float, ...]:
    """One side per objective; objectives that are shares get boxes of a thousandth."""
    if not boxes:
        return tuple(1.0 if largest > 2.0 else 1e-9 for largest in objectives.largest)
    if len(boxes) != len(objectives.indices):
        raise ParameterError(
            f"boxes need a side for each of {len(objectives.indices)} objectives, got {len(boxes)}"
        )
    return boxes


def _scale(objectives: Objectives) -> np.ndarray:
    """What makes objectives comparable in one cost: their bounds."""
    return np.maximum(np.abs(objectives.largest), 1.0)
