"""A search made ready for one table: what the loop needs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeAlias

import numpy as np

from evomask.evolution.archive import Archive, Front
from evomask.evolution.individual import Cost, G
from evomask.evolution.individual import first as first_number
from evomask.evolution.loop import Problem, Scheme

Draws: TypeAlias = Callable[[int], np.random.Generator]
Decide: TypeAlias = Callable[[str, Callable[[], float]], float]


@dataclass(frozen=True)
class Setup(Generic[G]):
    """A search made ready.

    Args:
        first: how many first genomes there are.
        archive: an empty one of the kind to keep; its members are the front.
        cost: one number per fitness; the smallest is the best.
        least: generations that are run whatever the budget, because nothing is whole before.
    """

    problem: Problem[G]
    scheme: Scheme[G]
    first: int
    archive: Archive[G] = field(default_factory=Front)
    cost: Cost = first_number
    least: int = 0
