"""A whole search in one file: numbers are rounded, and how coarsely evolves.

It is what docs/adding-a-search.md explains, and what the tests of runs go through, alone and
as a member of a portfolio.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evomask.data.table import Table
from evomask.errors import ParameterError
from evomask.evolution.individual import FIRST, Outcome, Task, worst_objective
from evomask.evolution.loop import Draws, Setup
from evomask.evolution.schemes import CROSS, MutateOrCross
from evomask.evolution.stopping import Budget
from evomask.evolution.streams import litter_stream
from evomask.evolution.variation import cross_points
from evomask.masking.method import About
from evomask.masking.provenance import Provenance, Step
from evomask.searches.base import SearchContext, SearchInput, Variants

Steps = NDArray[np.int64]


@dataclass(frozen=True)
class Parameters:
    """What can be set on the toy search.

    Args:
        levels: how many widths of rounding there are; each is twice the one before.
        population: how many first genomes.
        pause: seconds to wait at each task, as a slow measure would.
    """

    levels: int = 12
    population: int = 8
    pause: float = 0.0

    def __post_init__(self) -> None:
        if self.levels < 1:
            raise ParameterError(f"levels must be at least 1, got {self.levels}")


@dataclass(frozen=True)
class Rounding:
    """Round each attribute's numbers to a multiple of a width, up or down at random."""

    original: Table
    parameters: Parameters
    draws: Draws

    @property
    def names(self) -> tuple[str, ...]:
        return self.original.schema.quasi_identifiers

    def work(self, task: Task[Steps], rng: np.random.Generator) -> Outcome[Steps]:
        time.sleep(self.parameters.pause)
        genome = self.child(task, rng)
        readings = self.read(genome, 0)
        fitness = readings["loss"], readings["risk"]
        return Outcome(genome, fitness, counts={"width": int(genome.sum())})

    def child(self, task: Task[Steps], rng: np.random.Generator) -> Steps:
        if task.operator == FIRST:
            return rng.integers(self.parameters.levels, size=len(self.names))
        genome = task.parents[0].genome
        if task.operator == CROSS:
            other = task.parents[1].genome
            return cross_points(genome, other, 1, litter_stream(task.litter))[0]
        child = genome.copy()
        sites = np.flatnonzero(rng.random(len(child)) < 1 / len(child))
        child[sites] = rng.integers(self.parameters.levels, size=len(sites))
        return child

    def decode(self, genome: Steps, draw: int) -> Table:
        rng = self.draws(draw)
        columns = {}
        for name, step in zip(self.names, genome, strict=True):
            values = self.original.values(name)
            width = np.ptp(values) * 2.0 ** (step - self.parameters.levels)
            columns[name] = np.floor(values / width + rng.random(len(values))) * width
        return self.original.with_columns(columns)

    def read(self, genome: Steps, draw: int) -> dict[str, float]:
        before = self.original.matrix(self.names)
        after = self.decode(genome, draw).matrix(self.names)
        _, sizes = np.unique(after, axis=0, return_counts=True)
        loss = 100.0 * np.mean(np.minimum(np.abs(after - before) / np.ptp(before, axis=0), 1.0))
        risk = 100.0 * np.sum(sizes == 1) / len(after)
        return {"loss": float(loss), "risk": float(risk), "score": float(max(loss, risk))}

    def making(self, genome: Steps) -> Provenance:
        widths = 100.0 * 2.0 ** (genome - self.parameters.levels)
        return Provenance((Step("toy", {"width": float(widths.mean())}, self.names),))

    def answer(self, genome: Steps) -> dict[str, object]:
        return {"steps": dict(zip(self.names, genome.tolist(), strict=True))}

    def pack(self, genome: Steps) -> dict[str, NDArray[Any]]:
        return {"steps": genome}

    def unpack(self, arrays: Mapping[str, NDArray[Any]]) -> Steps:
        return arrays["steps"]


class ToySearch:
    """Round numbers; how coarsely evolves."""

    name = "toy"
    parameters = Parameters
    budget = Budget(generations=50)
    about = About(
        "toy",
        "Rounding",
        "numbers rounded to a multiple of a width, which is {width:.2f} % of their range",
        "Numbers were rounded to a multiple of a width, up or down by chance.",
    )
    cost = 1.0
    keeps_strata = True
    kernels = ()

    @staticmethod
    def variants(file: SearchInput) -> Variants:
        if len(file.numbers) < len(file.names):
            return {}
        return {"": {}, "-coarse": {"levels": 4}}

    @staticmethod
    def setup(table: Table, parameters: Parameters, around: SearchContext) -> Setup[Steps]:
        turns = int(around.decide("turns", _turns_by_the_clock)) if around.decide else 3
        problem = Rounding(table, parameters, around.draws)
        scheme = MutateOrCross(turns=turns, cost=worst_objective)
        return Setup(problem, scheme, first=parameters.population, cost=worst_objective)


def _turns_by_the_clock() -> float:
    return 2 + time.monotonic_ns() % 4
