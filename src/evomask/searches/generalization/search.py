"""The search as the catalogue knows it: what can be set, and how it is put together."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log1p

from evomask.errors import ParameterError
from evomask.evolution.archive import BoxedFront
from evomask.evolution.individual import Cost, Fitness
from evomask.evolution.loop import Scheme
from evomask.evolution.schemes import Archived, Unbred
from evomask.evolution.setup import Setup
from evomask.searches.generalization.guided import Guided
from evomask.searches.generalization.indices import ClassIndex, Index
from evomask.searches.generalization.lattice import Lattice, Levels
from evomask.searches.generalization.problem import Nodes
from evomask.searches.generalization.reader import Objectives, Reader
from evomask.searches.generalization.schemes import Remembering

POPULATION = 25
FIRST_GUIDED = 10
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
        population: how many first nodes; by default 25 for PBG-EA, 10 for ours.
        compare: whether the answer tells CE and RR against the whole lattice.
    """

    limit: int = 0
    boxes: tuple[float, ...] = ()
    population: int | None = None
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
    sides = _sides(conditions.boxes, objectives)
    every = algorithm is Algorithm.EXHAUSTIVE
    scheme, first = _scheme(algorithm, objectives, conditions.population)
    return Setup(
        Nodes(reader, objectives, sides, every, conditions.compare),
        scheme,
        first,
        BoxedFront[Levels](sides),
        _worst(objectives),
    )


def _scheme(
    algorithm: Algorithm, objectives: Objectives, population: int | None
) -> tuple[Scheme[Levels], int]:
    """How to go on, and how many nodes to begin with."""
    if algorithm is Algorithm.EXHAUSTIVE:
        return Unbred(), objectives.lattice.size
    if algorithm is Algorithm.PBG_EA:
        size = population or POPULATION
        return Remembering(Archived(CROSSOVER_RATE), size), size
    return Guided(objectives), population or FIRST_GUIDED


def _sides(boxes: tuple[float, ...], objectives: Objectives) -> tuple[float, ...]:
    """One side per objective; an objective that is a share gets boxes too small to matter."""
    if not boxes:
        return tuple(1.0 if largest > 2.0 else TINY for largest in objectives.largest)
    if len(boxes) != len(objectives.indices):
        raise ParameterError(
            f"boxes need a side for each of {len(objectives.indices)} objectives, got {len(boxes)}"
        )
    return boxes


def _worst(objectives: Objectives) -> Cost:
    """One cost: the objective that is worst on a scale from 0 to 1, qualities by logarithm.

    A quality of the user's own that has no bound counts 1 / (1 + value).
    """

    def quality(value: float, bound: float) -> float:
        return 1.0 - log1p(value) / log1p(bound) if bound else 1.0 / (1.0 + value)

    scales = list(zip(objectives.indices, objectives.largest.tolist(), strict=True))

    def cost(fitness: Fitness) -> float:
        return max(
            quality(-value, bound) if index.more else value / bound + 1.0
            for value, (index, bound) in zip(fitness, scales, strict=True)
        )

    return cost
